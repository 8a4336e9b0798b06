"""Cells over several rows or columns, where the rules that divide others are left out."""

from __future__ import annotations

import bisect
import itertools

import numpy as np

from ingest.pipeline.tables.layout import Grid, GridCell

RUN_ON = 0.5
"""In font sizes: lines of one cell have no more room between them."""

_Region = tuple[int, int, int, int]
"""First and last row, first and last column."""


def merge(grid: Grid, size: float) -> None:
    """Join and widen the cells of a grid where its rules say so; changes `grid.cells`."""
    if grid.framed:
        _merge_open(grid)
    if any(border.line >= 0 for border in [*grid.xs, *grid.ys]):
        _fill(grid, size)


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


def _fill(grid: Grid, size: float) -> None:
    """Widen cells to the whole of the rectangle that the rules around them enclose, and join those that share one."""
    owner = np.full((len(grid.ys) + 1, len(grid.xs) + 1), -1)
    for k, c in enumerate(grid.cells):
        owner[c.r0 : c.r1 + 1, c.c0 : c.c1 + 1] = k
    gone: set[int] = set()
    for k, c in enumerate(grid.cells):
        if k in gone:
            continue
        region = _region(grid, c)
        r0, r1, c0, c1 = region
        if region == (c.r0, c.r1, c.c0, c.c1) or not _enclosed(grid, region):
            continue
        others = sorted(set(owner[r0 : r1 + 1, c0 : c1 + 1].ravel().tolist()) - {k, -1})
        if not _run_on([c, *(grid.cells[o] for o in others)], size):
            continue
        for o in others:
            c.pieces.extend(grid.cells[o].pieces)
        gone.update(others)
        c.r0, c.r1, c.c0, c.c1 = region
        owner[r0 : r1 + 1, c0 : c1 + 1] = k
    grid.cells = [c for k, c in enumerate(grid.cells) if k not in gone]


def _run_on(cells: list[GridCell], size: float) -> bool:
    """The cells stand one below the other, and the text of each runs on into the next."""
    cells = sorted(cells, key=lambda c: c.r0)
    for above, below in itertools.pairwise(cells):
        gap = min(p.y0 for p in below.pieces) - max(p.y1 for p in above.pieces)
        if below.r0 <= above.r1 or gap > RUN_ON * size:
            return False
    return True


def _enclosed(grid: Grid, region: _Region) -> bool:
    r0, r1, c0, c1 = region
    top, bottom, left, right = grid.y(r0), grid.y(r1 + 1), grid.x(c0), grid.x(c1 + 1)
    ends = grid.edge_ruled(r0, left, right) and grid.edge_ruled(r1 + 1, left, right)
    return ends and grid.side_ruled(c0, top, bottom) and grid.side_ruled(c1 + 1, top, bottom)


def _region(grid: Grid, cell: GridCell) -> _Region:
    """The rows and columns that a cell reaches where lines that stand elsewhere are left out; its own if they are no
    rectangle."""
    todo = [(r, c) for r in range(cell.r0, cell.r1 + 1) for c in range(cell.c0, cell.c1 + 1)]
    seen = set(todo)
    while todo:
        for place in _open_neighbours(grid, *todo.pop()):
            if place not in seen:
                seen.add(place)
                todo.append(place)
    rows, columns = [r for r, _ in seen], [c for _, c in seen]
    r0, r1, c0, c1 = min(rows), max(rows), min(columns), max(columns)
    if (r1 - r0 + 1) * (c1 - c0 + 1) != len(seen):
        return cell.r0, cell.r1, cell.c0, cell.c1
    return r0, r1, c0, c1


def _open_neighbours(grid: Grid, r: int, c: int) -> list[tuple[int, int]]:
    """Places beside one where the line between is drawn for others and not here."""
    found = []
    top, bottom, left, right = grid.y(r), grid.y(r + 1), grid.x(c), grid.x(c + 1)
    for border, m in ((c, c - 1), (c + 1, c + 1)):
        if 0 <= m <= len(grid.xs) and grid.xs[border - 1].line >= 0 and not grid.side_ruled(border, top, bottom):
            found.append((r, m))
    for border, n in ((r, r - 1), (r + 1, r + 1)):
        drawn = len(grid.down) > 0 and 0 <= n <= len(grid.ys) and grid.ys[border - 1].line >= 0
        if drawn and not grid.edge_ruled(border, left, right):
            found.append((n, c))
    return found


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


def mirror(grid: Grid) -> None:
    """Count the columns of `grid` from the right; its borders stay as they are."""
    last = len(grid.xs)
    for cell in grid.cells:
        cell.c0, cell.c1 = last - cell.c1, last - cell.c0
