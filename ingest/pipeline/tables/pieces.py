"""Pieces: what a table's text is cut into before it is put into a grid.

The parser's cells are nearly that, but it joins over column gaps narrower than a wide word space, and it cuts after
"1." and where bold type ends. Here dot leaders are cut off, what belongs together on a line is joined, and a piece
can be cut at a given x; where the words of a piece stand is estimated from typical widths of characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes
from ingest.document.page import Page, Style
from ingest.pipeline.tables.frame import Frame, Indices

GLUE = 0.6
"""In font sizes: pieces of a line with a smaller gap are one piece. Gaps of columns are wider than that."""
SPACE = 0.12
"""In font sizes: a gap between joined pieces above this is a word space."""

LEADER = re.compile(r"\s*(?:[.·…‥_]\s?){4,}")
_DATA = re.compile(
    r"""[-+±~<>≤≥=−–(\[]* \s* [$€£¥]? \s* [-+−–]? \s*
        [.,]? \d [\d\s.,:;/'’x×−–-]* [%‰°]? [)\]]* \s* (?:\(?[a-zA-Z%]{1,3}\)?)? [*†‡§]*
      | [-−–—.:*…]+ | \(?[xX✓✔●○•]\)? | n\s?[./]?\s?a\.? | nil | \([A-Za-z]\)
    """,
    re.X | re.I,
)
_CLOSERS = frozenset("%‰)*†‡§")
_CURRENCY = frozenset("$€£¥")


def is_data(text: str) -> bool:
    """The text is a number, with its sign, unit or mark, or a placeholder of one."""
    return len(text) <= 28 and _DATA.fullmatch(text.strip()) is not None


def _char_widths() -> NDArray[np.float32]:
    widths = np.full(0x2E80, 0.55, np.float32)
    for characters, width in (
        ("ijl|!.,:;'’‘·()[]/\\tfI- ", 0.29),
        ("mwMW@%—…", 0.85),
        ("ABCDEFGHKLNOPQRSTUVXYZ&", 0.68),
        ("0123456789$€£+=<>~#", 0.52),
        ("abcdeghknopquvxyzs", 0.5),
        ("Jr\"“”*", 0.4),
    ):
        for character in characters:
            widths[ord(character)] = width
    return widths


_WIDTHS = _char_widths()


def char_edges(text: str, left: float, right: float) -> NDArray[np.float32]:
    """(len + 1,) estimated x of the edges of the characters of a text set from left to right."""
    codes = np.array([ord(c) for c in text])
    widths = np.where(codes < len(_WIDTHS), _WIDTHS[np.minimum(codes, len(_WIDTHS) - 1)], 1.0)
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    return np.asarray(left + edges * ((right - left) / max(float(edges[-1]), 1e-6)), np.float32)


@dataclass(slots=True)
class Piece:
    """A run of text on one line, in the reading frame."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    bold: bool = False
    level: bool = True
    """Set along x; else turned within its table."""
    ends_leader: bool = False
    """A dot leader was cut off to its right."""
    line: int = 0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    def cut(self, start: int) -> tuple[Piece, Piece]:
        """Two pieces, the second with the characters from `start` on."""
        x = char_edges(self.text, self.x0, self.x1)
        head, tail = self.text[:start].rstrip(), self.text[start:].lstrip()
        end = float(x[len(head)])
        begin = float(x[len(self.text) - len(tail)])
        one = Piece(self.x0, self.y0, max(end, self.x0), self.y1, head, self.size, self.bold, self.level)
        two = Piece(begin, self.y0, self.x1, self.y1, tail, self.size, self.bold, self.level, self.ends_leader)
        return one, two

    def cut_at(self, x: float, reach: float) -> tuple[Piece, Piece] | None:
        """Cut at the word space nearest to x, if one is within `reach` of it."""
        spaces = [m for m in re.finditer(r"\s+", self.text) if m.start() > 0 and m.end() < len(self.text)]
        if not spaces:
            return None
        edges = char_edges(self.text, self.x0, self.x1)
        distance = [abs(float(edges[m.start()] + edges[m.end()]) / 2 - x) for m in spaces]
        best = int(np.argmin(distance))
        return self.cut(spaces[best].end()) if distance[best] <= reach else None


def read(page: Page, frame: Frame, ids: Indices) -> list[Piece]:
    """The cells `ids` of a page as pieces, dot leaders cut off."""
    boxes = frame.to_reading(page.cells.boxes[ids]).tolist()
    level = (page.cells.angle[ids] - frame.rotation) % 180 == 0
    bold = (page.cells.style[ids] & Style.BOLD) > 0
    pieces = []
    for k, i in enumerate(ids.tolist()):
        text = page.cells.text[i].strip()
        if not text:
            continue
        x0, y0, x1, y1 = boxes[k]
        piece = Piece(x0, y0, x1, y1, text, float(page.cells.size[i]), bool(bold[k]), bool(level[k]))
        pieces.extend(_without_leader(piece))
    return pieces


def _without_leader(piece: Piece) -> list[Piece]:
    match = LEADER.search(piece.text)
    if match is None or not piece.level:
        return [piece]
    edges = char_edges(piece.text, piece.x0, piece.x1)
    tail = piece.text[match.end() :]
    parts = []
    if match.start() > 0:  # the leader stays in the text and leaves the geometry
        stop = float(edges[match.start()])
        parts.append(Piece(piece.x0, piece.y0, stop, piece.y1, piece.text[: match.end()].rstrip(), piece.size, piece.bold))
        parts[0].ends_leader = True
    if tail:
        parts.append(Piece(float(edges[match.end()]), piece.y0, piece.x1, piece.y1, tail, piece.size, piece.bold))
    return parts or [piece]


def lines_of(pieces: list[Piece]) -> int:
    """Number the text lines from the top (sets `line`) and return how many there are.

    A piece belongs to a line if it shares most of its height with the line's tallest type. Turned pieces and others
    much taller than a line take the number of the first line they touch.
    """
    if not pieces:
        return 0
    usual = float(np.median([p.y1 - p.y0 for p in pieces]))
    tall = [p for p in pieces if p.y1 - p.y0 > 2.2 * usual and not p.level]
    flat = [p for p in pieces if not (p.y1 - p.y0 > 2.2 * usual and not p.level)]
    count, top, bottom, size = 0, 0.0, 0.0, 0.0
    tops: list[float] = []
    bottoms: list[float] = []
    for piece in sorted(flat, key=lambda p: (p.middle, p.x0)):
        shared = min(bottom, piece.y1) - max(top, piece.y0)
        if count == 0 or shared < 0.55 * min(bottom - top, piece.y1 - piece.y0):
            count += 1
            top, bottom, size = piece.y0, piece.y1, piece.size
            tops.append(top)
            bottoms.append(bottom)
        elif piece.size > 1.2 * size:
            top, bottom, size = piece.y0, piece.y1, piece.size
            tops[-1], bottoms[-1] = min(top, tops[-1]), max(bottom, bottoms[-1])
        piece.line = count - 1
    for piece in tall:
        touched = [i for i in range(count) if bottoms[i] > piece.y0 and tops[i] < piece.y1]
        piece.line = touched[0] if touched else max(count - 1, 0)
    return max(count, 1)
