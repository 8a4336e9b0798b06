"""Where the tables of a page are, from ruling lines, from aligned text, and from what a layout network proposes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, as_boxes
from ingest.document.model import Box
from ingest.document.page import Page
from ingest.pipeline.tables import aligned, candidates, ruled
from ingest.pipeline.tables.columns import find_gaps
from ingest.pipeline.tables.growth import grow
from ingest.pipeline.tables.layout import Rect, hull_of
from ingest.pipeline.tables.rulings import merge, split_directions
from ingest.pipeline.tables.scene import Scene

LEAST_PIECES = 4
"""Fewer pieces of text are no table."""
NEAR, FAR = 1.5, 5.0
"""In font sizes: boxes this near are one table; up to the second figure if they have the same columns."""
SEEN = 0.6
"""Share of a hint's text that found tables must cover for the hint to say nothing new."""


def find_tables(page: Page, hints: Boxes | None = None) -> list[Box]:
    """Boxes of the tables of a page, from the top, in points of the unrotated frame.

    `hints` are (n, 4) boxes in the same frame where a layout network sees tables; they may be too large or too small.
    Without hints only what is a table by its rules, its columns of numbers or its caption is found. Tables of one row
    or one column are left out.
    """
    scene = Scene(page)
    if len(scene.pieces) < LEAST_PIECES:
        return []
    lattices = _lattices(scene)
    stacks = _stacks(scene, lattices)
    found = _joined(scene, lattices + stacks, _aligned(scene, lattices + stacks))
    if hints is not None and len(hints):
        for hint in scene.frame.to_reading(as_boxes(hints)).tolist():
            found = _with_hint(scene, found, (hint[0], hint[1], hint[2], hint[3]))
    found.sort(key=lambda b: (b[1], b[0]))
    boxes = scene.frame.from_reading(np.array(found, np.float32).reshape(-1, 4)).tolist()
    return [(b[0], b[1], b[2], b[3]) for b in boxes]


def _lattices(scene: Scene) -> list[Rect]:
    """Tables drawn as crossing lines. Of those that lie in one another the inner ones: what frames tables is none."""
    found = []
    boxes = ruled.lattices(ruled.segments(scene.across), ruled.segments(scene.down), scene.size)
    for box in sorted(boxes, key=_area):
        around = scene.around(box)
        if not candidates.worth_a_grid(len(scene.inside(box)), around):
            continue
        shape = scene.shape(box)
        if shape and candidates.is_lattice(shape, around):
            found.append(box)
    return [a for a in found if not any(b != a and _holds(a, b) for b in found)]


def _stacks(scene: Scene, taken: list[Rect]) -> list[Rect]:
    """Tables between level rules, as books have them."""
    across = merge(split_directions(np.concatenate([scene.rules, scene.shaded_edges()]))[0], scene.size)
    segments = ruled.segments(across)
    middle = (segments[:, 1] + segments[:, 2]) / 2
    free = np.ones(len(segments), np.bool_)
    for x0, y0, x1, y1 in taken:
        free &= ~((middle >= x0) & (middle <= x1) & (segments[:, 0] >= y0 - 1) & (segments[:, 0] <= y1 + 1))
    tables = scene.within(taken)
    found = []
    for stack in ruled.stacks(segments[free], scene.size):
        bands = [_is_tabular(scene, _band(stack, k, k + 1), tables) for k in range(len(stack) - 1)]
        for start, stop in _runs(bands):
            box = _band(stack, start, stop)
            around = scene.around(box)
            if not candidates.worth_a_grid(len(scene.inside(box)), around):
                continue
            shape = scene.shape(box)
            if shape and candidates.is_stack(shape, around):
                found.append(grow(scene, box, scene.running | tables, closed=True))
    unique = list(dict.fromkeys(found))
    return [a for a in unique if not any(b != a and _holds(b, a) for b in unique)]


def _runs(flags: list[bool]) -> list[tuple[int, int]]:
    """Start and stop of the runs of true flags."""
    edges = np.flatnonzero(np.diff([False, *flags, False]))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _band(stack: ruled.Segments, start: int, stop: int) -> Rect:
    """The box between two rules of a stack."""
    rules = stack[start : stop + 1]
    return float(rules[:, 1].min()), float(stack[start, 0]), float(rules[:, 2].max()), float(stack[stop, 0])


def _is_tabular(scene: Scene, band: Rect, tables: NDArray[np.bool_]) -> bool:
    """What stands between two rules can be part of a table."""
    ids = scene.inside(band)
    if len(ids) == 0 or tables[ids].any():
        return False
    pieces = [scene.pieces[i] for i in ids]
    if len(pieces) == len({p.line for p in pieces}):  # one piece a line: a title row, if the rules are tight around it
        return bool(band[3] - band[1] - sum(p.height for p in pieces) < scene.size)
    return float(scene.running[ids].mean()) < 0.5 or len(find_gaps(pieces, scene.size)) >= 2


def _aligned(scene: Scene, taken: list[Rect]) -> list[Rect]:
    """Tables without rules."""
    if scene.crowded:
        return []
    barred = scene.running | scene.within(taken)
    found = []
    for lines in aligned.blocks(scene.pieces, barred, aligned.gutters(scene.pieces, scene.running)):
        box = hull_of([p for line in lines for p in line])
        if not scene.around(box).captioned and not candidates.promising(lines):
            continue
        box = grow(scene, box, barred, closed=False)
        shape = scene.shape(box)
        if shape and shape.pieces >= LEAST_PIECES and candidates.is_aligned(shape, scene.around(box)):
            found.append(box)
    return found


def _joined(scene: Scene, with_rules: list[Rect], without: list[Rect]) -> list[Rect]:
    """The boxes; those without rules are joined to the ruled ones that they continue."""
    out = list(with_rules)
    for box in without:
        for k, other in enumerate(out):
            if _continues(scene, box, other):
                out[k] = _union(box, other)
                break
        else:
            out.append(box)
    return out


def _continues(scene: Scene, a: Rect, b: Rect) -> bool:
    """Two boxes one below the other are one table: they touch, or have the same columns and only labels between."""
    upper, lower = (a, b) if a[1] < b[1] else (b, a)
    gap = lower[1] - upper[3]
    if gap > FAR * scene.size or min(a[2], b[2]) - max(a[0], b[0]) < 0.8 * min(a[2] - a[0], b[2] - b[0]):
        return False
    both = scene.shape(_union(a, b))
    if both is None or both.filled < 0.5:
        return False
    if gap <= NEAR * scene.size:
        return True
    between = scene.inside((min(a[0], b[0]), upper[3], max(a[2], b[2]), lower[1]))
    left = min(a[0], b[0])
    labels = all(scene.boxes[i, 0] - left < 2 * scene.size and not scene.running[i] for i in between)
    parts = scene.shape(a), scene.shape(b)
    return labels and both.columns == max(p.columns if p else 0 for p in parts)


def _with_hint(scene: Scene, found: list[Rect], hint: Rect) -> list[Rect]:
    """The tables with what a hint adds: a table where none was found, or the rest of one that was found in part."""
    ids = scene.inside(hint)
    touched = [b for b in found if _shared(b, hint) >= 0.5 * min(_area(b), _area(hint))]
    if len(ids) == 0 or scene.within(touched)[ids].mean() >= SEEN:
        return found
    rest = [b for b in found if b not in touched]
    box = _snapped(scene, hint, scene.within(rest))
    for other in touched:
        box = _union(box, other) if box else other
    shape = scene.shape(box) if box else None
    if box is None or shape is None or not candidates.can_be_table(shape):
        return found
    return [*rest, box]


def _snapped(scene: Scene, hint: Rect, barred: NDArray[np.bool_]) -> Rect | None:
    """Hull of the text of a hint, without captions and paragraphs at its ends, with the heads and rows that it cut."""
    lines: dict[int, list[int]] = {}
    for i in scene.inside(hint).tolist():
        if not barred[i]:
            lines.setdefault(scene.pieces[i].line, []).append(i)
    numbers = sorted(lines)

    def foreign(number: int) -> bool:
        ids = lines[number]
        texts = scene.pieces[ids[0]].text
        caption = candidates.TABLE_CAPTION.match(texts) or candidates.FIGURE_CAPTION.match(texts)
        return caption is not None or (len(ids) == 1 and bool(scene.running[ids[0]]))

    while numbers and foreign(numbers[0]):
        del numbers[0]
    while numbers and foreign(numbers[-1]):
        del numbers[-1]
    if not numbers:
        return None
    box = hull_of([scene.pieces[i] for number in numbers for i in lines[number]])
    return grow(scene, box, barred | scene.running, closed=False)


def _union(a: Rect, b: Rect) -> Rect:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _area(box: Rect) -> float:
    return max((box[2] - box[0]) * (box[3] - box[1]), 1e-6)


def _shared(a: Rect, b: Rect) -> float:
    """Area of two boxes' overlap."""
    return max(min(a[2], b[2]) - max(a[0], b[0]), 0.0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0.0)


def _holds(a: Rect, b: Rect) -> bool:
    return a[0] <= b[0] + 1 and a[1] <= b[1] + 1 and a[2] >= b[2] - 1 and a[3] >= b[3] - 1
