"""Tables and pictures as things that stand among the text, and cells in groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, as_boxes
from ingest.document.model import Box, Table
from ingest.pipeline.assemble.view import View, inside_page


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


def make_float(view: View, label: int, cells: list[int], printed: Box, table: Table | None = None) -> Float:
    """A float of these cells; `printed` in the page's own frame."""
    printed = inside_page(printed, view.page)
    x0, y0, x1, y1 = view.to_reading(as_boxes(printed))[0].tolist()
    return Float(view.page.number, label, cells, printed, (x0, y0, x1, y1), table)


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
