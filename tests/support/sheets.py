"""Pages made in memory, with a label for each cell, for tests of reading order and assembly."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.labels import LABEL_INDEX, Label
from ingest.document.model import Box, Document, Table
from ingest.document.page import Cells, Page, Style, TextState
from ingest.pipeline.assemble import assemble

ADVANCE = 0.5
"""Width of a character in font sizes."""


@dataclass
class Sheet:
    """A page to write on. Coordinates in points, origin bottom left; `y` is the lower edge of a line."""

    number: int = 1
    width: float = 600.0
    height: float = 800.0
    rotation: int = 0
    boxes: list[Box] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    styles: list[int] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)

    def cell(
        self,
        x: float,
        y: float,
        text: str,
        label: Label = Label.TEXT,
        *,
        size: float = 10.0,
        width: float | None = None,
        bold: bool = False,
        mono: bool = False,
    ) -> Sheet:
        """Write a cell; without a width it is as wide as its text."""
        across = len(text) * ADVANCE * size if width is None else width
        self.boxes.append((x, y, x + across, y + size))
        self.texts.append(text)
        self.sizes.append(size)
        self.styles.append(int((Style.BOLD if bold else 0) | (Style.MONO if mono else 0)))
        self.labels.append(label)
        return self

    def lines(
        self,
        x: float,
        y: float,
        *texts: str,
        label: Label = Label.TEXT,
        size: float = 10.0,
        leading: float = 1.2,
        width: float | None = None,
        indent: float = 0.0,
        mono: bool = False,
    ) -> Sheet:
        """Write lines downwards from `y`. With a width all but the last are as wide; `indent` is of the first."""
        for k, text in enumerate(texts):
            left = x + (indent if k == 0 else 0.0)
            full = None if width is None or k == len(texts) - 1 else width - (left - x)
            self.cell(left, y - k * leading * size, text, label, size=size, width=full, mono=mono)
        return self

    @property
    def page(self) -> Page:
        n = len(self.texts)
        boxes = np.array(self.boxes, np.float32).reshape(-1, 4)
        cells = Cells(
            boxes=geometry.from_display(boxes, self.width, self.height, self.rotation),
            text=list(self.texts),
            size=np.array(self.sizes, np.float32),
            font=np.zeros(n, np.int16),
            style=np.array(self.styles, np.uint8),
            share=np.array([[255 * (s & Style.BOLD), 0, 0] for s in self.styles], np.uint8).reshape(-1, 3),
            color=np.zeros(n, np.uint32),
            angle=np.full(n, self.rotation, np.int16),
        )
        return Page(
            number=self.number,
            width=self.width,
            height=self.height,
            rotation=self.rotation,
            cells=cells,
            fonts=["Serif"],
            state=TextState.TEXT if n else TextState.BLANK,
        )

    @property
    def label_numbers(self) -> NDArray[np.uint8]:
        return np.array([LABEL_INDEX[label] for label in self.labels], np.uint8)


def document(*sheets: Sheet, name: str = "sample.pdf", score: float = 0.9) -> Document:
    """What assembly makes of these sheets."""
    return assemble(
        [sheet.page for sheet in sheets],
        [sheet.label_numbers for sheet in sheets],
        [np.full(len(sheet.texts), score, np.float32) for sheet in sheets],
        {sheet.number: sheet.tables for sheet in sheets},
        {sheet.number: sheet.pictures for sheet in sheets},
        name=name,
        sha256="5a" * 32,
        versions={"parse": "parse-1", "labels": "test"},
    )
