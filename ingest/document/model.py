"""The converted document, before it is written out: items in reading order, each with where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.document.labels import Label

Box = tuple[float, float, float, float]
"""[x0, y0, x1, y1] in points, origin bottom left, unrotated frame."""


class PageSize(NamedTuple):
    """Points, unrotated frame."""

    width: float
    height: float
    rotation: int


@dataclass(slots=True)
class Part:
    """The part of an item that lies on one page (and in one column)."""

    page: int
    """1-based."""
    box: Box
    span: tuple[int, int]
    """Characters start..stop of the item's text that come from this part; the parts' spans tile the text."""
    cells: list[Box] = field(default_factory=list)
    """Boxes of the cells that it was made from."""
    texts: list[str] = field(default_factory=list)
    """What each of these cells says."""
    marker_cells: int = 0
    """How many of them, from the first on, are nothing but the item's marker."""


@dataclass(slots=True)
class TableCell:
    """One cell of a grid. `row`, `col` are of its upper left corner, 0-based."""

    row: int
    col: int
    row_span: int
    col_span: int
    text: str
    box: Box | None
    column_header: bool = False
    row_header: bool = False


@dataclass(slots=True)
class Table:
    """A recovered grid."""

    page: int
    box: Box
    rows: int
    cols: int
    cells: list[TableCell]


@dataclass(slots=True)
class Item:
    """A heading, paragraph, list item, table, picture …"""

    label: Label
    text: str
    parts: list[Part]
    orig: str = ""
    """The text as the PDF has it, if clean-up changed it: ligatures, hyphens at line ends."""
    level: int = 0
    """Of a heading: 1 is the highest. Of a list item: nesting depth, 1 is the outermost."""
    marker: str = ""
    """Of a list item: its bullet or number as printed."""
    enumerated: bool = False
    code: bool = False
    """A text item set in a fixed-width font that is program text."""
    header: bool = False
    """Of a `none` item: it stands at the page's head; else at its foot or side."""
    contents: bool = False
    """A `none` item that is a line of a table of contents."""
    score: float = 1.0
    """Mean probability that the label model gave to the label, over the item's cells."""
    font: str = ""
    size: float = 0.0
    table: Table | None = None
    """Of a table, which has no text of its own."""
    captions: list[int] = field(default_factory=list)
    """Of a table or picture: indices of its caption items in `Document.items`."""


@dataclass(slots=True)
class Document:
    """A whole document. Invariants are checked by `ingest.pipeline.validate`."""

    name: str
    """File name without folders."""
    sha256: str
    pages: list[PageSize]
    items: list[Item]
    """Body and furniture in reading order; furniture has the label `none`."""
    versions: dict[str, str]
    """Stage or model -> version."""
    title: int | None = None
    """Index of the item that is the document's title: the first one labelled so, or else, on the first page, a
    heading in larger type than all others."""
    lost_pages: dict[int, str] = field(default_factory=dict)
    """Page number -> why it could not be read."""
    ocr_pages: dict[int, str] = field(default_factory=dict)
    """Page number -> why it needs OCR."""
    cut_pages: dict[int, str] = field(default_factory=dict)
    """Page number -> what of its graphics was not read."""
    language: str = ""
    """BCP 47 primary subtag, as far as script and common words tell; empty: not known."""
