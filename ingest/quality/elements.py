"""Rows about the elements of converted documents, read back as they lie in the object store.

What a document promises is checked when it is made; these rows are of what was written: its boxes turned with the
page, its character spans shifted by markers, its tree of references. Measured per element, so that an auditor sees
which one is wrong and by how much.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal

import msgspec

from ingest.errors import InvalidOutput

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

PICTURE = "picture"
"""The kind that needs no text of its own."""
SOME_CHARS = 20
"""From so many on, the room that they take says something."""


class Element(msgspec.Struct, kw_only=True):
    """One element: an item of DoclingDocument's `texts`, `tables` or `pictures`. NaN: does not apply to it."""

    doc_id: str
    ref: str
    """`#/texts/12`."""
    page: int
    """That it begins on; 0: it has no place."""
    label: str
    """Ours and docling's: `text as code`."""
    order: int
    """Place in the reading order, from 0; -1: the tree does not lead to it."""
    reached: int
    """How often the tree leads to it."""
    pages_back: int
    """Pages that the reading order goes back to come to it."""
    outside: float
    """Points by which a box of it, or of its table's cells, sticks out of its page or is inside out, else 0 or less."""
    chars: float
    """Characters without white space, the marker of a list item included; NaN of a picture."""
    crowding: float
    """The same per square point of its boxes; NaN of a few characters."""
    span_gap: int
    """Characters of its text that no part claims, or that parts claim beyond it."""
    cells: float
    """Text cells that it says it was made from; NaN where it has no text."""
    score: float
    """Of its label; -1: it has none."""
    filled: float
    """Share of the table's grid that cells with text cover."""
    caption_gap: float
    """From a caption to the table or picture that it belongs to, as a share of the page's height; 1 on another page."""


class _Ref(msgspec.Struct):
    ref: str = msgspec.field(name="$ref")


class _Rectangle(msgspec.Struct):
    l: float
    t: float
    r: float
    b: float
    coord_origin: Literal["BOTTOMLEFT"]

    @property
    def box(self) -> Box:
        return self.l, self.b, self.r, self.t


class _Part(msgspec.Struct):
    page_no: int
    bbox: _Rectangle
    charspan: tuple[int, int]


class _Meta(msgspec.Struct):
    label: str = msgspec.field(name="ingest__label", default="")
    score: float = msgspec.field(name="ingest__score", default=-1.0)
    cells: list[msgspec.Raw] = msgspec.field(name="ingest__cells", default_factory=list)


class _Cell(msgspec.Struct):
    text: str
    start_row_offset_idx: int
    end_row_offset_idx: int
    start_col_offset_idx: int
    end_col_offset_idx: int
    bbox: _Rectangle | None = None


class _Data(msgspec.Struct):
    num_rows: int
    num_cols: int
    table_cells: list[_Cell]


class _Node(msgspec.Struct):
    self_ref: str
    label: str
    children: list[_Ref] = []
    captions: list[_Ref] = []
    prov: list[_Part] = []
    meta: _Meta | None = None
    text: str = ""
    marker: str = ""
    data: _Data | None = None


class _Size(msgspec.Struct):
    width: float
    height: float


class _Page(msgspec.Struct):
    size: _Size


class _Docling(msgspec.Struct):
    body: _Node
    pages: dict[int, _Page]
    groups: list[_Node] = []
    texts: list[_Node] = []
    tables: list[_Node] = []
    pictures: list[_Node] = []


_DECODER = msgspec.json.Decoder(_Docling, strict=False)


def elements(data: bytes, doc_id: str) -> list[Element]:
    """Rows of a DoclingDocument, in the order of its lists. Raises InvalidOutput if it does not have that structure."""
    try:
        docling = _DECODER.decode(data)
        walk = _Walk(docling)
    except (msgspec.DecodeError, KeyError) as error:
        raise InvalidOutput(f"the converted document is not well formed: {error!r}") from error
    return [_row(walk, node, doc_id) for node in walk.elements]


class _Walk:
    """The tree, walked in reading order."""

    def __init__(self, docling: _Docling) -> None:
        self.sizes = {number: (page.size.width, page.size.height) for number, page in docling.pages.items()}
        self.elements = [*docling.texts, *docling.tables, *docling.pictures]
        self.owners = {caption.ref: node for node in self.elements for caption in node.captions}
        self.reached: Counter[str] = Counter()
        self.order: dict[str, int] = {}
        self.pages_back: dict[str, int] = {}
        nodes = {node.self_ref: node for node in [*docling.groups, *self.elements]}
        latest = 0
        pending = [child.ref for child in reversed(docling.body.children)]
        while pending:
            node = nodes[pending.pop()]
            self.reached[node.self_ref] += 1
            if self.reached[node.self_ref] > 1:
                continue  # seen: a tree that leads in circles ends, too
            if node.prov:
                page = node.prov[0].page_no
                self.pages_back[node.self_ref] = max(0, latest - page)
                latest = max(latest, page)
            if not node.self_ref.startswith("#/groups/"):
                self.order[node.self_ref] = len(self.order)
            pending += [child.ref for child in reversed(node.children)]


def _row(walk: _Walk, node: _Node, doc_id: str) -> Element:
    meta, table = node.meta or _Meta(), node.data
    text = "".join(cell.text for cell in table.table_cells) if table else node.marker + node.text
    chars = len("".join(text.split()))
    boxes = [(part.page_no, part.bbox.box) for part in node.prov]
    area = sum((x1 - x0) * (y1 - y0) for _, (x0, y0, x1, y1) in boxes)
    if table and boxes:
        boxes += [(boxes[0][0], cell.bbox.box) for cell in table.table_cells if cell.bbox]
    return Element(
        doc_id=doc_id,
        ref=node.self_ref,
        page=boxes[0][0] if boxes else 0,
        label=f"{meta.label} as {node.label}",
        order=walk.order.get(node.self_ref, -1),
        reached=walk.reached[node.self_ref],
        pages_back=walk.pages_back.get(node.self_ref, 0),
        outside=max((_outside(box, walk.sizes.get(page)) for page, box in boxes), default=0.0),
        chars=math.nan if node.label == PICTURE else chars,
        crowding=chars / max(area, 1.0) if chars >= SOME_CHARS else math.nan,
        span_gap=0 if table or node.label == PICTURE else _span_gap(node),
        cells=len(meta.cells) if chars else math.nan,
        score=meta.score,
        filled=_filled(table) if table else math.nan,
        caption_gap=_caption_gap(walk, node),
    )


def _outside(box: Box, size: tuple[float, float] | None) -> float:
    if size is None:
        return math.inf
    x0, y0, x1, y1 = box
    return max(-x0, -y0, x1 - size[0], y1 - size[1], x0 - x1, y0 - y1)


def _span_gap(node: _Node) -> int:
    """Characters between the spans of an element's parts, which tile its text, and at its end."""
    position = gap = 0
    for part in node.prov:
        start, stop = part.charspan
        gap += abs(start - position) + max(0, start - stop)
        position = stop
    return gap + abs(len(node.text) - position) if node.prov else 0


def _filled(table: _Data) -> float:
    covered = sum(
        (cell.end_row_offset_idx - cell.start_row_offset_idx) * (cell.end_col_offset_idx - cell.start_col_offset_idx)
        for cell in table.table_cells
        if cell.text.strip()
    )
    return covered / max(1, table.num_rows * table.num_cols)


def _caption_gap(walk: _Walk, caption: _Node) -> float:
    owner = walk.owners.get(caption.self_ref)
    if owner is None:
        return math.nan
    gaps = [
        _distance(a.bbox.box, b.bbox.box) / walk.sizes[a.page_no][1]
        for a in caption.prov
        for b in owner.prov
        if a.page_no == b.page_no and a.page_no in walk.sizes
    ]
    return min(gaps, default=1.0)


def _distance(a: Box, b: Box) -> float:
    """Between the nearest points of two boxes; 0 where they overlap."""
    dx = max(0.0, a[0] - b[2], b[0] - a[2])
    dy = max(0.0, a[1] - b[3], b[1] - a[3])
    return math.hypot(dx, dy)
