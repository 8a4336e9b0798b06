"""Shaded rows as level rules: the upper and lower edges of filled bars that several texts stand on."""

from __future__ import annotations

import numpy as np

from ingest.document.geometry import EMPTY, Boxes

LEAST_HEIGHT, MOST_HEIGHT = 1.1, 12.0
"""In font sizes: of a shaded row."""
LEAST_WIDTH = 10.0
"""In font sizes."""
ALIKE = 0.2
"""In font sizes: ends this near are the same."""
MAX_FILLS = 500
"""Drawings per page that are looked at."""


def row_edges(drawings: Boxes, texts: Boxes, size: float) -> Boxes:
    """Level bars, without thickness, along the edges of shaded rows (reading frame).

    A shaded row is one drawing, or several side by side, on which at least two of the texts (m, 4) stand side by
    side; and another such row has its left and right end.
    """
    if len(drawings) < 2 or len(texts) == 0:
        return EMPTY
    height = drawings[:, 3] - drawings[:, 1]
    fills = drawings[(height >= LEAST_HEIGHT * size) & (height <= MOST_HEIGHT * size)][:MAX_FILLS]
    near = ALIKE * size
    x, y = (texts[:, 0] + texts[:, 2]) / 2, (texts[:, 1] + texts[:, 3]) / 2
    rows = []
    for x0, y0, x1, y1 in _side_by_side(_outermost(fills, near), near):
        on = (x > x0) & (x < x1) & (y > y0) & (y < y1)
        if x1 - x0 >= LEAST_WIDTH * size and on.sum() >= 2 and texts[on, 0].max() >= texts[on, 2].min():
            rows.append((x0, y0, x1, y1))
    bars = np.array(rows, np.float32).reshape(-1, 4)
    ends = np.round(bars[:, [0, 2]] / near).astype(np.int64)
    _, which, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    bars = bars[counts[which.reshape(-1)] > 1]
    return np.concatenate([bars[:, [0, 1, 2, 1]], bars[:, [0, 3, 2, 3]]])


def _outermost(fills: Boxes, near: float) -> Boxes:
    """Without those that lie in another: paragraphs shaded within a shaded cell."""
    fills = np.unique(fills, axis=0)
    grown = fills + np.array([-near, -near, near, near], np.float32)
    low = (fills[:, None, :2] >= grown[None, :, :2]).all(axis=2)
    high = (fills[:, None, 2:] <= grown[None, :, 2:]).all(axis=2)
    area = (fills[:, 2] - fills[:, 0]) * (fills[:, 3] - fills[:, 1])
    inner = low & high & (area[:, None] < area[None, :])
    return fills[~inner.any(axis=1)]


def _side_by_side(fills: Boxes, near: float) -> list[tuple[float, float, float, float]]:
    """Fills of one height that touch, joined."""
    joined: list[tuple[float, float, float, float]] = []
    order = np.lexsort((fills[:, 0], np.round(fills[:, 3] / near), np.round(fills[:, 1] / near)))
    for x0, y0, x1, y1 in fills[order].tolist():
        last = joined[-1] if joined else None
        if last and abs(last[1] - y0) <= near and abs(last[3] - y1) <= near and abs(x0 - last[2]) <= near:
            joined[-1] = (last[0], last[1], x1, last[3])
        else:
            joined.append((x0, y0, x1, y1))
    return joined
