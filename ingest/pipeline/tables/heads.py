"""The head of a table: where it ends, and which of its cells stand over several columns."""

from __future__ import annotations

import itertools
import re

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.layout import Grid
from ingest.pipeline.tables.pieces import Piece, is_data
from ingest.pipeline.tables.rows import Context, Line
from ingest.pipeline.tables.rulings import Lines

ALIGNED = 0.6
"""In font sizes: a head whose middle is this near to that of its column stands over it alone."""
OFF_CENTRE = 1.5
"""In font sizes: how far a head may be from the middle of the columns that it stands over."""
MAX_TILED = 24
"""Columns that heads are shared out over."""
MAX_COLUMNS = 60
"""Tables with more columns get no heads spread by position."""
_HEADING = re.compile(
    r"\([^\d)]*\)|\(\d\)|\(0+s?\)|(?:FY|CY)?\s?(?:1[89]|20)\d\d(?:\s?[-–/]\s?\d{1,4})?(?:\s*\(.*\))?[*†‡§]*"
)

_Floats = NDArray[np.float64]


def body_start(lines: list[Line], context: Context) -> int:
    """Number of lines before the first with numbers in most of its columns of numbers.

    Without columns of numbers a bold first line is the head. Labels alone at the end of the head belong to the body.
    """
    if not any(context.data):
        return 1 if len(lines) > 1 and all(p.bold for p in lines[0].pieces) else 0
    start = 0
    for i, line in enumerate(lines):
        expected = {c for c in line.cells if context.data[c]}
        found = line.data() & expected
        if found and 2 * len(found) >= len(expected) and not all(_is_heading(line.cells[c]) for c in found):
            start = i
            break
    while start > 0 and lines[start - 1].filled() == {0}:
        start -= 1
    return start


def _is_heading(pieces: list[Piece]) -> bool:
    """A year or a unit in brackets, as heads of columns have it."""
    return _HEADING.fullmatch(" ".join(p.text for p in pieces)) is not None


def head_rows(grid: Grid) -> int:
    """How many rows are column heads: those above the numbers, else a first row that is set apart."""
    rows = len(grid.ys) + 1
    if grid.head or rows < 2:
        return min(grid.head, rows - 1)
    first = [p for c in grid.cells if c.r0 == 0 for p in c.pieces]
    second = [p for c in grid.cells if c.r0 == 1 for p in c.pieces]
    if not first or not second or any(is_data(p.text) for p in first):
        return 0
    if all(p.bold for p in first) and not all(p.bold for p in second):
        return 1
    if {p.color for p in first}.isdisjoint(p.color for p in second):
        return 1
    # one rule, under the first row
    return int(rows > 2 and grid.ys[0].line >= 0 and all(b.line < 0 for b in grid.ys[1:]))


def has_row_labels(grid: Grid) -> bool:
    """The first column names its rows: it holds words beside numbers, or nothing stands over it."""
    if not grid.xs:
        return False
    body = [c for c in grid.cells if c.r0 >= grid.head]
    first = [is_data(c.pieces[0].text) for c in body if c.c0 == 0]
    rest = [is_data(c.pieces[0].text) for c in body if c.c0 > 0]
    if not first or not rest:
        return False
    headless = grid.head > 0 and not any(c.c0 == 0 and c.r0 < grid.head for c in grid.cells)
    return headless or (2 * sum(first) < len(first) and 2 * sum(rest) >= len(rest))


def spread(lines: list[Line], across: Lines, context: Context) -> None:
    """Let heads over several columns span them: by the line under them, or where they are centred.

    `lines` are those of the head and the first of the body. Changes their `cells` and `spanning`.
    """
    if len(context.limit) > MAX_COLUMNS:
        return
    left, right = np.array([a for a, _ in context.limit]), np.array([b for _, b in context.limit])
    for i, (line, below) in enumerate(itertools.pairwise(lines)):
        heads = sorted(
            [(c, c, found) for c, found in line.cells.items()] + [(a, b, [p]) for a, b, p in line.spanning],
            key=lambda h: h[:2],
        )
        rest = lines[i + 1 :]
        under = set().union(*(other.filled() for other in rest)) - {0}
        ruled = _ruled_groups(across, line.bottom, below.top, left, right)
        groups = [
            _by_rule(heads, k, ruled) or _by_middle(heads, k, under, left, right, context.size)
            for k in range(len(heads))
        ]
        if not ruled:
            groups = _tiling(heads, rest[:-1], under, left, right, context.size) or groups
        line.cells = {}
        line.spanning = []
        for (_, _, found), (a, b) in zip(heads, groups, strict=True):
            if a == b:
                line.cells[a] = found
            else:
                line.spanning.extend((a, b, p) for p in found)


def _ruled_groups(across: Lines, top: float, bottom: float, left: _Floats, right: _Floats) -> list[tuple[int, int]]:
    """Runs of two or more columns over one span of a line between two text lines, if the line leaves gaps."""
    groups = []
    middle = (left + right) / 2
    for k in range(int(np.searchsorted(across.position, top)), int(np.searchsorted(across.position, bottom))):
        for a, b in across.spans[k]:
            over = np.flatnonzero((middle > a) & (middle < b))
            if 2 <= len(over) < len(left) - 1 or (2 <= len(over) == len(left) - 1 and over[0] == 1):
                groups.append((int(over[0]), int(over[-1])))
    return groups


def _free(heads: list[tuple[int, int, list[Piece]]], k: int, count: int) -> tuple[int, int]:
    """First and last column that head k could span without meeting its neighbours."""
    low = heads[k - 1][1] + 1 if k else 0
    high = heads[k + 1][0] - 1 if k + 1 < len(heads) else count - 1
    return low, high


def _by_rule(heads: list[tuple[int, int, list[Piece]]], k: int, ruled: list[tuple[int, int]]) -> tuple[int, int] | None:
    first, last, _ = heads[k]
    for a, b in ruled:
        if a <= first and last <= b and not any(a <= h[1] and h[0] <= b for j, h in enumerate(heads) if j != k):
            return a, b
    return None


def _by_middle(
    heads: list[tuple[int, int, list[Piece]]], k: int, under: set[int], left: _Floats, right: _Floats, size: float
) -> tuple[int, int]:
    """The columns, the head's own among them, whose middle its text is nearest to."""
    first, last, found = heads[k]
    x0, x1 = min(p.x0 for p in found), max(p.x1 for p in found)

    def miss(a: int, b: int) -> float:
        return abs((x0 + x1) / 2 - float(left[a] + right[b]) / 2)

    own = miss(first, last)
    edge = min(abs(x0 - float(left[first])), abs(x1 - float(right[last])))
    if own <= ALIGNED * size or (edge <= 0.3 * size and first == last):
        return first, last
    low, high = _free(heads, k, len(left))
    choices = [
        (a, b)
        for a in range(max(low, first - 12), first + 1)
        for b in range(last, min(high, last + 12) + 1)
        if b > a and set(range(a, b + 1)) <= under
    ]
    if not choices:
        return first, last
    nearest = min(miss(*c) for c in choices)
    # of those about equally centred, the widest: heads together cover their columns
    best = max((c for c in choices if miss(*c) <= nearest + 0.25 * size), key=lambda c: c[1] - c[0])
    return best if miss(*best) < 0.5 * own else (first, last)


def _tiling(
    heads: list[tuple[int, int, list[Piece]]],
    rest: list[Line],
    under: set[int],
    left: _Floats,
    right: _Floats,
    size: float,
) -> list[tuple[int, int]] | None:
    """Groups of neighbouring columns, one for each head, that together are all columns under them.

    Taken if the heads stand nearer to the middles of the groups than to those of their own columns, or if the same
    titles repeat under each of them.
    """
    above = [h for h in heads if h[0] > 0]
    columns = sorted(under)
    count, n = len(above), len(columns)
    if count < 2 or not count < n <= MAX_TILED or columns[-1] - columns[0] != n - 1:
        return None
    middles = [(min(p.x0 for p in found) + max(p.x1 for p in found)) / 2 for _, _, found in above]
    own = sum(abs(m - (left[a] + right[b]) / 2) for m, (a, b, _) in zip(middles, above, strict=True))

    # best[k][j]: least sum of misses of the first k heads over the first j columns, and where the last group begins
    best: list[dict[int, tuple[float, int]]] = [{0: (0.0, 0)}]
    for k in range(count):
        row: dict[int, tuple[float, int]] = {}
        for start, (cost, _) in best[-1].items():
            for stop in range(start + 1, n + 1):
                a, b = columns[start], columns[stop - 1]
                miss = abs(middles[k] - (left[a] + right[b]) / 2)
                if a <= above[k][0] and above[k][1] <= b and miss <= OFF_CENTRE * size:
                    row[stop] = min(row.get(stop, (np.inf, 0)), (cost + miss, start))
        best.append(row)
    if n not in best[-1]:
        return None
    groups: list[tuple[int, int]] = []
    stop = n
    for k in range(count, 0, -1):
        start = best[k][stop][1]
        groups.insert(0, (columns[start], columns[stop - 1]))
        stop = start
    if best[-1][n][0] > own - ALIGNED * size and not _repeats(groups, rest):
        return None
    return [(a, b) for a, b, _ in heads if a == 0] + groups


def _repeats(groups: list[tuple[int, int]], rest: list[Line]) -> bool:
    """The same titles, and no numbers, stand in the columns of each group, in the rest of the head."""
    titles = [
        [" ".join(p.text for line in rest for p in line.cells.get(c, [])) for c in range(a, b + 1)] for a, b in groups
    ]
    return all(t == titles[0] for t in titles) and not any(is_data(t) or not t for t in titles[0])
