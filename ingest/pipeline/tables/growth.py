"""Lines of heads above a table, and rows below it, that its first box left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.candidates import TABLE_CAPTION
from ingest.pipeline.tables.columns import Gap, column_range, find_gaps
from ingest.pipeline.tables.layout import Rect, hull_of
from ingest.pipeline.tables.scene import Scene

STEP = 1.2
"""In font sizes: lines with a wider empty stretch between them and the table do not belong to it."""
SIDE = 2.0
"""In font sizes: nor do lines that jut out of its sides by more."""
MOST_LABELS = 3
"""Lines of labels between the heads and the first row of numbers."""
REACH = 12.0
"""In font sizes: how far above and below lines are looked for."""


def grow(scene: Scene, box: Rect, barred: NDArray[np.bool_], *, closed: bool) -> Rect:
    """The box with the lines of column heads right above it and the rows right below it, none of them `barred`.

    `closed`: a rule ends the box above, so that a single piece over it is a title and no head.
    """
    gaps = find_gaps([scene.pieces[i] for i in scene.inside(box)], scene.size)
    if not gaps:
        return box
    box = _upwards(scene, box, barred, gaps, single=not closed)
    return _downwards(scene, box, barred, gaps)


def _lines(scene: Scene, box: Rect, beyond: NDArray[np.bool_]) -> list[list[int]]:
    """Pieces above or below a box, by line, from the top."""
    beside = (scene.boxes[:, 2] > box[0] - scene.size) & (scene.boxes[:, 0] < box[2] + scene.size)
    lines: dict[int, list[int]] = {}
    for i in np.flatnonzero(beyond & beside).tolist():
        lines.setdefault(scene.pieces[i].line, []).append(i)
    return [lines[k] for k in sorted(lines)]


def _join(box: Rect, line: Rect) -> Rect:
    return min(box[0], line[0]), min(box[1], line[1]), max(box[2], line[2]), max(box[3], line[3])


def _juts(box: Rect, line: Rect, size: float) -> bool:
    return line[0] < box[0] - SIDE * size or line[2] > box[2] + SIDE * size


def _upwards(scene: Scene, box: Rect, barred: NDArray[np.bool_], gaps: list[Gap], *, single: bool) -> Rect:
    size, bottom = scene.size, scene.boxes[:, 3]
    sure, highest = box, box
    labels = 0  # lines flush left that are taken only if a line of heads stands above them
    for ids in reversed(_lines(scene, box, (bottom < box[1] + 0.5 * size) & (bottom > box[1] - REACH * size))):
        line = hull_of([scene.pieces[i] for i in ids])
        if barred[ids].any() or box[1] - line[3] > STEP * size or _juts(box, line, size):
            break
        if TABLE_CAPTION.match(scene.pieces[ids[0]].text):
            caption = scene.pieces[ids[-1]]
            off_centre = abs(caption.x0 + caption.x1 - highest[0] - highest[2]) / 2
            if abs(caption.x0 - highest[0]) < size or off_centre < 2 * size:
                return sure  # what looked like a head is the caption's last line
            break
        if len(ids) > 1:
            sure, single, labels = _join(box, line), True, 0
        elif line[2] < gaps[0].right and labels < MOST_LABELS:
            labels += 1
        elif labels or not (single and _over_later_columns(box, line, gaps)):
            break
        box, highest = _join(box, line), line
    return sure if labels else box


def _over_later_columns(box: Rect, line: Rect, gaps: list[Gap]) -> bool:
    """A line stands over the columns beside the first one, or over one of them, and not over the whole as a title."""
    if line[0] < gaps[0].left:
        return False
    if not any(line[0] < g.middle < line[2] for g in gaps):
        return True
    middle = (line[0] + line[2]) / 2
    beside, whole = (gaps[0].right + box[2]) / 2, (box[0] + box[2]) / 2
    return abs(middle - beside) <= abs(middle - whole)


def _downwards(scene: Scene, box: Rect, barred: NDArray[np.bool_], gaps: list[Gap]) -> Rect:
    size, top = scene.size, scene.boxes[:, 1]
    for ids in _lines(scene, box, (top > box[3] - 0.5 * size) & (top < box[3] + REACH * size)):
        line = hull_of([scene.pieces[i] for i in ids])
        if barred[ids].any() or line[1] - box[3] > STEP * size or _juts(box, line, size):
            break
        first, last = column_range(scene.boxes[ids, 0] + 0.3 * size, scene.boxes[ids, 2] - 0.3 * size, gaps)
        if (first != last).any() or len(ids) < 2 or 2 * len(ids) <= len(gaps):
            break
        if TABLE_CAPTION.match(scene.pieces[ids[0]].text):
            break
        box = _join(box, line)
    return box
