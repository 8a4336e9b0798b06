"""Where the tables of a page are, from ruling lines, from aligned text, and from what a layout network proposes."""

from __future__ import annotations

from dataclasses import replace

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
    shape_of,
)
from ingest.pipeline.tables.columns import find_gaps
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
        self.size = float(np.median([p.size for p in pieces]))
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

    def shape(self, ids: NDArray[np.intp]) -> Shape:
        copies = [replace(self.pieces[i]) for i in ids]
        size = float(np.median([p.size for p in copies]))
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
        return _outermost(found)

    def stacks(self, taken: list[_Box]) -> list[_Box]:
        segments = ruled.segments(self.across)
        middle = (segments[:, 1] + segments[:, 2]) / 2
        free = np.ones(len(segments), np.bool_)
        for x0, y0, x1, y1 in taken:
            free &= ~((middle >= x0) & (middle <= x1) & (segments[:, 0] >= y0 - 1) & (segments[:, 0] <= y1 + 1))
        found = []
        for stack in ruled.stacks(segments[free], self.size):
            run: list[int] = []
            for k in range(len(stack)):
                whole = k + 1 < len(stack) and self.tabular(stack[k], stack[k + 1])
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
                        found.append(box)
                run = []
        return _outermost(found)

    def tabular(self, above: NDArray[np.float64], below: NDArray[np.float64]) -> bool:
        """What stands between two rules can be part of a table."""
        ids = self.inside((float(above[1]), float(above[0]), float(above[2]), float(below[0])))
        if len(ids) == 0:
            return False
        lines = np.unique([self.pieces[i].line for i in ids])
        if len(ids) == len(lines):  # one piece a line: a title row only where rules are tight around it
            room = float(below[0] - above[0]) - sum(self.pieces[i].height for i in ids)
            return bool(room < self.size)
        return float(self.running[ids].mean()) < 0.5

    def aligned(self, taken: list[_Box]) -> list[_Box]:
        if len(self.pieces) > MAX_PIECES:
            return []
        barred = self.running.copy()
        for box in taken:
            barred[self.inside(box)] = True
        found: list[_Box] = []
        for block in aligned.blocks(self.pieces, barred, aligned.gutters(self.pieces, self.running)):
            box = self.with_head(block.box, barred)
            ids = self.inside(box)
            if len(ids) >= 4 and is_aligned(self.shape(ids), self.around(box)):
                found.append(box)
        return found

    def with_head(self, box: _Box, barred: NDArray[np.bool_]) -> _Box:
        """The box with the lines of column heads right above it."""
        x0, y0, x1, y1 = box
        own = [self.pieces[i] for i in self.inside(box)]
        gaps = find_gaps(own, self.size)
        stub = gaps[0].left if gaps else x1
        lines: dict[int, list[int]] = {}
        for i in np.flatnonzero((self.boxes[:, 3] < y0 + 0.5 * self.size) & (self.boxes[:, 3] > y0 - 12 * self.size)):
            lines.setdefault(self.pieces[i].line, []).append(int(i))
        for number in sorted(lines, reverse=True):
            ids = lines[number]
            near = [i for i in ids if self.boxes[i, 2] > x0 - self.size and self.boxes[i, 0] < x1 + self.size]
            if not near:
                continue
            left, right = float(self.boxes[near, 0].min()), float(self.boxes[near, 2].max())
            outside = left < x0 - 2 * self.size or right > x1 + 2 * self.size
            if outside or barred[near].any() or y0 - float(self.boxes[near, 3].max()) > 1.2 * self.size:
                break
            if TABLE_CAPTION.match(self.pieces[near[0]].text) or (len(near) == 1 and left < stub):
                break
            x0, x1, y0 = min(x0, left), max(x1, right), float(self.boxes[near, 1].min())
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
    keep = []
    for i, a in enumerate(boxes):
        inside = any(
            j != i
            and b[0] <= a[0] + 1
            and b[1] <= a[1] + 1
            and b[2] >= a[2] - 1
            and b[3] >= a[3] - 1
            and (b != a or j < i)
            for j, b in enumerate(boxes)
        )
        if not inside:
            keep.append(a)
    return keep
