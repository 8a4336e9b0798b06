"""Where the tables of a page are, from ruling lines, from aligned text, and from what a layout network proposes."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes
from ingest.document.model import Box
from ingest.document.page import Page
from ingest.pipeline.tables import aligned, paragraphs, ruled
from ingest.pipeline.tables.candidates import (
    FIGURE_CAPTION,
    TABLE_CAPTION,
    Around,
    Shape,
    is_aligned,
    is_lattice,
    is_stack,
    promising,
    shape_of,
)
from ingest.pipeline.tables.columns import Gap, column_range, find_gaps
from ingest.pipeline.tables.frame import Frame
from ingest.pipeline.tables.grid import build, glue, hull_of
from ingest.pipeline.tables.pieces import Piece, lines_of, read
from ingest.pipeline.tables.rulings import around, merge, split_directions
from ingest.pipeline.tables.spans import merge as merge_spans

MAX_PIECES = 5000
"""Pages with more text than this get tables from rules and hints alone."""
MAX_DRAWINGS = 400
"""Drawings per box that are looked at."""
_Box = tuple[float, float, float, float]


def find_tables(page: Page, hints: Boxes | None = None) -> list[Box]:
    """Boxes of the tables of a page, from the top, in points of the unrotated frame."""
    frame = Frame.of(page, np.arange(len(page.cells)))
    pieces = read(page, frame, np.arange(len(page.cells)))
    if len(pieces) < 4:
        return []
    view = _View(page, frame, pieces)
    lattices = view.lattices()
    stacks = view.stacks(lattices)
    aligned_ = view.aligned(lattices + stacks)
    found = view.joined(lattices + stacks, aligned_)
    boxes = frame.from_reading(np.array(found, np.float32).reshape(-1, 4))
    return [(b[0], b[1], b[2], b[3]) for b in boxes.tolist()]


class _View:
    """The page in its reading frame."""

    def __init__(self, page: Page, frame: Frame, pieces: list[Piece]) -> None:
        self.size = median(p.size for p in pieces)
        self.drawings = frame.to_reading(page.drawings)
        self.rules = frame.to_reading(page.rules)
        bars_across, bars_down = split_directions(self.rules)
        self.across, self.down = merge(bars_across, self.size), merge(bars_down, self.size)
        lines_of(pieces)
        self.pieces = glue(pieces, self.down, self.size) if len(pieces) <= MAX_PIECES else pieces
        self.boxes = np.array([[p.x0, p.y0, p.x1, p.y1] for p in self.pieces])
        self.running = (
            paragraphs.running(self.pieces) if len(self.pieces) <= MAX_PIECES else np.zeros(len(self.pieces), np.bool_)
        )

    def inside(self, box: _Box) -> NDArray[np.intp]:
        """Pieces with their middle in a box."""
        x, y = (self.boxes[:, 0] + self.boxes[:, 2]) / 2, (self.boxes[:, 1] + self.boxes[:, 3]) / 2
        return np.flatnonzero((x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3]))

    def within(self, boxes: list[_Box]) -> NDArray[np.bool_]:
        """(n,) the piece is in one of the boxes."""
        found = np.zeros(len(self.pieces), np.bool_)
        for box in boxes:
            found[self.inside(box)] = True
        return found

    def shape(self, ids: NDArray[np.intp]) -> Shape:
        copies = [replace(self.pieces[i]) for i in ids]
        size = median(p.size for p in copies)
        across, down = split_directions(around(self.rules, hull_of(copies), size))
        grid = build(copies, merge(across, size), merge(down, size), size)
        merge_spans(grid, size)
        return shape_of(grid, copies)

    def around(self, box: _Box) -> Around:
        x0, y0, x1, y1 = box
        size = self.size
        beside = (self.boxes[:, 0] < x1 + 2 * size) & (self.boxes[:, 2] > x0 - 2 * size)
        middle = (self.boxes[:, 1] + self.boxes[:, 3]) / 2
        by = ((middle > y0 - 4 * size) & (middle < y0 + 2 * size)) | ((middle > y1 - size) & (middle < y1 + 4 * size))
        texts = [self.pieces[i].text for i in np.flatnonzero(beside & by)]
        return Around(
            captioned=any(TABLE_CAPTION.match(t) for t in texts),
            figure=any(FIGURE_CAPTION.match(t) for t in texts),
            drawings=self.bare_drawings(box),
        )

    def bare_drawings(self, box: _Box) -> int:
        x, y = (self.drawings[:, 0] + self.drawings[:, 2]) / 2, (self.drawings[:, 1] + self.drawings[:, 3]) / 2
        inside = self.drawings[(x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])]
        ids = self.inside(box)
        px, py = (self.boxes[ids, 0] + self.boxes[ids, 2]) / 2, (self.boxes[ids, 1] + self.boxes[ids, 3]) / 2
        inside = inside[:MAX_DRAWINGS, :, None]
        holds = (px > inside[:, 0]) & (px < inside[:, 2]) & (py > inside[:, 1]) & (py < inside[:, 3])
        return int((~holds.any(axis=1)).sum())

    def lattices(self) -> list[_Box]:
        found = []
        for lattice in ruled.lattices(ruled.segments(self.across), ruled.segments(self.down), self.size):
            ids = self.inside(lattice.box)
            if len(ids) < 4 or lattice.across + lattice.down <= 4:
                continue
            if is_lattice(self.shape(ids), self.around(lattice.box)):
                found.append(lattice.box)
        return _innermost(found)

    def stacks(self, taken: list[_Box]) -> list[_Box]:
        segments = ruled.segments(self.across)
        middle = (segments[:, 1] + segments[:, 2]) / 2
        free = np.ones(len(segments), np.bool_)
        for x0, y0, x1, y1 in taken:
            free &= ~((middle >= x0) & (middle <= x1) & (segments[:, 0] >= y0 - 1) & (segments[:, 0] <= y1 + 1))
        tables = self.within(taken)
        found = []
        for stack in ruled.stacks(segments[free], self.size):
            run: list[int] = []
            for k in range(len(stack)):
                whole = k + 1 < len(stack) and self.tabular(stack[k], stack[k + 1], tables)
                if whole:
                    run.append(k)
                    continue
                if run:
                    box = (
                        float(stack[run[0] : k + 1, 1].min()),
                        float(stack[run[0], 0]),
                        float(stack[run[0] : k + 1, 2].max()),
                        float(stack[k, 0]),
                    )
                    ids = self.inside(box)
                    if is_stack(self.shape(ids), self.around(box)):
                        found.append(self.grown(box, self.running | tables, closed=True))
                run = []
        return _outermost(found)

    def tabular(self, above: NDArray[np.float64], below: NDArray[np.float64], tables: NDArray[np.bool_]) -> bool:
        """What stands between two rules can be part of a table."""
        ids = self.inside((float(above[1]), float(above[0]), float(above[2]), float(below[0])))
        if len(ids) == 0 or tables[ids].any():
            return False
        lines = np.unique([self.pieces[i].line for i in ids])
        if len(ids) == len(lines):  # one piece a line: a title row only where rules are tight around it
            room = float(below[0] - above[0]) - sum(self.pieces[i].height for i in ids)
            return bool(room < self.size)
        return float(self.running[ids].mean()) < 0.5 or len(find_gaps([self.pieces[i] for i in ids], self.size)) >= 2

    def aligned(self, taken: list[_Box]) -> list[_Box]:
        if len(self.pieces) > MAX_PIECES:
            return []
        barred = self.running | self.within(taken)
        found: list[_Box] = []
        for block in aligned.blocks(self.pieces, barred, aligned.gutters(self.pieces, self.running)):
            if not self.around(block.box).captioned and not promising(block.runs):
                continue
            box = self.grown(block.box, barred, closed=False)
            ids = self.inside(box)
            if len(ids) >= 4 and is_aligned(self.shape(ids), self.around(box)):
                found.append(box)
        return found

    def grown(self, box: _Box, barred: NDArray[np.bool_], *, closed: bool) -> _Box:
        """The box with the lines of column heads right above it and the rows right below it.

        `closed`: a rule ends the box above, so that a single piece over it is a title and no head.
        """
        own = [self.pieces[i] for i in self.inside(box)]
        gaps = find_gaps(own, self.size)
        if not gaps:
            return box
        box = self._grown(box, barred, gaps, -1, single=not closed)
        return self._grown(box, barred, gaps, 1, single=False)

    def _grown(self, box: _Box, barred: NDArray[np.bool_], gaps: list[Gap], way: int, *, single: bool) -> _Box:
        size = self.size
        x0, y0, x1, y1 = box
        top, bottom = self.boxes[:, 1], self.boxes[:, 3]
        if way < 0:
            beyond = (bottom < y0 + 0.5 * size) & (bottom > y0 - 12 * size)
        else:
            beyond = (top > y1 - 0.5 * size) & (top < y1 + 12 * size)
        beside = (self.boxes[:, 2] > x0 - size) & (self.boxes[:, 0] < x1 + size)
        sure, lone = box, x0
        lines: dict[int, list[int]] = {}
        for i in np.flatnonzero(beyond & beside).tolist():
            lines.setdefault(self.pieces[i].line, []).append(i)
        for number in sorted(lines, reverse=way < 0):
            ids = lines[number]
            left, high, right, low = hull_of([self.pieces[i] for i in ids])
            step = y0 - low if way < 0 else high - y1
            if barred[ids].any() or step > 1.2 * size or left < x0 - 2 * size or right > x1 + 2 * size:
                break
            if TABLE_CAPTION.match(self.pieces[ids[0]].text):
                caption = self.pieces[ids[-1]]
                if abs(caption.x0 - lone) < size or abs(caption.x0 + caption.x1 - x0 - x1) < 4 * size:
                    return sure  # what looked like a head is the caption's last line
                break
            if len(ids) == 1:
                # over the columns beside the first one and not over the whole
                middle = (left + right) / 2
                if (
                    not single
                    or left < gaps[0].left
                    or abs(middle - (gaps[0].right + x1) / 2) > abs(middle - (x0 + x1) / 2)
                ):
                    break
            else:
                first, last = column_range(self.boxes[ids, 0] + 0.3 * size, self.boxes[ids, 2] - 0.3 * size, gaps)
                if way > 0 and ((first != last).any() or 2 * len(ids) <= len(gaps)):
                    break
                single = True
            x0, x1, y0, y1 = min(x0, left), max(x1, right), min(y0, high), max(y1, low)
            lone = left
            if len(ids) > 1:
                sure = (x0, y0, x1, y1)
        return (x0, y0, x1, y1)

    def joined(self, ruled_: list[_Box], free: list[_Box]) -> list[_Box]:
        """Boxes without rules joined to the ruled ones that they continue."""
        out = list(ruled_)
        for box in free:
            for k, other in enumerate(out):
                upper, lower = (box, other) if box[1] < other[1] else (other, box)
                shared = min(box[2], other[2]) - max(box[0], other[0])
                if lower[1] - upper[3] > 1.5 * self.size or shared < 0.8 * min(box[2] - box[0], other[2] - other[0]):
                    continue
                both = _around_both(box, other)
                if self.shape(self.inside(both)).filled >= 0.5:
                    out[k] = both
                    break
            else:
                out.append(box)
        return sorted(out, key=lambda b: (b[1], b[0]))


def _around_both(a: _Box, b: _Box) -> _Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _outermost(boxes: list[_Box]) -> list[_Box]:
    """The boxes that do not lie in another."""
    unique = list(dict.fromkeys(boxes))
    return [a for i, a in enumerate(unique) if not any(_holds(b, a) for j, b in enumerate(unique) if j != i)]


def _innermost(boxes: list[_Box]) -> list[_Box]:
    """The boxes that hold no other: what frames tables is none."""
    return [a for i, a in enumerate(boxes) if not any(_holds(a, b) for j, b in enumerate(boxes) if j != i)]


def _holds(a: _Box, b: _Box) -> bool:
    return a[0] <= b[0] + 1 and a[1] <= b[1] + 1 and a[2] >= b[2] - 1 and a[3] >= b[3] - 1
