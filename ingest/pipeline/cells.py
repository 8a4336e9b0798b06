"""Fragments to cells: words of one line joined, lines cut where a reader sees a gap.

Cutting decides what can be labelled: whole lines destroy list identifiers and table columns, raw printing commands
(a letter here, half a line there) carry too little. A line is cut

- where the gap is wider than a word space of justified text,
- after a bullet, number or letter that opens the line ("•", "3.", "(a)", "[12]"),
- where bold type that opens the line ends (run-in headings),
- after the number of the line in a manuscript,
- where the size changes for good (not at superscripts), and where the writing turns,
- on both sides of a bracket that spans several lines of a formula.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
from numpy.typing import NDArray

from ingest.document.labels import SURE_BULLETS
from ingest.document.page import Cells, Style
from ingest.pipeline.fragments import Fragments
from ingest.pipeline.glyphs import Family

WIDE_GAP = 1.05
"""In font sizes. Word spaces of justified text stay below 0.9; column gaps of tight tables start at 1.1."""
WORD_GAP = 0.12
"""In font sizes: a wider gap between fragments without white space is a space that the producer left out."""
IDENTIFIER_GAP = 0.2
LINE_NUMBER_GAP = 0.5
TALL = 1.6
"""In font sizes: taller brackets stand beside several lines, and belong to none of them."""

IDENTIFIER = re.compile(
    r"""[•◦‣▪▫■□●○◆◇►▶➢➤✓✔❖★☆·∙⁃–—\-*+oO§▸▹⇒→\u0080-\u009f\uf000-\uf0ff]     # one bullet
      | [(\[]? (?: \d{1,3} | [ivxlcIVXLC]{1,6} | [a-zA-Z] ) (?: [.):\]] | \.\) )    # 3.  (a)  iv)  [12]
      | [(\[] [^\s()\[\]]{1,12} [)\]]                                               # [Kn86]  (A1)
      | \d{1,2} (?: \.\d{1,2} ){1,4} \.?                                            # 2.3.1
      | [①-⓿⓵-⓾❶-➓] | [\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341]{1,3}[、.]
    """,
    re.X,
)
"""What can open a list item, a reference or a numbered heading."""


def join(fragments: Fragments) -> tuple[Cells, list[str]]:
    """Cells of a page in content order, and the names of their fonts."""
    n = len(fragments.text)
    if n == 0:
        return Cells.empty(), []
    starts = _cell_starts(fragments)
    first = np.flatnonzero(starts)
    spans = list(itertools.pairwise([*first.tolist(), n]))
    boxes = fragments.boxes
    hull = np.concatenate(
        [np.minimum.reduceat(boxes[:, :2], first, axis=0), np.maximum.reduceat(boxes[:, 2:], first, axis=0)], axis=1
    )
    lengths = np.array([len(t) for t in fragments.text], np.int32)
    fonts: list[str] = []
    font_of_run = [_index(fonts, r.font) for r in fragments.runs]
    runs = fragments.runs
    run = _main_runs(fragments, lengths, first)
    glue = _glue(fragments)
    cells = Cells(
        boxes=hull.astype(np.float32),
        text=["".join(_joined(fragments.text, glue, a, b)) for a, b in spans],
        size=np.array([r.size for r in runs], np.float32)[run],
        font=np.array(font_of_run, np.int16)[run],
        style=np.array([r.style for r in runs], np.uint8)[run],
        share=_shares(fragments, lengths, first),
        color=np.array([r.color for r in runs], np.uint32)[run],
        angle=np.array([r.angle for r in runs], np.int16)[run],
    )
    return cells, fonts


def _main_runs(fragments: Fragments, lengths: NDArray[np.int32], first: NDArray[np.intp]) -> NDArray[np.int32]:
    """(cells,) the run whose style most characters of each cell are set in."""
    runs = fragments.runs
    known: dict[tuple[str, float, int, int, int], int] = {}
    same = np.array(
        [known.setdefault((r.font, round(r.size, 1), r.style, r.color, r.angle), k) for k, r in enumerate(runs)],
        np.int64,
    )
    cell = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(lengths))))
    pairs, inverse = np.unique(cell * len(runs) + same[fragments.run], return_inverse=True)
    weight = np.bincount(inverse, weights=lengths)
    order = np.lexsort((weight, pairs // len(runs)))  # by cell, the heaviest style last
    last = np.append(np.flatnonzero(np.diff(pairs[order] // len(runs))), len(order) - 1)
    return np.asarray(pairs[order[last]] % len(runs), np.int32)


def _shares(fragments: Fragments, lengths: NDArray[np.int32], first: NDArray[np.intp]) -> NDArray[np.uint8]:
    """(cells, 3) share of each cell's characters that are bold, italic, mathematical; 0 to 255."""
    style = np.array([r.style for r in fragments.runs], np.uint8)[fragments.run]
    bits = np.array([Style.BOLD, Style.ITALIC, Style.MATH], np.uint8)
    has = ((style[:, None] & bits) > 0) * lengths[:, None]
    share = np.add.reduceat(has, first, axis=0) / np.add.reduceat(lengths, first)[:, None]
    return np.rint(255 * share).astype(np.uint8)


def _index(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _joined(text: list[str], glue: NDArray[np.bool_], start: int, stop: int) -> list[str]:
    parts = [text[start]]
    for i in range(start + 1, stop):
        if glue[i]:
            parts.append(" ")
        parts.append(text[i])
    return parts


def _gaps(fragments: Fragments) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """For each fragment but the first: gap to the one before in font sizes (negative: overlap), size, same line."""
    boxes = fragments.boxes
    size = np.array([r.size for r in fragments.runs], np.float32)[fragments.run]
    angle = np.array([r.angle for r in fragments.runs], np.int16)[fragments.run]
    before, after = boxes[:-1], boxes[1:]
    upright = (angle[1:] % 180) == 90
    along = np.where(upright, 1, 0)
    rows = np.arange(len(after))
    gap = np.maximum(after[rows, along] - before[rows, along + 2], before[rows, along] - after[rows, along + 2])
    across = 1 - along
    shared = np.minimum(after[rows, across + 2], before[rows, across + 2]) - np.maximum(
        after[rows, across], before[rows, across]
    )
    thin = np.minimum(after[rows, across + 2] - after[rows, across], before[rows, across + 2] - before[rows, across])
    same_line = (shared >= 0.45 * thin) & (angle[1:] == angle[:-1])
    em = np.maximum(np.maximum(size[1:], size[:-1]), 1.0)
    return (gap / em).astype(np.float32), size, same_line


def _glue(fragments: Fragments) -> NDArray[np.bool_]:
    """(n,) a space belongs before this fragment."""
    glue = fragments.space.copy()
    if len(glue) > 1:
        gap, _, _ = _gaps(fragments)
        glue[1:] |= gap > WORD_GAP
    return glue


def _cell_starts(fragments: Fragments) -> NDArray[np.bool_]:
    """(n,) a new cell starts at this fragment."""
    n = len(fragments.text)
    starts = np.ones(n, np.bool_)
    if n == 1:
        return starts
    gap, size, same_line = _gaps(fragments)
    starts[1:] = ~same_line | (gap > WIDE_GAP)
    # text that jumps back over what was written is no continuation
    back = fragments.boxes[1:, 2] < fragments.boxes[:-1, 0] - 2.5 * size[1:]
    right_to_left = np.array([_is_right_to_left(t) for t in fragments.text], np.bool_)
    starts[1:] |= back & ~right_to_left[1:]
    tall = np.array([r.family is Family.EXTENSION for r in fragments.runs], np.bool_)[fragments.run]
    tall &= fragments.boxes[:, 3] - fragments.boxes[:, 1] > TALL * size
    starts |= tall
    starts[1:] |= tall[:-1]
    bold = (np.array([r.style for r in fragments.runs], np.uint8)[fragments.run] & Style.BOLD) > 0
    line_start = np.ones(n, np.bool_)
    line_start[1:] = ~same_line
    _cut_line_numbers(fragments, starts, gap, size)
    _cut_identifiers(fragments, starts, gap)
    _cut_run_in(starts, line_start, bold, fragments.space)
    return starts


def _is_right_to_left(text: str) -> bool:
    return "\u0590" <= text[0] <= "\u08ff" or "\ufb1d" <= text[0] <= "\ufefc"


def _cut_line_numbers(
    fragments: Fragments, starts: NDArray[np.bool_], gap: NDArray[np.float32], size: NDArray[np.float32]
) -> None:
    """Cut after a small number that stands off in front of a line. The mark of a note is as small, and stands close."""
    small = (size[:-1] <= 0.8 * size[1:]) & (gap >= LINE_NUMBER_GAP)
    for i in np.flatnonzero(starts[:-1] & ~starts[1:] & small):
        if fragments.text[i].isdecimal():
            starts[i + 1] = True


def _cut_identifiers(fragments: Fragments, starts: NDArray[np.bool_], gap: NDArray[np.float32]) -> None:
    """Cut after an identifier that opens a cell; it may itself be several fragments ("(", "a", ")")."""
    text, n = fragments.text, len(fragments.text)
    for i in np.flatnonzero(starts):
        end, label = int(i) + 1, text[i]
        while end < n and not starts[end] and not fragments.space[end] and len(label) < 12:
            label += text[end]
            end += 1
        if end == n or starts[end]:
            continue
        if label in SURE_BULLETS or (gap[end - 1] > IDENTIFIER_GAP and IDENTIFIER.fullmatch(label)):
            starts[end] = True


def _cut_run_in(
    starts: NDArray[np.bool_], line_start: NDArray[np.bool_], bold: NDArray[np.bool_], space: NDArray[np.bool_]
) -> None:
    """Cut where bold type that opens a line gives way to regular type at a word boundary."""
    change = np.flatnonzero(bold[:-1] & ~bold[1:] & ~starts[1:] & space[1:]) + 1
    for i in change:
        begin = int(i) - 1
        while begin > 0 and not starts[begin]:
            begin -= 1
        if line_start[begin] and bold[begin:i].all():
            starts[i] = True
