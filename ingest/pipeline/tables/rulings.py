"""Ruling lines of a table: drawn bars merged into lines, and what of a grid they cover."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import EMPTY, Boxes

SAME = 0.5
"""In font sizes: lines closer than this are one line, since no text fits between them (double rules, cell borders)."""
JOIN = 0.6
"""In font sizes: bars of one line with a smaller gap are continuous."""
DASH = 1.6
"""In font sizes: the same for lines made of short bars."""
REACH = 0.3
"""In font sizes: rules this near to those of a table continue them, as dashes do."""
MAX_REACHES = 40
COVERED = 0.5
"""Share of a cell's side that must be drawn for the side to count as ruled."""
MARGIN = 0.8
"""In font sizes: rules this far outside the text of a table belong to it."""
MAX_LINES = 400
"""Lines kept per direction; more are a hatching or a map, not a table."""

Bars = NDArray[np.float64]
"""(n, 3) position, start and end of level (or upright) bars."""
Spans = list[tuple[float, float]]
"""Start and end of the drawn stretches of a line, in order."""


@dataclass(slots=True)
class Lines:
    """Parallel lines in order of position; each drawn over one or several spans."""

    position: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    spans: list[Spans] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.spans)

    def cover(self, k: int, start: float, end: float) -> float:
        """Share of start..end along line k that is drawn."""
        drawn = sum(max(min(b, end) - max(a, start), 0.0) for a, b in self.spans[k])
        return drawn / max(end - start, 1e-6)

    def drawn_at(self, position: float, start: float, end: float) -> float:
        """Share of start..end that the line exactly at `position` draws; 0 without such a line."""
        k = int(np.searchsorted(self.position, position))
        return self.cover(k, start, end) if k < len(self) and self.position[k] == position else 0.0

    def keep(self, wanted: list[int]) -> Lines:
        return Lines(self.position[wanted], [self.spans[k] for k in wanted])


def split_directions(rules: Boxes) -> tuple[Bars, Bars]:
    """Level and upright bars."""
    rules = rules.astype(np.float64)
    across = (rules[:, 2] - rules[:, 0]) >= (rules[:, 3] - rules[:, 1])
    h, v = rules[across], rules[~across]
    return (
        np.stack([(h[:, 1] + h[:, 3]) / 2, h[:, 0], h[:, 2]], axis=1),
        np.stack([(v[:, 0] + v[:, 2]) / 2, v[:, 1], v[:, 3]], axis=1),
    )


def merge(bars: Bars, size: float) -> Lines:
    """Lines of bars of one direction; `size` is the font size that distances are measured in."""
    if len(bars) == 0:
        return Lines()
    bars = bars[np.lexsort((bars[:, 1], bars[:, 0]))]
    starts = [0]
    for i in range(1, len(bars)):
        if bars[i, 0] - bars[i - 1, 0] > SAME * size or bars[i, 0] - bars[starts[-1], 0] > 2 * SAME * size:
            starts.append(i)
    groups = np.split(bars, starts[1:])
    if len(groups) > MAX_LINES:
        groups = sorted(groups, key=lambda g: -float((g[:, 2] - g[:, 1]).sum()))[:MAX_LINES]
        groups.sort(key=lambda g: float(g[0, 0]))
    position = np.array([(g[0, 0] + g[-1, 0]) / 2 for g in groups])
    return Lines(position, [_join(g[:, 1:], size) for g in groups])


def _join(stretches: NDArray[np.float64], size: float) -> Spans:
    if len(stretches) == 1:
        return [(float(stretches[0, 0]), float(stretches[0, 1]))]
    stretches = stretches[np.argsort(stretches[:, 0], kind="stable")]
    dashed = len(stretches) >= 4 and float(np.median(stretches[:, 1] - stretches[:, 0])) < DASH * size
    tolerance = (DASH if dashed else JOIN) * size
    reach = np.maximum.accumulate(stretches[:, 1])
    fresh = np.concatenate([[True], stretches[1:, 0] > reach[:-1] + tolerance])
    first = np.flatnonzero(fresh)
    last = np.concatenate([first[1:] - 1, [len(stretches) - 1]])
    return list(zip(stretches[first, 0].tolist(), reach[last].tolist(), strict=True))


def around(rules: Boxes, hull: tuple[float, float, float, float], size: float) -> Boxes:
    """The rules of the table whose text fills `hull`: those through it, and those that these reach or run along."""
    if len(rules) == 0:
        return EMPTY
    wide = (rules[:, 2] - rules[:, 0]) >= (rules[:, 3] - rules[:, 1])
    x0, y0, x1, y1 = hull
    near = REACH * size
    for _ in range(MAX_REACHES):
        x = (rules[:, 0] <= x1 + near) & (rules[:, 2] >= x0 - near)
        y = (rules[:, 1] <= y1 + near) & (rules[:, 3] >= y0 - near)
        across, down = rules[x & y & wide], rules[x & y & ~wide]
        before = x0, y0, x1, y1
        x0, x1 = min([x0, *across[:, 0]]), max([x1, *across[:, 2]])
        y0, y1 = min([y0, *down[:, 1]]), max([y1, *down[:, 3]])
        if (x0, y0, x1, y1) == before:
            break
    x0, y0, x1, y1 = x0 - MARGIN * size, y0 - MARGIN * size, x1 + MARGIN * size, y1 + MARGIN * size
    cut = rules[(rules[:, 0] <= x1) & (rules[:, 2] >= x0) & (rules[:, 1] <= y1) & (rules[:, 3] >= y0)]
    return np.concatenate([np.maximum(cut[:, :2], [x0, y0]), np.minimum(cut[:, 2:], [x1, y1])], axis=1)
