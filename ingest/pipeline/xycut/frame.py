"""Boxes of a page as it is read, and how far their content order can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

TRUSTED = 0.6
"""Share of steps of the content order that must go to a neighbour before it counts as evidence."""


@dataclass(slots=True)
class Frame:
    """Boxes of a page in the frame in which it is read, and what is known of them."""

    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    xc: Floats
    yc: Floats
    """Centres."""
    line: float
    """Median line height."""
    trusted: bool
    """The content order is evidence."""
    table: Mask
    """(n,) cells of tables."""

    @classmethod
    def of(cls, boxes: Boxes, *, table: Mask | None = None, text: Mask | None = None) -> Frame:
        """Boxes (n, 4), n >= 1, in content order; `text` (n,) are lines of text, whose height counts."""
        x0, y0, x1, y1 = boxes.T.astype(np.float64)
        height = np.minimum(y1 - y0, np.maximum(x1 - x0, 2.0))
        if text is not None and text.any():
            height = height[text]
        if table is None:
            table = np.zeros(len(boxes), np.bool_)
        frame = cls(x0, y0, x1, y1, (x0 + x1) / 2, (y0 + y1) / 2, max(middle(height), 2.0), False, table)
        frame.trusted = frame.content_trust() >= TRUSTED
        return frame

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


def middle(values: Floats) -> float:
    """The upper median of one or more values; far cheaper than numpy's."""
    k = len(values) // 2
    return float(np.partition(values, k)[k])
