"""Whether the structure of a converted document is sound: reading order, boxes, grids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.document.model import Box, Document, Table
from ingest.document.page import Page

TOLERANCE = 1.0
"""Points by which a box may stick out of its page."""


def order_ok(document: Document, pages: Sequence[Page]) -> bool:
    """No cell stands in the reading order twice; what the PDF itself prints twice at one place counts as two cells."""
    used: dict[int, list[Box]] = {}
    for item in document.items:
        for part in item.parts:
            used.setdefault(part.page, []).extend(part.cells)
    printed = {page.number: page.cells.boxes for page in pages}
    for number, boxes in used.items():
        if number not in printed or len(boxes) > len(printed[number]):
            return False
        if _repeated(np.array(boxes, np.float32).reshape(-1, 4), 0.01) > _repeated(printed[number], 0.1):
            return False
    return True


def _repeated(boxes: NDArray[np.float32], grid: float) -> int:
    """How many of (n, 4) boxes equal one before, on a grid of so many points."""
    if len(boxes) < 2:
        return 0
    keys = np.ascontiguousarray(np.rint(boxes / grid).astype(np.int32)).view("V16")
    return len(keys) - len(np.unique(keys))


def boxes_ok(document: Document) -> bool:
    """Boxes of items, tables and their cells lie on a page that exists, and spans within the text of their item."""
    for item in document.items:
        for part in item.parts:
            start, stop = part.span
            if not 0 <= start <= stop <= len(item.text):
                return False
    placed = list(_placed(document))
    numbers = np.array([number for number, _ in placed], np.intp)
    if len(placed) == 0:
        return True
    if numbers.min() < 1 or numbers.max() > len(document.pages):
        return False
    boxes = np.array([box for _, box in placed], np.float64)
    limits = np.array([(size.width, size.height) for size in document.pages], np.float64)[numbers - 1] + TOLERANCE
    low, high = boxes[:, :2], boxes[:, 2:]
    # written so that NaN fails
    return bool(((low >= -TOLERANCE) & (low <= high) & (high <= limits)).all())


def _placed(document: Document) -> Iterator[tuple[int, Box]]:
    for item in document.items:
        for part in item.parts:
            yield part.page, part.box
        if item.table is not None:
            yield item.table.page, item.table.box
            for cell in item.table.cells:
                if cell.box is not None:
                    yield item.table.page, cell.box


def tables_ok(document: Document) -> bool:
    """The cells of every grid lie within it and share no place."""
    return all(map(_grid_ok, _tables(document)))


def _tables(document: Document) -> Iterable[Table]:
    return (item.table for item in document.items if item.table is not None)


def _grid_ok(table: Table) -> bool:
    if table.rows < 1 or table.cols < 1:
        return False
    taken = np.zeros((table.rows, table.cols), np.bool_)
    for cell in table.cells:
        row_stop, col_stop = cell.row + cell.row_span, cell.col + cell.col_span
        if min(cell.row, cell.col) < 0 or min(cell.row_span, cell.col_span) < 1:
            return False
        if row_stop > table.rows or col_stop > table.cols:
            return False
        place = taken[cell.row : row_stop, cell.col : col_stop]
        if place.any():
            return False
        place[:] = True
    return True
