"""Which cells belong to tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import as_boxes
from ingest.document.model import Table
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.floats import Float, clusters, make_float
from ingest.pipeline.assemble.grid import simple_grid
from ingest.pipeline.assemble.text import clean
from ingest.pipeline.assemble.view import View

LONG_LINE = 25
"""Mean characters of a cell from which on a table without rules looks like columns of text."""
_RUNNING = kinds.WORDS - {kinds.CAPTION}


def find_tables(view: View, tables: Sequence[Table], free: NDArray[np.bool_]) -> list[Float]:
    """The tables that the labels do not contradict; their cells are taken out of `free` (n,)."""
    return [_table(view, table, free) for table in tables if _is_table(view, table)]


def _is_table(view: View, table: Table) -> bool:
    """It is, by the labels, no scale of a diagram, no formulas and no columns of long lines without rules."""
    where = np.flatnonzero(geometry.inside(view.page.cells.boxes, as_boxes(table.box))[:, 0] >= 0.5).tolist()
    labels = [view.labels[i] for i in where]
    other = max(labels.count(kinds.PICTURE), labels.count(kinds.FORMULA))
    if other > 0.6 * len(where) and labels.count(kinds.TABLE) < 0.2 * len(where):
        return False
    lengths = [len(view.texts[i]) for i in where]
    total = sum(lengths)
    if total < LONG_LINE * len(where) or not where:
        return True
    prose = sum(n for label, n in zip(labels, lengths, strict=True) if label in _RUNNING)
    tabular = sum(n for label, n in zip(labels, lengths, strict=True) if label == kinds.TABLE)
    if prose < 0.6 * total or tabular > 0.15 * total:
        return True
    x0, y0, x1, y1 = table.box
    rules = view.page.rules
    inner = (rules[:, 0] > x0 + 3) & (rules[:, 2] < x1 - 3) & (rules[:, 1] > y0) & (rules[:, 3] < y1)
    upright = rules[:, 3] - rules[:, 1] > rules[:, 2] - rules[:, 0]
    return bool((inner & upright).any())


def _table(view: View, table: Table, free: NDArray[np.bool_]) -> Float:
    """A table with the cells in its box that its grid has; what is labelled table and missing there is added."""
    grid = replace(table, cells=[replace(cell, text=clean(cell.text)) for cell in table.cells])
    words = Counter(word for cell in grid.cells for word in cell.text.split())
    whole = "".join("".join(cell.text.split()) for cell in sorted(grid.cells, key=lambda c: (c.row, c.col)))
    cells: list[int] = []
    candidates = free & (geometry.inside(view.page.cells.boxes, as_boxes(table.box))[:, 0] >= 0.5)
    # cells that the grid has to the last word come first: one that is not there may share words with those that are
    partly = []
    for i in np.flatnonzero(candidates).tolist():
        own = view.texts[i].split()
        if all(words[word] >= count for word, count in Counter(own).items()):
            words.subtract(own)
            cells.append(i)
        else:
            partly.append(i)
    for i in partly:
        own = view.texts[i].split()
        if sum(words[word] > 0 for word in own) * 2 >= len(own):
            words.subtract(own)
        elif "".join(own) not in whole and (view.labels[i] != kinds.TABLE or not _add_to_grid(view, grid, i)):
            continue
        cells.append(i)
    cells.sort()
    free[cells] = False
    return make_float(view, kinds.TABLE, cells, table.box, grid)


def _add_to_grid(view: View, grid: Table, cell: int) -> bool:
    """Add a cell's text to the nearest cell of the grid that has a box; False if there is none."""
    placed = [c for c in grid.cells if c.box is not None]
    if not placed:
        return False
    x0, y0, x1, y1 = view.printed[cell]
    boxes = as_boxes([c.box for c in placed])
    away = np.maximum(boxes[:, 0] - x1, x0 - boxes[:, 2]).clip(0) + np.maximum(boxes[:, 1] - y1, y0 - boxes[:, 3]).clip(
        0
    )
    nearest = placed[int(away.argmin())]
    nearest.text = f"{nearest.text} {view.texts[cell]}".strip()
    return True


def unboxed_tables(view: View, free: NDArray[np.bool_]) -> list[Float]:
    """Tables made of cells that are labelled so and stand in no table's box, if they form a grid."""
    loose = np.flatnonzero(free & (np.array(view.labels) == kinds.TABLE))
    line = view.median_size
    found = []
    for group in clusters(view.boxes, loose, 8 * line, 1.5 * line):
        cells = group.tolist()
        table = simple_grid(view, cells)
        if table is not None:
            free[cells] = False
            found.append(make_float(view, kinds.TABLE, cells, table.box, table))
    return found
