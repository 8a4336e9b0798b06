"""Which box owns each point of a page: what truth and prediction, cut into boxes in different ways, are matched by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.evaluation.truth import TruthPage


class Owners:
    """The smallest box around a point owns it; boxes with text and boxes without are kept apart.

    `boxes` are in points, two corners each, and `lengths` are their characters, 0 for an object.
    """

    def __init__(self, boxes: list[tuple[float, float, float, float]], lengths: list[int], page: TruthPage) -> None:
        self._scale = min(2.0, 4000.0 / max(page.width, page.height, 1.0))
        """Points of the raster per point of the page."""
        shape = int(page.height * self._scale) + 2, int(page.width * self._scale) + 2
        ordered = np.array(boxes, np.float64).reshape(-1, 4)
        ordered = np.concatenate(
            [np.minimum(ordered[:, :2], ordered[:, 2:]), np.maximum(ordered[:, :2], ordered[:, 2:])], axis=1
        )
        written = np.array(lengths, np.int64) > 0
        self._text = self._paint(shape, ordered, np.flatnonzero(written))
        self._objects = self._paint(shape, ordered, np.flatnonzero(~written))

    def _paint(self, shape: tuple[int, int], boxes: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.int32]:
        grid = np.full(shape, -1, np.int32)
        size = (boxes[chosen, 2] - boxes[chosen, 0]) * (boxes[chosen, 3] - boxes[chosen, 1])
        chosen = chosen[np.argsort(-size, kind="stable")]  # the smallest is painted last
        scaled = np.maximum(boxes[chosen], 0) * self._scale
        low = scaled[:, :2].astype(np.int64)
        high = np.maximum(np.ceil(scaled[:, 2:]).astype(np.int64), low + 1)
        for k, (x0, y0), (x1, y1) in zip(chosen.tolist(), low.tolist(), high.tolist(), strict=True):
            grid[y0:y1, x0:x1] = k
        return grid

    def _at(self, grid: NDArray[np.int32], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.int32]:
        rows = np.clip((y * self._scale).astype(np.int64), 0, grid.shape[0] - 1)
        columns = np.clip((x * self._scale).astype(np.int64), 0, grid.shape[1] - 1)
        return np.asarray(grid[rows, columns])

    def of(self, bbox: tuple[float, float, float, float], length: int) -> tuple[NDArray[np.int32], float]:
        """Owners of the points along a box that have one, and how much of the box counts as found, 0 to 1.

        Boxes of words leave gaps, so half of the points of a line are enough, and a quarter of those of a block, where
        lines are short and apart. Text looks for text first, an object for objects.
        """
        x0, x1 = sorted((bbox[0], bbox[2]))
        y0, y1 = sorted((bbox[1], bbox[3]))
        first, second = (self._text, self._objects) if length else (self._objects, self._text)
        if length:
            size = max(((x1 - x0) * (y1 - y0) / (0.6 * length)) ** 0.5, 1.0)
            lines = max(1, round((y1 - y0) / (1.2 * size)))
            columns, enough = int(np.clip(length / lines, 4, 80)), 0.5 if lines == 1 else 0.25
        else:
            lines, columns, enough = 12, 24, 0.9
        x = x0 + (np.arange(columns) + 0.5) / columns * (x1 - x0)
        if lines == 1:
            owner = self._along(first, second, x, y0, y1)
        else:
            rows = min(2 * lines, 160)
            x, y = (a.ravel() for a in np.meshgrid(x, y0 + (np.arange(rows) + 0.5) / rows * (y1 - y0)))
            owner = self._at(first, x, y)
            owner = np.where(owner < 0, self._at(second, x, y), owner)
        hits = owner[owner >= 0]
        return hits, min(1.0, len(hits) / len(owner) / enough)

    def _along(
        self, first: NDArray[np.int32], second: NDArray[np.int32], x: NDArray[np.float64], y0: float, y1: float
    ) -> NDArray[np.int32]:
        """Owners along a line: at half its height, and where nobody is, a little below and above."""
        owner = np.full(len(x), -1, np.int32)
        for grid in (first, second):
            for height in (0.5, 0.35, 0.65, 0.2, 0.8):
                open_ = owner < 0
                if not open_.any():
                    return owner
                owner[open_] = self._at(grid, x[open_], np.full(int(open_.sum()), y0 + height * (y1 - y0)))
        return owner
