"""What stands left and right of a gutter: text columns, or the cells of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.pipeline.xycut.frame import Floats, Frame, Indices, Mask, middle
from ingest.pipeline.xycut.raster import Gutter, Raster

IDENTIFIER_WIDTH = 3.0
"""A side that is narrower (line heights) holds bullets or numbers: they belong to the lines beside them."""
PROSE_WIDTH = 11.0
"""Lines at least this wide (line heights) on both sides are running text in columns."""
SHORT_WIDTH = 6.0
"""… and this wide if the baselines of the two sides do not agree."""


@dataclass(slots=True)
class Sides:
    """What stands left and right of a gutter."""

    frame: Frame
    raster: Raster
    gutter: Gutter
    boxes: Indices
    right: Mask
    """Of `boxes`: right of the gutter."""
    left_centres: Floats
    right_centres: Floats
    """Vertical centres, sorted."""
    lines: int
    """Of the side that has fewer."""

    @classmethod
    def of(cls, frame: Frame, raster: Raster, gutter: Gutter, boxes: Indices) -> Sides:
        right = frame.xc[boxes] >= gutter.x
        a, b = np.sort(frame.yc[boxes[~right]]), np.sort(frame.yc[boxes[right]])
        lines = min(_count_lines(a, frame.line), _count_lines(b, frame.line))
        return cls(frame, raster, gutter, boxes, right, a, b, lines)

    def tabular(self) -> bool:
        """Labels say that both sides belong to a table."""
        table = self.frame.table[self.boxes]
        return bool(table[self.right].mean() > 0.5 and table[~self.right].mean() > 0.5)

    def changes(self) -> int:
        """How often the content order goes from one side to the other."""
        sides = self.right[np.argsort(self.boxes, kind="stable")]
        return int((sides[1:] != sides[:-1]).sum())

    def by_lines(self) -> bool:
        """The content order goes line by line over both sides."""
        return self.frame.trusted and self.changes() >= 1.2 * self.lines

    def divide_columns(self) -> bool:
        """The sides are text columns, read one after the other."""
        if self.lines < 2 or self.tabular():
            return False
        left, right = self.raster.line_widths(self.gutter)
        if len(left) == 0 or len(right) == 0:
            return False
        # weighted by itself: a few full lines say more about a column than many short ones
        widths = float((left**2).sum() / left.sum()), float((right**2).sum() / right.sum())
        narrow = min(widths)
        if self.frame.trusted:
            if narrow < IDENTIFIER_WIDTH:
                return False
            changes = self.changes()
            if changes <= max(2, 0.5 * self.lines):
                return True
            if self.by_lines():  # a table; or columns written across, as text recognition does
                full = middle(left) > 0.85 * widths[0] and middle(right) > 0.85 * widths[1]
                return full and self.lines >= 6 and narrow >= PROSE_WIDTH + 4
        return narrow >= PROSE_WIDTH or (narrow >= SHORT_WIDTH and self.aligned() < 0.6)

    def aligned(self) -> float:
        """Share of the side with fewer boxes whose centres have a centre of the other side at the same height."""
        few, many = self.left_centres, self.right_centres
        if len(few) > len(many):
            few, many = many, few
        k = np.searchsorted(many, few)
        after, before = many[np.minimum(k, len(many) - 1)], many[np.maximum(k - 1, 0)]
        return float((np.minimum(np.abs(after - few), np.abs(before - few)) < 0.15 * self.frame.line).mean())

    def is_table(self) -> bool:
        """Strong signs that both sides are read by lines although the gutter goes on into text columns."""
        if self.lines < 2:
            return False
        if self.tabular() or (self.lines >= 3 and self.by_lines()):
            return True
        if self.frame.trusted or self.lines < 4 or self.aligned() < 0.9:
            return False
        left, right = self.raster.line_widths(self.gutter)
        return len(left) > 0 and len(right) > 0 and max(middle(left), middle(right)) < SHORT_WIDTH


def _count_lines(yc: Floats, line: float) -> int:
    """Lines among sorted vertical centres."""
    return 1 + int((np.diff(yc) > 0.5 * line).sum()) if len(yc) else 0
