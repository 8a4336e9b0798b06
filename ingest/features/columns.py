"""Features of the line that a cell belongs to and of the column of text around it: indents, slack, centring, spacing.

A cell is a piece of a line. Whether a line is a heading, a formula or the first of a list item shows in where the whole
line begins and ends between the edges of its column, and in how far it is from the lines above and below.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes
from ingest.document.page import Page
from ingest.features.context import Body
from ingest.features.geometry import FAR, Neighbours

NAMES: tuple[str, ...] = (
    "columns",
    "column_indent",
    "line_indent",
    "line_slack",
    "line_off_centre",
    "line_fill",
    "before_on_line",
    "after_on_line",
    "line_cells",
    "step_above",
    "step_below",
    "line_indent_above",
    "line_indent_below",
    "line_end_above",
    "line_centre_above",
)

GAP = 1.0
"""In body font sizes: pieces of one line are nearer than this."""
MAX_COLUMNS = 4
LEAST_SHARE = 0.15
"""Of the width of all full lines of a page: what begins at fewer is no column."""


def features(page: Page, boxes: Boxes, near: Neighbours, body: Body) -> NDArray[np.float32]:
    """(n, len(NAMES)) of the cells, whose boxes are given in the display frame; lengths in body font sizes, cut."""
    em = max(body.size, 1.0)
    of = line_numbers(boxes, near.left, em)
    count = np.bincount(of)
    low, high = np.full(len(count), np.inf, np.float32), np.full(len(count), -np.inf, np.float32)
    np.minimum.at(low, of, boxes[:, 0])
    np.maximum.at(high, of, boxes[:, 2])
    found = columns(low, high, page.display_size[0], body.column, em)
    column = _column_of(low, high, found)
    left, right = found[column].T
    middle = np.asarray((low + high) / 2, np.float32)
    centre = (boxes[:, 1] + boxes[:, 3]) / 2
    leading = max(body.leading, 0.5 * em)

    def cut(values: NDArray[np.float32]) -> NDArray[np.float32]:
        clipped: NDArray[np.float32] = np.clip(values / em, -FAR, FAR)
        return clipped

    def beside(values: NDArray[np.float32], other: NDArray[np.intp]) -> NDArray[np.float32]:
        """Difference to the line of another cell; FAR where there is none."""
        return np.where(other >= 0, cut(values[of] - values[of[other]]), np.float32(FAR))

    table = [
        np.full(len(boxes), len(found)),
        cut(boxes[:, 0] - left[of]),
        cut(low - left)[of],
        cut(right - high)[of],
        cut(np.abs(middle - (left + right) / 2))[of],
        ((high - low) / np.maximum(right - left, em))[of],
        cut(boxes[:, 0] - low[of]),
        cut(high[of] - boxes[:, 2]),
        np.minimum(count[of], 20),
        np.where(near.above >= 0, np.clip((centre[near.above] - centre) / leading, 0, 8), 8),
        np.where(near.below >= 0, np.clip((centre - centre[near.below]) / leading, 0, 8), 8),
        beside(low, near.above),
        beside(low, near.below),
        beside(high, near.above),
        np.abs(beside(middle, near.above)),
    ]
    return np.stack([np.asarray(c, np.float32) for c in table], axis=1)


def line_numbers(boxes: Boxes, left: NDArray[np.intp], em: float) -> NDArray[np.intp]:
    """(n,) number, from 0, of the line of each cell; `left` is the cell before it as high as it, -1 for none."""
    first = np.arange(len(boxes))
    joined = (left >= 0) & (boxes[:, 0] - boxes[left, 2] < GAP * em)
    first[joined] = left[joined]
    while True:
        further = first[first]
        if (further == first).all():
            return np.unique(first, return_inverse=True)[1]
        first = further


def columns(
    low: NDArray[np.float32], high: NDArray[np.float32], width: float, usual: float, em: float
) -> NDArray[np.float32]:
    """(k, 2) left and right edges of the columns of a page, from where its full lines begin and end; k is at least 1.

    `usual` is the width of a full line in the document. A page without one has a single column in its middle.
    """
    full = (high - low > 0.6 * usual) & (high - low < 1.6 * usual)
    low, high = low[full], high[full]
    weight = high - low
    least = LEAST_SHARE * float(weight.sum())
    found: list[tuple[float, float]] = []
    while len(low) and len(found) < MAX_COLUMNS:
        bins = (low / (0.5 * em)).astype(np.intp)
        bins -= bins.min()
        at = np.bincount(bins, weight)
        near = at + np.concatenate([at[1:], [0]])
        best = int(near.argmax())
        if near[best] < least:
            break
        here = (bins == best) | (bins == best + 1)
        edges = float(low[here].min()), float(np.quantile(high[here], 0.8))
        found.append(edges)
        apart = (low >= edges[1] - em) | (high <= edges[0] + em)
        low, high, weight = low[apart], high[apart], weight[apart]
    if not found:
        usual = min(usual, width)
        found = [((width - usual) / 2, (width + usual) / 2)]
    return np.array(sorted(found), np.float32)


def _column_of(low: NDArray[np.float32], high: NDArray[np.float32], found: NDArray[np.float32]) -> NDArray[np.intp]:
    """(lines,) the column that each line shares most with, or is nearest to."""
    shared = np.minimum(high[:, None], found[None, :, 1]) - np.maximum(low[:, None], found[None, :, 0])
    return np.asarray(shared.argmax(axis=1))
