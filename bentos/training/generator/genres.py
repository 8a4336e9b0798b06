"""Whole documents by genre: papers, reports, theses, books, manuals, newsletters, slides, standards, letters …"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from bentos.training.generator.content import Author, marker
from bentos.training.generator.languages import LANGUAGES, WEIGHTS
from bentos.training.generator.model import (
    Block,
    Break,
    Cell,
    Document,
    Figure,
    Front,
    Heading,
    ListItem,
    Person,
    Run,
    Table,
    Text,
    TocLine,
)
from bentos.training.generator.words import Writer

NUMBERINGS = ("", "", "1", "1", "1.", "I.", "A.", "§ 1", "1 |", "1 –", "Chapter 1", "1.0")


class _Sections:
    """Numbers headings in one style and remembers them for the table of contents."""

    def __init__(self, author: Author, numbering: str) -> None:
        self.author, self.numbering = author, numbering
        self.counters = [0, 0, 0, 0]
        self.toc: list[TocLine] = []
        self.page = 1
        self.title_case = author.rng.random() < 0.5

    def heading(self, orig: str, level: int, text: str = "", numbered: bool = True) -> Heading:
        rng, w = self.author.rng, self.author.writer
        text = text or w.phrase(1, 4 if rng.random() < 0.7 else 9, self.title_case)
        number = ""
        if numbered and self.numbering and level <= 3:
            self.counters[level - 1] += 1
            self.counters[level:] = [0] * (4 - level)
            number = self._number(level)
        self.page += rng.choice((0, 0, 1, 2))
        self.toc.append(TocLine(level, number, text, str(self.page)))
        return Heading(orig, level, text, number)

    def _number(self, level: int) -> str:
        style, counters = self.numbering, self.counters
        if level == 1:
            return marker(style.replace("1.0", "1"), counters[0] - 1) + (".0" if style == "1.0" else "")
        if style in ("I.", "A.") and level == 2:
            return marker("A." if style == "I." else "1.", counters[1] - 1)
        end = "." if style.endswith(".") else ""
        return ".".join(str(c) for c in counters[:level]) + end


@dataclass(slots=True)
class _Mix:
    """How often, per paragraph, other blocks follow."""

    lists: float = 0.15
    formulas: float = 0.0
    tables: float = 0.08
    figures: float = 0.1
    code: float = 0.0
    boxes: float = 0.0
    quotes: float = 0.02
    theorems: float = 0.0


def _body(
    author: Author, sections: _Sections, mix: _Mix, paragraphs: int, level: int, wide: float = 0.3
) -> list[Block]:
    """Paragraphs under headings of `level` and below."""
    rng = author.rng
    names = ("section", "subsection", "subsubsection", "paragraph")
    blocks: list[Block] = []
    left = rng.randint(1, 4)
    depth = level
    for i in range(paragraphs):
        left -= 1
        if left < 0 and i:
            depth = rng.choices(range(level, 4 + 1), (4, 5, 2, 1)[: 5 - level])[0]
            blocks.append(sections.heading(names[min(depth, 4) - 1], depth))
            left = rng.randint(1, 4) if depth < 3 else rng.randint(0, 2)
        blocks.append(author.paragraph())
        dice = rng.random
        if dice() < mix.formulas:
            blocks.append(author.formula())
            if dice() < 0.6:
                blocks.append(author.continuation() if dice() < 0.5 else author.paragraph(sentences=rng.randint(1, 2)))
        if dice() < mix.lists:
            blocks += author.list_items()
        if dice() < mix.tables:
            blocks.append(author.table(rng.random() < wide))
        if dice() < mix.figures:
            blocks.append(author.figure(rng.random() < wide))
        if dice() < mix.code:
            blocks.append(author.code())
        if dice() < mix.boxes:
            blocks.append(author.box())
        if dice() < mix.quotes:
            blocks.append(author.paragraph("quote", rng.randint(1, 3)))
        if dice() < mix.theorems:
            w = author.writer
            head = f"{rng.choice((w.label('theorem'), 'Lemma', 'Definition', w.label('proof')))} {rng.randint(1, 9)}. "
            blocks.append(Text("theorem", [Run(head, "b"), *author.runs(rng.randint(1, 3))]))
    return blocks


def _contents(author: Author, toc: list[TocLine]) -> list[Block]:
    heading = Heading("toc-heading", 1, author.writer.label("contents"), new_page=False)
    return [heading, *toc]


def _bibliography(author: Author, low: int, high: int) -> list[Block]:
    heading = Heading("bib-heading", 1, author.writer.label("references"))
    return [heading, *author.references(author.rng.randint(low, high))]


def _paper(author: Author) -> list[Block]:
    rng, w = author.rng, author.writer
    sections = _Sections(author, rng.choice(NUMBERINGS[:9]))
    mix = _Mix(
        0.1,
        rng.choice((0, 0, 0.15, 0.4, 0.9)),
        0.07,
        0.24,
        0.03 * (rng.random() < 0.3),
        0,
        0.01,
        rng.choice((0, 0, 0.1)),
    )
    blocks: list[Block] = [author.front()]
    for key in rng.choice(
        (("introduction", "methods", "results", "discussion", "conclusion"), ("introduction", "", "", "conclusion"))
    ):
        if not key or rng.random() < 0.9:
            blocks.append(sections.heading("section", 1, w.label(key) if key else ""))
            blocks += _body(author, sections, mix, rng.randint(1, 5), 2)
    if rng.random() < 0.6:
        blocks += [sections.heading("section", 1, w.label("acknowledgements"), False), author.paragraph(sentences=2)]
    if rng.random() < 0.9:
        blocks += _bibliography(author, 6, 30)
    if rng.random() < 0.15:
        blocks.append(sections.heading("section", 1, f"{w.label('appendix')} A", False))
        blocks += _body(author, sections, mix, rng.randint(2, 4), 2)
    return _floats_last(blocks) if rng.random() < 0.1 else blocks


def _floats_last(blocks: list[Block]) -> list[Block]:
    """As in manuscripts: figures and tables behind all text, each on a page of its own."""
    floats = [b for b in blocks if isinstance(b, Figure | Table)]
    last: list[Block] = [b for b in blocks if not isinstance(b, Figure | Table)]
    for block in floats:
        block.floating = False
        last += [Break(), block]
    return last


def _report(author: Author) -> list[Block]:
    rng = author.rng
    sections = _Sections(author, rng.choice(NUMBERINGS))
    mix = _Mix(0.13, 0, 0.16, 0.22, 0, rng.choice((0, 0.1)), 0.03)
    body: list[Block] = []
    for _ in range(rng.randint(2, 4)):
        body.append(sections.heading("section", 1))
        body += _body(author, sections, mix, rng.randint(2, 5), 2)
    if rng.random() < 0.3:
        body.append(author.table(big=True))
    if rng.random() < 0.4:
        body += _bibliography(author, 4, 12)
    front: list[Block] = [author.title_page() if rng.random() < 0.6 else author.front()]
    if rng.random() < 0.5:
        front += _contents(author, sections.toc)
        if rng.random() < 0.6:
            front.append(Break())
    return front + body


def _thesis(author: Author) -> list[Block]:
    rng, w = author.rng, author.writer
    sections = _Sections(author, rng.choice(("1", "1", "1.", "Chapter 1", "I.")))
    mix = _Mix(0.12, rng.choice((0, 0.2, 0.6)), 0.06, 0.2, rng.choice((0, 0.05)), 0, 0.03, rng.choice((0, 0.08)))
    body: list[Block] = []
    for _ in range(rng.randint(1, 2)):
        chapter = sections.heading("chapter", 1)
        chapter.new_page = True
        body += [chapter, *_body(author, sections, mix, rng.randint(4, 8), 2)]
    front: list[Block] = [author.title_page()]
    if rng.random() < 0.6:
        front += [Break(), Text("abstract-heading", [Run(w.label("abstract"))]), Text("abstract", author.runs(7))]
    for _ in range(rng.randint(4, 16)):
        sections.heading(rng.choice(("section", "subsection")), rng.choice((1, 2, 2, 3)))
    return [*front, Break(), *_contents(author, sections.toc), Break(), *body, *_bibliography(author, 5, 20)]


def _book(author: Author) -> list[Block]:
    rng = author.rng
    sections = _Sections(author, rng.choice(("", "1", "Chapter 1", "I.", "1.")))
    mix = _Mix(0.03, 0, 0.01, 0.04, 0, rng.choice((0, 0, 0.05)), 0.08)
    blocks: list[Block] = [author.title_page()] if rng.random() < 0.5 else []
    if rng.random() < 0.2:
        blocks += [
            Break(),
            Heading("part", 1, author.writer.phrase(1, 4), f"{author.writer.label('part')} I", True),
            Break(),
        ]
    for _ in range(rng.randint(1, 2)):
        chapter = sections.heading("chapter", 1)
        chapter.new_page = True
        blocks.append(chapter)
        body = _body(author, sections, mix, rng.randint(7, 13), 2)
        if rng.random() < 0.4:
            body = [b for b in body if not isinstance(b, Heading)]
        first = next((b for b in body if isinstance(b, Text)), None)
        if first and rng.random() < 0.5:
            first.drop_cap = True
        if rng.random() < 0.2:
            blocks.append(author.paragraph("quote", 1))
        blocks += body
    if rng.random() < 0.25:
        blocks.append(Heading("section", 1, "Index", new_page=True))
        words = sorted(author.writer.term() for _ in range(rng.randint(25, 60)))
        blocks += [
            Text("index", [Run(f"{t}, {', '.join(str(rng.randint(1, 300)) for _ in range(rng.randint(1, 4)))}")])
            for t in words
        ]
    return blocks


def _manual(author: Author) -> list[Block]:
    rng = author.rng
    sections = _Sections(author, rng.choice(NUMBERINGS))
    mix = _Mix(0.3, 0, 0.12, 0.2, rng.choice((0, 0.2, 0.4)), 0.2, 0)
    author.long = 2
    body: list[Block] = []
    for _ in range(rng.randint(2, 4)):
        body.append(sections.heading("section", 1))
        body += _body(author, sections, mix, rng.randint(3, 6), 2, 0.1)
    front: list[Block] = [author.title_page()] if rng.random() < 0.5 else []
    if rng.random() < 0.5:
        front += [*_contents(author, sections.toc), Break()]
    return front + body


def _newsletter(author: Author) -> list[Block]:
    rng, w = author.rng, author.writer
    sections = _Sections(author, "")
    mix = _Mix(0.08, 0, 0.03, 0.15, 0, 0.1, 0.04)
    blocks: list[Block] = [Front(w.phrase(1, 4, True), w.phrase(2, 6) if rng.random() < 0.4 else "", date=w.date())]
    for _ in range(rng.randint(3, 7)):
        blocks.append(sections.heading("section", 1))
        if rng.random() < 0.5:
            blocks.append(Text("author", [Run(rng.choice(("By ", "", "")) + w.name())]))
        body = _body(author, sections, mix, rng.randint(2, 5), 2, 0.3)
        first = body[0]
        if isinstance(first, Text) and rng.random() < 0.3:
            first.drop_cap = True
        blocks += body
        if rng.random() < 0.3:
            blocks.append(Text("pull-quote", [Run(w.sentence(6, 16))]))
    return blocks


def _standard(author: Author) -> list[Block]:
    """Standards, laws, contracts: everything is numbered."""
    rng, w = author.rng, author.writer
    sections = _Sections(author, rng.choice(("1", "1.", "§ 1", "I.")))
    blocks: list[Block] = [author.title_page()] if rng.random() < 0.5 else [Front(w.phrase(3, 9, True), date=w.date())]
    author.long = 2
    counter = 0
    for _ in range(rng.randint(4, 8)):
        heading = sections.heading("section", 1)
        blocks.append(heading)
        for j in range(rng.randint(2, 6)):
            if rng.random() < 0.25:
                blocks.append(sections.heading("subsection", 2))
            counter += 1
            number = (
                rng.choice((f"({j + 1})", f"{sections.counters[0]}.{j + 1}", f"{counter}", f"{counter}."))
                if rng.random() < 0.9
                else ""
            )
            paragraph = author.paragraph()
            paragraph.number = number
            blocks.append(paragraph)
            if rng.random() < 0.22:
                blocks += author.list_items(3)
            if rng.random() < 0.06:
                blocks.append(author.table())
    return blocks


def _letter(author: Author) -> list[Block]:
    rng, w = author.rng, author.writer
    address = (w.name(), f"{w.place()} {rng.randint(1, 200)}", f"{rng.randint(1000, 99999)} {w.place()}")
    blocks: list[Block] = [Text("contact", [Run(line)]) for line in address]
    blocks += [Text("date", [Run(w.date())]), Heading("section", 1, w.phrase(2, 7))]
    blocks += [author.paragraph() for _ in range(rng.randint(4, 9))]
    if rng.random() < 0.5:
        blocks += author.list_items(2)
        blocks.append(author.paragraph())
    if rng.random() < 0.4:
        blocks.append(author.table())
    blocks += [Text("text", [Run(w.phrase(2, 3) + ",")]), Text("contact", [Run(w.name())])]
    return blocks


def _cv(author: Author) -> list[Block]:
    rng, w = author.rng, author.writer
    sections = _Sections(author, "")
    blocks: list[Block] = [Front(w.name(), w.phrase(2, 4) if rng.random() < 0.4 else "")]
    blocks.append(
        Text(
            "contact",
            [Run(f"{w.email()} | +{rng.randint(10, 99)} {rng.randint(10**6, 10**7)} | {w.place()}")],
        )
    )
    for _ in range(rng.randint(3, 6)):
        blocks.append(sections.heading("section", 1))
        for _ in range(rng.randint(1, 4)):
            years = f"{rng.randint(1990, 2010)}–{rng.randint(2011, 2025)}"
            if rng.random() < 0.6:
                blocks.append(Text("text", [Run(w.phrase(2, 5, True), "b"), Run(f", {w.institution()}, {years}")]))
                if rng.random() < 0.6:
                    blocks += [ListItem("•", author.runs(1)) for _ in range(rng.randint(1, 4))]
            else:
                blocks.append(ListItem(years, author.runs(1), term=True))
    if rng.random() < 0.4:
        blocks += _bibliography(author, 4, 14)
    return blocks


def _invoice(author: Author) -> list[Block]:
    """Invoices, orders, data sheets, forms: short texts and tables."""
    rng, w = author.rng, author.writer
    blocks: list[Block] = [Front(w.phrase(1, 3, True), w.phrase(2, 5) if rng.random() < 0.4 else "", date=w.date())]
    blocks += [
        Text("contact", [Run(t)])
        for t in (w.name(), f"{rng.randint(1000, 99999)} {w.place()}", w.email())[: rng.randint(0, 3)]
    ]
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.7:
            blocks.append(Heading("section", 1, w.phrase(1, 3)))
        if rng.random() < 0.6:
            blocks.append(author.paragraph(sentences=rng.randint(1, 3)))
        if rng.random() < 0.4:
            pairs: list[list[Cell | None]] = [
                [Cell(w.phrase(1, 3) + rng.choice((":", ""))), Cell(w.phrase(1, 4))] for _ in range(rng.randint(3, 9))
            ]
            blocks.append(Table(pairs, 0, [], floating=False))
        table = author.table(rng.random() < 0.5, rng.random() < 0.3)
        table.floating = False
        if rng.random() < 0.7:
            table.caption = []
        blocks.append(table)
        if rng.random() < 0.4:
            blocks += author.list_items(1)
        if rng.random() < 0.3:
            blocks.append(author.figure())
    if rng.random() < 0.5:
        blocks.append(author.paragraph(sentences=2))
    return blocks


def _slides(author: Author) -> list[Block]:
    """A slide per page: a title and little text."""
    rng, w = author.rng, author.writer
    author.notes = 0
    people = [Person(w.name(), []) for _ in range(rng.randint(0, 3))]
    affiliations = [w.institution()] if people and rng.random() < 0.6 else []
    blocks: list[Block] = [
        Front(
            w.phrase(2, 8, True),
            w.phrase(2, 7) if rng.random() < 0.4 else "",
            people,
            affiliations,
            w.date(),
            page=True,
        )
    ]
    for _ in range(rng.randint(3, 7)):
        blocks += [Break(), Heading("frametitle", 1, w.phrase(1, 6, rng.random() < 0.5))]
        kind = rng.random()
        if kind < 0.55:
            items = list(author.list_items(2))[: rng.randint(3, 7)]
            blocks += [ListItem(i.marker, [Run(w.phrase(2, 12))], i.depth) for i in items]
        elif kind < 0.7:
            table = author.table()
            table.rows, table.floating = table.rows[:7], False
            table.caption = table.caption if rng.random() < 0.3 else []
            blocks.append(table)
        elif kind < 0.88:
            drawing = author.figure(True)
            blocks.append(
                Figure(drawing.drawing, drawing.caption if rng.random() < 0.3 else [], floating=False, share=0.7)
            )
        else:
            blocks.append(author.paragraph(sentences=rng.randint(1, 3)))
            if rng.random() < 0.3:
                blocks.append(author.formula())
        if rng.random() < 0.15:
            blocks.append(author.paragraph(sentences=1))
    return blocks


def _brochure(author: Author) -> list[Block]:
    """Brochures, white papers: short sections, boxes, figures, quotations."""
    rng, w = author.rng, author.writer
    author.long = 3
    sections = _Sections(author, "")
    mix = _Mix(0.15, 0, 0.08, 0.2, 0, 0.2, 0.05)
    blocks: list[Block] = [author.title_page() if rng.random() < 0.5 else Front(w.phrase(2, 6, True), w.phrase(3, 9))]
    for _ in range(rng.randint(3, 6)):
        blocks.append(sections.heading("section", 1))
        blocks += _body(author, sections, mix, rng.randint(2, 4), 2)
        if rng.random() < 0.3:
            blocks.append(Text("pull-quote", [Run("“" + w.sentence(6, 18) + "”")]))
    return blocks


GENRES: dict[str, tuple[float, Callable[[Author], list[Block]]]] = {
    "paper": (26, _paper),
    "report": (14, _report),
    "manual": (11, _manual),
    "standard": (8, _standard),
    "book": (8, _book),
    "thesis": (7, _thesis),
    "newsletter": (7, _newsletter),
    "brochure": (6, _brochure),
    "slides": (9, _slides),
    "invoice": (4, _invoice),
    "letter": (2, _letter),
    "cv": (2, _cv),
}
"""Genre -> how often, how made."""


def make(
    rng: random.Random, languages: tuple[str, ...] = tuple(WEIGHTS), genres: tuple[str, ...] = tuple(GENRES)
) -> Document:
    """A document in one of the languages and genres."""
    language = rng.choices(languages, [WEIGHTS[c] for c in languages])[0]
    genre = rng.choices(genres, [GENRES[g][0] for g in genres])[0]
    author = Author(Writer.of(rng, language))
    if LANGUAGES[language].script not in ("latin", "cyrillic", "greek"):
        author.math = 0.0
    blocks = GENRES[genre][1](author)
    front = next((b for b in blocks if isinstance(b, Front)), None)
    w = author.writer
    title = front.title[:60] if front and rng.random() < 0.7 else w.phrase(2, 5, True)
    return Document(genre, language, title, " and ".join(w.surname() for _ in range(rng.randint(1, 2))), blocks)
