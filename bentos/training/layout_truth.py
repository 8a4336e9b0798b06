"""Ground truth of the layout network: elements painted onto the coarse map that the network predicts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from bentos.models.layout import STRIDE
from bentos.training.truth import MASKED
from ingest.document.geometry import Boxes, as_boxes
from ingest.document.labels import REGION_INDEX, Label, Region
from ingest.document.page import Page
from ingest.evaluation.truth import Element
from ingest.pipeline.render import canvas

IGNORE = 255
FINE = 4
"""Pixels of the fine grid on which regions are painted and closed before they are reduced to the map."""

OF_LABEL: dict[Label, Region] = {
    Label.TITLE: Region.HEADING,
    Label.AUTHOR: Region.TEXT,
    Label.AFFILIATION: Region.TEXT,
    Label.ABSTRACT: Region.TEXT,
    Label.KEYWORD: Region.TEXT,
    Label.SUBTITLE_1: Region.HEADING,
    Label.SUBTITLE_2: Region.HEADING,
    Label.TEXT: Region.TEXT,
    Label.LIST_ITEM: Region.LIST,
    Label.LIST_IDENTIFIER: Region.LIST,
    Label.FORMULA: Region.FORMULA,
    Label.TABLE: Region.TABLE,
    Label.PICTURE: Region.PICTURE,
    Label.CAPTION: Region.CAPTION,
    Label.CITATION: Region.TEXT,
    Label.FOOTNOTE: Region.TEXT,
    Label.NONE: Region.FURNITURE,
}

_CLOSE: dict[Region, tuple[float, float]] = {
    Region.TABLE: (40, 14),
    Region.PICTURE: (24, 24),
    Region.FORMULA: (60, 4),
}
"""Gaps (across, down; points) that belong to a region of the class. Others: a word space and a line's leading."""
_FILLED = (Region.TABLE, Region.PICTURE)
"""Classes whose regions are rectangles: the hull of what is connected."""
_PAINT = (
    Region.FURNITURE,
    Region.TEXT,
    Region.LIST,
    Region.HEADING,
    Region.CAPTION,
    Region.FORMULA,
    Region.PICTURE,
    Region.TABLE,
)


def paint(page: Page, elements: list[Element], labels: NDArray[np.int8]) -> NDArray[np.uint8]:
    """(rows, columns) region numbers of the page's map, IGNORE where the truth cannot be trusted.

    `labels` are those of `bentos.training.truth.label_cells`: cells that got none are ignored.
    """
    rows, columns, scale = canvas(page)
    shape = rows // FINE, columns // FINE
    _, height = page.display_size

    def mask(boxes: Boxes, grow: float = 0.0) -> NDArray[np.bool_]:
        grid = np.zeros(shape, np.bool_)
        shown = page.to_display(boxes)
        for x0, y0, x1, y1 in (shown + np.array([-grow, -grow, grow, grow], np.float32)).tolist():
            top, bottom = (height - y1) * scale / FINE, (height - y0) * scale / FINE
            left, right = x0 * scale / FINE, x1 * scale / FINE
            grid[
                max(round(top), 0) : max(round(bottom), round(top) + 1),
                max(int(left), 0) : max(math.ceil(right), int(left) + 1),
            ] = True
        return grid

    fine = np.zeros(shape, np.uint8)
    doubtful = [e.bbox for e in elements if not e.trusted]
    fine[mask(as_boxes(doubtful), 1.0) | mask(page.cells.boxes[labels == MASKED], 1.0)] = IGNORE
    by_region: dict[Region, list[tuple[float, float, float, float]]] = {}
    for element in elements:
        if element.trusted:
            by_region.setdefault(OF_LABEL[Label(element.label)], []).append(element.bbox)
    for region in _PAINT:
        if region not in by_region:
            continue
        across, down = _CLOSE.get(region, (12, 8))
        window = max(1, round(down * scale / FINE)), max(1, round(across * scale / FINE))
        painted = _close(mask(as_boxes(by_region[region])), window)
        if region in _FILLED:
            parts, _ = ndimage.label(painted, np.ones((3, 3)))
            for part in ndimage.find_objects(parts):
                painted[part] = True
        fine[painted] = REGION_INDEX[region]
    return _reduce(fine, STRIDE // FINE)


def _close(grid: NDArray[np.bool_], window: tuple[int, int]) -> NDArray[np.bool_]:
    """Gaps up to the window closed, in each direction on its own, so that neighbours on the diagonal stay apart."""
    padded = np.pad(grid, 8 + max(window))
    rows = ndimage.binary_closing(padded, np.ones((1, window[1] + 1)))
    both = ndimage.binary_closing(rows, np.ones((window[0] + 1, 1)))
    edge = 8 + max(window)
    return np.asarray(both[edge:-edge, edge:-edge])


def _reduce(fine: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Most frequent value of each factor x factor block; background only where nothing else is."""
    h, w = fine.shape[0] // factor, fine.shape[1] // factor
    blocks = fine[: h * factor, : w * factor].reshape(h, factor, w, factor).transpose(0, 2, 1, 3).reshape(h, w, -1)
    values = np.unique(fine)
    count = np.stack([(blocks == v).sum(axis=2) for v in values], axis=2).astype(np.float32)
    count[:, :, values == 0] *= 0.75
    return np.asarray(values[count.argmax(axis=2)], np.uint8)
