"""Whether a document keeps its promises; a violation is a bug of ours and fails the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ingest.document.labels import Label
from ingest.document.model import Box, Document, Item, Table
from ingest.document.page import Page
from ingest.errors import InvalidOutput

TOLERANCE = 0.5
"""Points by which a box may stick out of its page."""


def check(document: Document, pages: Sequence[Page]) -> None:
    """Raise InvalidOutput, naming everything that is wrong with the document made from these pages.

    - every cell of every page is in exactly one part of one item,
    - boxes lie on their page and are not inside out,
    - the spans of an item's parts tile its text,
    - captions are captions, levels are at least 1 where there is one,
    - the cells of a grid lie within it and share no place.
    """
    problems = list(_problems(document, pages))
    if problems:
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise InvalidOutput(f"{document.name}: {'; '.join(problems[:5])}{more}")


def _problems(document: Document, pages: Sequence[Page]) -> Iterator[str]:
    sizes = {page.number: (page.width, page.height) for page in pages}
    if len(document.pages) != len(pages):
        yield f"{len(document.pages)} pages in the document, {len(pages)} in the PDF"
    for k, item in enumerate(document.items):
        where = f"item {k} ({item.label})"
        if any(part.page not in sizes for part in item.parts):
            yield f"{where}: stands on a page that does not exist"
            continue
        for part in item.parts:
            if not lies_on(part.box, sizes[part.page]):
                yield f"{where}: box {part.box} is not on page {part.page}"
        yield from (f"{where}: {problem}" for problem in _item_problems(document, item))
    yield from cell_problems(document, pages)


def cell_problems(document: Document, pages: Sequence[Page]) -> Iterator[str]:
    """Pages whose cells are not in exactly one part of one item."""
    if document.title is not None and not 0 <= document.title < len(document.items):
        yield f"title {document.title} of {len(document.items)} items"
    used: dict[int, list[Box]] = {page.number: [] for page in pages}
    for item in document.items:
        for part in item.parts:
            used.setdefault(part.page, []).extend(part.cells)
    for page in pages:
        printed = Counter(map(tuple, page.cells.boxes.tolist()))
        if printed != Counter(used[page.number]):
            lost, doubled = printed - Counter(used[page.number]), Counter(used[page.number]) - printed
            yield f"page {page.number}: {lost.total()} cells in no item, {doubled.total()} in more than one"


def _item_problems(document: Document, item: Item) -> Iterator[str]:
    position = 0
    for part in item.parts:
        start, stop = part.span
        if start != position or stop < start:
            yield f"spans {[p.span for p in item.parts]} do not tile the text"
            break
        position = stop
    else:
        if position != len(item.text):
            yield f"spans end at {position}, the text at {len(item.text)}"
    for caption in item.captions:
        if not 0 <= caption < len(document.items) or document.items[caption].label is not Label.CAPTION:
            yield f"caption {caption} is none"
    if item.level < 1 and item.label in (Label.SUBTITLE_1, Label.SUBTITLE_2, Label.LIST_ITEM):
        yield "has no level"
    if item.table is not None:
        yield from table_problems(item.table)


def lies_on(box: Box, size: tuple[float, float]) -> bool:
    """The box lies on a page of this width and height and is not inside out."""
    x0, y0, x1, y1 = box
    width, height = size
    # written so that NaN fails
    return -TOLERANCE <= x0 <= x1 <= width + TOLERANCE and -TOLERANCE <= y0 <= y1 <= height + TOLERANCE


def table_problems(table: Table) -> Iterator[str]:
    """What is wrong with a grid."""
    if table.rows < 1 or table.cols < 1:
        yield f"grid of {table.rows} x {table.cols}"
        return
    taken = np.zeros((table.rows, table.cols), np.bool_)
    for cell in table.cells:
        bottom, right = cell.row + cell.row_span, cell.col + cell.col_span
        if min(cell.row, cell.col) < 0 or min(cell.row_span, cell.col_span) < 1:
            yield f"cell at {cell.row}, {cell.col} with spans {cell.row_span}, {cell.col_span}"
        elif bottom > table.rows or right > table.cols:
            yield f"cell at {cell.row}, {cell.col} reaches out of the grid"
        elif taken[cell.row : bottom, cell.col : right].any():
            yield f"cell at {cell.row}, {cell.col} lies on another"
        else:
            taken[cell.row : bottom, cell.col : right] = True
