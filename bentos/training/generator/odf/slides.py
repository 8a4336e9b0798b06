"""A presentation as flat OpenDocument: a title box and a body box per slide."""

# ruff: noqa: E501  (markup and its attributes, one to a line)

from __future__ import annotations

import random

from bentos.training.generator.formulas import linear
from bentos.training.generator.ids import place_in_table
from bentos.training.generator.model import (
    Block,
    Break,
    Document,
    Figure,
    Formula,
    Front,
    Heading,
    ListItem,
    Table,
    Text,
    Zone,
)
from bentos.training.generator.odf.spans import NAMESPACES, Spans, image
from bentos.training.generator.odf.style import Look, Style
from bentos.training.generator.odf.style_elements import named_style


class SlideSource(Spans):
    """Slides: everything between two breaks is one page."""

    def __init__(self, document: Document, style: Style, rng: random.Random) -> None:
        super().__init__(document, style, rng)
        width, height = style.page
        self.margin = width * rng.uniform(0.05, 0.1)
        self.title_size = height / rng.uniform(11, 16)
        self.body_size = height / rng.uniform(20, 30)
        self.dark = rng.random() < 0.15
        self.ink = "#ffffff" if self.dark else "#000000"
        self.ground = rng.choice(("#1f2f46", "#202020")) if self.dark else rng.choice(("#ffffff", "#ffffff", "#f4f4f0"))
        self.bold = rng.random() < 0.6
        self.band = rng.random() < 0.35
        self.align = rng.choice(("start", "start", "center"))
        self.footer = rng.choice(("", "{title}", "{author}"))
        self.page_number = rng.random() < 0.7
        self.numbers = {
            "footer": self.pieces.add("footer", Zone.FOOTER),
            "page": self.pieces.add("page-number", Zone.FOOTER),
        }
        self.images: dict[str, tuple[Figure, float, int, int]] = {}
        self.places: dict[str, tuple[float, float]] = {}
        for look in style.looks.values():
            look.text["fo:color"] = self.ink
        accent = "#ffffff" if self.band else (self.ink if self.dark else style.accent)
        style.looks["h1"].text["fo:color"] = accent
        self.tables = 0
        self.pages = [self._slide(group, i) for i, group in enumerate(_groups(document.blocks))]

    def render(self, colored: bool) -> str:
        """The flat XML of a twin."""
        width, height = self.style.page
        looks = {
            "title": Look({"fo:text-align": self.align}),
            "body": Look({"fo:margin-bottom": f"{self.body_size * 0.4:.1f}pt"}),
            "small": Look({"fo:text-align": self.align}),
            "cell": Look(),
        }
        for depth in (1, 2, 3):
            left = f"{self.body_size * (0.3 + 1.2 * depth):.0f}pt"
            hang = {"fo:text-indent": f"-{self.body_size:.0f}pt", "fo:margin-bottom": f"{self.body_size * 0.3:.1f}pt"}
            looks[f"item{depth}"] = Look({"fo:margin-left": left, **hang})
        styles = "".join(named_style(name, look) for name, look in looks.items())
        box = '<style:style style:name="gr" style:family="graphic"><style:graphic-properties draw:stroke="none" draw:fill="none" draw:auto-grow-height="false" fo:padding="2pt"/></style:style>'
        band = f'<style:style style:name="band" style:family="graphic"><style:graphic-properties draw:stroke="none" draw:fill="solid" draw:fill-color="{self.style.accent if self.style.accent != "#000000" else "#334455"}"/></style:style>'
        page = f'<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties draw:fill="solid" draw:fill-color="{self.ground}" draw:background-size="border"/></style:style>'
        cell = '<style:style style:name="ce" style:family="table-cell"><style:graphic-properties draw:fill="none" fo:padding="2pt"/><style:paragraph-properties fo:border="0.5pt solid #888888"/></style:style>'
        body = "".join(self.pages)
        for key, (figure, wide, region, words) in self.images.items():
            body = body.replace(
                key, image(figure, wide, region if colored else None, words if colored else None, self.places[key])
            )
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.presentation">'
            f"{self.fonts()}<office:styles>{self.default_style('graphic', colored)}</office:styles><office:automatic-styles>{styles}"
            f'<style:page-layout style:name="PM"><style:page-layout-properties fo:page-width="{width}pt" fo:page-height="{height}pt" style:print-orientation="landscape"/></style:page-layout>'
            f"{box}{band}{page}{cell}{self.span_styles(colored)}</office:automatic-styles><office:master-styles>"
            f'<style:master-page style:name="M" style:page-layout-name="PM" draw:style-name="dp"/></office:master-styles>'
            f"<office:body><office:presentation>{body}</office:presentation></office:body></office:document>"
        )

    def _set(self, share: float, *, bold: bool = False, heads: bool = False) -> None:
        """Size, relative to the body's, and face of the spans that follow."""
        size = f"{self.body_size * share:.1f}pt"
        font = self.style.heads if heads else self.style.font
        self.extra = " ".join(
            f'fo:font-size{o}="{size}"'.replace("fo:font-size-", "style:font-size-") for o in ("", "-asian", "-complex")
        )
        self.extra += f' style:font-name="{font}"' + (' fo:font-weight="bold"' if bold else "")

    def _frame(self, x: float, y: float, width: float, height: float, inner: str) -> str:
        return (
            f'<draw:frame draw:style-name="gr" svg:x="{x:.0f}pt" svg:y="{y:.0f}pt" svg:width="{width:.0f}pt" svg:height="{height:.0f}pt">'
            f"<draw:text-box>{inner}</draw:text-box></draw:frame>"
        )

    def _slide(self, blocks: list[Block], index: int) -> str:
        width, height = self.style.page
        inside = width - 2 * self.margin
        out = []
        y = height * 0.06
        for block in blocks:
            if isinstance(block, Front):
                out.append(self._front(block))
                continue
            if isinstance(block, Heading):
                if self.band:
                    out.append(
                        f'<draw:rect draw:style-name="band" svg:x="0pt" svg:y="0pt" svg:width="{width}pt" svg:height="{y + self.title_size * 2:.0f}pt"/>'
                    )
                self._set(self.title_size / self.body_size, bold=self.bold, heads=True)
                inner = f'<text:p text:style-name="title">{self.piece("frametitle", block.text, look="h1")}</text:p>'
                out.append(self._frame(self.margin, y, inside, self.title_size * 1.8, inner))
                y += self.title_size * 2.6
        paragraphs = [self._paragraph(b) for b in blocks if isinstance(b, Text | ListItem | Formula)]
        room = height * 0.9 - y
        others = [b for b in blocks if isinstance(b, Figure | Table)]
        if paragraphs:
            share = 0.5 if others else 1.0
            out.append(self._frame(self.margin, y, inside, room * share, "".join(paragraphs)))
            y += room * share
        if others and isinstance(others[0], Figure):
            out.append(self._figure(others[0], y, inside, height * 0.88 - y))
        elif others:
            out += [self._table(o, y, inside) for o in others[:1] if isinstance(o, Table)]
        out.append(self._feet(index))
        return (
            f'<draw:page draw:name="p{index}" draw:master-page-name="M" draw:style-name="dp">{"".join(out)}</draw:page>'
        )

    def _front(self, f: Front) -> str:
        width, height = self.style.page
        self._set(1.25 * self.title_size / self.body_size, bold=self.bold, heads=True)
        lines = [f'<text:p text:style-name="title">{self.piece("title", f.title, look="title")}</text:p>']
        self._set(1.0)
        if f.subtitle:
            lines.append(f'<text:p text:style-name="body">{self.piece("subtitle", f.subtitle)}</text:p>')
        lines += [f'<text:p text:style-name="body">{self.piece("author", p.name)}</text:p>' for p in f.people]
        self._set(0.75)
        lines += [f'<text:p text:style-name="small">{self.piece("affiliation", a)}</text:p>' for a in f.affiliations]
        if f.date:
            lines.append(f'<text:p text:style-name="small">{self.piece("date", f.date)}</text:p>')
        return self._frame(self.margin, height * 0.25, width - 2 * self.margin, height * 0.6, "".join(lines))

    def _paragraph(self, block: Text | ListItem | Formula) -> str:
        if isinstance(block, ListItem):
            self._set(1 - 0.1 * (min(block.depth, 3) - 1))
            mark = self.piece("itemid", block.marker)
            return f'<text:p text:style-name="item{min(block.depth, 3)}">{mark}<text:tab/>{self.runs(block.runs, "item")}</text:p>'
        self._set(1.0)
        if isinstance(block, Formula):
            return f'<text:p text:style-name="body">{self.piece("formula", linear(block.node), marks="i")}</text:p>'
        return f'<text:p text:style-name="body">{self.runs(block.runs, block.orig)}</text:p>'

    def _figure(self, f: Figure, y: float, inside: float, room: float) -> str:
        wide = min(inside * 0.9, max(room, 60) * f.drawing.width / f.drawing.height)
        key = f"@image{len(self.images)}@"
        self.images[key] = (
            f,
            wide,
            self.pieces.add("object", Zone.FLOAT, {"region": True}),
            self.pieces.add("ingraphic", Zone.FLOAT),
        )
        self.places[key] = (self.margin + (inside - wide) / 2, y)
        return key

    def _table(self, t: Table, y: float, inside: float) -> str:
        """A table as rows of text boxes, as many presentations have it."""
        self.tables += 1
        self._set(0.75)
        columns = t.columns
        step, tall = inside / columns, self.body_size * 1.25
        out = []
        for r, row in enumerate(t.rows[:7]):
            for c, cell in enumerate(row):
                if cell is None or not cell.text:
                    continue
                grid = place_in_table(self.tables, r, c, cell)
                text = cell.text[: int(1.6 * step / self.body_size)]
                inner = self.piece("table", text, Zone.FLOAT, marks="b" if cell.head else "", meta=grid)
                out.append(
                    self._frame(
                        self.margin + c * step,
                        y + r * tall,
                        step * cell.col_span,
                        tall,
                        f'<text:p text:style-name="cell">{inner}</text:p>',
                    )
                )
        return "".join(out)

    def _feet(self, index: int) -> str:
        width, height = self.style.page
        self._set(0.6)
        out = ""
        text = self.footer.replace("{title}", self.document.running_title[:50]).replace(
            "{author}", self.document.running_author
        )
        if text:
            inner = self.span(self.numbers["footer"], text, "", "furniture")
            out += self._frame(
                self.margin,
                height * 0.93,
                width * 0.6,
                height * 0.06,
                f'<text:p text:style-name="small">{inner}</text:p>',
            )
        if self.page_number:
            inner = self.span(self.numbers["page"], str(index + 1), "", "furniture")
            out += self._frame(
                width * 0.88,
                height * 0.93,
                width * 0.08,
                height * 0.06,
                f'<text:p text:style-name="small">{inner}</text:p>',
            )
        return out


def _groups(blocks: list[Block]) -> list[list[Block]]:
    """Blocks between breaks."""
    groups: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Break):
            groups.append([])
        else:
            groups[-1].append(block)
    return [g for g in groups if g]
