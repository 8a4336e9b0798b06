"""Order of the lines of one column."""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from ingest.pipeline.xycut.frame import Floats, Frame, Indices


def lines_in_order(frame: Frame, region: Indices) -> list[int]:
    """The boxes of a region without gutter, line by line from the top."""
    if len(region) <= 1:
        return [int(i) for i in region]
    yc = frame.yc[region]
    # a box without height has some all the same: it must not precede itself
    height = np.clip(frame.y1[region] - frame.y0[region], 0.01, 2 * frame.line)
    # only the middle of a line counts: accents, descenders and tight leading make boxes of lines overlap
    core = height * (np.where(frame.table[region], 0.25, 0.45) if frame.trusted else 0.25)
    if frame.trusted:
        return _left_to_right(frame, _sorted_down(region, yc + core, yc - core))
    order = np.argsort(-(yc + core), kind="stable")
    low = np.minimum.accumulate((yc - core)[order])
    cuts = np.flatnonzero(low[:-1] >= (yc + core)[order][1:]) + 1
    tangles = itertools.pairwise([0, *cuts.tolist(), len(order)])
    return [i for a, b in tangles for i in _stacked(frame, region[order[a:b]])]


def _sorted_down(region: Indices, top: Floats, bottom: Floats) -> list[int]:
    """Topological order of boxes of which one precedes another if it lies wholly above it; else content order counts.

    What can come next is what has a top above the highest bottom of all that has not come yet.
    """
    by_top, by_bottom = np.argsort(-top, kind="stable").tolist(), np.argsort(-bottom, kind="stable").tolist()
    tops, bottoms, names = top.tolist(), bottom.tolist(), region.tolist()
    done = [False] * len(names)
    ready: list[tuple[int, int]] = []
    out: list[int] = []
    waiting = reach = 0
    for _ in names:
        while done[by_bottom[reach]]:
            reach += 1
        threshold = bottoms[by_bottom[reach]]
        while waiting < len(names) and tops[by_top[waiting]] > threshold:
            heapq.heappush(ready, (names[by_top[waiting]], by_top[waiting]))
            waiting += 1
        name, i = heapq.heappop(ready)
        done[i] = True
        out.append(name)
    return out


def _left_to_right(frame: Frame, order: list[int]) -> list[int]:
    """The order with neighbours on one base line sorted from left to right."""
    yc, x0 = frame.yc[order].tolist(), frame.x0[order].tolist()
    near = 0.2 * frame.line
    out: list[int] = []
    start = 0
    for stop in range(1, len(order) + 1):
        if stop == len(order) or abs(yc[stop] - yc[stop - 1]) > near:
            if stop - start == 1:
                out.append(order[start])
            else:
                out += [i for _, i in sorted(zip(x0[start:stop], order[start:stop], strict=True))]
            start = stop
    return out


def _stacked(frame: Frame, tangle: Indices) -> list[int]:
    """Boxes that overlap in height, by rows as well as can be told."""
    if len(tangle) == 1:
        return [int(i) for i in tangle]
    tangle = tangle[np.argsort(-frame.yc[tangle], kind="stable")]
    rows: list[int] = []
    row, reference = 0, float(frame.yc[tangle[0]])
    for y in frame.yc[tangle].tolist():
        if reference - y > 0.5 * frame.line:
            row, reference = row + 1, y
        rows.append(row)
    return [int(i) for i in tangle[np.lexsort((frame.x0[tangle], np.array(rows)))]]
