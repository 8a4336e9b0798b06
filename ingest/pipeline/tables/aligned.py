"""Boxes of tables without rules: lines of several pieces, one below the other, whose gaps make columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.candidates import FIGURE_CAPTION, TABLE_CAPTION
from ingest.pipeline.tables.pieces import Piece

STEP = 2.0
"""In font sizes: lines of a block are no further apart, middle to middle,"""
FAR_STEP = 4.0
"""or than this if the line fits the block's columns."""
SINGLES = 2
"""Lines of a single piece (titles of sections, second lines of labels) that may follow one another in a block."""

_Box = tuple[float, float, float, float]


@dataclass(slots=True)
class Block:
    """Lines of pieces that may be a table."""

    runs: list[list[Piece]] = field(default_factory=list)

    @property
    def pieces(self) -> list[Piece]:
        return [p for run in self.runs for p in run]

    @property
    def box(self) -> _Box:
        every = self.pieces
        return (
            min(p.x0 for p in every),
            min(p.y0 for p in every),
            max(p.x1 for p in every),
            max(p.y1 for p in every),
        )


def gutters(pieces: list[Piece], running: NDArray[np.bool_]) -> list[float]:
    """Middles of the gaps between the columns that running text is set in."""
    texts = sorted((pieces[i].x0, pieces[i].x1) for i in np.flatnonzero(running))
    found: list[float] = []
    end = texts[0][1] if texts else 0.0
    for x0, x1 in texts:
        if x0 > end:
            found.append((x0 + end) / 2)
        end = max(end, x1)
    return found


def blocks(pieces: list[Piece], barred: NDArray[np.bool_], splits: list[float]) -> list[Block]:
    """Blocks of lines with at least two lines of several pieces; `barred` pieces (in paragraphs, or in tables already
    found) and the gutters `splits` end a line."""
    lines: dict[int, list[tuple[Piece, bool]]] = {}
    for piece, bar in zip(pieces, barred, strict=True):
        lines.setdefault(piece.line, []).append((piece, bool(bar)))
    open_: list[Block] = []
    done: list[Block] = []
    for number in sorted(lines):
        for run in _runs(sorted(lines[number], key=lambda f: f[0].x0), splits):
            y = median([p.middle for p in run])
            for block in list(open_):
                if y - block.runs[-1][0].middle > FAR_STEP * run[0].size:
                    open_.remove(block)
                    done.append(block)
            if TABLE_CAPTION.match(run[0].text) or FIGURE_CAPTION.match(run[0].text):
                done += [b for b in open_ if _overlap(b, run) > 0]
                open_ = [b for b in open_ if _overlap(b, run) <= 0]
                continue
            home = next((b for b in open_ if _fits(b, run)), None)
            if home is not None:
                home.runs.append(run)
            elif len(run) > 1:
                open_.append(Block([run]))
    trimmed = [_trim(b) for b in [*done, *open_]]
    return [b for b in trimmed if sum(len(r) > 1 for r in b.runs) >= 2]


def _runs(line: list[tuple[Piece, bool]], splits: list[float]) -> list[list[Piece]]:
    runs: list[list[Piece]] = [[]]
    for piece, bar in line:
        before = runs[-1][-1] if runs[-1] else None
        if bar:
            runs.append([])
            continue
        if before is not None and any(before.x1 <= x <= piece.x0 for x in splits):
            runs.append([])
        runs[-1].append(piece)
    return [r for r in runs if r]


def _fits(block: Block, run: list[Piece]) -> bool:
    last = block.runs[-1]
    size = max(run[0].size, 1.0)
    step = run[0].middle - last[0].middle
    x0, x1 = run[0].x0, run[-1].x1
    left, right = min(r[0].x0 for r in block.runs), max(r[-1].x1 for r in block.runs)
    if _overlap(block, run) < 0.5 * min(x1 - x0, right - left):
        return False
    if step < 0.3 * size and last[0].line == run[0].line:
        return False
    if len(run) == 1 and len(block.runs) >= SINGLES and all(len(r) == 1 for r in block.runs[-SINGLES:]):
        return False
    if step <= STEP * size:
        return True
    return step <= FAR_STEP * size and len(run) > 1 and _aligned(block, run)


def _overlap(block: Block, run: list[Piece]) -> float:
    left, right = min(r[0].x0 for r in block.runs), max(r[-1].x1 for r in block.runs)
    return min(run[-1].x1, right) - max(run[0].x0, left)


def _aligned(block: Block, run: list[Piece]) -> bool:
    """Every piece of the run stands below pieces of the block and crosses no more than it did before."""
    widest = max(block.runs, key=len)
    if len(run) < len(widest) - 1:
        return False
    return sum(any(min(p.x1, q.x1) > max(p.x0, q.x0) for q in widest) for p in run) >= len(run) - 1


def _trim(block: Block) -> Block:
    """Without single pieces at the end."""
    end = len(block.runs)
    while end and len(block.runs[end - 1]) == 1:
        end -= 1
    return Block(block.runs[:end])
