"""Stage 2: what the layout network saw, as boxes. Tables, pictures and formulas are connected parts of its map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import EMPTY, Boxes, area, as_boxes, inside, overlap, union
from ingest.document.labels import REGION_INDEX, Region
from ingest.document.page import Page
from ingest.features.geometry import LayoutMap

VERSION = "regions-1"

LIKELY, CERTAIN = 96, 140
"""Of 255. A region consists of connected points above the first and has at least one above the second."""
MIN_TABLE_CELLS = 4
MIN_POINTS = {Region.TABLE: 6, Region.PICTURE: 4, Region.FORMULA: 1}


@dataclass(slots=True)
class Regions:
    """(n, 4) boxes in points, unrotated frame."""

    tables: Boxes
    pictures: Boxes
    formulas: Boxes


def find_regions(page: Page, layout: LayoutMap | None) -> Regions:
    """Tables, pictures and formulas of a page; pictures also from the page's own images."""
    if layout is None:
        return Regions(EMPTY, _images(page), EMPTY)
    tables = _boxes(page, layout, Region.TABLE)
    pictures = _snap(_boxes(page, layout, Region.PICTURE), page)
    pictures = _merge(np.concatenate([pictures, _images(page)]))
    return Regions(tables, pictures, _boxes(page, layout, Region.FORMULA))


def table_hints(page: Page, regions: Boxes, labelled: NDArray[np.bool_]) -> Boxes:
    """Where tables may be: the layout network's, and clusters of cells (n,) labelled table that it did not see."""
    boxes = page.cells.boxes[labelled]
    if not len(boxes):
        return regions
    if len(regions):
        boxes = boxes[inside(boxes, regions).max(axis=1) < 0.5]
    em = float(np.median(page.cells.size[labelled])) if labelled.any() else 10.0
    clusters = [c for c in _clusters(boxes, 6 * em, 2.5 * em) if len(c) >= MIN_TABLE_CELLS]
    return np.concatenate([regions, as_boxes([union(boxes[c]) for c in clusters])])


def _clusters(boxes: Boxes, across: float, down: float) -> list[NDArray[np.intp]]:
    """Indices of boxes that are linked by gaps of at most `across` and `down` points."""
    n = len(boxes)
    if n == 0:
        return []
    grown = (boxes + np.array([-across, -down, across, down], np.float32) / 2).astype(np.float32)
    label = np.full(n, -1, np.intp)
    clusters = []
    for k in range(n):
        if label[k] >= 0:
            continue
        members, frontier = np.zeros(n, np.bool_), np.array([k])
        members[k] = True
        while len(frontier):
            touched = (overlap(grown[frontier], grown) > 0).any(axis=0) & ~members & (label < 0)
            members |= touched
            frontier = np.flatnonzero(touched)
        label[members] = k
        clusters.append(np.flatnonzero(members))
    return clusters


def _images(page: Page) -> Boxes:
    """Images big enough to be looked at, without backgrounds of the whole page."""
    boxes = page.images
    share = area(boxes) / max(page.width * page.height, 1.0)
    side = np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    return _merge(boxes[(share > 0.002) & (share < 0.9) & (side > 12)])


def _snap(boxes: Boxes, page: Page) -> Boxes:
    """Pictures grown to the images and drawings that lie mostly inside them."""
    shapes = np.concatenate([page.images, page.drawings])
    shapes = shapes[area(shapes) < 0.9 * page.width * page.height]
    if not len(boxes) or not len(shapes):
        return boxes
    belongs = inside(shapes, boxes) > 0.6
    return as_boxes([union(np.concatenate([boxes[k : k + 1], shapes[belongs[:, k]]])) for k in range(len(boxes))])


def _merge(boxes: Boxes) -> Boxes:
    """Boxes that cover most of one another made one."""
    merged: list[NDArray[np.float32]] = []
    for box in boxes[np.argsort(-area(boxes), kind="stable")]:
        for k, other in enumerate(merged):
            if inside(box[None], other[None])[0, 0] > 0.5:
                merged[k] = union(np.stack([box, other]))
                break
        else:
            merged.append(box)
    return as_boxes(merged)


def _boxes(page: Page, layout: LayoutMap, region: Region) -> Boxes:
    """Hulls of the connected parts of the map that are of the region, in the page's frame."""
    probability = layout[:, :, REGION_INDEX[region]]
    if probability.max(initial=0) < CERTAIN:
        return EMPTY
    rows, columns = probability.shape
    width, height = page.display_size
    scale = min(rows / height, columns / width)
    found = []
    for points in connected(probability >= LIKELY):
        if len(points) < MIN_POINTS[region] or probability[points[:, 0], points[:, 1]].max() < CERTAIN:
            continue
        (top, left), (bottom, right) = points.min(axis=0), points.max(axis=0) + 1
        found.append((left / scale, height - bottom / scale, right / scale, height - top / scale))
    return page.from_display(as_boxes(found))


def connected(mask: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """(k, 2) rows and columns of each 4-connected part of a mask, by rows of their first points."""
    labels = np.full(mask.shape, -1, np.intp)
    parents: list[int] = []

    def root(k: int) -> int:
        while parents[k] != k:
            parents[k] = k = parents[parents[k]]
        return k

    # runs of each row, joined with the runs that they touch in the row above
    for row in range(mask.shape[0]):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], mask[row].astype(np.int8), [0]])))
        for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            own = len(parents)
            parents.append(own)
            labels[row, start:stop] = own
            if row:
                above = labels[row - 1, start:stop]
                for k in set(above[above >= 0].tolist()):
                    low, high = sorted((root(k), root(own)))
                    parents[high] = low
    if not parents:
        return []
    roots = np.array([root(k) for k in range(len(parents))])
    points = np.argwhere(labels >= 0)
    part = roots[labels[labels >= 0]]
    order = np.argsort(part, kind="stable")
    _, starts = np.unique(part[order], return_index=True)
    return np.split(points[order], starts[1:])
