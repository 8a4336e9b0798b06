"""Running text: the pieces that belong to paragraphs and so not to tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.pieces import Piece

LEADING = 1.9
"""In font sizes: lines of a paragraph are no further apart."""
INDENT = 3.0
"""In font sizes: a paragraph's first line is indented by no more."""
LEAST_WIDTH = 8.0
"""In font sizes; narrower lines, and those of fewer words than the next figure, are no paragraph's."""
LEAST_WORDS = 4


def running(pieces: list[Piece]) -> NDArray[np.bool_]:
    """(n,) the piece is in a paragraph: in three lines, one below the other, that were broken for want of room.

    `line` must be set. A line was broken for want of room if the first word of the next would not have fitted.
    """
    n = len(pieces)
    follows = _below(pieces)
    limit = _chain_ends(pieces, follows)
    broken = np.zeros(n, np.bool_)  # from this piece to the one below
    for i, below in enumerate(follows):
        if (
            below < 0
            or pieces[i].x1 - pieces[i].x0 < LEAST_WIDTH * pieces[i].size
            or pieces[i].text.count(" ") < LEAST_WORDS - 1
        ):
            continue
        word = len(pieces[below].text.split(maxsplit=1)[0])
        broken[i] = limit[i] - pieces[i].x1 < (0.5 * word + 0.4) * pieces[i].size
    inside = np.zeros(n, np.bool_)
    for i in np.flatnonzero(broken).tolist():
        below = follows[i]
        if broken[below]:
            inside[[i, below, follows[below]]] = True
    return inside


def _below(pieces: list[Piece]) -> list[int]:
    """Index of the piece that continues each one on a following line, or -1."""
    by_line: dict[int, list[int]] = {}
    for i, p in enumerate(pieces):
        by_line.setdefault(p.line, []).append(i)
    follows = [-1] * len(pieces)
    for i, p in enumerate(pieces):
        for line in (p.line + 1, p.line + 2):
            for j in by_line.get(line, ()):
                q = pieces[j]
                if q.middle - p.middle > LEADING * p.size or abs(q.size - p.size) > 0.1 * p.size:
                    continue
                indent = (p.x0 - q.x0) / p.size
                if -0.5 <= indent <= INDENT or abs(p.x1 - q.x1) < 0.3 * p.size:
                    follows[i] = j
                    break
            if follows[i] >= 0:
                break
    return follows


def _chain_ends(pieces: list[Piece], follows: list[int]) -> list[float]:
    """The right end of the block that each piece is in: the farthest of its chain."""
    chain = list(range(len(pieces)))
    for i, below in enumerate(follows):  # pieces come in reading order, so a chain's number runs down it
        if below >= 0:
            chain[below] = chain[i]
    ends: dict[int, float] = {}
    for i, p in enumerate(pieces):
        ends[chain[i]] = max(ends.get(chain[i], p.x1), p.x1)
    return [ends[c] for c in chain]
