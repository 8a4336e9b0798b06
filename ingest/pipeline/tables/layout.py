"""A grid: borders, edges and cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.document.geometry import Boxes
from ingest.pipeline.tables.pieces import Piece
from ingest.pipeline.tables.rulings import COVERED, Lines

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom in the reading frame."""


def hull_of(pieces: Iterable[Piece]) -> Rect:
    """The box around some pieces, at least one."""
    x0, y0, x1, y1 = zip(*((p.x0, p.y0, p.x1, p.y1) for p in pieces), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def boxes_of(pieces: Sequence[Piece]) -> Boxes:
    """(n, 4) their boxes."""
    return np.array([[p.x0, p.y0, p.x1, p.y1] for p in pieces], np.float32).reshape(-1, 4)


@dataclass(slots=True)
class Border:
    """Between two neighbouring columns (or rows): where, and the ruling line that draws it, if any."""

    position: float
    line: int = -1


@dataclass(slots=True)
class GridCell:
    """A filled cell: rows r0..r1, columns c0..c1, both ends included."""

    r0: int
    r1: int
    c0: int
    c1: int
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True)
class Grid:
    """Borders between rows and columns, the edges of the whole, and the filled cells."""

    xs: list[Border]
    ys: list[Border]
    edges: Rect
    across: Lines
    down: Lines
    framed: bool
    """Drawn all around and divided by rules: every cell is where its rules are."""
    cells: list[GridCell] = field(default_factory=list)
    head: int = 0
    """Rows of the head."""

    def x(self, k: int) -> float:
        """Position of column border k; 0 is the left edge."""
        return self.edges[0] if k == 0 else self.edges[2] if k > len(self.xs) else self.xs[k - 1].position

    def y(self, k: int) -> float:
        """Position of row border k; 0 is the upper edge."""
        return self.edges[1] if k == 0 else self.edges[3] if k > len(self.ys) else self.ys[k - 1].position

    def side_ruled(self, k: int, top: float, bottom: float) -> bool:
        """Column border k is drawn from top to bottom. The outer edges count as drawn."""
        if k == 0 or k > len(self.xs):
            return True
        line = self.xs[k - 1].line
        return line >= 0 and self.down.cover(line, top, bottom) >= COVERED

    def edge_ruled(self, k: int, left: float, right: float) -> bool:
        """Row border k is drawn from left to right. The outer edges count as drawn."""
        if k == 0 or k > len(self.ys):
            return True
        line = self.ys[k - 1].line
        return line >= 0 and self.across.cover(line, left, right) >= COVERED
