"""Features of what is drawn around a cell: paths, rules and images that touch form a figure, a table's frame, a box.

A plot is hundreds of small paths, none of which holds its axis labels; their hull does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, area, inside
from ingest.document.page import Page

NAMES: tuple[str, ...] = (
    "in_figure",
    "figure_distance",
    "figure_parts",
    "figure_rules",
    "figure_images",
    "figure_area",
    "figure_cells",
)

MAX_PARTS = 300
"""Of a page with more, every n-th is taken: what they are together changes little."""
BACKGROUND = 0.5
"""Share of the page above which a single path or image is its background."""
REACH = 1.2
"""In body font sizes: parts that are nearer than this belong together."""
FAR = 6.0
"""In body font sizes: a figure further away says nothing of a cell; the lettering of an axis is nearer."""
MIN_SIDE = 2.0
"""In body font sizes: smaller figures are bullets and underlines."""


def features(page: Page, boxes: Boxes, em: float) -> NDArray[np.float32]:
    """(n, len(NAMES)) of the cells, whose boxes are given in the display frame.

    Of the nearest figure, the smallest of those around the cell: share of the cell that lies in it; distance in body
    font sizes, at most FAR; log of the number of its parts; share of them that are rules and that are images; share of
    the page that it covers; log of the number of cells within. All but the distance are 0 if there is none so near.
    """
    found = np.zeros((len(boxes), len(NAMES)), np.float32)
    found[:, 1] = FAR
    parts, kind = _parts(page)
    if not len(parts) or not len(boxes):
        return found
    width, height = page.display_size
    of = _components(parts, REACH * em)
    count = np.bincount(of)
    low, high = np.full((len(count), 2), np.inf, np.float32), np.full((len(count), 2), -np.inf, np.float32)
    np.minimum.at(low, of, parts[:, :2])
    np.maximum.at(high, of, parts[:, 2:])
    keep = (high - low).min(axis=1) >= MIN_SIDE * em
    if not keep.any():
        return found
    rules, images = (np.bincount(of, kind == k, len(count))[keep] / count[keep] for k in (0, 1))
    hulls, count = np.concatenate([low, high], axis=1)[keep], count[keep]
    shares, size = inside(boxes, hulls), area(hulls) / max(width * height, 1.0)
    apart = np.maximum(boxes[:, None, :2] - hulls[None, :, 2:], hulls[None, :, :2] - boxes[:, None, 2:])
    distance = np.maximum(apart.max(axis=2) / em, 0)
    # of figures around a cell the smallest counts: a frame around the page says little
    best = np.where(shares > 0.5, size[None] - 2, distance).argmin(axis=1)
    each = np.arange(len(boxes))
    within = np.log1p((shares > 0.5).sum(axis=0))
    table = np.stack([np.log1p(count), rules, images, size, within], axis=1).astype(np.float32)
    near = distance[each, best] < FAR
    found[:, 0], found[:, 1] = shares[each, best], np.minimum(distance[each, best], FAR)
    found[near, 2:] = table[best[near]]
    return found


def _parts(page: Page) -> tuple[Boxes, NDArray[np.int8]]:
    """Boxes (k, 4) in the display frame and kinds (0 rule, 1 image, 2 drawing), without backgrounds."""
    groups = [page.to_display(group) for group in (page.rules, page.images, page.drawings)]
    boxes = np.concatenate(groups)
    kind = np.repeat(np.arange(3, dtype=np.int8), [len(g) for g in groups])
    width, height = page.display_size
    keep = np.flatnonzero(area(boxes) < BACKGROUND * width * height)
    keep = keep[:: -(-len(keep) // MAX_PARTS) or 1]
    return boxes[keep], kind[keep]


def _components(boxes: Boxes, reach: float) -> NDArray[np.intp]:
    """(k,) number, from 0, of the group of each box: boxes nearer than `reach` are in one group."""
    low, high = boxes[:, :2] - reach / 2, boxes[:, 2:] + reach / 2
    touch = (low[:, None] <= high[None]).all(axis=2)
    touch &= touch.T
    label = np.arange(len(boxes))
    while True:
        least = np.where(touch, label[None], len(boxes)).min(axis=1)
        least = least[least]
        if (least == label).all():
            return np.unique(label, return_inverse=True)[1]
        label = least
