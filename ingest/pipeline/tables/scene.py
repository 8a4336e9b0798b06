"""A page as the search for tables sees it: pieces and ruling lines in the reading frame."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes
from ingest.document.page import Page
from ingest.pipeline.tables import paragraphs, shading
from ingest.pipeline.tables.candidates import FIGURE_CAPTION, TABLE_CAPTION, Around, Shape, shape_of
from ingest.pipeline.tables.frame import Frame, Indices
from ingest.pipeline.tables.grid import build, glue
from ingest.pipeline.tables.layout import Rect, boxes_of
from ingest.pipeline.tables.pieces import lines_of, read
from ingest.pipeline.tables.recover import table_lines
from ingest.pipeline.tables.rulings import merge, split_directions
from ingest.pipeline.tables.spans import merge as merge_spans

MAX_PIECES = 5000
"""Pages with more text than this are searched for ruled tables only."""
BUDGET, BUDGET_PER_PIECE = 3000, 2
"""Pieces that may be put into grids in a search: so many, and so many times those of the page."""
MAX_DRAWINGS = 400
"""Drawings of a box that are looked at."""


class Scene:
    """Pieces, lines and drawings of a page, and questions about its boxes."""

    def __init__(self, page: Page) -> None:
        every = np.arange(len(page.cells))
        self.frame = Frame.of(page, every)
        pieces = read(page, self.frame, every)
        self.crowded = len(pieces) > MAX_PIECES
        self.size = median(p.size for p in pieces) if pieces else 1.0
        self.rules = self.frame.to_reading(page.rules)
        self.drawings = self.frame.to_reading(page.drawings)
        across, down = split_directions(self.rules)
        self.across, self.down = merge(across, self.size), merge(down, self.size)
        lines_of(pieces)
        self.pieces = pieces if self.crowded else glue(pieces, self.down, self.size)
        self.boxes = boxes_of(self.pieces)
        self._budget = BUDGET + BUDGET_PER_PIECE * len(self.pieces)
        self.running = np.zeros(len(self.pieces), np.bool_) if self.crowded else paragraphs.running(self.pieces)

    def shaded_edges(self) -> Boxes:
        """Edges of shaded rows, as level bars."""
        return shading.row_edges(self.drawings, self.boxes, self.size)

    def inside(self, box: Rect) -> Indices:
        """Pieces with their middle in a box."""
        x, y = (self.boxes[:, 0] + self.boxes[:, 2]) / 2, (self.boxes[:, 1] + self.boxes[:, 3]) / 2
        return np.flatnonzero((x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3]))

    def within(self, boxes: list[Rect]) -> NDArray[np.bool_]:
        """(n,) the piece is in one of the boxes."""
        found = np.zeros(len(self.pieces), np.bool_)
        for box in boxes:
            found[self.inside(box)] = True
        return found

    def shape(self, box: Rect) -> Shape | None:
        """The box as a grid; None without text, or when too many boxes of the page have been looked at."""
        ids = self.inside(box)
        self._budget -= len(ids)
        if len(ids) == 0 or self._budget < 0:
            return None
        pieces = [replace(self.pieces[i]) for i in ids]
        size = median(p.size for p in pieces)
        grid = build(pieces, *table_lines(self.rules, self.drawings, pieces, size), size)
        merge_spans(grid, size)
        return shape_of(grid, pieces)

    def around(self, box: Rect) -> Around:
        x0, y0, x1, y1 = box
        size = self.size
        beside = (self.boxes[:, 0] < x1 + 2 * size) & (self.boxes[:, 2] > x0 - 2 * size)
        middle = (self.boxes[:, 1] + self.boxes[:, 3]) / 2
        by = ((middle > y0 - 4 * size) & (middle < y0 + 2 * size)) | ((middle > y1 - size) & (middle < y1 + 4 * size))
        texts = [self.pieces[i].text for i in np.flatnonzero(beside & by)]
        return Around(
            captioned=any(TABLE_CAPTION.match(t) for t in texts),
            figure=any(FIGURE_CAPTION.match(t) for t in texts),
            drawings=self._bare_drawings(box),
        )

    def _bare_drawings(self, box: Rect) -> int:
        """Drawings with their middle in a box and no text of it on them."""
        x, y = (self.drawings[:, 0] + self.drawings[:, 2]) / 2, (self.drawings[:, 1] + self.drawings[:, 3]) / 2
        drawn = self.drawings[(x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])][:MAX_DRAWINGS, :, None]
        text = self.boxes[self.inside(box)]
        x, y = (text[:, 0] + text[:, 2]) / 2, (text[:, 1] + text[:, 3]) / 2
        holds = (x > drawn[:, 0]) & (x < drawn[:, 2]) & (y > drawn[:, 1]) & (y < drawn[:, 3])
        return int((~holds.any(axis=1)).sum())
