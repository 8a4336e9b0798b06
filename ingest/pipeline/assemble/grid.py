"""A plain grid for cells that are labelled table although no table was found around them."""

from __future__ import annotations

import numpy as np

from ingest.document.model import Table, TableCell
from ingest.pipeline.assemble.view import View

MIN_CELLS = 4
WIDE = 0.4
"""Share of the table's width above which a cell says nothing about columns: it may span several."""


def simple_grid(view: View, cells: list[int]) -> Table | None:
    """Rows by height, columns by overlap in width; None if the cells do not stand in two rows and two columns."""
    if len(cells) < MIN_CELLS:
        return None
    low, high = min(view.x0[i] for i in cells), max(view.x1[i] for i in cells)
    narrow = [i for i in cells if view.x1[i] - view.x0[i] <= WIDE * (high - low)]
    third = {i: 0.3 * (view.y1[i] - view.y0[i]) for i in cells}  # lines may overlap a little
    rows = _groups([(view.y0[i] + third[i], view.y1[i] - third[i]) for i in cells])
    columns = _groups([(view.x0[i], view.x1[i]) for i in narrow])
    if len(rows) < 2 or len(columns) < 2:
        return None
    texts: dict[tuple[int, int], list[int]] = {}
    spans: dict[tuple[int, int], int] = {}
    for i in cells:
        row = len(rows) - 1 - _place(rows, (view.y0[i] + view.y1[i]) / 2)  # rows count from the top
        first, last = _place(columns, view.x0[i]), _place(columns, view.x1[i])
        texts.setdefault((row, first), []).append(i)
        spans[row, first] = max(spans.get((row, first), 1), last - first + 1)
    made = []
    for (row, column), own in sorted(texts.items()):
        beside = [c for r, c in texts if r == row and c > column]
        span = min(spans[row, column], min(beside, default=len(columns)) - column)
        text = " ".join(view.texts[i] for i in own)
        made.append(TableCell(row, column, 1, span, text, view.hull(own), column_header=row == 0))
    return Table(view.page.number, view.hull(cells), len(rows), len(columns), made)


def _groups(intervals: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Unions of overlapping intervals, ascending."""
    out: list[tuple[float, float]] = []
    for low, high in sorted(intervals):
        if out and low <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return out


def _place(groups: list[tuple[float, float]], value: float) -> int:
    """Number of the group nearest to the value."""
    return int(np.argmin([max(low - value, value - high, 0.0) for low, high in groups]))
