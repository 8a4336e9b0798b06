"""Rows of text without horizontal rules: which lines of a band are one row.

Nothing on the page says whether a line starts a row or continues the cells above it, so every pair of neighbouring
lines is judged by what a reader goes by: two numbers in one column are two rows; a cell wraps only where its next
word had no room left; rows stand no closer together than the lines of a cell.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ingest.pipeline.tables.pieces import Piece, is_data, width_of

OVERLAP = 0.8
"""In font sizes: lines closer than this overlap, as a label does that is centred beside two rows."""
LOOSE = 1.3
"""Lines further apart than this many times the tightest leading are not one cell."""
FAR = 2.1
"""In font sizes: nor are lines further apart than this."""
HANGING = 0.4
"""In font sizes: less than this is no indent."""
MOST_LINES = 60
"""A cell of more lines is not told by its words and spacing, which also bounds the work."""
MOST_BOUND = 6
"""Overlapping lines that are made one."""


@dataclass(slots=True)
class Line:
    """A text line of a table with the columns of its pieces."""

    top: float
    """Middle of its first text line, and of its last one: a label centred beside two lines makes one of three."""
    bottom: float
    pieces: list[Piece] = field(default_factory=list)
    cells: dict[int, list[Piece]] = field(default_factory=dict)
    """Pieces by column, for those in one column."""
    spanning: list[tuple[int, int, Piece]] = field(default_factory=list)
    """First and last column of pieces over several."""
    latest: set[int] = field(default_factory=set)
    """Columns that its last text line fills."""

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
    prose: list[bool]
    """Which columns hold several words in most of their lines, so that their text can run on."""
    data: list[bool]
    """Which columns hold numbers."""
    leading: float
    """The tightest distance of two lines."""


def tightest_leading(lines: list[Line], size: float) -> float:
    """Smallest usual distance of neighbouring lines; 1.2 font sizes where nothing can be said."""
    steps = sorted(b.top - a.bottom for a, b in itertools.pairwise(lines) if b.top - a.bottom >= OVERLAP * size)
    return max(steps[len(steps) // 20], 0.9 * size) if steps else 1.2 * size


def partition(lines: list[Line], context: Context, *, ruled: bool, head: int) -> list[list[Line]]:
    """Groups of consecutive lines that are one row each.

    `ruled`: the rows of this table are ruled, so that a band is one row unless its lines say otherwise clearly.
    The first `head` lines are the table's head, where cells are stacked freely.
    """
    if not lines:
        return []
    if not ruled:
        lines, head = _bind(lines, head, context)
    body = lines[head:]
    if not ruled and len(body) > 2 and (spaced := _by_spacing(body, context)):
        return [*partition(lines[:head], context, ruled=False, head=head), *spaced]
    groups: list[list[Line]] = []
    for i, line in enumerate(lines):
        if groups and _joined(groups[-1], lines, i, head, context, ruled=ruled):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _joined(group: list[Line], lines: list[Line], i: int, head: int, context: Context, *, ruled: bool) -> bool:
    """Line i continues the row of the lines before it."""
    line = lines[i]
    if ruled:
        return not _rows_of_numbers(group, line) and not (len(group) <= 2 and _ends_title(group, lines[i:]))
    if len(group) >= MOST_LINES:
        return False
    if i < head:
        return _joins_head(group, line, context)
    if i == head or not _joins(group, line, context):
        return False
    if line.filled() == {0} and i + 1 < len(lines) and 0 in lines[i + 1].cells and 0 in group[-1].cells:
        # a second line of the label above, or the first line of the one below
        below = lines[i + 1]
        if _joins([line], below, context):
            return _runs_on(group[-1], line, context) >= _runs_on(line, below, context)
    return True


def _runs_on(above: Line, below: Line, context: Context) -> int:
    """How much the look of two lines of the first column says that the second runs on from the first."""
    a, b = above.cells[0][0], below.cells[0][0]
    indent = (b.x0 - a.x0) / context.size
    score = (indent > HANGING) - (indent < -HANGING)
    if b.text[0].islower() or b.text[0] in "([":
        return score + 1
    return score - b.text[0].isupper()


def _ends_title(group: list[Line], rest: list[Line]) -> bool:
    """In one ruled band a bold title of a section stands over its first row of numbers."""
    if not all(g.filled() == {0} and all(p.bold for p in g.pieces) for g in group):
        return False
    return 0 in rest[0].cells and not any(p.bold for p in rest[0].cells[0]) and any(line.data() for line in rest)


def _bind(lines: list[Line], head: int, context: Context) -> tuple[list[Line], int]:
    """Lines that overlap and fill different columns made one, and how many of the first `head` ones are left."""
    bound: list[Line] = []
    left = count = 0
    for i, line in enumerate(lines):
        last = bound[-1] if bound else None
        apart = (
            last is None
            or i == head
            or count == MOST_BOUND
            or line.top - last.bottom >= OVERLAP * context.size
            or bool(last.data() & line.data())
            or bool(last.latest & line.filled())
        )
        if last is None or apart:
            bound.append(
                Line(line.top, line.bottom, [*line.pieces], {c: [*f] for c, f in line.cells.items()}, [*line.spanning])
            )
            bound[-1].latest = line.filled()
            left += i < head
            count = 1
            continue
        count += 1
        last.bottom = line.bottom
        last.pieces += line.pieces
        last.spanning += line.spanning
        for c, found in line.cells.items():
            last.cells.setdefault(c, []).extend(found)
        last.latest = line.filled()
    return bound, left


def _by_spacing(lines: list[Line], context: Context) -> list[list[Line]]:
    """Rows told apart by wider spacing alone; none if the spacing does not tell, or tells nonsense."""
    steps = [b.top - a.bottom for a, b in itertools.pairwise(lines)]
    usual = sorted(s for s in steps if s >= OVERLAP * context.size)
    jumps = [(b / a, (a + b) / 2) for a, b in itertools.pairwise(usual)]
    if not jumps:
        return []
    ratio, limit = max(jumps)
    if ratio < LOOSE - 0.1 or usual[0] > 1.45 * context.size:
        return []
    groups = [[lines[0]]]
    for step, line in zip(steps, lines[1:], strict=True):
        if step > limit:
            groups.append([line])
        else:
            groups[-1].append(line)
    if len(groups) < 2 or max(map(len, groups)) > MOST_LINES:
        return []
    wrong = sum(_contradicts(group, k, context) for group in groups for k in range(1, len(group)))
    stubless = sum(0 not in set().union(*(line.filled() for line in group)) for group in groups)
    return [] if wrong or 4 * stubless > len(groups) else groups


def _contradicts(group: list[Line], k: int, context: Context) -> bool:
    """Line k of a group is a row of its own: numbers under numbers, or a new label and text that had room above."""
    line, before = group[k], group[:k]
    if any(line.data() & other.data() for other in before):
        return True
    filled = set(line.cells)
    return 0 in filled and len(filled) > 1 and not any(_wraps(before, line, c, context) for c in filled)


def can_be_row(lines: list[Line], context: Context) -> bool:
    """Nothing says that the lines of a band are several rows."""
    return len(lines) <= MOST_LINES and not any(_contradicts(lines, k, context) for k in range(1, len(lines)))


def is_block(lines: list[Line]) -> bool:
    """The lines of a ruled band are rows of their own: numbers under numbers from line to line."""
    pairs = list(itertools.pairwise(lines))
    return len(pairs) >= 2 and 2 * sum(_rows_of_numbers([a], b) for a, b in pairs) > len(pairs)


def _rows_of_numbers(group: list[Line], line: Line) -> bool:
    """Numbers stand under numbers in most columns that both fill, and both have a label or neither."""
    above, below = group[-1].filled(), line.filled()
    both = group[-1].data() & line.data()
    return len(both) >= 1 and 2 * len(both) >= len(above | below) - 1 and (0 in above) == (0 in below)


def _joins_head(group: list[Line], line: Line, context: Context) -> bool:
    gap = line.top - group[-1].bottom
    if gap > max(1.5 * context.leading, 1.6 * context.size):
        return False
    for above in group:
        for first, last, _ in above.spanning:
            inside = sum(first <= c <= last for c in line.cells) + sum(
                first <= a and b <= last for a, b, _ in line.spanning
            )
            if inside >= 2:
                return False
    return True


def _joins(group: list[Line], line: Line, context: Context) -> bool:
    last = group[-1]
    gap = line.top - last.bottom
    before = set().union(*(g.filled() for g in group))
    data = set().union(*(g.data() for g in group))
    if data & line.data():
        return False
    if gap > LOOSE * context.leading or gap > FAR * context.size:
        return False
    if line.spanning or any(g.spanning for g in group):
        return False
    new = line.filled()
    if not new <= before:
        return _completes_label(group, line, context, before)
    if 0 in new and len(new) > 1 and new == last.filled():
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
    if first.text[0].islower() or first.text[0] in "([":
        return True
    if not context.prose[column]:
        return last.text.endswith("-")
    left, right = context.limit[column]
    word = first.text.split(maxsplit=1)[0]
    width = (first.x1 - first.x0) * width_of(word) / max(width_of(first.text), 1e-6)
    taken = last.x1 - above[0].x0
    room = max(right - left - taken, 0.0)
    return width + 0.2 * context.size > room
