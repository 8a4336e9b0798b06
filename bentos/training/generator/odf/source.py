"""A document as flat OpenDocument text. Each piece is a span whose style carries its colour, in both twins alike."""

# ruff: noqa: E501  (markup and its attributes, one to a line)

from __future__ import annotations

import random

from bentos.training.generator.formulas import linear
from bentos.training.generator.model import (
    Block,
    Box,
    Break,
    Code,
    Document,
    Figure,
    Formula,
    Front,
    Heading,
    Inline,
    ListItem,
    Reference,
    Table,
    Text,
    TocLine,
    Zone,
)
from bentos.training.generator.odf.spans import NAMESPACES, Spans, image
from bentos.training.generator.odf.style import Look, Style
from bentos.training.generator.odf.style_elements import named_style, page_layout, section_style, tab_styles
from bentos.training.generator.odf.tables import cell_styles, table


class TextSource(Spans):
    """A text document."""

    def __init__(self, document: Document, style: Style, rng: random.Random) -> None:
        super().__init__(document, style, rng)
        self.body: list[str] = []
        self.tables = 0
        self.images: dict[str, tuple[Figure, float, int, int]] = {}
        self.section_open = False
        self.sections = 0
        self.break_next = False
        self.table_styles: list[str] = []
        self.furniture = {"header": self.default, "footer": self.pieces.add("footer", Zone.FOOTER),
                          "page": self.pieces.add("page-number", Zone.FOOTER)}  # fmt: skip
        self.running = [self._running(style.header, "header"), self._running(style.footer, "footer")]
        for block in document.blocks:
            self._block(block)
        self._close_section()

    @property
    def width(self) -> float:
        page, margins = self.style.page, self.style.margins
        whole = page[0] - margins[1] - margins[3]
        return (whole - 18 * (self.style.columns - 1)) / self.style.columns if self.section_open else whole

    def render(self, colored: bool) -> str:
        """The flat XML of a twin."""
        style = self.style
        looks = "".join(named_style(name, look) for name, look in style.looks.items())
        broken = "".join(
            named_style(f"{name}-new", Look({**look.paragraph, "fo:break-before": "page"}, look.text))
            for name, look in style.looks.items()
        )
        body = "".join(self.body)
        for key, (figure, width, region, words) in self.images.items():
            body = body.replace(key, image(figure, width, region if colored else None, words if colored else None))
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">'
            f"{self.fonts()}<office:styles>{self.default_style('paragraph', colored)}{looks}{broken}{tab_styles(style)}</office:styles>"
            f"<office:automatic-styles>{page_layout(style, self.document.language)}{section_style(style)}{self.span_styles(colored)}{cell_styles(style)}{''.join(self.table_styles)}</office:automatic-styles>"
            f'<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="PL"><style:header>{self.running[0]}</style:header>'
            f"<style:footer>{self.running[1]}</style:footer></style:master-page></office:master-styles>"
            f"<office:body><office:text>{body}</office:text></office:body></office:document>"
        )

    def _running(self, parts: tuple[str, str, str], kind: str) -> str:
        out = []
        for part in parts:
            text = part.replace("{title}", self.document.running_title).replace(
                "{author}", self.document.running_author
            )
            text = text.replace("{date}", self.writer.date())
            number = self.furniture["page" if "{page}" in part else kind]
            pieces = []
            for chunk in text.replace("{pages}", "\0pages\0").replace("{page}", "\0page\0").split("\0"):
                span = self.span(number, "@" if chunk in ("page", "pages") else chunk, "", "furniture") if chunk else ""
                field = {
                    "page": "<text:page-number>1</text:page-number>",
                    "pages": "<text:page-count>1</text:page-count>",
                }.get(chunk)
                pieces.append(span.replace("@", field) if field else span)
            out.append("".join(pieces))
        return f'<text:p text:style-name="running">{"<text:tab/>".join(out)}</text:p>'

    def paragraph(self, inner: str, name: str) -> None:
        if self.break_next and name in self.style.looks:
            name, self.break_next = f"{name}-new", False
        self.body.append(f'<text:p text:style-name="{name}">{inner}</text:p>')

    def note(self, text: str) -> str:
        self.notes += 1
        inner = self.piece("footnote", text, Zone.NOTE, look="footnote")
        return (
            f'<text:note text:id="n{self.notes}" text:note-class="footnote"><text:note-citation>{self.notes}</text:note-citation>'
            f'<text:note-body><text:p text:style-name="footnote">{inner}</text:p></text:note-body></text:note>'
        )

    def _open_section(self) -> None:
        if self.style.columns > 1 and not self.section_open:
            self.sections += 1
            self.body.append(f'<text:section text:style-name="Sect" text:name="S{self.sections}">')
            self.section_open = True

    def _close_section(self) -> None:
        if self.section_open:
            self.body.append("</text:section>")
            self.section_open = False

    def _block(self, block: Block) -> None:
        if not isinstance(block, Front | Break | TocLine):
            self._open_section()
        match block:
            case Break():
                self.break_next = True
            case Front():
                self._front(block)
            case Heading():
                self._heading(block)
            case Text():
                self._text(block)
            case ListItem():
                mark = self.piece("itemid", block.marker, marks="b" if block.term else "")
                self.paragraph(f"{mark}<text:tab/>{self.runs(block.runs, 'item')}", f"item{min(block.depth, 3)}")
            case Formula():
                number = self.pieces.add("formula")
                text = linear(block.node)
                tail = f"<text:tab/>{self.span(number, block.number)}" if block.number else ""
                self.paragraph(f"<text:tab/>{self.span(number, text, 'i')}{tail}", "equation")
            case Table():
                self._table(block)
            case Figure():
                self._figure(block)
            case Code():
                number = self.pieces.add("code")
                for line in block.lines:
                    self.paragraph(self.span(number, line, "", "code") if line else "", "code")
            case Reference():
                mark = self.piece("citation", block.marker) + "<text:tab/>" if block.marker else ""
                self.paragraph(mark + self.runs(block.runs, "citation"), "citation")
            case TocLine():
                number = self.pieces.add("toc")
                text = f"{block.number} {block.text}".strip()
                self.paragraph(
                    self.span(number, text) + f"{self._tab(number)}{self.span(number, block.page)}", f"toc{block.level}"
                )
            case Box():
                if block.heading:
                    self.paragraph(self.piece("box-heading", block.heading, marks="b"), "sidebar")
                for part in block.blocks:
                    if isinstance(part, Text):
                        self.paragraph(self.runs(part.runs, "sidebar"), "sidebar")
                    else:
                        self.paragraph(
                            self.piece("itemid", part.marker) + " " + self.runs(part.runs, "item"), "sidebar"
                        )

    def _tab(self, number: int) -> str:
        """A tab whose leader takes the colour of a piece."""
        return self.span(number, "@tab").replace("@tab", "<text:tab/>")

    def _front(self, f: Front) -> None:
        rng = self.rng
        self._close_section()
        if f.page:
            self.body.append('<text:p text:style-name="title"/>' * rng.randint(1, 5))
        self.paragraph(self.piece("title", f.title, look="title"), "title")
        if f.subtitle:
            self.paragraph(self.piece("subtitle", f.subtitle, look="subtitle"), "subtitle")
        together = rng.random() < 0.6
        if together and f.people:
            number = self.pieces.add("author")
            names = []
            for i, p in enumerate(f.people):
                marks = ",".join(str(a + 1) for a in p.marks) if len(f.affiliations) > 1 else ""
                comma = ", " if i + 1 < len(f.people) else ""
                names.append(
                    self.span(number, p.name, "", "author")
                    + self.span(number, marks, "^", "author")
                    + self.span(number, comma, "", "author")
                )
            self.paragraph("".join(names), "author")
            for a, text in enumerate(f.affiliations):
                piece = self.pieces.add("affiliation")
                mark = self.span(piece, str(a + 1), "^", "affiliation") if len(f.affiliations) > 1 else ""
                self.paragraph(mark + self.span(piece, text, "", "affiliation"), "affiliation")
        else:
            for p in f.people:
                self.paragraph(self.piece("author", p.name, look="author"), "author")
                for a in p.marks:
                    self.paragraph(self.piece("affiliation", f.affiliations[a], look="affiliation"), "affiliation")
                if p.email:
                    self.paragraph(self.piece("email", p.email, look="affiliation"), "affiliation")
        if f.date:
            self.paragraph(self.piece("date", f.date, look="date"), "date")
        for line in f.lines:
            self.paragraph(self.piece("titlepage", line, look="date"), "date")
        for line in f.furniture[:1]:
            self.paragraph(self.piece("header", line, look="affiliation"), "affiliation")
        if f.page:
            self.break_next = True
        if rng.random() < 0.5:
            self._open_section()
        label = self.writer.label("abstract")
        if f.abstract:
            if rng.random() < 0.5:
                self.paragraph(self.piece("abstract-heading", label, marks="b", look="abstract"), "abstract")
                lead = ""
            else:
                lead = self.piece("abstract-heading", label + rng.choice((": ", ". ", "—")), marks="b", look="abstract")
            for runs in f.abstract:
                self.paragraph(lead + self.runs(runs, "abstract", look="abstract"), "abstract")
                lead = ""
        if f.keywords:
            head = self.piece("keyword-heading", self.writer.label("keywords") + ": ", marks="b", look="abstract")
            self.paragraph(
                head + self.piece("keyword", rng.choice((", ", "; ")).join(f.keywords), look="abstract"), "abstract"
            )

    def _heading(self, h: Heading) -> None:
        name = f"h{min(h.level, 4)}"
        self.break_next = self.break_next or h.new_page
        self.paragraph(self.piece(h.orig, f"{h.number} {h.text}".strip(), look=name), name)

    def _text(self, t: Text) -> None:
        name = {"quote": "quote", "pull-quote": "pull-quote", "abstract": "abstract", "abstract-heading": "h1", "date": "date",
                "author": "affiliation"}.get(t.orig, "text")  # fmt: skip
        number = self.piece("contact", t.number + " ") if t.number else ""
        self.paragraph(number + self.runs(t.runs, t.orig, look=name), name)

    def _caption(self, runs: Inline) -> None:
        if runs:
            self.paragraph(self.runs(runs, "caption", Zone.FLOAT, "caption"), "caption")

    def _figure(self, f: Figure) -> None:
        if self.style.caption_above:
            self._caption(f.caption)
        width = min(self.width, f.drawing.width * 1.3) * max(f.share, 0.7)
        width = min(width, 300 * f.drawing.width / f.drawing.height)
        key = f"@image{len(self.images)}@"
        self.images[key] = (
            f,
            width,
            self.pieces.add("object", Zone.FLOAT, {"region": True}),
            self.pieces.add("ingraphic", Zone.FLOAT),
        )
        self.paragraph(key, "head")
        if not self.style.caption_above:
            self._caption(f.caption)

    def _table(self, t: Table) -> None:
        if self.style.caption_above:
            self._caption(t.caption)
        self.tables += 1
        element, styles = table(self, t, self.tables, self.width)
        self.body.append(element)
        self.table_styles.append(styles)
        if t.notes:
            self.paragraph(self.piece("table", t.notes, Zone.FLOAT), "caption")
        if not self.style.caption_above:
            self._caption(t.caption)
