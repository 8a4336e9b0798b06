"""Styles as OpenDocument has them: elements for paragraphs, pages, sections, tabs."""

# ruff: noqa: E501  (markup and its attributes, one to a line)

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from bentos.training.generator.languages import LANGUAGES
from bentos.training.generator.odf.style import Look, Style


def writing_mode(language: str) -> str:
    """The attribute of pages and paragraphs that are written from right to left."""
    return ' style:writing-mode="rl-tb"' if LANGUAGES[language].right_to_left else ""


def named_style(name: str, look: Look) -> str:
    """A paragraph style."""
    paragraph = " ".join(f"{k}={quoteattr(v)}" for k, v in look.paragraph.items() if v != "none")
    props = {k: v for k, v in look.text.items() if k != "fo:color"}
    for key in ("fo:font-size", "fo:font-weight", "fo:font-style"):
        if key in props:
            for other in ("asian", "complex"):
                props[f"style:{key[3:]}-{other}"] = props[key]
    if "style:font-name" in props:
        props |= {f"style:font-name-{o}": props["style:font-name"] for o in ("asian", "complex")}
    text = " ".join(f"{k}={quoteattr(v)}" for k, v in props.items())
    return (
        f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties {paragraph}/>'
        f"<style:text-properties {text}/></style:style>"
    )


def page_layout(style: Style, language: str) -> str:
    """The page with room for its header and footer."""
    top, right, bottom, left = style.margins
    margins = f'fo:margin-top="{top * 0.55:.0f}pt" fo:margin-right="{right}pt" fo:margin-bottom="{bottom * 0.55:.0f}pt" fo:margin-left="{left}pt"'
    mode = writing_mode(language)
    return (
        f'<style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="{style.page[0]}pt" fo:page-height="{style.page[1]}pt" {margins}{mode}/>'
        f'<style:header-style><style:header-footer-properties fo:min-height="{top * 0.45:.0f}pt" fo:margin-bottom="6pt"/></style:header-style>'
        f'<style:footer-style><style:header-footer-properties fo:min-height="{bottom * 0.45:.0f}pt" fo:margin-top="6pt"/></style:footer-style></style:page-layout>'
    )


def section_style(style: Style) -> str:
    """A section in columns."""
    columns = f'<style:columns fo:column-count="{style.columns}" fo:column-gap="18pt"/>'
    return f'<style:style style:name="Sect" style:family="section"><style:section-properties text:dont-balance-text-columns="true">{columns}</style:section-properties></style:style>'


def tab_styles(style: Style) -> str:
    """Paragraphs with tabs: running lines, contents, items of lists, numbered equations."""
    page, margins = style.page, style.margins
    width = page[0] - margins[1] - margins[3]
    leader = ' style:leader-style="dotted" style:leader-text="."' if style.dots else ""
    size = f'fo:font-size="{style.looks["furniture"].text["fo:font-size"]}"'
    running = (
        f'<style:style style:name="running" style:family="paragraph"><style:paragraph-properties><style:tab-stops><style:tab-stop style:position="{width / 2:.0f}pt" '
        f'style:type="center"/><style:tab-stop style:position="{width:.0f}pt" style:type="right"/></style:tab-stops></style:paragraph-properties><style:text-properties {size}/></style:style>'
    )
    toc = "".join(
        f'<style:style style:name="toc{level}" style:family="paragraph"><style:paragraph-properties fo:margin-left="{(level - 1) * 14}pt" fo:margin-bottom="2pt"><style:tab-stops>'
        f'<style:tab-stop style:position="{width - (level - 1) * 14:.0f}pt" style:type="right"{leader}/></style:tab-stops></style:paragraph-properties></style:style>'
        for level in (1, 2, 3, 4)
    )
    items = ""
    for depth in (1, 2, 3):
        left = style.step * (depth - 1) + style.hang
        items += (
            f'<style:style style:name="item{depth}" style:family="paragraph"><style:paragraph-properties fo:margin-left="{left}pt" fo:text-indent="-{style.hang}pt" '
            f'fo:margin-bottom="3pt"><style:tab-stops><style:tab-stop style:position="0pt"/></style:tab-stops></style:paragraph-properties></style:style>'
        )
    number = (
        f'<style:style style:name="equation" style:family="paragraph"><style:paragraph-properties fo:margin-top="6pt" fo:margin-bottom="6pt"><style:tab-stops>'
        f'<style:tab-stop style:position="{width / style.columns / 2:.0f}pt" style:type="center"/><style:tab-stop style:position="{width / style.columns - 9:.0f}pt" style:type="right"/></style:tab-stops></style:paragraph-properties></style:style>'
    )
    return running + toc + items + number
