"""Cells over several rows or columns, where the rules that divide others are left out."""

from __future__ import annotations

import bisect

import numpy as np

from ingest.pipeline.tables.layout import Grid, GridCell


def merge(grid: Grid, size: float) -> None:
    """Join and widen the cells of a grid where its rules say so; changes `grid.cells`."""
    if grid.framed:
        _merge_open(grid)
    if len(grid.down):
        _stack(grid, size)
    _grow(grid)


def _merge_open(grid: Grid) -> None:
    """In a framed table, join neighbours in a row between which the vertical lines of other rows are left out."""
    closed, open_ = np.zeros(len(grid.xs) + 1), np.zeros(len(grid.xs) + 1)
    pairs: list[tuple[GridCell, GridCell]] = []
    for a, b in zip(grid.cells, grid.cells[1:], strict=False):
        if a.r0 != b.r0:
            continue
        top, bottom = grid.y(a.r0), grid.y(a.r0 + 1)
        borders = range(a.c1 + 1, b.c0 + 1)
        if any(grid.side_ruled(k, top, bottom) for k in borders):
            closed[a.c1 + 1 : b.c0 + 1] += 1
        elif all(grid.xs[k - 1].line >= 0 for k in borders):
            open_[a.c1 + 1 : b.c0 + 1] += 1
            pairs.append((a, b))
    gone: set[int] = set()
    for a, b in reversed(pairs):
        if (closed[a.c1 + 1 : b.c0 + 1] >= open_[a.c1 + 1 : b.c0 + 1]).all():
            a.c1 = b.c1
            a.pieces.extend(b.pieces)
            gone.add(id(b))
    grid.cells = [c for c in grid.cells if id(c) not in gone]


def _stack(grid: Grid, size: float) -> None:
    """Join cells one above the other whose text runs on where the line between their rows is left out."""
    at = {(c.r0, c.c0, c.c1): c for c in grid.cells}
    for cell in sorted(grid.cells, key=lambda c: (c.c0, c.r0)):
        if at.get((cell.r0, cell.c0, cell.c1)) is not cell:
            continue
        left, right = grid.x(cell.c0), grid.x(cell.c1 + 1)
        while cell.r1 + 1 <= len(grid.ys):
            border = cell.r1 + 1
            below = at.get((border, cell.c0, cell.c1))
            if below is None or grid.ys[border - 1].line < 0 or grid.edge_ruled(border, left, right):
                break
            gap = min(p.y0 for p in below.pieces) - max(p.y1 for p in cell.pieces)
            top, bottom = grid.y(cell.r0), grid.y(below.r1 + 1)
            boxed = grid.side_ruled(cell.c0, top, bottom) and grid.side_ruled(cell.c1 + 1, top, bottom)
            if gap > 0.5 * size or not boxed:
                break
            cell.pieces.extend(below.pieces)
            cell.r1 = below.r1
            del at[(below.r0, below.c0, below.c1)]
    grid.cells = sorted(at.values(), key=lambda c: (c.r0, c.c0))


def _grow(grid: Grid) -> None:
    """Widen cells over empty neighbours where a line that stands elsewhere is left out."""
    rows, columns = len(grid.ys) + 1, len(grid.xs) + 1
    taken = np.zeros((rows, columns), np.bool_)
    for c in grid.cells:
        taken[c.r0 : c.r1 + 1, c.c0 : c.c1 + 1] = True
    for c in grid.cells:
        top, bottom = grid.y(c.r0), grid.y(c.r1 + 1)
        for step in (1, -1):
            while True:
                n = c.c1 + 1 if step > 0 else c.c0 - 1
                border = n if step > 0 else c.c0
                if not 0 <= n < columns or taken[c.r0 : c.r1 + 1, n].any():
                    break
                left, right = grid.x(n), grid.x(n + 1)
                boxed = grid.edge_ruled(c.r0, left, right) and grid.edge_ruled(c.r1 + 1, left, right)
                if grid.xs[border - 1].line < 0 or grid.side_ruled(border, top, bottom) or not boxed:
                    break
                taken[c.r0 : c.r1 + 1, n] = True
                c.c0, c.c1 = min(c.c0, n), max(c.c1, n)
        left, right = grid.x(c.c0), grid.x(c.c1 + 1)
        for step in (1, -1):
            while len(grid.down):
                n = c.r1 + 1 if step > 0 else c.r0 - 1
                border = n if step > 0 else c.r0
                if not 0 <= n < rows or taken[n, c.c0 : c.c1 + 1].any():
                    break
                top, bottom = grid.y(n), grid.y(n + 1)
                boxed = grid.side_ruled(c.c0, top, bottom) and grid.side_ruled(c.c1 + 1, top, bottom)
                if grid.ys[border - 1].line < 0 or grid.edge_ruled(border, left, right) or not boxed:
                    break
                taken[n, c.c0 : c.c1 + 1] = True
                c.r0, c.r1 = min(c.r0, n), max(c.r1, n)


def compact(grid: Grid) -> None:
    """Drop the rows and columns in which no cell begins; changes the borders and the cells of `grid`."""
    rows = sorted({c.r0 for c in grid.cells})
    columns = sorted({c.c0 for c in grid.cells})
    for cell in grid.cells:
        cell.r0, cell.r1 = bisect.bisect_left(rows, cell.r0), bisect.bisect_right(rows, cell.r1) - 1
        cell.c0, cell.c1 = bisect.bisect_left(columns, cell.c0), bisect.bisect_right(columns, cell.c1) - 1
    grid.head = bisect.bisect_left(rows, grid.head)
    grid.ys = [grid.ys[r - 1] for r in rows[1:]]
    grid.xs = [grid.xs[c - 1] for c in columns[1:]]
