"""A document as flat OpenDocument text. Each piece is a span whose style carries its colour, in both twins alike."""

# ruff: noqa: E501  (markup and its attributes, one to a line)

from __future__ import annotations

import base64
import random
from xml.sax.saxutils import escape, quoteattr

from bentos.training.generator.drawing import svg
from bentos.training.generator.formulas import Node
from bentos.training.generator.ids import Meta, Pieces, color_of, place_in_table
from bentos.training.generator.languages import LANGUAGES
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
from bentos.training.generator.odf.style import Look, Style
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
    """Text spans and their automatic styles; what slides and text documents share."""

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
        mode = ' style:writing-mode="rl-tb"' if LANGUAGES[language].right_to_left else ""
        return (
            f'<style:default-style style:family="{family}"><style:paragraph-properties{mode}/><style:text-properties style:font-name={font} '
            f'style:font-name-asian={font} style:font-name-complex={font} fo:font-size="{size}pt" style:font-size-asian="{size}pt" '
            f'style:font-size-complex="{size}pt" fo:color="{color}" fo:language="{language}" fo:country="none"/></style:default-style>'
        )


def _spaces(text: str) -> str:
    """XML text in which runs of blanks survive."""
    return escape(text).replace("  ", ' <text:s text:c="1"/>')


def linear(node: Node) -> str:
    """A formula in one line of text, as it is typed where there is no formula editor."""
    inner = [linear(p) for p in node.parts]
    match node.kind:
        case "sym" | "num" | "fun":
            return node.text
        case "space":
            return "      "
        case "op":
            return f" {node.text} " if node.text != "," else ", "
        case "frac":
            return f"({inner[0]}) / ({inner[1]})"
        case "sup":
            return f"{inner[0]}^{inner[1]}"
        case "sub":
            return f"{inner[0]}_{inner[1]}"
        case "sqrt":
            return f"√({inner[0]})"
        case "big":
            return f"{node.text} "
        case "fence":
            return f"{node.text[0]}{inner[0]}{node.text[1]}"
        case "matrix" | "cases":
            return "; ".join(inner)
        case "lines":
            return "   ".join(inner[:1])
        case _:
            return "".join(inner)


def look_style(name: str, look: Look, family: str = "paragraph") -> str:
    """A named paragraph style."""
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
        f'<style:style style:name="{name}" style:family="{family}"><style:paragraph-properties {paragraph}/>'
        f"<style:text-properties {text}/></style:style>"
    )


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
        looks = "".join(look_style(name, look) for name, look in style.looks.items())
        top, right, bottom, left = style.margins
        margins = f'fo:margin-top="{top * 0.55:.0f}pt" fo:margin-right="{right}pt" fo:margin-bottom="{bottom * 0.55:.0f}pt" fo:margin-left="{left}pt"'
        mode = ' style:writing-mode="rl-tb"' if LANGUAGES[self.document.language].right_to_left else ""
        layout = (
            f'<style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="{style.page[0]}pt" fo:page-height="{style.page[1]}pt" {margins}{mode}/>'
            f'<style:header-style><style:header-footer-properties fo:min-height="{top * 0.45:.0f}pt" fo:margin-bottom="6pt"/></style:header-style>'
            f'<style:footer-style><style:header-footer-properties fo:min-height="{bottom * 0.45:.0f}pt" fo:margin-top="6pt"/></style:footer-style></style:page-layout>'
        )
        columns = f'<style:columns fo:column-count="{style.columns}" fo:column-gap="18pt"/>'
        section = f'<style:style style:name="Sect" style:family="section"><style:section-properties text:dont-balance-text-columns="true">{columns}</style:section-properties></style:style>'
        broken = "".join(
            look_style(f"{name}-new", Look({**look.paragraph, "fo:break-before": "page"}, look.text))
            for name, look in style.looks.items()
        )
        body = "".join(self.body)
        for key, (figure, width, region, words) in self.images.items():
            body = body.replace(key, image(figure, width, region if colored else None, words if colored else None))
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">'
            f"{self.fonts()}<office:styles>{self.default_style('paragraph', colored)}{looks}{broken}{self._tabs()}</office:styles>"
            f"<office:automatic-styles>{layout}{section}{self.span_styles(colored)}{self._cell_styles()}{''.join(self.table_styles)}</office:automatic-styles>"
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

    def _tabs(self) -> str:
        page, margins = self.style.page, self.style.margins
        width = page[0] - margins[1] - margins[3]
        leader = ' style:leader-style="dotted" style:leader-text="."' if self.style.dots else ""
        size = f'fo:font-size="{self.style.looks["furniture"].text["fo:font-size"]}"'
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
            left = self.style.step * (depth - 1) + self.style.hang
            items += (
                f'<style:style style:name="item{depth}" style:family="paragraph"><style:paragraph-properties fo:margin-left="{left}pt" fo:text-indent="-{self.style.hang}pt" '
                f'fo:margin-bottom="3pt"><style:tab-stops><style:tab-stop style:position="0pt"/></style:tab-stops></style:paragraph-properties></style:style>'
            )
        number = (
            f'<style:style style:name="equation" style:family="paragraph"><style:paragraph-properties fo:margin-top="6pt" fo:margin-bottom="6pt"><style:tab-stops>'
            f'<style:tab-stop style:position="{width / self.style.columns / 2:.0f}pt" style:type="center"/><style:tab-stop style:position="{width / self.style.columns - 9:.0f}pt" style:type="right"/></style:tab-stops></style:paragraph-properties></style:style>'
        )
        return running + toc + items + number

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

    def _cell_styles(self) -> str:
        accent, kind = self.style.accent, self.style.table
        line = "0.5pt solid #000000" if kind == "grid" else "0.5pt solid #999999"
        sides: dict[str, str] = {
            "grid": f'fo:border="{line}"', "light": 'fo:border="0.5pt solid #bfbfbf"', "rows": f'fo:border-bottom="{line}"', "none": "",
            "head": 'fo:border-bottom="0.5pt solid #cccccc"', "zebra": "",
        }  # fmt: skip
        head = sides[kind]
        if kind in ("head", "zebra"):
            head += f' fo:background-color="{accent if accent != "#000000" else "#d9d9d9"}"'
        elif kind == "rows":
            head = f'fo:border-bottom="1pt solid {accent}" fo:border-top="1pt solid {accent}"'
        elif kind == "grid":
            head += ' fo:background-color="#e7e6e6"'
        odd = sides[kind] + (' fo:background-color="#f2f2f2"' if kind == "zebra" else "")
        out = ""
        for name, props in (("ch", head), ("ca", sides[kind]), ("cb", odd)):
            out += f'<style:style style:name="{name}" style:family="table-cell"><style:table-cell-properties fo:padding="2.5pt" {props}/></style:style>'
        return out

    def _table(self, t: Table) -> None:
        if self.style.caption_above:
            self._caption(t.caption)
        self.tables += 1
        columns = t.columns
        longest = [4 + min(t.longest(c), 40) for c in range(columns)]
        total = min(self.width, sum(longest) * self.style.size * 0.62) if self.rng.random() < 0.4 else self.width
        name = f"tab{self.tables}"
        head_color = (
            "#ffffff" if self.style.table in ("head", "zebra") and self.style.accent != "#000000" else "#000000"
        )
        self.style.looks["head"].text["fo:color"] = head_color
        made = "".join(f'<table:table-column table:style-name="{name}c{c}"/>' for c in range(columns))
        rows = []
        for r, row in enumerate(t.rows):
            cells = []
            for c, cell in enumerate(row):
                if cell is None:
                    cells.append("<table:covered-table-cell/>")
                    continue
                look = "head" if cell.head else "number" if cell.numeric else "cell"
                grid = place_in_table(self.tables, r, c, cell)
                inner = self.piece("table", cell.text, Zone.FLOAT, look=look, meta=grid) if cell.text else ""
                spans = f' table:number-columns-spanned="{cell.col_span}" table:number-rows-spanned="{cell.row_span}"'
                kind = "ch" if cell.head else "cb" if r % 2 else "ca"
                cells.append(
                    f'<table:table-cell table:style-name="{kind}"{spans}><text:p text:style-name="{look}">{inner}</text:p></table:table-cell>'
                )
            rows.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
        head = (
            f"<table:table-header-rows>{''.join(rows[: t.head_rows])}</table:table-header-rows>" if t.head_rows else ""
        )
        self.body.append(
            f'<table:table table:name="{name}" table:style-name="{name}">{made}{head}{"".join(rows[t.head_rows :])}</table:table>'
        )
        align = self.rng.choice(("center", "left")) if total < self.width else "margins"
        self.table_styles.append(
            f'<style:style style:name="{name}" style:family="table"><style:table-properties style:width="{total:.0f}pt" table:align="{align}" fo:margin-bottom="6pt"/></style:style>'
            + "".join(
                f'<style:style style:name="{name}c{c}" style:family="table-column"><style:table-column-properties style:column-width="{total * longest[c] / sum(longest):.1f}pt"/></style:style>'
                for c in range(columns)
            )
        )
        if t.notes:
            self.paragraph(self.piece("table", t.notes, Zone.FLOAT), "caption")
        if not self.style.caption_above:
            self._caption(t.caption)


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
