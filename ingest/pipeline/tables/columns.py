"""Columns of text without vertical rules: the gaps that most lines respect.

Every line with two or more pieces votes: a gap between its pieces speaks for a column border there, a piece across
speaks against. Lines with many pieces count more than a header that spans several columns. Borders are taken where
the fewest pieces cross (projection profile cut, in the manner of T-Recs and of Nurminen's text edges), then borders
that separate nothing are dropped: those with no piece of its own between them, and those between two columns that
no line fills both (a header that is not above its numbers).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.pieces import Piece, is_data

CROSSING_COST = 2.0
"""Votes that a piece across a gap takes from it."""
NARROW = 0.15
"""In font sizes: a narrower gap is no border."""
_CURRENCIES = frozenset("$€£¥₹")
_BULLETS = frozenset("•◦‣▪▫■□●○◆◇►▶➢➤❖★☆·∙⁃☐☑☒")
_CLOSERS = frozenset("%‰)*†‡§")


@dataclass(slots=True)
class Gap:
    """A column border: the empty stretch between two columns, and the votes for it."""

    left: float
    right: float
    votes: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def find_gaps(pieces: list[Piece], size: float, *, least: float = 0.0) -> list[Gap]:
    """Borders between the columns of some pieces whose `line` is set, from left to right.

    `least` is the share of the votes below which a gap is not taken.
    """
    if len(pieces) < 2:
        return []
    x0, x1 = np.array([p.x0 for p in pieces]), np.array([p.x1 for p in pieces])
    line = np.unique(np.array([p.line for p in pieces]), return_inverse=True)[1]
    gaps = _candidates(x0, x1, line, size, least)
    gaps = _drop_unowned(gaps, x0, x1)
    gaps = _drop_disjoint(gaps, x0, x1, line)
    return _drop_signs(gaps, x0, x1, [p.text for p in pieces])


def _candidates(
    x0: NDArray[np.float64], x1: NDArray[np.float64], line: NDArray[np.intp], size: float, least: float
) -> list[Gap]:
    per_line = np.bincount(line)
    full = max(float(np.quantile(per_line[per_line > 1], 0.9)), 2.0) if (per_line > 1).any() else 0.0
    if full == 0.0:
        return []
    weight = np.minimum((per_line - 1) / (full - 1), 1.0)  # 0 for lines with a single piece
    edges = np.unique(np.concatenate([x0, x1]))
    steps = len(edges) - 1
    first, last = np.searchsorted(edges, x0), np.searchsorted(edges, x1)
    cross = _sum_spans(first, last, weight[line], steps)
    count = _sum_spans(first, last, (per_line[line] > 1).astype(np.float64), steps)
    start = np.full(len(per_line), len(edges), np.intp)
    stop = np.zeros(len(per_line), np.intp)
    np.minimum.at(start, line, first)
    np.maximum.at(stop, line, last)
    inside = _sum_spans(start, stop, weight, steps)
    votes = inside - cross  # lines with text on both sides and none here
    # stretches where fewer pieces cross than on either side
    begins, ends, level = _stretches(_without_slivers(count, np.diff(edges), NARROW * size))
    gaps = []
    for k in range(1, len(begins) - 1):
        if level[k] >= level[k - 1] or level[k] >= level[k + 1]:
            continue
        a, b = begins[k], ends[k]
        if edges[b] - edges[a] < NARROW * size:
            continue
        support, against = float(votes[a:b].max()), float(cross[a:b].max())
        if support - CROSSING_COST * against > max(least * float(weight.sum()), 1e-9):
            gaps.append(Gap(float(edges[a]), float(edges[b]), support - CROSSING_COST * against))
    return gaps


def _stretches(count: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """First step, step after the last and value of the runs of equal counts."""
    change = np.flatnonzero(np.abs(np.diff(count)) > 1e-9) + 1
    begins = np.concatenate([[0], change])
    return begins, np.concatenate([change, [len(count)]]), count[begins]


def _without_slivers(count: NDArray[np.float64], width: NDArray[np.float64], narrow: float) -> NDArray[np.float64]:
    """The counts, with stretches too narrow to mean anything given the nearer of their neighbours' values."""
    begins, ends, level = _stretches(count)
    span = np.add.reduceat(width, begins)
    inner = np.flatnonzero(span[1:-1] < narrow) + 1
    level[inner] = np.median([level[inner - 1], level[inner], level[inner + 1]], axis=0)
    return np.repeat(level, ends - begins)


def _sum_spans(
    first: NDArray[np.intp], last: NDArray[np.intp], weight: NDArray[np.float64], steps: int
) -> NDArray[np.float64]:
    """(steps,) summed weight of the spans first..last over each step."""
    total = np.zeros(steps + 1)
    np.add.at(total, first, weight)
    np.add.at(total, last, -weight)
    return np.asarray(np.cumsum(total)[:steps])


def column_range(
    x0: NDArray[np.floating], x1: NDArray[np.floating], gaps: list[Gap]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last column of each stretch x0..x1; a gap is crossed by what covers its middle on both sides."""
    middles = np.array([g.middle for g in gaps])
    first = np.searchsorted(middles, x0, side="right")
    last = np.searchsorted(middles, x1, side="left")
    return first, np.maximum(first, last)


def _drop_unowned(gaps: list[Gap], x0: NDArray[np.float64], x1: NDArray[np.float64]) -> list[Gap]:
    while gaps:
        first, last = column_range(x0, x1, gaps)
        own = np.bincount(first[first == last], minlength=len(gaps) + 1)
        empty = np.flatnonzero(own == 0)
        if len(empty) == 0:
            break
        column = int(empty[0])
        beside = [k for k in (column - 1, column) if 0 <= k < len(gaps)]
        gaps = [
            g
            for k, g in enumerate(gaps)
            if k != min(beside, key=lambda k: (gaps[k].votes, gaps[k].right - gaps[k].left))
        ]
    return gaps


def _drop_disjoint(
    gaps: list[Gap], x0: NDArray[np.float64], x1: NDArray[np.float64], line: NDArray[np.intp]
) -> list[Gap]:
    """Neighbouring columns of which no line fills two are one, such as a head and the numbers it is not above.

    Of all ways to join columns that leaves the fewest, and of those the one that closes the narrowest gaps with the
    fewest votes.
    """
    first, last = column_range(x0, x1, gaps)
    filled = [0] * (len(gaps) + 1)  # the lines of each column, as bits
    for column, number in zip(first[first == last].tolist(), line[first == last].tolist(), strict=True):
        filled[column] |= 1 << number
    # best[j]: fewest groups of the first j columns, least cost of the gaps in them, where the last group begins
    best: list[tuple[int, float, int]] = [(0, 0.0, 0)]
    for j in range(1, len(filled) + 1):
        lines, cost = filled[j - 1], 0.0
        options = [(best[j - 1][0] + 1, best[j - 1][1], j - 1)]
        for i in range(j - 2, -1, -1):
            if lines & filled[i]:
                break
            lines |= filled[i]
            cost += gaps[i].votes * (gaps[i].right - gaps[i].left)
            options.append((best[i][0] + 1, best[i][1] + cost, i))
        best.append(min(options))
    kept: list[Gap] = []
    j = len(filled)
    while best[j][2] > 0:
        j = best[j][2]
        kept.insert(0, gaps[j - 1])
    return kept


def _drop_signs(gaps: list[Gap], x0: NDArray[np.float64], x1: NDArray[np.float64], text: list[str]) -> list[Gap]:
    """Columns of bullets or currency signs belong to those on their right, of "%" or marks to those on their left."""
    if not gaps:
        return gaps
    first, last = column_range(x0, x1, gaps)
    drop = set()
    for column in range(len(gaps) + 1):
        own = [text[i] for i in np.flatnonzero((first == column) & (last == column))]
        if column < len(gaps) and (all(set(t) <= _BULLETS for t in own) or all(set(t) <= _CURRENCIES for t in own)):
            drop.add(column)
        elif all(set(t) <= _CLOSERS for t in own) and column > 0:
            drop.add(column - 1)
    return [g for k, g in enumerate(gaps) if k not in drop]


def between_numbers(pieces: list[Piece], gaps: list[Gap]) -> list[Gap]:
    """The gaps with a column of numbers on both sides."""
    if not gaps:
        return gaps
    x0, x1 = np.array([p.x0 for p in pieces]), np.array([p.x1 for p in pieces])
    data = data_columns(pieces, *column_range(x0, x1, gaps), len(gaps) + 1)
    return [g for k, g in enumerate(gaps) if data[k] and data[k + 1]]


def data_columns(pieces: list[Piece], first: NDArray[np.intp], last: NDArray[np.intp], columns: int) -> list[bool]:
    """Which columns hold numbers in most of their pieces."""
    total, data = np.zeros(columns), np.zeros(columns)
    for k, piece in enumerate(pieces):
        if first[k] == last[k]:
            total[first[k]] += 1
            data[first[k]] += is_data(piece.text)
    return [bool(t > 0 and d >= 0.5 * t) for t, d in zip(total, data, strict=True)]
