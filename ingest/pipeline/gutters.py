"""White gutters between text columns: where they are, and whether they divide columns or only the cells of a table.

A gutter is a vertical strip without text that has text on both sides over several lines. It is searched on a coarse
raster of the boxes, as the longest empty vertical run at every x (after the whitespace analysis of T. Breuel, "Two
geometric algorithms for layout analysis", 2002, with the raster in place of exact rectangles: its cost is bounded).

Whether text on both sides is read column by column or line by line cannot be seen from the white alone. Evidence, in
this order: what the labels say (tables are read by rows), how often the content order changes sides if it can be
trusted at all, how wide the lines are (running text is wide, table columns are narrow), whether baselines agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

MAX_BINS = 240
"""Most rows and most columns of a raster."""
BIN_WIDTH, BIN_HEIGHT = 0.3, 0.5
"""Of a raster, in line heights."""
CLOSE = 0.3
"""Boxes are drawn longer by this many line heights at both ends: a gutter is wider than two of it."""
MIN_LINES = 1.6
"""Line heights over which both sides must hold text."""
MAX_CANDIDATES = 12
BAND_GAP = 0.8
"""White across a whole region, in line heights, at which it may be cut into bands."""
OVERHANG = 3.0
"""Line heights by which a long line of one column may reach over the gutter."""

TRUSTED = 0.6
"""Share of steps of the content order that must go to a neighbour before it counts as evidence."""
IDENTIFIER_WIDTH = 3.0
"""A side that is narrower (line heights) holds bullets or numbers: they belong to the lines beside them."""
PROSE_WIDTH = 11.0
"""Lines at least this wide (line heights) on both sides are running text in columns."""
SHORT_WIDTH = 6.0
"""… and this wide if the baselines of the two sides do not agree."""


@dataclass(slots=True)
class Frame:
    """Boxes of a page in the frame in which it is read, and what is known of them."""

    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    line: float
    """Median line height."""
    trusted: bool
    """The content order is evidence."""
    table: Mask
    """(n,) cells of tables."""

    @classmethod
    def of(cls, boxes: Boxes, table: Mask | None = None) -> Frame:
        """Boxes (n, 4), n >= 1, in content order."""
        x0, y0, x1, y1 = boxes.T.astype(np.float64)
        height = np.minimum(y1 - y0, np.maximum(x1 - x0, 2.0))
        frame = cls(x0, y0, x1, y1, max(float(np.median(height)), 2.0), False, _table(table, len(boxes)))
        frame.trusted = frame.content_trust() >= TRUSTED
        return frame

    @property
    def xc(self) -> Floats:
        return (self.x0 + self.x1) / 2

    @property
    def yc(self) -> Floats:
        return (self.y0 + self.y1) / 2

    def content_trust(self) -> float:
        """Share of steps of the content order that go right on the line, to a line just below, or to a next column."""
        if len(self.x0) < 2:
            return 1.0
        a, b = slice(None, -1), slice(1, None)
        height = self.y1 - self.y0
        em = np.maximum(np.maximum(height[a], height[b]), 1.0)
        drop = self.yc[a] - self.yc[b]
        shared = np.minimum(self.x1[a], self.x1[b]) - np.maximum(self.x0[a], self.x0[b])
        right = (np.abs(drop) < 0.5 * em) & (self.x0[b] >= self.x0[a])
        below = (drop > 0) & (drop < 4 * em) & (shared > -2 * em)
        column = (self.x0[b] >= self.x1[a]) & (drop < -4 * em)
        return float((right | below | column).mean())


def _table(table: Mask | None, count: int) -> Mask:
    return np.zeros(count, np.bool_) if table is None else table


class Gutter(NamedTuple):
    """A strip of white at `x`, from `top` down to `bottom` (infinite where the strip is open)."""

    x: float
    top: float
    bottom: float


class Search(NamedTuple):
    found: Gutter | None
    candidates: int
    """Strips that were looked at: without any, no part of the region has one either."""


def find_gutter(frame: Frame, region: Indices) -> Search:
    """The tallest gutter between text columns among the boxes `region`."""
    raster = _Raster.of(frame, region)
    if raster is None:
        return Search(None, 0)
    candidates = raster.candidates()
    for candidate in candidates[:MAX_CANDIDATES]:
        gutter = raster.gutter(candidate)
        sides = _Sides.of(frame, raster, gutter, _beside(frame, region, gutter))
        if not sides.divide_columns():
            continue
        gutter = _without_tables(frame, raster, gutter, sides.boxes)
        return Search(_past_overhang(frame, region, gutter), len(candidates))
    return Search(None, len(candidates))


def bands(frame: Frame, region: Indices) -> list[Indices]:
    """The region cut where white goes all across it, top first."""
    order = region[np.argsort(-frame.y1[region], kind="stable")]
    low = np.minimum.accumulate(frame.y0[order])
    return np.split(order, np.flatnonzero(low[:-1] - frame.y1[order][1:] > BAND_GAP * frame.line) + 1)


class _Candidate(NamedTuple):
    rows: int
    """Raster rows that hold text on both sides."""
    column: int
    top: int
    bottom: int
    """Raster rows top..bottom are white in this column."""


@dataclass(slots=True)
class _Raster:
    """Where text is: rows from the top of the region, columns from its left."""

    ink: Mask
    left: float
    top: float
    bin_width: float
    bin_height: float
    line: float

    @classmethod
    def of(cls, frame: Frame, region: Indices) -> _Raster | None:
        x0, y0, x1, y1 = frame.x0[region], frame.y0[region], frame.x1[region], frame.y1[region]
        left, top = float(x0.min()), float(y1.max())
        width, height, line = float(x1.max()) - left, top - float(y0.min()), frame.line
        if height < 2 * line or width < 4 * line:
            return None
        bin_width, bin_height = max(BIN_WIDTH * line, width / MAX_BINS), max(BIN_HEIGHT * line, height / MAX_BINS)
        ink = np.zeros((int(height / bin_height) + 1, int(width / bin_width) + 1), np.bool_)
        # half a bin either way: text that fills less of a bin than that leaves it white
        a = np.maximum((x0 - CLOSE * line - left) / bin_width + 0.5, 0).astype(np.intp)
        b = np.maximum(((x1 + CLOSE * line - left) / bin_width + 0.5).astype(np.intp), a + 1)
        c = ((top - y1) / bin_height + 0.3).astype(np.intp)
        d = np.maximum(((top - y0) / bin_height + 0.7).astype(np.intp), c + 1)
        for first, last, start, stop in zip(c.tolist(), d.tolist(), a.tolist(), b.tolist(), strict=True):
            ink[first:last, start:stop] = True
        return cls(ink, left, top, bin_width, bin_height, line)

    def candidates(self) -> list[_Candidate]:
        """The longest white run of each group of neighbouring columns, longest first."""
        ink = self.ink
        rows, columns = ink.shape
        right = np.logical_or.accumulate(ink[:, ::-1], axis=1)[:, ::-1]
        both = np.logical_or.accumulate(ink, axis=1) & right & ~ink
        if not both.any():
            return []
        count = np.zeros((rows + 1, columns), np.int16)
        np.cumsum(both, axis=0, out=count[1:])
        numbers = np.arange(1, rows + 1, dtype=np.int16)[:, None]
        start = np.maximum.accumulate(np.where(ink, numbers, 0), axis=0)  # first row of the white run
        length = count[1:] - np.take_along_axis(count, start.astype(np.intp), axis=0)
        end = length.argmax(axis=0)
        best = length[end, np.arange(columns)]
        good = best >= max(2, round(MIN_LINES * self.line / self.bin_height))
        edges = np.flatnonzero(np.diff(good.astype(np.int8), prepend=0, append=0))
        found = []
        for first, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            longest = int(best[first:stop].max())
            widest = np.flatnonzero(best[first:stop] >= 0.95 * longest) + first
            column = int(widest[len(widest) // 2])
            row = int(end[column])
            ink_below = ink[row:, column].argmax() if ink[row:, column].any() else rows - row
            found.append((len(widest), _Candidate(longest, column, int(start[row, column]), row + int(ink_below))))
        found.sort(key=lambda f: (-f[1].rows, -f[0]))
        return [candidate for _, candidate in found]

    def gutter(self, candidate: _Candidate) -> Gutter:
        rows = self.ink.shape[0]
        return Gutter(
            self.left + (candidate.column + 0.5) * self.bin_width,
            self.top - candidate.top * self.bin_height if candidate.top > 0 else np.inf,
            self.top - candidate.bottom * self.bin_height if candidate.bottom < rows else -np.inf,
        )

    def line_widths(self, gutter: Gutter) -> tuple[Floats, Floats]:
        """Widths, in line heights, of the runs of text next to the gutter, left and right, one per raster row."""
        rows = len(self.ink)
        first = int(np.clip(np.rint((self.top - gutter.top) / self.bin_height), 0, rows - 1))
        stop = int(np.clip(np.rint((self.top - gutter.bottom) / self.bin_height), first + 1, rows))
        column = int((gutter.x - self.left) / self.bin_width)
        band, unit = self.ink[first:stop], self.bin_width / self.line
        left, right = _first_run(band[:, column::-1]) * unit, _first_run(band[:, column:]) * unit
        return left[left > 0], right[right > 0]


def _first_run(ink: Mask) -> Floats:
    """(rows,) length of the first run of True in each row."""
    first = ink.argmax(axis=1)
    after = ~ink & (np.arange(ink.shape[1]) > first[:, None])
    stop = np.where(after.any(axis=1), after.argmax(axis=1), ink.shape[1])
    return np.where(ink.any(axis=1), stop - first, 0).astype(np.float64)


def _beside(frame: Frame, region: Indices, gutter: Gutter) -> Indices:
    """Boxes of the region beside the gutter."""
    yc = frame.yc[region]
    return region[(yc <= gutter.top) & (yc >= gutter.bottom)]


@dataclass(slots=True)
class _Sides:
    """What stands left and right of a gutter."""

    frame: Frame
    raster: _Raster
    gutter: Gutter
    boxes: Indices
    right: Mask
    """Of `boxes`: right of the gutter."""
    left_centres: Floats
    right_centres: Floats
    """Vertical centres, sorted."""
    lines: int
    """Of the side that has fewer."""

    @classmethod
    def of(cls, frame: Frame, raster: _Raster, gutter: Gutter, boxes: Indices) -> _Sides:
        right = frame.xc[boxes] >= gutter.x
        a, b = np.sort(frame.yc[boxes[~right]]), np.sort(frame.yc[boxes[right]])
        lines = min(_count_lines(a, frame.line), _count_lines(b, frame.line))
        return cls(frame, raster, gutter, boxes, right, a, b, lines)

    def tabular(self) -> bool:
        """Labels say that both sides belong to a table."""
        table = self.frame.table[self.boxes]
        return bool(table[self.right].mean() > 0.5 and table[~self.right].mean() > 0.5)

    def changes(self) -> int:
        """How often the content order goes from one side to the other."""
        sides = self.right[np.argsort(self.boxes, kind="stable")]
        return int((sides[1:] != sides[:-1]).sum())

    def by_lines(self) -> bool:
        """The content order goes line by line over both sides."""
        return self.frame.trusted and self.changes() >= 1.2 * self.lines

    def divide_columns(self) -> bool:
        """The sides are text columns, read one after the other."""
        if self.lines < 2 or self.tabular():
            return False
        left, right = self.raster.line_widths(self.gutter)
        if len(left) == 0 or len(right) == 0:
            return False
        # weighted by itself: a few full lines say more about a column than many short ones
        widths = float((left**2).sum() / left.sum()), float((right**2).sum() / right.sum())
        narrow = min(widths)
        if self.frame.trusted:
            if narrow < IDENTIFIER_WIDTH:
                return False
            changes = self.changes()
            if changes <= max(2, 0.5 * self.lines):
                return True
            if self.by_lines():  # a table; or columns written across, as text recognition does
                full = bool(np.median(left) > 0.85 * widths[0] and np.median(right) > 0.85 * widths[1])
                return full and self.lines >= 6 and narrow >= PROSE_WIDTH + 4
        return narrow >= PROSE_WIDTH or (narrow >= SHORT_WIDTH and self.aligned() < 0.6)

    def aligned(self) -> float:
        """Share of the side with fewer boxes whose centres have a centre of the other side at the same height."""
        few, many = self.left_centres, self.right_centres
        if len(few) > len(many):
            few, many = many, few
        k = np.searchsorted(many, few)
        after, before = many[np.minimum(k, len(many) - 1)], many[np.maximum(k - 1, 0)]
        return float((np.minimum(np.abs(after - few), np.abs(before - few)) < 0.15 * self.frame.line).mean())

    def is_table(self) -> bool:
        """Strong signs that both sides are read by lines although the gutter goes on into text columns."""
        if self.lines < 2:
            return False
        if self.tabular() or (self.lines >= 3 and self.by_lines()):
            return True
        if self.frame.trusted or self.lines < 4 or self.aligned() < 0.9:
            return False
        left, right = self.raster.line_widths(self.gutter)
        return len(left) > 0 and len(right) > 0 and float(max(np.median(left), np.median(right))) < SHORT_WIDTH


def _count_lines(yc: Floats, line: float) -> int:
    """Lines among sorted vertical centres."""
    return 1 + int((np.diff(yc) > 0.5 * line).sum()) if len(yc) else 0


def _without_tables(frame: Frame, raster: _Raster, gutter: Gutter, boxes: Indices) -> Gutter:
    """The gutter, cut off where it runs on between the columns of a table above or below the text columns."""
    pieces = bands(frame, boxes)
    if len(pieces) == 1:
        return gutter
    runs: list[list[Indices]] = [[]]
    for piece in pieces:
        strip = Gutter(gutter.x, float(frame.y1[piece].max()), float(frame.y0[piece].min()))
        if _Sides.of(frame, raster, strip, piece).is_table():
            runs.append([])
        else:
            runs[-1].append(piece)
    if len(runs) == 1:
        return gutter
    longest = max((np.concatenate(run) for run in runs if run), key=len, default=None)
    if longest is None:
        return gutter
    strip = Gutter(gutter.x, float(frame.y1[longest].max()), float(frame.y0[longest].min()))
    if not _Sides.of(frame, raster, strip, longest).divide_columns():
        return gutter
    return strip


def _past_overhang(frame: Frame, region: Indices, gutter: Gutter) -> Gutter:
    """The gutter, longer where only something that hangs a little over it (a long formula) had ended it."""
    x0, x1, yc = frame.x0[region], frame.x1[region], frame.yc[region]
    slack = CLOSE * frame.line
    crossing = (x0 < gutter.x - slack) & (x1 > gutter.x + slack)
    hanging = np.flatnonzero(crossing & (np.minimum(gutter.x - x0, x1 - gutter.x) <= OVERHANG * frame.line))
    top, bottom = gutter.top, gutter.bottom
    if len(hanging):
        right = frame.xc[region] >= gutter.x
        for k in hanging:
            # text of the other column beside it, or it is a line of the whole width that happens to end there
            beside = (right != right[k]) & ~crossing & (np.abs(yc - yc[k]) < frame.line)
            crossing[k] = not beside.any()
        hard = yc[crossing]
        above, below = hard[hard >= top], hard[hard <= bottom]
        if (yc[hanging] >= top).any():
            top = float(above.min()) - 0.5 * frame.line if len(above) else np.inf
        if (yc[hanging] <= bottom).any():
            bottom = float(below.max()) + 0.5 * frame.line if len(below) else -np.inf
    return Gutter(gutter.x, max(top, gutter.top), min(bottom, gutter.bottom))
