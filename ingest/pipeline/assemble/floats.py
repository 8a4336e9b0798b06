"""Which cells belong to tables and pictures; what stands in neither goes into the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import Boxes, as_boxes
from ingest.document.model import Box, Table
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.grid import simple_grid
from ingest.pipeline.assemble.text import clean
from ingest.pipeline.assemble.view import View, inside_page

BACKGROUND = 0.6
"""Share of the page above which a picture with text of its own on it is taken for a background."""
NEAR = 2.5
"""Line heights: cells labelled picture this near to one another, or to a picture, belong together."""
LONG_LINE = 25
"""Mean characters of a cell from which on a table without rules looks like columns of text."""
_RUNNING = frozenset({kinds.TEXT, kinds.LIST_ITEM, kinds.CITATION, kinds.FOOTNOTE}) | kinds.HEADINGS
_STAY_OUT = frozenset({kinds.CAPTION, kinds.TITLE, kinds.SUBTITLE_1, kinds.SUBTITLE_2})


@dataclass(slots=True)
class Float:
    """A table or a picture and the cells that belong to it, in content order."""

    page: int
    label: int
    cells: list[int]
    printed: Box
    """In the page's own frame."""
    box: Box
    """In the reading frame."""
    table: Table | None = None
    background: bool = False
    """Text stands on it: it has no place among the columns."""


def find_floats(view: View, tables: Sequence[Table], pictures: Boxes) -> list[Float]:
    """Floats of a page; cells labelled table or picture that belong to none are relabelled text."""
    free = np.ones(len(view), np.bool_)
    found = [_table(view, table, free) for table in tables if not _is_running_text(view, table)]
    found += _pictures(view, pictures, free)
    found += _unboxed_tables(view, free)
    labels = np.array(view.labels)
    for i in np.flatnonzero(free & ((labels == kinds.TABLE) | (labels == kinds.PICTURE))).tolist():
        view.labels[i] = kinds.TEXT
    return found


def _float(view: View, label: int, cells: list[int], printed: Box, table: Table | None = None) -> Float:
    printed = inside_page(printed, view.page)
    x0, y0, x1, y1 = view.to_reading(as_boxes(printed))[0].tolist()
    return Float(view.page.number, label, cells, printed, (x0, y0, x1, y1), table)


def _is_running_text(view: View, table: Table) -> bool:
    """What was taken for a table without rules is columns of long lines that the labels call text."""
    where = np.flatnonzero(geometry.inside(view.page.cells.boxes, as_boxes(table.box))[:, 0] >= 0.5).tolist()
    lengths = [len(view.texts[i]) for i in where]
    total = sum(lengths)
    if total < LONG_LINE * len(where):
        return False
    prose = sum(n for i, n in zip(where, lengths, strict=True) if view.labels[i] in _RUNNING)
    tabular = sum(n for i, n in zip(where, lengths, strict=True) if view.labels[i] == kinds.TABLE)
    if prose < 0.6 * total or tabular > 0.15 * total:
        return False
    x0, y0, x1, y1 = table.box
    rules = view.page.rules
    inner = (rules[:, 0] > x0 + 3) & (rules[:, 2] < x1 - 3) & (rules[:, 1] > y0) & (rules[:, 3] < y1)
    upright = rules[:, 3] - rules[:, 1] > rules[:, 2] - rules[:, 0]
    return not bool((inner & upright).any())


def _table(view: View, table: Table, free: NDArray[np.bool_]) -> Float:
    """A table with the cells in its box whose words are in its grid."""
    grid = replace(table, cells=[replace(cell, text=clean(cell.text)) for cell in table.cells])
    words = Counter(word for cell in grid.cells for word in cell.text.split())
    cells = []
    candidates = free & (geometry.inside(view.page.cells.boxes, as_boxes(table.box))[:, 0] >= 0.5)
    for i in np.flatnonzero(candidates).tolist():
        own = view.texts[i].split()
        known = sum(words[word] > 0 for word in own)
        if known * 2 >= len(own):
            words.subtract(own)
            cells.append(i)
    free[cells] = False
    return _float(view, kinds.TABLE, cells, table.box, grid)


def _pictures(view: View, boxes: Boxes, free: NDArray[np.bool_]) -> list[Float]:
    labels = np.array(view.labels)
    loose = np.flatnonzero(free & (labels == kinds.PICTURE))
    groups: list[tuple[NDArray[np.float32], list[int], bool]] = []
    for box in boxes:
        inner, background = _inner(view, box, free)
        free[inner] = False
        groups.append((box, inner, background))
    loose = loose[free[loose]]
    near = NEAR * view.median_size
    if len(loose) and len(boxes):
        # what is written just beside a picture belongs to it
        grown = (boxes + np.array([-near, -near, near, near], np.float32)).astype(np.float32)
        share = geometry.inside(view.page.cells.boxes[loose], grown)
        beside = share.max(axis=1) > 0.5
        for i, k in zip(loose[beside].tolist(), share[beside].argmax(axis=1).tolist(), strict=True):
            groups[k][1].append(i)
        free[loose] = ~beside
        loose = loose[~beside]
    found = []
    for box, inner, background in groups:
        x0, y0, x1, y1 = box.tolist()
        picture = _float(view, kinds.PICTURE, sorted(inner), (x0, y0, x1, y1))
        picture.background = background
        found.append(picture)
    for group in clusters(view.boxes, loose, 2 * near, near):
        cells = group.tolist()
        free[cells] = False
        found.append(_float(view, kinds.PICTURE, cells, view.hull(cells)))
    return found


def _inner(view: View, box: NDArray[np.float32], free: NDArray[np.bool_]) -> tuple[list[int], bool]:
    """Cells that belong to the picture in this box, and whether it is a background of other text."""
    where = np.flatnonzero(free & (geometry.inside(view.page.cells.boxes, box[None])[:, 0] >= 0.7)).tolist()
    own = sum(len(view.texts[i]) for i in where if view.labels[i] == kinds.PICTURE)
    other = sum(len(view.texts[i]) for i in where if view.labels[i] in kinds.WORDS)
    if own >= other:
        return [i for i in where if view.labels[i] not in _STAY_OUT], False
    page = view.page.width * view.page.height
    background = float(geometry.area(box)) > BACKGROUND * page or other > 200
    return [i for i in where if view.labels[i] == kinds.PICTURE], background


def _unboxed_tables(view: View, free: NDArray[np.bool_]) -> list[Float]:
    """Tables made of cells that are labelled so and stand in no table's box, if they form a grid."""
    loose = np.flatnonzero(free & (np.array(view.labels) == kinds.TABLE))
    line = view.median_size
    found = []
    for group in clusters(view.boxes, loose, 8 * line, 1.5 * line):
        cells = group.tolist()
        table = simple_grid(view, cells)
        if table is not None:
            free[cells] = False
            found.append(_float(view, kinds.TABLE, cells, table.box, table))
    return found


def clusters(boxes: Boxes, members: NDArray[np.intp], across: float, down: float) -> list[NDArray[np.intp]]:
    """Members (indices of boxes) in groups that white of `down` or `across` points parts; each sorted."""
    if len(members) == 0:
        return []
    out = []
    pending = [(members, 1, 0)]
    while pending:
        group, axis, failures = pending.pop()
        parts = _split(boxes, group, axis, down if axis else across)
        if len(parts) > 1:
            pending += [(part, 1 - axis, 0) for part in parts]
        elif failures:
            out.append(np.sort(group))
        else:
            pending.append((group, 1 - axis, 1))
    return sorted(out, key=lambda group: int(group[0]))


def _split(boxes: Boxes, group: NDArray[np.intp], axis: int, gap: float) -> list[NDArray[np.intp]]:
    order = group[np.argsort(boxes[group, axis], kind="stable")]
    reach = np.maximum.accumulate(boxes[order, axis + 2])
    return np.split(order, np.flatnonzero(boxes[order[1:], axis] - reach[:-1] > gap) + 1)
