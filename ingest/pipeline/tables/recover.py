"""The grid of one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.document.geometry import as_boxes, inside, union
from ingest.document.model import Box, Table, TableCell
from ingest.document.page import Page
from ingest.pipeline.tables import grid as grids
from ingest.pipeline.tables.frame import Frame
from ingest.pipeline.tables.pieces import Piece, read
from ingest.pipeline.tables.rulings import merge, split_directions, around

MARGIN = 1.5
"""In font sizes: ruling lines this far around the text belong to the table."""


def recover(page: Page, box: Box, cells: Sequence[int] | None = None) -> Table:
    where = as_boxes(box)
    if cells is None:
        ids = np.flatnonzero(inside(page.cells.boxes, where)[:, 0] >= 0.5)
    else:
        ids = np.asarray(cells, np.intp)
    frame = Frame.of(page, ids)
    pieces = read(page, frame, ids)
    if not pieces:
        return Table(page.number, box, 1, 1, [TableCell(0, 0, 1, 1, "", None)])
    size = float(np.median([p.size for p in pieces]))
    hull = (min(p.x0 for p in pieces), min(p.y0 for p in pieces), max(p.x1 for p in pieces), max(p.y1 for p in pieces))
    rules = around(frame.to_reading(page.rules), hull, size)
    h, v = split_directions(rules)
    grid = grids.build(pieces, merge(h, size), merge(v, size), size)
    out = []
    for c in grid.cells:
        out.append(TableCell(c.r0, c.c0, c.r1 - c.r0 + 1, c.c1 - c.c0 + 1, _text(c.pieces), _box(c.pieces, frame), c.r1 < grid.header))
    return Table(page.number, box, len(grid.ys) + 1, len(grid.xs) + 1, out)


def _text(pieces):
    ps = sorted(pieces, key=lambda p: (p.line, p.x0))
    return " ".join(p.text for p in ps)


def _box(pieces, frame) -> Box:
    b = frame.from_reading(np.array([[p.x0, p.y0, p.x1, p.y1] for p in pieces], np.float32))
    return tuple(union(b).tolist())
