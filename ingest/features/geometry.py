"""Features of where a cell stands on its page: position, neighbours, lines, and what the layout network saw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, area, inside
from ingest.document.labels import REGIONS
from ingest.document.page import Page, Style
from ingest.features.context import Body

LayoutMap = NDArray[np.uint8]
"""(rows, columns, regions) probabilities as 0..255, rows from the top of the page as shown, covering the raster."""

NAMES: tuple[str, ...] = (
    "x0",
    "x1",
    "top",
    "bottom",
    "width",
    "height",
    "center_offset",
    "size",
    "size_to_body",
    "turned",
    "bold",
    "italic",
    "mono",
    "serif",
    "math",
    "share_bold",
    "share_italic",
    "share_math_font",
    "invisible",
    "dark",
    "coloured",
    "dx_previous",
    "dy_previous",
    "dx_next",
    "dy_next",
    "right_previous",
    "right_next",
    "size_to_previous",
    "size_to_next",
    "same_font_previous",
    "same_font_next",
    "gap_above",
    "gap_below",
    "gap_left",
    "gap_right",
    "size_to_above",
    "size_to_below",
    "indent_above",
    "indent_below",
    "width_to_column",
    "left_edge",
    "right_edge",
    "lines_from_top",
    "lines_from_bottom",
    "rule_above",
    "rule_below",
    "rules_near",
    "in_image",
    "in_drawing",
    "cells_on_line",
    *(f"region_{region}" for region in REGIONS),
)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Index of the nearest cell on each side of every cell, -1 where there is none."""

    above: NDArray[np.intp]
    below: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]


FAR = 20.0
"""Distances are cut here, in body font sizes."""
MAX_DRAWINGS = 400
BLOCK = 256
"""Cells of a page that are compared with others at a time."""


def features(
    page: Page, boxes: Boxes, order: NDArray[np.intp], near: Neighbours, body: Body, layout: LayoutMap | None
) -> NDArray[np.float32]:
    """(n, len(NAMES)), rows in content order; `boxes` as shown, `order` is the page's reading order."""
    cells = page.cells
    width, height = page.display_size
    em = max(body.size, 1.0)
    x0, y0, x1, y1 = (boxes[:, k] for k in range(4))
    style = cells.style
    red, green, blue = (cells.color >> 16) & 255, (cells.color >> 8) & 255, cells.color & 255
    channels = np.stack([red, green, blue]).astype(np.float32)
    previous, following = _neighbours_in(order)
    above, below = near.above, near.below
    top, bottom = height - y1, height - y0
    columns: list[NDArray[np.generic]] = [
        x0 / width,
        x1 / width,
        top / height,
        bottom / height,
        (x1 - x0) / width,
        (y1 - y0) / em,
        ((x0 + x1) / 2 - width / 2) / width,
        cells.size,
        cells.size / em,
        cells.angle - page_direction(page) != 0,
        style & Style.BOLD > 0,
        style & Style.ITALIC > 0,
        style & Style.MONO > 0,
        style & Style.SERIF > 0,
        style & Style.MATH > 0,
        *(cells.share.T / np.float32(255)),
        style & Style.INVISIBLE > 0,
        1 - channels.mean(axis=0) / 255,
        (channels.max(axis=0) - channels.min(axis=0)) / 255,
        _cut((x0 - x0[previous]) / em),
        _cut((y0 - y0[previous]) / em),
        _cut((x0[following] - x0) / em),
        _cut((y0[following] - y0) / em),
        _cut((x1 - x1[previous]) / em),
        _cut((x1[following] - x1) / em),
        cells.size / np.maximum(cells.size[previous], 1),
        cells.size / np.maximum(cells.size[following], 1),
        cells.font == cells.font[previous],
        cells.font == cells.font[following],
        *_distances(boxes, near, em),
        _ratio(cells.size, above),
        _ratio(cells.size, below),
        np.where(above >= 0, _cut((x0 - x0[above]) / em), FAR),
        np.where(below >= 0, _cut((x0 - x0[below]) / em), FAR),
        (x1 - x0) / max(body.column, 1.0),
        *_edges(boxes, width),
        *_line_counts(y0, y1),
        *_rules(page, boxes, em),
        _covered(boxes, page.to_display(page.images)),
        _covered(boxes, _small(page.to_display(page.drawings), width * height)),
        _cells_on_line(boxes),
        *_regions(boxes, page, layout),
    ]
    return np.stack([np.asarray(c, np.float32) for c in columns], axis=1)


def page_direction(page: Page) -> NDArray[np.int16] | int:
    """Direction of writing that looks level on the page as shown."""
    return page.rotation


def _cut(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.clip(values, -FAR, FAR)


def _neighbours_in(order: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index of the cell before and after each in reading order; itself at the ends."""
    previous, following = np.empty_like(order), np.empty_like(order)
    previous[order] = np.concatenate([order[:1], order[:-1]])
    following[order] = np.concatenate([order[1:], order[-1:]])
    return previous, following


def spatial_neighbours(boxes: Boxes, em: float) -> Neighbours:
    """The nearest cells around each.

    Above and below: nearest of those that share some of the cell's width. Left and right: on the same line.
    """
    x0, y0, x1, y1 = (boxes[:, k] for k in range(4))
    cx, cy = (np.asarray((low + high) / 2, np.float32) for low, high in ((x0, x1), (y0, y1)))
    below, above = _nearest(x0, x1, cy, slack=0.1 * em, least=0.3 * em)
    left, right = _nearest(y0, y1, cx, slack=0.1 * em, least=0)
    return Neighbours(above, below, left, right)


def _nearest(
    low: NDArray[np.float32], high: NDArray[np.float32], centre: NDArray[np.float32], *, slack: float, least: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n,) index of the nearest before and after each along one axis, of those that share some of its extent, low to
    high, along the other; -1 for none nearer than `least`.

    Cells are taken in blocks that lie side by side, each compared with those that share some of its extent: on a page
    with very many, that is few of them.
    """
    n = len(low)
    before, after = np.full(n, -1, np.intp), np.full(n, -1, np.intp)
    order = np.argsort(low, kind="stable")
    for start in range(0, n, BLOCK):
        rows = order[start : start + BLOCK]
        near = np.flatnonzero((low < high[rows].max() - slack) & (high > low[rows].min() + slack))
        if not len(near):
            continue
        shared = (low[rows, None] < high[near] - slack) & (low[near] < high[rows, None] - slack)
        away = centre[near] - centre[rows, None]
        for nearest, distance in ((before, -away), (after, away)):
            possible = np.where(shared & (distance > least), distance, np.inf)
            best = possible.argmin(axis=1)
            nearest[rows] = np.where(np.isfinite(possible.min(axis=1)), near[best], -1)
    return before, after


def _distances(boxes: Boxes, near: Neighbours, em: float) -> list[NDArray[np.float32]]:
    above, below, left, right = near.above, near.below, near.left, near.right
    x0, y0, x1, y1 = (boxes[:, k] for k in range(4))
    far = np.float32(FAR)
    distances = [
        np.where(above >= 0, _cut((y0[above] - y1) / em), far),
        np.where(below >= 0, _cut((y0 - y1[below]) / em), far),
        np.where(left >= 0, _cut((x0 - x1[left]) / em), far),
        np.where(right >= 0, _cut((x0[right] - x1) / em), far),
    ]
    return [np.asarray(d, np.float32) for d in distances]


def _ratio(size: NDArray[np.float32], other: NDArray[np.intp]) -> NDArray[np.float32]:
    return np.where(other >= 0, size / np.maximum(size[other], 1), 0).astype(np.float32)


def _edges(boxes: Boxes, width: float) -> list[NDArray[np.float32]]:
    """Share of the page's cells that start at the same x as this one, and that end at the same x."""
    shares = []
    for edge in (boxes[:, 0], boxes[:, 2]):
        bins = np.clip((edge / max(width, 1) * 200).astype(np.int64), 0, 200)
        count = np.bincount(bins, minlength=203).astype(np.float32)
        near = count[bins] + count[np.maximum(bins - 1, 0)] + count[bins + 1]
        shares.append(np.asarray(near / len(boxes), np.float32))
    return shares


def _line_counts(y0: NDArray[np.float32], y1: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """log(1 + number of cells) that stand wholly above, and wholly below."""
    highest, lowest = np.sort(y0), np.sort(y1)
    over = len(y0) - np.searchsorted(highest, y1 - 0.5)
    under = np.searchsorted(lowest, y0 + 0.5)
    return [np.log1p(over).astype(np.float32), np.log1p(under).astype(np.float32)]


def _rules(page: Page, boxes: Boxes, em: float) -> list[NDArray[np.float32]]:
    """Distance to the nearest horizontal rule above and below, and the number of rules around, of each cell."""
    rules = page.to_display(page.rules)[:MAX_DRAWINGS]
    n = len(boxes)
    if not len(rules):
        return [np.full(n, FAR, np.float32), np.full(n, FAR, np.float32), np.zeros(n, np.float32)]
    level = rules[(rules[:, 2] - rules[:, 0]) > (rules[:, 3] - rules[:, 1])]
    shares_x = (boxes[:, None, 0] < level[None, :, 2]) & (level[None, :, 0] < boxes[:, None, 2])
    y = (level[:, 1] + level[:, 3]) / 2
    up = np.where(shares_x & (y[None] > boxes[:, 3:] - 0.3 * em), y[None] - boxes[:, 3:], np.inf)
    down = np.where(shares_x & (y[None] < boxes[:, 1:2] + 0.3 * em), boxes[:, 1:2] - y[None], np.inf)
    reach = np.array([-2, -2, 2, 2], np.float32) * em
    grown = boxes + reach
    near = (
        (grown[:, None, 0] < rules[None, :, 2])
        & (rules[None, :, 0] < grown[:, None, 2])
        & (grown[:, None, 1] < rules[None, :, 3])
        & (rules[None, :, 1] < grown[:, None, 3])
    )
    return [
        _cut(up.min(axis=1, initial=np.inf) / em),
        _cut(down.min(axis=1, initial=np.inf) / em),
        np.minimum(near.sum(axis=1), 20).astype(np.float32),
    ]


def _small(drawings: Boxes, page_area: float) -> Boxes:
    """Without backgrounds of half the page and more."""
    return drawings[area(drawings) < 0.5 * page_area]


def _covered(boxes: Boxes, by: Boxes) -> NDArray[np.float32]:
    """(n,) largest share of each box that lies in one of the others."""
    if not len(by):
        return np.zeros(len(boxes), np.float32)
    return np.asarray(inside(boxes, by[:MAX_DRAWINGS]).max(axis=1), np.float32)


def _cells_on_line(boxes: Boxes) -> NDArray[np.float32]:
    """(n,) number of cells whose middle is as high as this one's."""
    bins = np.round((boxes[:, 1] + boxes[:, 3]) / 2 / 3).astype(np.int64)
    bins -= bins.min()
    return np.minimum(np.bincount(bins)[bins], 20).astype(np.float32)


def _regions(boxes: Boxes, page: Page, layout: LayoutMap | None) -> list[NDArray[np.float32]]:
    """Mean probability of each region over points of the cell; zeros without a map."""
    if layout is None:
        return [np.zeros(len(boxes), np.float32) for _ in REGIONS]
    sampled = sample_map(layout, boxes, page)
    return [sampled[:, k] for k in range(len(REGIONS))]


def sample_map(layout: LayoutMap, boxes: Boxes, page: Page) -> NDArray[np.float32]:
    """(n, regions) mean probability, 0..1, over five points along the middle of each box of the display frame."""
    width, height = page.display_size
    rows, columns = layout.shape[:2]
    # the map covers the raster, into which the page is fitted keeping its proportions
    scale = min(rows / height, columns / width)
    fractions = np.array([0.1, 0.3, 0.5, 0.7, 0.9], np.float32)
    x = boxes[:, :1] + fractions * (boxes[:, 2:3] - boxes[:, :1])
    y = np.broadcast_to((boxes[:, 1:2] + boxes[:, 3:]) / 2, x.shape)
    column = np.clip((x * scale).astype(np.intp), 0, columns - 1)
    row = np.clip(((height - y) * scale).astype(np.intp), 0, rows - 1)
    return np.asarray(layout[row, column].mean(axis=1) / 255, np.float32)
