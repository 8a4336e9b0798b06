"""Tables laid out on pages in memory, with or without ruling lines, and what they ought to be read as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.document import geometry
from ingest.document.model import Box, Table
from ingest.document.page import Page
from tests.support.sheets import ADVANCE, Sheet

Placed = tuple[int, int, int, int, str]
"""Row, column, row span, column span, text."""


@dataclass(frozen=True)
class Entry:
    """A cell of a table to lay out."""

    row: int
    col: int
    text: str
    row_span: int = 1
    col_span: int = 1
    bold: bool = False

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def compact(cells: list[Placed]) -> list[Placed]:
    """The cells with text, in the rows and columns in which one begins."""
    filled = [c for c in cells if c[4].strip()]
    rows, cols = sorted({c[0] for c in filled}), sorted({c[1] for c in filled})

    def within(places: list[int], start: int, span: int) -> int:
        return sum(start <= p < start + span for p in places)

    return sorted(
        (rows.index(r), cols.index(c), within(rows, r, rs), within(cols, c, cs), " ".join(text.split()))
        for r, c, rs, cs, text in filled
    )


def placed(table: Table) -> list[Placed]:
    return compact([(c.row, c.col, c.row_span, c.col_span, c.text) for c in table.cells])


def wanted(entries: list[Entry]) -> list[Placed]:
    return compact([(e.row, e.col, e.row_span, e.col_span, e.text) for e in entries])


def texts(table: Table) -> list[list[str]]:
    """The grid as rows of text; a spanning cell stands at its upper left corner."""
    rows = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row][cell.col] = cell.text
    return rows


def with_rules(page: Page, rules: Sequence[Sequence[float]], turned: Sheet | None = None) -> Page:
    """The page with ruling lines, given as the reader sees them if a turned sheet is named."""
    boxes = geometry.as_boxes(rules)
    if turned is not None:
        boxes = geometry.from_display(boxes, turned.width, turned.height, turned.rotation)
    return replace(page, rules=boxes)


def lay_out(
    entries: list[Entry],
    *,
    ruled: bool,
    align: str = "",
    size: float = 10.0,
    padding: float = 6.0,
    leading: float = 1.2,
    rotation: int = 0,
    left: float = 60.0,
    top: float = 700.0,
) -> tuple[Page, Box]:
    """A page with the table, and the box around it, both in the unrotated frame.

    `align` has a letter for each column: l, r or c. A row is as high as its cells of one row need, a column as wide.
    """
    rows, cols = max(e.row + e.row_span for e in entries), max(e.col + e.col_span for e in entries)
    heights, widths = [leading * size] * rows, [2 * size] * cols
    for e in sorted(entries, key=lambda e: e.row_span * e.col_span):
        need = len(e.lines) * leading * size
        have = sum(heights[e.row : e.row + e.row_span])
        heights[e.row + e.row_span - 1] += max(need - have, 0.0)
        need = max(map(len, e.lines)) * ADVANCE * size
        have = sum(widths[e.col : e.col + e.col_span]) + 2 * padding * (e.col_span - 1)
        widths[e.col + e.col_span - 1] += max(need - have, 0.0)
    xs = left + np.concatenate([[0.0], np.cumsum(np.array(widths) + 2 * padding)])
    gap = padding if ruled else 0.0
    ys = top - np.concatenate([[0.0], np.cumsum(np.array(heights) + gap)])
    sheet = Sheet(width=float(xs[-1]) + left, height=800.0, rotation=rotation)
    if rotation in (90, 270):  # the sheet's size is the unrotated one
        sheet.width, sheet.height = sheet.height, sheet.width
    rules: list[Sequence[float]] = []
    inside = np.full((rows, cols), -1)
    for k, e in enumerate(entries):
        inside[e.row : e.row + e.row_span, e.col : e.col + e.col_span] = k
        x0, x1 = float(xs[e.col]) + padding, float(xs[e.col + e.col_span]) - padding
        for n, line in enumerate(e.lines):
            width = len(line) * ADVANCE * size
            way = (align or "l" * cols)[e.col] if e.col_span == 1 else "c"
            x = {"l": x0, "r": x1 - width, "c": (x0 + x1 - width) / 2}[way]
            y = float(ys[e.row]) - gap / 2 - (n + 1) * leading * size + 0.1 * size
            if line.strip():
                sheet.cell(x, y, line, size=size, bold=e.bold)
    if ruled:
        padded = np.pad(inside, 1, constant_values=-2)
        above = (padded[:-1, 1:-1] != padded[1:, 1:-1]) | (padded[1:, 1:-1] == -1)
        before = (padded[1:-1, :-1] != padded[1:-1, 1:]) | (padded[1:-1, 1:] == -1)
        rules += [(xs[c], ys[r] - 0.25, xs[c + 1], ys[r] + 0.25) for r, c in np.argwhere(above)]
        rules += [(xs[c] - 0.25, ys[r + 1], xs[c] + 0.25, ys[r]) for r, c in np.argwhere(before)]
    page = with_rules(sheet.page, rules, sheet)
    box = np.array([[xs[0] - 1, ys[-1] - 1, xs[-1] + 1, ys[0] + 1]], np.float32)
    x0, y0, x1, y1 = geometry.from_display(box, sheet.width, sheet.height, rotation)[0].tolist()
    return page, (x0, y0, x1, y1)
