"""The reading frame of a table: turned so that its text runs left to right, origin top left, y downwards.

Pages are turned by /Rotate and tables are set sideways on upright pages; both are undone by turning the page so that
most of the table's text is level. Everything else in this package works in this frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import Boxes
from ingest.document.page import Page

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Frame:
    """Turn and flip between the unrotated page frame and the reading frame."""

    width: float
    height: float
    rotation: int

    @classmethod
    def of(cls, page: Page, cells: Indices) -> Frame:
        """The frame in which most characters of the cells are level; without cells that of the page as shown."""
        if len(cells) == 0:
            return cls(page.width, page.height, page.rotation)
        quarter = np.round(page.cells.angle[cells] / 90).astype(np.int64) % 4
        characters = np.array([len(page.cells.text[i]) for i in cells], np.float64)
        weight = np.bincount(quarter, weights=characters, minlength=4)
        weight[page.rotation // 90 % 4] += 0.5  # a tie goes to what the reader sees
        return cls(page.width, page.height, int(weight.argmax()) * 90)

    def to_reading(self, boxes: Boxes) -> Boxes:
        """(n, 4) boxes `[left, top, right, bottom]` of boxes of the unrotated frame."""
        turned = geometry.to_display(boxes, self.width, self.height, self.rotation)
        height = self.width if self.rotation in (90, 270) else self.height
        return np.stack([turned[:, 0], height - turned[:, 3], turned[:, 2], height - turned[:, 1]], axis=1)

    def from_reading(self, boxes: Boxes) -> Boxes:
        """Inverse of `to_reading`."""
        height = self.width if self.rotation in (90, 270) else self.height
        up = np.stack([boxes[:, 0], height - boxes[:, 3], boxes[:, 2], height - boxes[:, 1]], axis=1)
        return geometry.from_display(up, self.width, self.height, self.rotation)
