"""A generated document before it is set: blocks in reading order, whatever program will set them.

`orig` names what a piece is more finely than the 17 labels of `ingest.document.labels`; `LABEL_OF` maps it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from bentos.training.generator.drawing import Drawing
from bentos.training.generator.formulas import Node
from ingest.document.labels import Label

LABEL_OF: dict[str, Label] = {
    "title": Label.TITLE,
    "subtitle": Label.TITLE,
    "author": Label.AUTHOR,
    "affiliation": Label.AFFILIATION,
    "email": Label.AFFILIATION,
    "abstract": Label.ABSTRACT,
    "abstract-heading": Label.ABSTRACT,
    "keyword": Label.KEYWORD,
    "keyword-heading": Label.KEYWORD,
    "part": Label.SUBTITLE_1,
    "chapter": Label.SUBTITLE_1,
    "section": Label.SUBTITLE_1,
    "frametitle": Label.SUBTITLE_1,
    "bib-heading": Label.SUBTITLE_1,
    "subsection": Label.SUBTITLE_2,
    "subsubsection": Label.SUBTITLE_2,
    "paragraph": Label.SUBTITLE_2,
    "box-heading": Label.SUBTITLE_2,
    "text": Label.TEXT,
    "quote": Label.TEXT,
    "code": Label.TEXT,
    "theorem": Label.TEXT,
    "sidebar": Label.TEXT,
    "pull-quote": Label.TEXT,
    "margin": Label.TEXT,
    "titlepage": Label.TEXT,
    "address": Label.TEXT,
    "item": Label.LIST_ITEM,
    "itemid": Label.LIST_IDENTIFIER,
    "formula": Label.FORMULA,
    "table": Label.TABLE,
    "ingraphic": Label.PICTURE,
    "object": Label.PICTURE,
    "caption": Label.CAPTION,
    "citation": Label.CITATION,
    "footnote": Label.FOOTNOTE,
    "header": Label.NONE,
    "footer": Label.NONE,
    "page-number": Label.NONE,
    "lineno": Label.NONE,
    "toc": Label.NONE,
    "toc-heading": Label.NONE,
    "index": Label.NONE,
    "date": Label.NONE,
    "imprint": Label.NONE,
    "watermark": Label.NONE,
    "contact": Label.TEXT,
    "form-field": Label.TABLE,
}
"""Fine name -> label."""

AMBIGUOUS = frozenset({"toc-heading", "contact", "form-field", "imprint", "titlepage"})
"""Real truths disagree about these: they stand on the pages and are not learned from."""


class Zone(IntEnum):
    """Where on its page a piece is read; within a zone in source order."""

    HEADER = 0
    BODY = 1
    FLOAT = 2
    """Read where it stands: before the text below it in its column."""
    NOTE = 3
    FOOTER = 4
    OVERLAY = 5
    """Line numbers, watermarks: read last."""


@dataclass(slots=True)
class Run:
    """A piece of text within a block."""

    text: str
    style: str = ""
    """Any of `b` bold, `i` italic, `m` fixed width, `u` link, `c` small capitals, `^` raised, `_` lowered."""
    math: Node | None = None
    note: str = ""
    """Text of the footnote whose mark this is."""
    orig: str = ""
    """Own fine name, where it differs from the block's (a run-in heading)."""


Inline = list[Run]


@dataclass(slots=True)
class Text:
    """A paragraph of any kind: `orig` says which."""

    orig: str
    runs: Inline
    drop_cap: bool = False
    number: str = ""
    """Of a numbered paragraph: hangs before it."""
    continued: bool = False
    """Goes on after a formula: no indent."""


@dataclass(slots=True)
class Heading:
    """`level` 1 is the highest; `orig` is part, chapter, section …"""

    orig: str
    level: int
    text: str
    number: str = ""
    new_page: bool = False


@dataclass(slots=True)
class ListItem:
    """An item of a list, which is kept flat: `depth` 1 is the outermost."""

    marker: str
    runs: Inline
    depth: int = 1
    more: list[Inline] = field(default_factory=list)
    """Further paragraphs of the item."""
    term: bool = False
    """The marker is the term of a description list."""


@dataclass(slots=True)
class Formula:
    node: Node
    number: str = ""


@dataclass(slots=True)
class Cell:
    text: str
    row_span: int = 1
    col_span: int = 1
    numeric: bool = False
    head: bool = False


@dataclass(slots=True)
class Table:
    """A grid; `rows` hold only the upper left cells of spans, None where a span covers."""

    rows: list[list[Cell | None]]
    head_rows: int
    caption: Inline
    wide: bool = False
    floating: bool = True
    notes: str = ""

    @property
    def columns(self) -> int:
        return max(map(len, self.rows))

    def longest(self, col: int) -> int:
        """Characters of the longest text in a column, cells across columns left out."""
        cells = (row[col] for row in self.rows)
        return max((len(c.text) for c in cells if c and c.col_span == 1), default=0)


@dataclass(slots=True)
class Figure:
    drawing: Drawing
    caption: Inline
    wide: bool = False
    floating: bool = True
    share: float = 1.0
    """Of the column's width."""


@dataclass(slots=True)
class Code:
    lines: list[str]
    numbered: bool = False
    caption: Inline = field(default_factory=list)


@dataclass(slots=True)
class Reference:
    marker: str
    runs: Inline


@dataclass(slots=True)
class TocLine:
    level: int
    number: str
    text: str
    page: str
    orig: str = "toc"


@dataclass(slots=True)
class Box:
    """A sidebar or a framed note."""

    heading: str
    blocks: list[Text | ListItem]
    floating: bool = True
    tone: str = "note"


@dataclass(slots=True)
class Break:
    """A new page."""


@dataclass(slots=True)
class Person:
    name: str
    marks: list[int]
    """Affiliations, counted from 0."""
    email: str = ""


@dataclass(slots=True)
class Front:
    """The title block of an article or the title page of a longer work."""

    title: str
    subtitle: str = ""
    people: list[Person] = field(default_factory=list)
    affiliations: list[str] = field(default_factory=list)
    date: str = ""
    abstract: list[Inline] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    page: bool = False
    """On a page of its own."""
    lines: list[str] = field(default_factory=list)
    """What else a title page says: degree, publisher, place."""
    furniture: list[str] = field(default_factory=list)
    """Journal, volume, DOI, dates of submission."""


Block = Front | Text | Heading | ListItem | Formula | Table | Figure | Code | Reference | TocLine | Box | Break


@dataclass(slots=True)
class Document:
    """A document to set."""

    genre: str
    language: str
    running_title: str
    running_author: str
    blocks: list[Block]
