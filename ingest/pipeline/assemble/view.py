"""A page as the assembler sees it: cells in the frame in which they are read, as plain lists.

Pages are worked on cell by cell, where Python lists are several times faster than indexing arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import Boxes
from ingest.document.model import Box
from ingest.document.page import Page, Style
from ingest.pipeline.assemble.text import clean
from ingest.pipeline.reading_order import is_right_to_left, mirrored, reading_turn
from ingest.pipeline.xycut.frame import middle

MOST = 128
"""Of 255: share of a cell's characters from which on it counts as bold or italic."""


@dataclass(slots=True)
class View:
    """The n cells of one page. Boxes lie in the reading frame; pages read from right to left are mirrored."""

    page: Page
    boxes: Boxes
    width: float
    height: float
    x0: list[float]
    y0: list[float]
    x1: list[float]
    y1: list[float]
    labels: list[int]
    """Indices into `LABELS`; they are corrected in place."""
    scores: list[float]
    texts: list[str]
    """Cleaned."""
    sizes: list[float]
    styles: list[int]
    """Bold and italic, if most of the cell is, and fixed width."""
    fonts: list[int]
    printed: list[Box]
    """Boxes in the page's own frame."""

    right_to_left: bool
    turn: int
    median_size: float
    """Of the cells' font sizes; 1 if there are none."""
    line_numbers: set[int] = field(default_factory=set)
    """Cells that number the lines of a manuscript."""

    @classmethod
    def of(cls, page: Page, labels: NDArray[np.uint8], scores: NDArray[np.float32]) -> View:
        """Labels (n,) and scores (n,) as the model gave them."""
        cells, turn = page.cells, reading_turn(page)
        width, height = geometry.display_size(page.width, page.height, turn)
        right_to_left = is_right_to_left(cells.text)
        boxes = geometry.to_display(cells.boxes, page.width, page.height, turn)
        if right_to_left:
            boxes = mirrored(boxes, width)
        x0, y0, x1, y1 = boxes.T.tolist() if len(cells) else ([], [], [], [])
        return cls(
            page,
            boxes,
            width,
            height,
            x0,
            y0,
            x1,
            y1,
            labels.tolist(),
            scores.tolist(),
            [clean(t) for t in cells.text],
            _sizes(cells.size, boxes).tolist(),
            _styles(page).tolist(),
            cells.font.tolist(),
            [tuple(b) for b in cells.boxes.tolist()],
            right_to_left,
            turn,
            middle(_sizes(cells.size, boxes)) if len(cells) else 1.0,
        )

    def __len__(self) -> int:
        return len(self.texts)

    def to_reading(self, boxes: Boxes) -> Boxes:
        """(n, 4) boxes of the page's own frame in the reading frame."""
        turned = geometry.to_display(boxes, self.page.width, self.page.height, self.turn)
        return mirrored(turned, self.width) if self.right_to_left else turned

    def hull(self, cells: list[int]) -> Box:
        """Of one or more cells, in the page's own frame, cut at the page's edges."""
        x0, y0, x1, y1 = zip(*(self.printed[i] for i in cells), strict=True)
        return inside_page((min(x0), min(y0), max(x1), max(y1)), self.page)


def _sizes(size: NDArray[np.float32], boxes: Boxes) -> NDArray[np.float64]:
    """(n,) font sizes; where a font's own scale makes them senseless, what the height of the line says."""
    height = boxes[:, 3] - boxes[:, 1]
    return np.where(size < 0.4 * height, 0.85 * height, size).astype(np.float64)


def _styles(page: Page) -> NDArray[np.uint8]:
    """(n,) `Style` bits that tell kinds of text apart."""
    cells = page.cells
    bold, italic = (cells.share[:, :2] >= MOST).T
    return np.asarray(cells.style & Style.MONO | bold * int(Style.BOLD) | italic * int(Style.ITALIC), np.uint8)


def inside_page(box: Box, page: Page) -> Box:
    """The box cut at the page's edges."""
    w, h = page.width, page.height
    return min(max(box[0], 0.0), w), min(max(box[1], 0.0), h), min(max(box[2], 0.0), w), min(max(box[3], 0.0), h)
