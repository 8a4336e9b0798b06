"""The region baseline: a cell has the label of the region of the layout network that holds 80 % of it, else none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document.labels import LABEL_INDEX, REGION_INDEX, REGIONS, Label, Region
from ingest.document.page import Page
from ingest.evaluation.labels import MISSED
from ingest.features.geometry import LayoutMap

INSIDE = 0.8
LABEL_OF: dict[Region, Label] = {
    Region.TEXT: Label.TEXT,
    Region.HEADING: Label.SUBTITLE_1,
    Region.LIST: Label.LIST_ITEM,
    Region.TABLE: Label.TABLE,
    Region.PICTURE: Label.PICTURE,
    Region.FORMULA: Label.FORMULA,
    Region.CAPTION: Label.CAPTION,
    Region.FURNITURE: Label.NONE,
}
_LABELS = np.array([LABEL_INDEX[LABEL_OF[r]] if r in LABEL_OF else MISSED for r in REGIONS], np.uint8)
_ACROSS, _DOWN = 10, 3


def labels_of(page: Page, layout: LayoutMap | None) -> NDArray[np.uint8]:
    """(cells,) labels in content order, MISSED for cells that no region holds."""
    boxes = page.to_display(page.cells.boxes)
    found = np.full(len(boxes), MISSED, np.uint8)
    if layout is None or not len(boxes):
        return found
    width, height = page.display_size
    rows, columns = layout.shape[:2]
    scale = min(rows / height, columns / width)  # the page is fitted into the map, keeping its proportions
    x = boxes[:, :1] + (np.arange(_ACROSS) + 0.5) / _ACROSS * (boxes[:, 2:3] - boxes[:, :1])
    y = boxes[:, 1:2] + (np.arange(_DOWN) + 0.5) / _DOWN * (boxes[:, 3:] - boxes[:, 1:2])
    column = np.clip((x * scale).astype(np.intp), 0, columns - 1)
    row = np.clip(((height - y) * scale).astype(np.intp), 0, rows - 1)
    regions = layout.argmax(axis=2)[row[:, :, None], column[:, None, :]].reshape(len(boxes), -1)
    share = np.stack([(regions == k).mean(axis=1) for k in range(len(REGIONS))], axis=1)
    share[:, REGION_INDEX[Region.BACKGROUND]] = 0
    best = share.argmax(axis=1)
    held = share.max(axis=1) >= INSIDE
    found[held] = _LABELS[best[held]]
    return found
