"""Spans of text and frames of pictures, each in the colour of its piece; what slides and text documents share."""

# ruff: noqa: E501  (markup and its attributes, one to a line)

from __future__ import annotations

import base64
import random
from xml.sax.saxutils import escape, quoteattr

from bentos.training.generator.drawing import svg
from bentos.training.generator.formulas import linear
from bentos.training.generator.ids import Meta, Pieces, color_of
from bentos.training.generator.model import Document, Figure, Inline, Zone
from bentos.training.generator.odf.style import Style
from bentos.training.generator.odf.style_elements import writing_mode
from bentos.training.generator.words import Writer

NAMESPACES = " ".join(
    f'xmlns:{k}="{v}"'
    for k, v in {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
        "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
        "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
        "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
    }.items()
)

_STYLES = {"b": 'fo:font-weight="bold"', "i": 'fo:font-style="italic"', "u": 'style:text-underline-style="solid"',
           "c": 'fo:font-variant="small-caps"', "^": 'style:text-position="super 60%"', "_": 'style:text-position="sub 60%"'}  # fmt: skip


class Spans:
    """Text spans and their automatic styles."""

    def __init__(self, document: Document, style: Style, rng: random.Random) -> None:
        self.document, self.style, self.rng = document, style, rng
        self.writer = Writer.of(rng, document.language)
        self.pieces = Pieces()
        self.default = self.pieces.add("header", Zone.HEADER)
        self.spans: dict[tuple[int, str, str, str], str] = {}
        self.extra = ""
        """Text properties of all spans made from now on (slides take no size from paragraph styles)."""
        self.notes = 0

    def span(self, number: int, text: str, marks: str = "", look: str = "text") -> str:
        """A span in the colour of a piece; `look` gives its colour in the plain twin."""
        plain = self.style.looks[look].text.get("fo:color", "#000000")
        name = self.spans.setdefault((number, marks, plain, self.extra), f"T{len(self.spans)}")
        return f'<text:span text:style-name="{name}">{_spaces(text)}</text:span>'

    def piece(
        self,
        orig: str,
        text: str,
        zone: Zone = Zone.BODY,
        marks: str = "",
        look: str = "text",
        meta: Meta | None = None,
    ) -> str:
        return self.span(self.pieces.add(orig, zone, meta), text, marks, look)

    def runs(self, runs: Inline, orig: str, zone: Zone = Zone.BODY, look: str = "text") -> str:
        """Runs as one piece; footnotes become notes."""
        number = self.pieces.add(orig, zone)
        out = []
        for run in runs:
            if run.note:
                out.append(self.note(run.note))
            else:
                text = linear(run.math) if run.math else run.text
                out.append(self.span(number, text, "i" if run.math else run.style, look))
        return "".join(out)

    def note(self, text: str) -> str:
        return ""

    def span_styles(self, colored: bool) -> str:
        """Automatic styles of all spans."""
        out = []
        for (number, marks, plain, extra), name in self.spans.items():
            color = f"#{color_of(number)}" if colored else plain
            props = " ".join([extra, *(_STYLES[m] for m in marks if m in _STYLES)])
            if "m" in marks:
                props += f" style:font-name={quoteattr(self.style.mono)}"
            out.append(
                f'<style:style style:name="{name}" style:family="text"><style:text-properties fo:color="{color}" {props}/></style:style>'
            )
        return "".join(out)

    def fonts(self) -> str:
        names = {self.style.font, self.style.heads, self.style.mono}
        faces = "".join(
            f"<style:font-face style:name={quoteattr(n)} svg:font-family={quoteattr(chr(39) + n + chr(39))}/>"
            for n in sorted(names)
        )
        return f"<office:font-face-decls>{faces}</office:font-face-decls>"

    def default_style(self, family: str, colored: bool) -> str:
        font, size = quoteattr(self.style.font), self.style.size
        color = f"#{color_of(self.default)}" if colored else "#000000"
        language = self.document.language
        mode = writing_mode(language)
        return (
            f'<style:default-style style:family="{family}"><style:paragraph-properties{mode}/><style:text-properties style:font-name={font} '
            f'style:font-name-asian={font} style:font-name-complex={font} fo:font-size="{size}pt" style:font-size-asian="{size}pt" '
            f'style:font-size-complex="{size}pt" fo:color="{color}" fo:language="{language}" fo:country="none"/></style:default-style>'
        )


def _spaces(text: str) -> str:
    """XML text in which runs of blanks survive."""
    return escape(text).replace("  ", ' <text:s text:c="1"/>')


def image(
    f: Figure, width: float, region: int | None, words: int | None, place: tuple[float, float] | None = None
) -> str:
    """A frame that holds the figure as SVG, with its region filled and its words coloured in the coloured twin.

    In a line of text, or at a place on a slide.
    """
    height = width * f.drawing.height / f.drawing.width
    picture = svg(f.drawing, width, f' fill="#{color_of(words)}"' if words is not None else ' fill="#000000"')
    fill = f"#{color_of(region)}" if region is not None else "#ffffff"
    head, _, tail = picture.partition(">")
    ground = f'<rect x="0" y="0" width="{f.drawing.width:.1f}" height="{f.drawing.height:.1f}" fill="{fill}"/>'
    data = base64.b64encode((head + ">" + ground + tail).encode()).decode()
    anchor = f'svg:x="{place[0]:.0f}pt" svg:y="{place[1]:.0f}pt"' if place else 'text:anchor-type="as-char"'
    return (
        f'<draw:frame {anchor} svg:width="{width:.1f}pt" svg:height="{height:.1f}pt"><draw:image draw:mime-type="image/svg+xml">'
        f"<office:binary-data>{data}</office:binary-data></draw:image></draw:frame>"
    )
