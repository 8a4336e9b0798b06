"""Reading order of the text cells of a page: recursive cuts along white gutters and gaps, content order as evidence.

A region is cut at its tallest gutter between text columns into what stands above, the columns, and what stands below
(`ingest.pipeline.xycut`); each part is ordered the same way. A region without gutter is read line by line. This is
the recursive XY cut of G. Nagy and S. Seth (1984) with the vertical cut chosen first and limited to the height over
which it exists, so that titles and figures across columns need no special case. Lines that overlap in height, as the
parts of a formula do, have no order that geometry could tell; there the content order decides where it is sane.

It is used twice: before labelling (the label model reads cells in this order) and, with labels, for the document.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import Boxes
from ingest.document.labels import LABEL_INDEX, Label
from ingest.document.page import Page
from ingest.pipeline.xycut.frame import Frame, Indices, Mask
from ingest.pipeline.xycut.gutters import bands, find_gutter
from ingest.pipeline.xycut.lines import lines_in_order
from ingest.pipeline.xycut.raster import Gutter

VERSION = "order-1"
"""Raise whenever the same page gives another order."""

Order = NDArray[np.intp]

MARGIN = 0.12
"""Share of the page's height at head and foot in which running heads stand."""
FURNITURE_GAP = 0.6
MAX_DEPTH = 40
_NONE, _TABLE, _PICTURE = LABEL_INDEX[Label.NONE], LABEL_INDEX[Label.TABLE], LABEL_INDEX[Label.PICTURE]
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")


def page_order(page: Page, labels: NDArray[np.uint8] | None = None) -> Order:
    """Reading order of a page's cells, in the frame in which most of its text is level; see `reading_order`."""
    turn = reading_turn(page)
    boxes = geometry.to_display(page.cells.boxes, page.width, page.height, turn)
    width, height = geometry.display_size(page.width, page.height, turn)
    return reading_order(boxes, width, height, labels, right_to_left=is_right_to_left(page.cells.text))


def reading_turn(page: Page) -> int:
    """Degrees, clockwise, by which the page is turned so that most characters are level: mostly its /Rotate."""
    if len(page.cells) == 0:
        return page.rotation
    quarter = np.round(page.cells.angle / 90).astype(np.intp) % 4
    weight = np.bincount(quarter, weights=[len(t) for t in page.cells.text], minlength=4)
    return int(weight.argmax()) * 90 if weight.max() > 0.6 * weight.sum() else page.rotation


def is_right_to_left(texts: list[str]) -> bool:
    """Most letters belong to a script that is written from right to left."""
    text = "".join(texts)
    if text.isascii():
        return False
    found = len(_RIGHT_TO_LEFT.findall(text))
    return found > 0 and found > 0.5 * len(_LETTER.findall(text))


def reading_order(
    boxes: Boxes,
    width: float,
    height: float,
    labels: NDArray[np.uint8] | None = None,
    *,
    right_to_left: bool = False,
) -> Order:
    """(n,) permutation: position in reading order -> index of the box.

    `boxes` (n, 4) are those of a page as it is read (upright, origin bottom left, points), in content order;
    `labels` (n,) indices into `LABELS`, if they are known. Running heads come first, feet last, columns from left to
    right (or from right to left), tables by rows.
    """
    columns = reading_columns(boxes, width, height, labels, right_to_left=right_to_left)
    return np.concatenate(columns) if columns else np.zeros(0, np.intp)


def reading_columns(
    boxes: Boxes,
    width: float,
    height: float,
    labels: NDArray[np.uint8] | None = None,
    *,
    right_to_left: bool = False,
) -> list[Order]:
    """The reading order in one piece per text column; arguments as of `reading_order`."""
    count = len(boxes)
    if count <= 1:
        return [np.arange(count)] if count else []
    if right_to_left:
        boxes = mirrored(boxes, width)
    if labels is None:
        frame, upright = Frame.of(boxes), None
    else:
        upright = (labels == _TABLE) | (labels == _PICTURE)
        frame = Frame.of(boxes, table=labels == _TABLE, text=~upright)
    turned = _is_turned(frame, boxes)
    if upright is not None:
        turned &= ~upright
    none = None if labels is None else labels == _NONE
    columns: list[list[int]] = []
    for part in _furniture(frame, np.flatnonzero(~turned), height, none):
        if len(part):
            columns += _cut(frame, part, 0)
    return _with_turned(frame, [np.array(c, np.intp) for c in columns], np.flatnonzero(turned))


def mirrored(boxes: Boxes, width: float) -> Boxes:
    """Boxes (n, 4) with left and right exchanged: what is read from right to left is then read from left to right."""
    return np.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], axis=1)


def _is_turned(frame: Frame, boxes: Boxes) -> Mask:
    """(n,) a line of text set sideways: stamps in the margin, axis titles."""
    w, h = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return np.asarray((h > 3 * frame.line) & (h > 2.5 * w))


def _with_turned(frame: Frame, columns: list[Order], turned: Indices) -> list[Order]:
    """The columns with sideways text put after its nearest neighbour, or last if it stands in a margin."""
    if len(turned) == 0:
        return columns
    alone = turned
    if columns:
        order = np.concatenate(columns)
        margin = (frame.x1[turned] <= frame.x0[order].min()) | (frame.x0[turned] >= frame.x1[order].max())
        alone = turned[margin]
        for i in turned[~margin]:
            dx = np.maximum(frame.x0[order] - frame.x1[i], frame.x0[i] - frame.x1[order])
            dy = np.maximum(frame.y0[order] - frame.y1[i], frame.y0[i] - frame.y1[order])
            nearest = order[(np.maximum(dx, 0) + np.maximum(dy, 0)).argmin()]
            for k, column in enumerate(columns):
                at = np.flatnonzero(column == nearest)
                if len(at):
                    columns[k] = np.insert(column, at[0] + 1, i)
                    break
    return [*columns, alone[np.argsort(frame.x0[alone], kind="stable")]] if len(alone) else columns


def _furniture(frame: Frame, region: Indices, height: float, none: Mask | None) -> tuple[Indices, Indices, Indices]:
    """Running heads, everything else, feet."""
    yc = frame.yc[region]
    if none is not None:
        body, loose = region[~none[region]], region[none[region]]
        top = loose[frame.yc[loose] > (1 - MARGIN) * height]
        bottom = loose[frame.yc[loose] < MARGIN * height]
        head = top[~_covered(frame, top, body, above=True)]
        foot = bottom[~_covered(frame, bottom, body, above=False)]
    else:
        head = _edge_line(frame, region[yc > (1 - MARGIN) * height], region, above=True)
        foot = _edge_line(frame, region[yc < MARGIN * height], region, above=False)
    outside = np.zeros(len(frame.yc), np.bool_)
    outside[head] = outside[foot] = True
    return head, region[~outside[region]], foot


def _covered(frame: Frame, some: Indices, body: Indices, *, above: bool) -> Mask:
    """(n,) text of the body stands further out than this, in the same columns."""
    shared = (frame.x0[some][:, None] < frame.x1[body]) & (frame.x1[some][:, None] > frame.x0[body])
    a, b = frame.yc[some][:, None], frame.yc[body]
    return np.asarray((shared & ((b > a) if above else (b < a))).any(axis=1))


def _edge_line(frame: Frame, zone: Indices, region: Indices, *, above: bool) -> Indices:
    """The outermost line of the page if it stands in the margin and white separates it from all other text."""
    if len(zone) == 0:
        return zone
    sign = 1.0 if above else -1.0
    outer = zone[(sign * frame.yc[zone]).argmax()]
    line = region[np.abs(frame.yc[region] - frame.yc[outer]) < 0.6 * frame.line]
    rest = region[np.abs(frame.yc[region] - frame.yc[outer]) >= 0.6 * frame.line]
    if len(rest) == 0:
        return zone[:0]
    if above:
        gap = frame.y0[line].min() - frame.y1[rest].max()
    else:
        gap = frame.y0[rest].min() - frame.y1[line].max()
    return line if gap > FURNITURE_GAP * frame.line else zone[:0]


def _cut(frame: Frame, region: Indices, depth: int) -> list[list[int]]:
    """The region's boxes in reading order, column by column."""
    if len(region) < 4 or depth >= MAX_DEPTH:
        return [lines_in_order(frame, region)]
    search = find_gutter(frame, region)
    if search.found is not None:
        return [c for part in _around(frame, region, search.found) if len(part) for c in _cut(frame, part, depth + 1)]
    parts = bands(frame, region) if search.divisible else [region]
    if len(parts) == 1:
        return [lines_in_order(frame, region)]
    columns: list[list[int]] = []
    whole = False  # the last column is one of bands without gutter, which go on as one column
    for part in parts:
        cut = _cut(frame, part, depth + 1)
        if whole and len(cut) == 1:
            columns[-1] += cut[0]
        else:
            columns += cut
        whole = len(cut) == 1
    return columns


def _around(frame: Frame, region: Indices, gutter: Gutter) -> tuple[Indices, ...]:
    """What stands above a gutter, left and right of it, and below."""
    yc = frame.yc[region]
    above, below = yc > gutter.top, yc < gutter.bottom
    is_left = frame.xc[region] < gutter.x
    left, right = region[~above & ~below & is_left], region[~above & ~below & ~is_left]
    if len(left) == 0 or len(right) == 0:  # cannot happen while gutters are judged on these boxes; ends recursion
        return region[above], np.concatenate([left, right]), region[below]
    if frame.trusted:
        # What stands alone beside the gutter's end may be a heading or a foot of the whole width
        head, right = _split_alone(frame, right, frame.y1[left].max(), before=int(left.min()), above=True)
        foot, left = _split_alone(frame, left, frame.y0[right].min(), before=int(right.max()), above=False)
        return region[above], head, left, right, foot, region[below]
    return region[above], left, right, region[below]


def _split_alone(frame: Frame, side: Indices, limit: float, *, before: int, above: bool) -> tuple[Indices, Indices]:
    """(boxes of a column beyond `limit` that the content order has before or after the other column, its others)."""
    if above:
        alone = (frame.y0[side] > limit) & (side < before)
    else:
        alone = (frame.y1[side] < limit) & (side > before)
    if alone.all():
        return side[:0], side
    return side[alone], side[~alone]
