"""A document as HTML: every piece of text in an element with its number (`data-p`), regions with theirs (`data-r`)."""

from __future__ import annotations

import json
import random
from html import escape
from pathlib import Path
from typing import Any

from bentos.training.generator.drawing import svg
from bentos.training.generator.formulas import mathml
from bentos.training.generator.html.front import front
from bentos.training.generator.html.style import Style
from bentos.training.generator.ids import Meta, Pieces, place_in_table
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

PAGINATOR = (Path(__file__).parent / "paginate.js").read_text("utf-8")

_CLASSES = {
    "quote": "q",
    "theorem": "theorem",
    "pull-quote": "pull",
    "index": "idx",
    "contact": "contact",
    "date": "dateline",
    "author": "byline",
    "abstract": "abs",
    "abstract-heading": "h h1",
}
_TAGS = {"^": "sup", "_": "sub"}


class Markup:
    """Writes one document; `pieces` grows in reading order as it goes."""

    def __init__(self, document: Document, style: Style, rng: random.Random) -> None:
        self.document, self.style, self.rng = document, style, rng
        self.pieces = Pieces()
        self.furniture = {
            "header": self.pieces.add("header", Zone.HEADER),
            "footer": self.pieces.add("footer", Zone.FOOTER),
            "page": self.pieces.add("page-number", Zone.FOOTER),
            "lineno": self.pieces.add("lineno", Zone.OVERLAY),
        }
        self.notes = 0
        self.tables = 0
        self.pending_run_in: Heading | None = None
        self.after_heading = True
        self.column_width = 0.0

    def render(self, column_width: float) -> str:
        """The whole page; `column_width` in points limits the figures."""
        self.column_width = column_width
        language = LANGUAGES[self.document.language]
        body = [self._block(block) for block in self.document.blocks]
        direction = ' dir="rtl"' if language.right_to_left else ""
        return (
            f'<!DOCTYPE html><html lang="{self.document.language}"{direction}><head><meta charset="utf-8">'
            f"<title>{escape(self.document.running_title)}</title><style>{self.style.css}</style></head>"
            f"<body><div id='src'>{''.join(body)}</div></body></html>"
        )

    def config(self) -> dict[str, Any]:
        """What the paginator is given."""
        return {
            "columns": self.style.columns,
            "head": self.style.head,
            "title": self.document.running_title,
            "author": self.document.running_author,
            "pieces": {k: str(v) for k, v in self.furniture.items()},
            "lineNumbers": self.style.line_numbers if self.style.columns == 1 else 0,
            "spaceless": LANGUAGES[self.document.language].spaceless,
        }

    def config_json(self) -> str:
        return json.dumps(self.config())

    def piece(self, orig: str, inner: str, classes: str = "", zone: Zone = Zone.BODY, meta: Meta | None = None) -> str:
        """An element that carries a number."""
        number = self.pieces.add(orig, zone, meta)
        name = f' class="{classes}"' if classes else ""
        return f'<span{name} data-p="{number}">{inner}</span>'

    def _block(self, block: Block) -> str:
        match block:
            case Break():
                return '<div data-break="1"></div>'
            case Front():
                self.after_heading = True
                return front(self, block)
            case Heading():
                return self._heading(block)
            case Text():
                return self._text(block)
            case ListItem():
                return self._item(block)
            case Formula():
                return self._formula(block)
            case Table():
                return self._table(block)
            case Figure():
                return self._figure(block)
            case Code():
                return self._code(block)
            case Reference():
                return self._reference(block)
            case TocLine():
                return self._toc(block)
            case Box():
                return self._box(block)

    def runs(self, runs: Inline, orig: str, zone: Zone = Zone.BODY) -> str:
        """Runs of one block as one piece, or as several where runs have names of their own."""
        out: list[str] = []
        group: list[str] = []
        notes: list[str] = []
        current = orig

        def flush() -> None:
            if group:
                out.append(self.piece(current, "".join(group), zone=zone))
                group.clear()

        for run in runs:
            if (run.orig or orig) != current:
                flush()
                current = run.orig or orig
            if run.note:
                self.notes += 1
                mark = self._note_mark()
                group.append(f"<sup>{mark}</sup>")
                notes.append(f"@{mark}@{run.note}")
                group.append(f"\0{len(notes) - 1}\0")
                continue
            text = mathml(run.math) if run.math else escape(run.text)
            for style in run.style:
                tag = _TAGS.get(style)
                text = f"<{tag}>{text}</{tag}>" if tag else f'<span class="{style}">{text}</span>'
            group.append(text)
        flush()
        joined = "".join(out)
        for i, note in enumerate(notes):
            _, mark, text = note.split("@", 2)
            inner = f"<sup>{mark}</sup> {escape(text)}"
            joined = joined.replace(f"\0{i}\0", self.piece("footnote", inner, "fn", Zone.NOTE))
        return joined

    def _note_mark(self) -> str:
        n = self.notes
        return {"*": "*†‡§¶"[(n - 1) % 5], "a": chr(96 + (n - 1) % 26 + 1), "(1)": f"({n})"}.get(
            self.style.note_marks, str(n)
        )

    def _heading(self, h: Heading) -> str:
        number = f'<span class="num">{escape(h.number)}</span>' if h.number else ""
        if h.level >= self.style.run_in and h.orig in ("section", "subsection", "subsubsection", "paragraph"):
            self.pending_run_in = h
            return ""
        self.after_heading = True
        flags = ' data-fresh="1"' if h.new_page else ""
        name = {"chapter": " chapter", "part": " part", "frametitle": " frametitle"}.get(h.orig, "")
        if h.orig in ("chapter", "section", "frametitle"):
            flags += f' data-chapter="{escape((h.number + " " + h.text).strip())}"'
        if h.orig == "chapter" and h.number and self.style.chapter_line:
            number = f'<span class="line">{escape(h.number)}</span>'
        level = 0 if h.orig in ("chapter", "part") else min(h.level, 4)
        inner = self.piece(h.orig, number + escape(h.text))
        return f'<div class="h h{level}{name}" data-kind="whole" data-keep="1"{flags}>{inner}</div>'

    def _text(self, t: Text) -> str:
        if t.orig == "margin" and not self.style.margin_notes:
            return ""
        classes = _CLASSES.get(t.orig, "p")
        if self.after_heading:
            classes += " first"
        if t.continued:
            classes += " rest"
        lead = ""
        if self.pending_run_in and t.orig == "text":
            h, self.pending_run_in = self.pending_run_in, None
            sign = self.rng.choice((".", ".", ":", " –", ""))
            lead = self.piece(h.orig, escape(f"{h.number} {h.text}{sign}".strip()), "run") + " "
        self.after_heading = False
        inner = self.runs(t.runs, t.orig)
        if t.orig == "text" and self.style.margin_notes and self.rng.random() < 0.2:
            w = "".join(r.text for r in t.runs)[:80].rsplit(" ", 1)[0]
            inner = self.piece("margin", escape(w), "mn") + inner
            classes += " anchor"
        if t.number:
            number = self.piece("contact", escape(t.number), "n")
            return f'<div class="numbered" data-kind="text">{number}<span class="p">{lead}{inner}</span></div>'
        if t.drop_cap and not LANGUAGES[self.document.language].right_to_left:
            classes += " drop"
        keep = ' data-keep="1"' if t.orig in ("abstract-heading", "author") else ""
        if t.orig == "pull-quote" and self.style.side_float and self.rng.random() < 0.6:
            classes += self.rng.choice((" float-end", " float-start"))
        kind = "text" if t.orig in ("text", "abstract", "quote", "theorem") else "whole"
        return f'<div class="{classes}" data-kind="{kind}"{keep}>{lead}{inner}</div>'

    def _item(self, item: ListItem) -> str:
        self.after_heading = False
        gap = "" if LANGUAGES[self.document.language].spaceless else " "
        if self.style.native_markers and item.marker == "•" and not item.term:
            # the browser draws the bullet itself; it takes the colour of the item's own number
            mark = self.pieces.add("itemid")
            inner = self.runs(item.runs, "item")
            name = f"li native l{item.depth}"
            return f'<div class="{name}" data-kind="text" data-m="{mark}"><span class="it">{inner}</span></div>'
        mark_html = self.piece("itemid", escape(item.marker), "mk") if item.marker else ""
        inner = self.runs(item.runs, "item")
        more = "".join(f'<span class="more">{self.runs(m, "item")}</span>' for m in item.more)
        name = " term" if item.term else ""
        return (
            f'<div class="li l{item.depth}{name}" data-kind="text">{mark_html}{gap if item.term else ""}'
            f'<span class="it">{inner}{more}</span></div>'
        )

    def _formula(self, f: Formula) -> str:
        self.after_heading = True
        number = self.pieces.add("formula")
        body = f'<span class="f" data-p="{number}">{mathml(f.node, True)}</span>'
        tail = f'<span data-p="{number}">{escape(f.number)}</span>' if f.number else ""
        inner = body + tail if self.style.leading_end else tail + body
        start = "" if self.style.leading_end else " start"
        return f'<div class="eq{start}" data-kind="whole" dir="ltr">{inner}</div>'

    def caption(self, runs: Inline) -> str:
        if not runs:
            return ""
        return f'<div class="cap">{self.runs(runs, "caption", Zone.FLOAT)}</div>'

    def _table(self, t: Table) -> str:
        self.after_heading = False
        above = self.style.caption_above["table"]
        caption = self.caption(t.caption) if above else ""
        self.tables += 1
        region = self.pieces.add("table", Zone.FLOAT, {"region": True, "table": self.tables})
        rows: list[str] = []
        joined = 0
        for r, row in enumerate(t.rows):
            cells = []
            for c, cell in enumerate(row):
                if cell is None:
                    continue
                tag = "th" if cell.head else "td"
                span = (f' rowspan="{cell.row_span}"' if cell.row_span > 1 else "") + (
                    f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
                )
                number = ' class="num"' if cell.numeric else ""
                place = place_in_table(self.tables, r, c, cell)
                text = self.piece("table", escape(cell.text), zone=Zone.FLOAT, meta=place) if cell.text else ""
                cells.append(f"<{tag}{span}{number}>{text}</{tag}>")
                joined = max(joined, r + cell.row_span - 1)
            bound = ' data-joined="1"' if r < joined else ""
            rows.append(f"<tr{bound}>{''.join(cells)}</tr>")
        head = f"<thead>{''.join(rows[: t.head_rows])}</thead>" if t.head_rows else ""
        note = f'<div class="tnote">{self.piece("table", escape(t.notes), zone=Zone.FLOAT)}</div>' if t.notes else ""
        below = "" if above else self.caption(t.caption)
        flags = self._float_flags(t.floating, t.wide)
        kind = "rows" if not t.floating else "whole"
        grid = f"<table>{head}<tbody>{''.join(rows[t.head_rows :])}</tbody></table>"
        return (
            f'<div class="tab" data-kind="{kind}"{flags}>{caption}<div class="tabr" data-r="{region}">{grid}</div>'
            f"{note}{below}</div>"
        )

    def _float_flags(self, floating: bool, wide: bool) -> str:
        return (' data-float="1"' if floating else "") + (' data-wide="1"' if wide else "")

    def _figure(self, f: Figure) -> str:
        self.after_heading = False
        style = self.style
        above = style.caption_above["figure"]
        caption = self.caption(f.caption) if above else ""
        region = self.pieces.add("object", Zone.FLOAT, {"region": True})
        words = self.pieces.add("ingraphic", Zone.FLOAT)
        room = style.page[0] * 0.8 if f.wide and style.columns > 1 else self.column_width
        beside = style.caption_side and not f.wide and f.caption
        side = style.side_float and not f.wide and f.floating and self.rng.random() < 0.5
        width = min(room * f.share, f.drawing.width * 1.5) * (0.55 if beside else 0.42 if side else 1)
        limit = style.page[1] * 0.42
        width = min(width, limit * f.drawing.width / f.drawing.height)
        picture = (
            f'<span class="figr" data-r="{region}">{svg(f.drawing, width, f" data-p={chr(34)}{words}{chr(34)}")}</span>'
        )
        below = "" if above else self.caption(f.caption)
        name = " side" if beside else self.rng.choice((" float-end", " float-start")) if side else ""
        flags = "" if side else self._float_flags(f.floating, f.wide)
        return f'<div class="fig{name}" data-kind="whole"{flags}>{caption}{picture}{below}</div>'

    def _code(self, c: Code) -> str:
        self.after_heading = False
        caption = (
            f'<div class="cap" data-kind="whole" data-keep="1">{self.runs(c.caption, "caption")}</div>'
            if c.caption
            else ""
        )
        number = self.pieces.add("code")
        lines = c.lines
        if c.numbered:
            lineno = self.pieces.add("lineno")
            inner = "".join(
                f'<span class="ln" data-p="{lineno}">{i:2d}</span><span data-p="{number}">{escape(line)}\n</span>'
                for i, line in enumerate(lines, 1)
            )
        else:
            inner = f'<span data-p="{number}">{escape(chr(10).join(lines))}</span>'
        return f'{caption}<div class="code" data-kind="text">{inner}</div>'

    def _reference(self, r: Reference) -> str:
        mark = self.piece("citation", escape(r.marker), "mk") if r.marker else ""
        inner = f'<span class="it">{self.runs(r.runs, "citation")}</span>'
        return f'<div class="ref{" mark" if mark else ""}" data-kind="text">{mark}{inner}</div>'

    def _toc(self, line: TocLine) -> str:
        number = self.pieces.add("toc")
        fill = {"dots": ". " * 150, "none": "", "rule": ""}[self.style.dots]
        label = f'<span class="num">{escape(line.number)}</span>' if line.number else ""
        return (
            f'<div class="toc t{line.level} {self.style.dots}" data-kind="whole" data-p="{number}">{label}'
            f'<span>{escape(line.text)}</span><span class="fill">{fill}</span><span>{line.page}</span></div>'
        )

    def _box(self, box: Box) -> str:
        self.after_heading = False
        side = self.style.side_float and self.rng.random() < 0.4
        zone = Zone.FLOAT if side or box.floating else Zone.BODY
        parts = []
        if box.heading:
            parts.append(f'<div class="bh">{self.piece("box-heading", escape(box.heading), zone=zone)}</div>')
        for block in box.blocks:
            if isinstance(block, Text):
                parts.append(f'<div class="p">{self.runs(block.runs, "sidebar", zone)}</div>')
            else:
                mark = self.piece("itemid", escape(block.marker), "mk", zone)
                parts.append(
                    f'<div class="li l1">{mark}<span class="it">{self.runs(block.runs, "item", zone)}</span></div>'
                )
        name = self.rng.choice((" float-end", " float-start")) if side else ""
        flags = ' data-float="1"' if box.floating and not side else ""
        return f'<div class="box{name}" data-kind="whole"{flags}>{"".join(parts)}</div>'
