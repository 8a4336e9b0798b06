"""One page as parsed: text cells, ruling lines, images, drawings. Structure of arrays, so that features are vectorised.

A *cell* is the unit that gets a label: a piece of one text line, cut where a reader sees a gap (between columns,
after a bullet or a number). Papers call the raw form "PDF printing command"; one printing command may be a letter or
half a page wide, so raw commands are merged and cut first (`ingest.pipeline.cells`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag, StrEnum

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import Boxes

GRAPHICS_CUT = "graphics-cut"
"""Code of a page with more lines, images and drawings than are read; its text is whole."""


class Style(IntFlag):
    """How the glyphs of a cell look, from the font's name, flags and weight."""

    BOLD = 1
    ITALIC = 2
    MONO = 4
    SERIF = 8
    MATH = 16
    INVISIBLE = 32
    """Drawn with render mode 3: the text layer of an OCRed scan."""


class TextState(StrEnum):
    """What can be said of a page's text."""

    TEXT = "text"
    BLANK = "blank"
    """Nothing to read: no text, and no image or drawing that could hold any."""
    NEEDS_OCR = "needs-ocr"
    """There is something to read and no usable text."""
    LOST = "lost"
    """The page could not be read; `Page.reason` says why."""


@dataclass(slots=True)
class Cells:
    """The n text cells of a page, in content order."""

    boxes: Boxes
    """(n, 4) points, unrotated frame."""
    text: list[str]
    size: NDArray[np.float32]
    """(n,) effective font size in points, of the cell's largest run of characters."""
    font: NDArray[np.int16]
    """(n,) index into `Page.fonts`."""
    style: NDArray[np.uint8]
    """(n,) `Style` bits."""
    share: NDArray[np.uint8]
    """(n, 3) share of the characters that are bold, italic, and in a font for mathematics; 255 is all of them."""
    color: NDArray[np.uint32]
    """(n,) fill colour, 0xRRGGBB."""
    angle: NDArray[np.int16]
    """(n,) direction of writing in degrees, counter-clockwise, 0 to 359, in the unrotated frame."""

    def __len__(self) -> int:
        return len(self.text)

    @classmethod
    def empty(cls) -> Cells:
        return cls(
            boxes=geometry.EMPTY,
            text=[],
            size=np.zeros(0, np.float32),
            font=np.zeros(0, np.int16),
            style=np.zeros(0, np.uint8),
            share=np.zeros((0, 3), np.uint8),
            color=np.zeros(0, np.uint32),
            angle=np.zeros(0, np.int16),
        )


@dataclass(slots=True)
class Page:
    """A parsed page. Sizes and boxes in points, unrotated frame."""

    number: int
    """1-based."""
    width: float
    height: float
    rotation: int = 0
    """/Rotate: 0, 90, 180 or 270, clockwise."""
    cells: Cells = field(default_factory=Cells.empty)
    fonts: list[str] = field(default_factory=list)
    rules: Boxes = field(default_factory=lambda: geometry.EMPTY)
    """(m, 4) straight lines, horizontal or vertical, as the thin boxes that they are drawn as."""
    images: Boxes = field(default_factory=lambda: geometry.EMPTY)
    drawings: Boxes = field(default_factory=lambda: geometry.EMPTY)
    """(p, 4) hulls of the other vector paths."""
    state: TextState = TextState.BLANK
    reason: str = ""
    """In words, for a state that is not TEXT and for graphics that were cut."""
    code: str = ""
    """Of the error (`ingest.errors`) that cost a lost page, or GRAPHICS_CUT."""

    @property
    def display_size(self) -> tuple[float, float]:
        return geometry.display_size(self.width, self.height, self.rotation)

    def to_display(self, boxes: Boxes) -> Boxes:
        return geometry.to_display(boxes, self.width, self.height, self.rotation)

    def from_display(self, boxes: Boxes) -> Boxes:
        return geometry.from_display(boxes, self.width, self.height, self.rotation)
