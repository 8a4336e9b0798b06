"""White gutters between text columns: where they are, and whether they divide columns or only the cells of a table.

A gutter is a vertical strip without text that has text on both sides over several lines. It is searched on a coarse
raster of the boxes, as the longest empty vertical run at every x (after the whitespace analysis of T. Breuel, "Two
geometric algorithms for layout analysis", 2002, with the raster in place of exact rectangles: its cost is bounded).

Whether text on both sides is read column by column or line by line cannot be seen from the white alone. Evidence, in
this order: what the labels say (tables are read by rows), how often the content order changes sides if it can be
trusted at all, how wide the lines are (running text is wide, table columns are narrow), whether baselines agree.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ingest.pipeline.xycut.frame import Frame, Indices
from ingest.pipeline.xycut.raster import CLOSE, Gutter, Raster
from ingest.pipeline.xycut.sides import IDENTIFIER_WIDTH, Sides

MAX_CANDIDATES = 12
BAND_GAP = 0.8
"""White across a whole region, in line heights, at which it may be cut into bands."""
OVERHANG = 3.0
"""Line heights by which a long line of one column may reach over the gutter."""


class Search(NamedTuple):
    found: Gutter | None
    divisible: bool
    """A strip was turned down that goes through several bands of the region: one band alone may have a gutter."""


def find_gutter(frame: Frame, region: Indices) -> Search:
    """The tallest gutter between text columns among the boxes `region`."""
    if not _side_by_side(frame, region):
        return Search(None, False)
    raster = Raster.of(frame, region)
    if raster is None:
        return Search(None, False)
    divisible = False
    for candidate in raster.candidates()[:MAX_CANDIDATES]:
        gutter = raster.gutter(candidate)
        sides = Sides.of(frame, raster, gutter, _beside(frame, region, gutter))
        if sides.divide_columns():
            gutter = _without_tables(frame, raster, gutter, sides.boxes)
            return Search(_past_overhang(frame, region, gutter), False)
        divisible = divisible or len(bands(frame, sides.boxes)) > 1
    return Search(None, divisible)


def _side_by_side(frame: Frame, region: Indices) -> bool:
    """Lines stand beside lines somewhere; cheap, and false for most regions of one column."""
    wide = region[frame.x1[region] - frame.x0[region] > IDENTIFIER_WIDTH * frame.line]
    wide = wide[np.argsort(-frame.yc[wide], kind="stable")]
    x0, x1, yc = frame.x0[wide], frame.x1[wide], frame.yc[wide]
    found = 0
    for step in (1, 2, 3):
        near = np.abs(yc[step:] - yc[:-step]) < frame.line
        apart = np.maximum(x0[step:] - x1[:-step], x0[:-step] - x1[step:]) > 2 * CLOSE * frame.line
        found += int((near & apart).sum())
        if found >= 2:
            return True
    return False


def bands(frame: Frame, region: Indices) -> list[Indices]:
    """The region cut where white goes all across it, top first."""
    order = region[np.argsort(-frame.y1[region], kind="stable")]
    low = np.minimum.accumulate(frame.y0[order])
    cuts = np.flatnonzero(low[:-1] - frame.y1[order][1:] > BAND_GAP * frame.line) + 1
    return [order[a:b] for a, b in itertools.pairwise([0, *cuts.tolist(), len(order)])]


def _beside(frame: Frame, region: Indices, gutter: Gutter) -> Indices:
    """Boxes of the region beside the gutter."""
    yc = frame.yc[region]
    return region[(yc <= gutter.top) & (yc >= gutter.bottom)]


def _without_tables(frame: Frame, raster: Raster, gutter: Gutter, boxes: Indices) -> Gutter:
    """The gutter, cut off where it runs on between the columns of a table above or below the text columns."""
    pieces = bands(frame, boxes)
    if len(pieces) == 1:
        return gutter
    runs: list[list[Indices]] = [[]]
    for piece in pieces:
        strip = Gutter(gutter.x, float(frame.y1[piece].max()), float(frame.y0[piece].min()))
        if Sides.of(frame, raster, strip, piece).is_table():
            runs.append([])
        else:
            runs[-1].append(piece)
    if len(runs) == 1:
        return gutter
    longest = max((np.concatenate(run) for run in runs if run), key=len, default=None)
    if longest is None:
        return gutter
    strip = Gutter(gutter.x, float(frame.y1[longest].max()), float(frame.y0[longest].min()))
    if not Sides.of(frame, raster, strip, longest).divide_columns():
        return gutter
    return strip


def _past_overhang(frame: Frame, region: Indices, gutter: Gutter) -> Gutter:
    """The gutter, longer where only something that hangs a little over it (a long formula) had ended it."""
    x0, x1, yc = frame.x0[region], frame.x1[region], frame.yc[region]
    slack = CLOSE * frame.line
    crossing = (x0 < gutter.x - slack) & (x1 > gutter.x + slack)
    hanging = np.flatnonzero(crossing & (np.minimum(gutter.x - x0, x1 - gutter.x) <= OVERHANG * frame.line))
    top, bottom = gutter.top, gutter.bottom
    if len(hanging):
        right = frame.xc[region] >= gutter.x
        for k in hanging:
            # text of the other column beside it, or it is a line of the whole width that happens to end there
            beside = (right != right[k]) & ~crossing & (np.abs(yc - yc[k]) < 2 * frame.line)
            crossing[k] = not beside.any()
        hard = yc[crossing]
        above, below = hard[hard >= top], hard[hard <= bottom]
        if (yc[hanging] >= top).any():
            top = float(above.min()) - 0.5 * frame.line if len(above) else np.inf
        if (yc[hanging] <= bottom).any():
            bottom = float(below.max()) + 0.5 * frame.line if len(below) else -np.inf
    return Gutter(gutter.x, max(top, gutter.top), min(bottom, gutter.bottom))
