"""Rows of text without horizontal rules: which lines of a band are one row.

Nothing on the page says whether a line starts a row or continues the cells above it, so every pair of neighbouring
lines is judged by what a reader goes by: two numbers in one column are two rows; a cell wraps only where its next
word had no room left; rows stand no closer together than the lines of a cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ingest.pipeline.tables.pieces import Piece, char_edges, is_data

OVERLAP = 0.8
"""In font sizes: lines closer than this overlap, as a label does that is centred beside two rows."""
LOOSE = 1.3
"""Lines further apart than this many times the tightest leading are not one cell."""
FAR = 2.1
"""In font sizes: nor are lines further apart than this."""


@dataclass(slots=True)
class Line:
    """A text line of a table with the columns of its pieces."""

    y: float
    """Middle."""
    pieces: list[Piece] = field(default_factory=list)
    cells: dict[int, list[Piece]] = field(default_factory=dict)
    """Pieces by column, for those in one column."""
    spanning: list[tuple[int, int, Piece]] = field(default_factory=list)
    """First and last column of pieces over several."""

    def filled(self) -> set[int]:
        columns = set(self.cells)
        for first, last, _ in self.spanning:
            columns.update(range(first, last + 1))
        return columns

    def data(self) -> set[int]:
        return {c for c, found in self.cells.items() if is_data(" ".join(p.text for p in found))}


@dataclass(slots=True)
class Context:
    """What is known of the whole table."""

    size: float
    limit: list[tuple[float, float]]
    """Left and right end of the text of each column."""
    data: list[bool]
    """Which columns hold numbers."""
    leading: float
    """The tightest distance of two lines."""


def tightest_leading(lines: list[Line], size: float) -> float:
    """Smallest usual distance of neighbouring lines; 1.2 font sizes where nothing can be said."""
    steps = sorted(b.y - a.y for a, b in zip(lines, lines[1:], strict=False) if b.y - a.y >= OVERLAP * size)
    return max(steps[len(steps) // 20], 0.9 * size) if steps else 1.2 * size


def partition(lines: list[Line], context: Context, *, ruled: bool, header: int) -> list[list[Line]]:
    """Groups of consecutive lines that are one row each.

    `ruled`: the rows of this table are ruled, so that a band is one row unless its lines say otherwise clearly.
    The first `header` lines are the table's head, where cells are stacked freely.
    """
    groups: list[list[Line]] = []
    for i, line in enumerate(lines):
        if not groups:
            groups.append([line])
            continue
        group = groups[-1]
        if ruled:
            joined = not _rows_of_numbers(group, line)
        elif i < header:
            joined = _joins_head(group, line, context)
        elif i == header:
            joined = False
        else:
            joined = _joins(group, line, context)
        if joined:
            group.append(line)
        else:
            groups.append([line])
    return groups


def is_block(lines: list[Line]) -> bool:
    """The lines of a ruled band are rows of their own: numbers under numbers from line to line."""
    pairs = list(zip(lines, lines[1:], strict=False))
    return len(pairs) >= 2 and 2 * sum(_rows_of_numbers([a], b) for a, b in pairs) > len(pairs)


def _rows_of_numbers(group: list[Line], line: Line) -> bool:
    """Numbers stand under numbers in most columns that both fill, and both have a label or neither."""
    above, below = group[-1].filled(), line.filled()
    both = group[-1].data() & line.data()
    return len(both) >= 1 and 2 * len(both) >= len(above | below) - 1 and (0 in above) == (0 in below)


def _joins_head(group: list[Line], line: Line, context: Context) -> bool:
    gap = line.y - group[-1].y
    if gap > max(1.5 * context.leading, 1.6 * context.size):
        return False
    for above in group:
        for first, last, _ in above.spanning:
            under = {c for c in line.cells if first <= c <= last}
            if len(under) >= 2 or any(first <= f and l <= last and (f, l) != (first, last) for f, l, _ in line.spanning):
                return False
    return True


def _joins(group: list[Line], line: Line, context: Context) -> bool:
    last = group[-1]
    gap = line.y - last.y
    before = set().union(*(g.filled() for g in group))
    data = set().union(*(g.data() for g in group))
    if gap < OVERLAP * context.size:
        return not last.filled() & line.filled()
    if data & line.data():
        return False
    if gap > LOOSE * context.leading or gap > FAR * context.size:
        return False
    if line.spanning or any(g.spanning for g in group):
        return False
    new = line.filled()
    if not new <= before:
        return _completes_label(group, line, context, before)
    if new == last.filled() and len(new) > 1 and last.data():
        return False
    return all(_wraps(group, line, c, context) for c in new)


def _completes_label(group: list[Line], line: Line, context: Context, before: set[int]) -> bool:
    """The label of a row began on the line above, and the numbers stand beside its last line."""
    return before == {0} and 0 in line.cells and _wraps(group, line, 0, context)


def _wraps(group: list[Line], line: Line, column: int, context: Context) -> bool:
    """The text of a column ran on because its next word had no room."""
    above = next((g.cells[column] for g in reversed(group) if column in g.cells), None)
    if above is None:
        return False
    last, first = above[-1], line.cells[column][0]
    if last.bold != first.bold or last.ends_leader or is_data(last.text) or is_data(first.text):
        return False
    if last.text.endswith((":", ".")) and first.text[0].isupper():
        return False
    left, right = context.limit[column]
    word = re.match(r"\S+", first.text)
    edges = char_edges(first.text, first.x0, first.x1)
    width = float(edges[word.end()] - edges[0]) if word else 0.0
    taken = last.x1 - above[0].x0
    room = max(right - left - taken, 0.0)
    return width + 0.2 * context.size > room
