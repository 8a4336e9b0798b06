"""The grid of one table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from ingest.document.geometry import Boxes, as_boxes, inside
from ingest.document.model import Box, Table, TableCell
from ingest.document.page import Page
from ingest.pipeline.tables import grid as grids
from ingest.pipeline.tables import heads, shading, spans
from ingest.pipeline.tables.frame import Frame
from ingest.pipeline.tables.layout import Grid, GridCell, boxes_of, hull_of
from ingest.pipeline.tables.pieces import Piece, is_right_to_left, read
from ingest.pipeline.tables.rulings import Lines, around, merge, split_directions

FEW_RULES = 3
"""With no upright line and so few level ones a table is hardly ruled."""
CELL_SHARE = 0.5
"""A page cell with this share of its area inside a table's box belongs to the table."""


def recover(page: Page, box: Box, cells: Sequence[int] | None = None) -> Table:
    """The grid of the table in `box` (points, unrotated frame).

    `cells` are the indices of the page cells to use; without them those that lie in the box for the most part. The
    cells of the result tile the grid, empty ones included (text "", box None); they come row by row. The first column
    of a table in Hebrew or Arabic is its rightmost. A box without text gives a single empty cell.
    """
    if cells is None:
        ids = np.flatnonzero(inside(page.cells.boxes, as_boxes(box))[:, 0] >= CELL_SHARE)
    else:
        ids = np.asarray(cells, np.intp)
    frame = Frame.of(page, ids)
    pieces = read(page, frame, ids)
    if not pieces:
        return Table(page.number, box, 1, 1, [TableCell(0, 0, 1, 1, "", None)])
    size = median(p.size for p in pieces)
    rules, drawings = frame.to_reading(page.rules), frame.to_reading(page.drawings)
    grid = grids.build(pieces, *table_lines(rules, drawings, pieces, size), size)
    spans.merge(grid, size)
    spans.compact(grid)
    lettered = [p.text for p in pieces if any(c.isalpha() for c in p.text)]
    if 2 * sum(map(is_right_to_left, lettered)) > len(lettered):
        spans.mirror(grid)
    hull = frame.from_reading(np.array([grid.edges], np.float32))[0].tolist()
    return Table(page.number, _box(hull), len(grid.ys) + 1, len(grid.xs) + 1, _table_cells(grid, frame))


def table_lines(rules: Boxes, drawings: Boxes, pieces: list[Piece], size: float) -> tuple[Lines, Lines]:
    """Level and upright lines of the table that some pieces make, all in the reading frame.

    A table that is hardly ruled is taken to be ruled where its shaded rows meet.
    """
    hull = hull_of(pieces)
    across, down = (merge(bars, size) for bars in split_directions(around(rules, hull, size)))
    if len(down) == 0 and len(across) <= FEW_RULES:
        edges = shading.row_edges(drawings, boxes_of(pieces), size)
        if len(edges):
            across = merge(split_directions(around(np.concatenate([rules, edges]), hull, size))[0], size)
    return across, down


def _table_cells(grid: Grid, frame: Frame) -> list[TableCell]:
    rows, columns = len(grid.ys) + 1, len(grid.xs) + 1
    head, labels = heads.head_rows(grid), heads.has_row_labels(grid)
    empty = np.ones((rows, columns), np.bool_)
    out = []
    hulls = frame.from_reading(np.array([hull_of(c.pieces) for c in grid.cells], np.float32)).tolist()
    for c, box in zip(grid.cells, hulls, strict=True):
        empty[c.r0 : c.r1 + 1, c.c0 : c.c1 + 1] = False
        out.append(TableCell(c.r0, c.c0, c.r1 - c.r0 + 1, c.c1 - c.c0 + 1, text_of(c), _box(box)))
    out += [TableCell(int(r), int(c), 1, 1, "", None) for r, c in np.argwhere(empty)]
    for cell in out:
        cell.column_header = cell.row < head
        cell.row_header = labels and cell.col == 0 and cell.row >= head
    return sorted(out, key=lambda c: (c.row, c.col))


def text_of(cell: GridCell) -> str:
    """Text of a cell in reading order: lines from the top, pieces along them, split words joined at their hyphens."""
    if len(cell.pieces) == 1:
        return cell.pieces[0].text
    lines: dict[int, list[Piece]] = {}
    for piece in cell.pieces:
        lines.setdefault(piece.line, []).append(piece)
    text = ""
    for number in sorted(lines):
        backwards = sum(is_right_to_left(p.text) for p in lines[number]) * 2 > len(lines[number])
        part = " ".join(p.text for p in sorted(lines[number], key=lambda p: p.x0, reverse=backwards))
        split = len(text) > 1 and text[-1] in "-‐" and text[-2].isalpha() and part[:1].islower()
        text += part if not text or split else f" {part}"
    return text


def _box(box: list[float]) -> Box:
    x0, y0, x1, y1 = box
    return x0, y0, x1, y1
