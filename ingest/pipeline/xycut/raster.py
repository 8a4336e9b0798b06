"""A coarse picture of where text is, and the white strips in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ingest.pipeline.xycut.frame import Floats, Frame, Indices, Mask

MAX_BINS = 240
"""Most rows and most columns of a raster."""
BIN_WIDTH, BIN_HEIGHT = 0.3, 0.5
"""Of a raster, in line heights."""
CLOSE = 0.3
"""Boxes are drawn longer by this many line heights at both ends: a gutter is wider than two of it."""
MIN_LINES = 1.6
"""Line heights over which both sides must hold text."""


class Gutter(NamedTuple):
    """A strip of white at `x`, from `top` down to `bottom` (infinite where the strip is open)."""

    x: float
    top: float
    bottom: float


class Candidate(NamedTuple):
    rows: int
    """Raster rows that hold text on both sides."""
    column: int
    top: int
    bottom: int
    """Raster rows top..bottom are white in this column."""


@dataclass(slots=True)
class Raster:
    """Where text is: rows from the top of the region, columns from its left."""

    ink: Mask
    left: float
    top: float
    bin_width: float
    bin_height: float
    line: float

    @classmethod
    def of(cls, frame: Frame, region: Indices) -> Raster | None:
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

    def candidates(self) -> list[Candidate]:
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
        length = count[1:] - count[start, np.arange(columns)]
        end = length.argmax(axis=0)
        best = length[end, np.arange(columns)]
        good = best >= max(2, round(MIN_LINES * self.line / self.bin_height))
        if not good.any():
            return []
        found = []
        for first, stop in _runs(good):
            longest = int(best[first:stop].max())
            widest = np.flatnonzero(best[first:stop] >= 0.95 * longest) + first
            column = int(widest[len(widest) // 2])
            row = int(end[column])
            ink_below = ink[row:, column].argmax() if ink[row:, column].any() else rows - row
            found.append((len(widest), Candidate(longest, column, int(start[row, column]), row + int(ink_below))))
        found.sort(key=lambda f: (-f[1].rows, -f[0]))
        return [candidate for _, candidate in found]

    def gutter(self, candidate: Candidate) -> Gutter:
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


def _runs(mask: Mask) -> list[tuple[int, int]]:
    """Start and stop of each run of True."""
    padded = np.zeros(len(mask) + 2, np.int8)
    padded[1:-1] = mask
    edges = (padded[1:] != padded[:-1]).nonzero()[0].tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _first_run(ink: Mask) -> Floats:
    """(rows,) length of the first run of True in each row."""
    first = ink.argmax(axis=1)
    after = ~ink & (np.arange(ink.shape[1]) > first[:, None])
    stop = np.where(after.any(axis=1), after.argmax(axis=1), ink.shape[1])
    return np.where(ink.any(axis=1), stop - first, 0).astype(np.float64)
