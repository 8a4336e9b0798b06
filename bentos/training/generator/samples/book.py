"""Sample: a small book of sixty pages: parts, chapters, sections, footnotes, running heads, appendices, index."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

from reportlab.lib.enums import TA_CENTER, TA_LEFT, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Spacer

from bentos.training.generator.samples import book_text
from bentos.training.generator.samples.contents import Leader
from bentos.training.generator.samples.expect import Expected, Notebook
from bentos.training.generator.samples.figures import bars
from bentos.training.generator.samples.logbook import Entry, entries
from bentos.training.generator.samples.style import Sheet, para
from bentos.training.generator.samples.typeset import Block, Break, Column, Layout, Numbers, Stack, compose
from bentos.training.generator.samples.writer import Writer

TITLE = "The Lamp and the Ledger"
SUBTITLE = "A Hundred and Twenty Years of the Ansgar Tide House"
AUTHOR = "Hanne Okonedo"
SIZE = (378.0, 560.0)
INNER, OUTER, BOTTOM, TOP = 60.0, 48.0, 58.0, 64.0
LOG_DAYS = 142
FONT = "Caladea-Regular"
MONTHS = ("March", "April", "May", "June", "July")


def make(path: Path) -> Expected:
    """Writes the book and says what must be found in it."""
    sheet = Sheet(FONT, "Caladea-Bold", "Caladea-Italic", 11, 15.6, indent=13)
    sheet.h1 = ParagraphStyle("chapter", parent=sheet.h1, fontName=FONT, fontSize=19, leading=24, spaceAfter=26)
    sheet.h2 = ParagraphStyle("section", parent=sheet.h2, fontName="Caladea-Italic", fontSize=11.5, leading=15)
    notebook = Notebook(TITLE)

    def layout(known: Numbers) -> Layout:
        return Layout(SIZE, _columns, sheet.note, lambda canvas, page: _furniture(canvas, page, known))

    pages = compose(path, layout, lambda known: _Book(sheet, notebook, known).flow(), TITLE, AUTHOR)
    return notebook.expected(pages)


def _columns(page: int) -> list[Column]:
    left = INNER if page % 2 else OUTER
    return [Column(left, BOTTOM, SIZE[0] - INNER - OUTER, SIZE[1] - TOP)]


def _furniture(canvas: Canvas, page: int, known: Numbers) -> None:
    """Running heads: the book's title on the left page, the chapter's on the right; none on opening pages."""
    opened = {p: key for key, p in known.before.items() if key.startswith(("chapter:", "part:", "plain:"))}
    before = [p for p in opened if p <= page]
    if not before:
        return
    column = _columns(page)[0]
    canvas.setFont(FONT, 9)
    if page in opened:
        if not opened[page].startswith("part:"):
            canvas.drawCentredString(column.x + column.width / 2, 34, str(page))
        return
    kind, _, name = opened[max(before)].partition(":")
    if kind == "part":
        return
    canvas.setFont("Caladea-Italic", 9)
    base = SIZE[1] - 44
    if page % 2:
        canvas.drawString(column.x, base, name)
        canvas.setFont(FONT, 9)
        canvas.drawRightString(column.x + column.width, base, str(page))
    else:
        canvas.drawRightString(column.x + column.width, base, TITLE)
        canvas.setFont(FONT, 9)
        canvas.drawString(column.x, base, str(page))


class _Book(Writer):
    """The flow of the book; `known` holds the page of every chapter, section and index word."""

    def __init__(self, sheet: Sheet, notebook: Notebook, known: Numbers) -> None:
        super().__init__(sheet, notebook, numbered=False)
        self.known = known
        self.chapters = 0
        self.notes = 0
        self.toc: list[tuple[str, str, int]] = []
        self.centred = ParagraphStyle("centred", parent=sheet.first, alignment=TA_CENTER)
        self.quote = ParagraphStyle(
            "quote",
            parent=sheet.first,
            fontName="Caladea-Italic",
            leftIndent=20,
            rightIndent=20,
            spaceBefore=6,
            spaceAfter=6,
        )

    def flow(self) -> list[Block | Break]:
        # the body is written first, because the contents list what it holds
        self._chapter("Preface", numbered=False)
        for text in book_text.PREFACE:
            self._paragraph(text)
        self.add(para("<i>Hanne Okonedo</i>", ParagraphStyle("signed", parent=self.sheet.first, alignment=TA_RIGHT)))
        self._parts()
        self._log()
        self._appendices()
        body, self.blocks = self.blocks, []
        self._front()
        return [*self.blocks, *body]

    def _front(self) -> None:
        big = ParagraphStyle("big", parent=self.centred, fontSize=26, leading=32)
        middle = ParagraphStyle("middle", parent=self.centred, fontSize=12.5, leading=18)
        self.add(
            Stack([Spacer(1, 150), para(TITLE, ParagraphStyle("half", parent=self.centred, fontSize=15, leading=20))])
        )
        self.break_page(recto=True)
        self.add(
            Stack(
                [
                    Spacer(1, 70), para(AUTHOR, middle), Spacer(1, 60), para(TITLE, big), Spacer(1, 10),
                    para(f"<i>{SUBTITLE}</i>", middle), Spacer(1, 130), para("Quay Street Press", self.centred),
                    para("Port Ansgar", self.centred),
                ]
            )
        )  # fmt: skip
        self.break_page()
        small = ParagraphStyle("small", parent=self.sheet.first, fontSize=8.4, leading=11, alignment=TA_LEFT)
        self.add(Spacer(1, 300))
        self.add(
            para(
                "First published 2024 by Quay Street Press, Port Ansgar<br/>© Hanne Okonedo 2024<br/><br/>Set in "
                "Caladea, "
                "11 on 15.6 points. This book is a work of fiction: the town, its house and its keepers are invented, "
                "and so is its sea.",
                small,
            )
        )
        self.break_page(recto=True)
        self.heading(1, "Contents", lambda page: self.known.note("plain:Contents", page))
        for kind, text, page in self.toc:
            font, indent, before = {
                "part": (FONT, 0.0, 13.0), "chapter": (FONT, 12.0, 5.0), "plain": (FONT, 0.0, 9.0),
                "section": ("Caladea-Italic", 28.0, 1.0),
            }[kind]  # fmt: skip
            self.add(Leader(text, "" if kind == "part" else str(page), font, 9.8, indent, before, kind != "part"))
        self.break_page(recto=True)

    def _opens(self, kind: str, text: str, shown: str = "") -> Any:
        """A mark that notes where a part, a chapter or a section begins."""
        key = f"{kind}:{text}"
        self.toc.append((kind, shown or text, self.known.get(key)))
        return lambda page: self.known.note(key, page)

    def _part(self, number: str, title: str) -> None:
        self.break_page(recto=True)
        mark = self._opens("part", title, f"Part {number}: {title}")
        style = ParagraphStyle("part", parent=self.centred, fontSize=22, leading=30)
        self.add(Stack([Spacer(1, 150), para(f"Part {number}", self.centred), para(title, style)]), mark=mark,
                 outline=(0, title))  # fmt: skip
        self.break_page()

    def _chapter(self, title: str, *, numbered: bool = True) -> None:
        self.break_page()
        self.add(Spacer(1, 48))
        if numbered:
            self.chapters += 1
            self.add(para(f"Chapter {self.chapters}", self.sheet.first), keep_next=True)
        shown = f"{self.chapters}  {title}" if numbered else title
        self.heading(1, title, self._opens("chapter" if numbered else "plain", title, shown))

    def _parts(self) -> None:
        for number, (part, chapters) in zip(("One", "Two"), book_text.PARTS.items(), strict=True):
            self._part(number, part)
            for title, paragraphs in chapters.items():
                self._chapter(title)
                for text in paragraphs:
                    self._paragraph(text)
                if title == "The Ledger":
                    names, values = zip(*book_text.DECADES[::2], strict=True)
                    self.figure(bars((280, 120), names, values, "mm", 160, "Caladea-Regular"),
                                "Mean sea level by decade, above that of the 1870s.")  # fmt: skip
                if title == "Storms":
                    self._high_waters()

    def _paragraph(self, text: str) -> None:
        if text.startswith("# "):
            title = text[2:]
            self.heading(2, title, self._opens("section", title))
            return
        notes: dict[str, str] = {}

        def number(match: re.Match[str]) -> str:
            self.notes += 1
            notes[str(self.notes)] = match[1]
            return f"[^{self.notes}]"

        text = re.sub(r"\[\^\d+: (.*?)\](?=$|\s)", number, text)
        mark = self._index_mark(text)
        if text.startswith("> "):
            self.add(Paragraph(text[2:], self.quote), mark=mark)
            return
        before = len(self.blocks)
        self.p(text, notes, "the sea is not to be remembered" if "sea is not to be" in text else "")
        block = self.blocks[before]
        if isinstance(block, Block):
            block.mark = mark

    def _index_mark(self, text: str) -> Any:
        """Notes the pages on which the words of the index stand."""
        low = text.lower()
        words = [w for w in book_text.INDEX if re.search(rf"\b{re.escape(w.split(',')[0].lower())}", low)]
        phrase = (
            self.notebook.phrase("the sea is not to be remembered") if "sea is not to be remembered" in text else None
        )

        def note(page: int) -> None:
            for word in words:
                self.known.note(f"index:{word}:{page}", page)
            if phrase:
                phrase(page)

        return note

    def _high_waters(self) -> None:
        rows: list[list[Any]] = [["Day", "Metres", "Wind", "Read from"], *map(list, book_text.HIGH_WATERS)]
        self.table(
            rows,
            [95, 40, 80, 80],
            [("LINEBELOW", (0, 0), (-1, 0), 0.5, "black")],
            "The nine highest waters at Port Ansgar.",
            [(1, 1), (4, 2), (9, 3)],
            flow=True,
            right=(1,),
        )

    def _log(self) -> None:
        self._part("Three", "The Log")
        self._chapter("From Spring to Summer")
        self._paragraph(
            "The following pages give the log of the fourth keeper, Jonas Pell, from March to July 1902, the year "
            "after the great water. Columns have been turned into sentences; nothing else has been changed. Heights "
            "are in metres above the zero of the gauge."
        )
        month = 0
        for entry in entries(date(1902, 3, 1), LOG_DAYS, 1902):
            if entry.day.month != month:
                month = entry.day.month
                self._paragraph(f"# {MONTHS[month - 3]} 1902")
            self.add(Paragraph(_log_text(entry), self.sheet.first), mark=self._index_mark(entry.remark))

    def _appendices(self) -> None:
        self.break_page(recto=True)
        self._chapter("Appendix A. Hourly Heights", numbered=False)
        self.p(
            "The water of 14 November 1901 at Port Ansgar and, for comparison, that of a quiet spring tide, in metres."
        )
        rows: list[list[Any]] = [["Hour", "14 Nov.", "15 Nov.", "Spring tide", "Difference"]]
        for hour in range(24):
            tide = 1.75 + 1.35 * _tide(hour - 10.2)
            surge = 0.95 * 2.718 ** (-(((hour - 21.6) / 5.5) ** 2))
            after = 1.75 + 1.3 * _tide(hour - 11.0) + 0.4 * 2.718 ** (-hour / 6)
            flood = min(tide + surge, 3.94)
            rows.append([f"{hour:02d}:00", f"{flood:.2f}", f"{after:.2f}", f"{tide:.2f}", f"{flood - tide:+.2f}"])
        self.table(
            rows,
            [50, 55, 55, 65, 60],
            [("LINEBELOW", (0, 0), (-1, 0), 0.5, "black")],
            "Hourly heights of two days.",
            [(1, 1), (12, 3), (24, 4)],
            flow=True,
            right=(1, 2, 3, 4),
        )
        self._chapter("Appendix B. The Keepers", numbered=False)
        keepers: list[list[Any]] = [["No.", "Name", "Years", "Remarks"], *map(list, book_text.KEEPERS)]
        self.table(keepers, [26, 92, 62, 108], [("GRID", (0, 0), (-1, -1), 0.3, "black")], "Keepers of the tide house.",
                   [(1, 1), (7, 3), (14, 2)], flow=True)  # fmt: skip
        self._chapter("Glossary", numbered=False)
        hang = ParagraphStyle("term", parent=self.sheet.first, leftIndent=14, firstLineIndent=-14, spaceAfter=3)
        for term, text in book_text.GLOSSARY.items():
            self.add(para(f"<b>{term}.</b> {text}", hang))
        self._chapter("Index", numbered=False)
        entry = ParagraphStyle("entry", parent=hang, fontSize=9.2, leading=12.2, alignment=TA_LEFT, spaceAfter=0)
        for word in sorted(book_text.INDEX, key=str.lower):
            pages = sorted(p for key, p in self.known.before.items() if key.startswith(f"index:{word}:"))
            self.add(para(f"{word}, {_ranges(pages)}" if pages else word, entry))


def _tide(hours: float) -> float:
    """A tide of one day as it were drawn by hand: a parabola up, a parabola down, period 12.4 hours."""
    phase = (hours / 12.4) % 1
    x = 2 * abs(phase - 0.5)
    return 1 - 2 * (2 * (1 - x) ** 2 if x > 0.5 else 1 - 2 * x * x)


def _log_text(entry: Entry) -> str:
    levels = f"High water {entry.high:.2f}, low water {entry.low:.2f}"
    return f"<b>{entry.heading}.</b> {levels}; {entry.weather}. {entry.remark}"


def _ranges(pages: list[int]) -> str:
    """Page numbers with runs of neighbours joined: 3, 5–7."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}–{r[-1]}" for r in runs)
