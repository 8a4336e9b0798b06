"""Boxes of tables without rules: lines of several pieces, one below the other, whose gaps make columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.candidates import FIGURE_CAPTION, TABLE_CAPTION
from ingest.pipeline.tables.pieces import Piece

STEP = 2.0
"""In font sizes: lines of a block are no further apart, middle to middle,"""
FAR_STEP = 4.0
"""or than this if the line fits the block's columns, or is a title of rows flush with the first."""
SINGLES = 2
"""Lines of a single piece (titles of sections, second lines of labels) that may follow one another in a block."""

Run = list[Piece]
"""Neighbouring pieces of one line, from left to right."""


@dataclass(slots=True, eq=False)
class _Block:
    """Runs one below the other."""

    runs: list[Run]
    left: float
    right: float
    widest: Run
    """The run of most pieces."""
    singles: int = 0
    """Runs of one piece at the end."""

    def add(self, run: Run) -> None:
        self.runs.append(run)
        self.left, self.right = min(self.left, run[0].x0), max(self.right, run[-1].x1)
        if len(run) > len(self.widest):
            self.widest = run
        self.singles = self.singles + 1 if len(run) == 1 else 0

    def overlap(self, run: Run) -> float:
        return min(run[-1].x1, self.right) - max(run[0].x0, self.left)

    def takes(self, run: Run) -> bool:
        """The run is the next line of the block."""
        size = max(run[0].size, 1.0)
        step = run[0].middle - self.runs[-1][0].middle
        if run[0].line == self.runs[-1][0].line or (len(run) == 1 and self.singles >= SINGLES):
            return False
        if self.overlap(run) < 0.5 * min(run[-1].x1 - run[0].x0, self.right - self.left):
            return False
        if step <= STEP * size:
            return True
        flush = len(run) == 1 and abs(run[0].x0 - self.left) <= 0.5 * size
        return step <= FAR_STEP * size and (flush or self._aligned(run))

    def _aligned(self, run: Run) -> bool:
        """The run has about as many pieces as the widest, and they stand below them."""
        if len(run) < max(len(self.widest) - 1, 2):
            return False
        return sum(any(p.x0 < q.x1 and q.x0 < p.x1 for q in self.widest) for p in run) >= len(run) - 1


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


def blocks(pieces: list[Piece], barred: NDArray[np.bool_], splits: list[float]) -> list[list[Run]]:
    """Blocks of two or more lines of several pieces each, and single ones between them.

    `barred` pieces (of paragraphs, of tables already found), captions and the gutters `splits` end a line.
    """
    lines: dict[int, list[tuple[Piece, bool]]] = {}
    for piece, bar in zip(pieces, barred.tolist(), strict=True):
        lines.setdefault(piece.line, []).append((piece, bar))
    pending: list[_Block] = []
    done: list[_Block] = []
    for number in sorted(lines):
        for run in _runs(sorted(lines[number], key=lambda f: f[0].x0), splits):
            caption = TABLE_CAPTION.match(run[0].text) or FIGURE_CAPTION.match(run[0].text)
            ended = [
                b
                for b in pending
                if run[0].middle - b.runs[-1][0].middle > FAR_STEP * run[0].size or (caption and b.overlap(run) > 0)
            ]
            done += ended
            pending = [b for b in pending if b not in ended] if ended else pending
            if caption:
                continue
            home = next((b for b in pending if b.takes(run)), None)
            if home:
                home.add(run)
            elif len(run) > 1:
                pending.append(_Block([run], run[0].x0, run[-1].x1, run))
    trimmed = [b.runs[: len(b.runs) - b.singles] for b in [*done, *pending]]
    return [runs for runs in trimmed if sum(len(r) > 1 for r in runs) >= 2]


def _runs(line: list[tuple[Piece, bool]], splits: list[float]) -> list[Run]:
    runs: list[Run] = [[]]
    for piece, bar in line:
        before = runs[-1][-1] if runs[-1] else None
        if bar:
            runs.append([])
            continue
        if before is not None and any(before.x1 <= x <= piece.x0 for x in splits):
            runs.append([])
        runs[-1].append(piece)
    return [r for r in runs if r]
