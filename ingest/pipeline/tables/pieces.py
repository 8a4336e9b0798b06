"""Pieces: what a table's text is cut into before it is put into a grid.

The parser's cells are nearly that, but it joins over column gaps narrower than a wide word space, and it cuts after
"1." and where bold type ends. Here dot leaders are cut off, what belongs together on a line is joined, and a piece
can be cut at a given x; where the words of a piece stand is estimated from typical widths of characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

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
      | \(?[-−–—.:*…]+\)? | \(?[xX✓✔●○•]\)? | n\s?[./]?\s?a\.? | nil | \([A-Za-z]\)
    """,
    re.X | re.I,
)
PREFIXES = frozenset("$£¥₹")
"""Currency signs that never follow their number."""
_SPACES = re.compile(r"\s+")


def is_data(text: str) -> bool:
    """The text is a number, with its sign, unit or mark, or a placeholder of one."""
    return len(text) <= 28 and _DATA.fullmatch(text.strip()) is not None


def is_right_to_left(text: str) -> bool:
    """The first letter, which should come soon, is Hebrew, Arabic or of another script of that block."""
    first = next((c for c in text[:40] if c.isalpha()), "")
    return "\u0590" <= first <= "\u08ff" or "\ufb1d" <= first <= "\ufefc"


_WIDTHS = {
    character: width
    for characters, width in (
        ("ijl|!.,:;'’‘·()[]/\\tfI- ", 0.29),
        ("mwMW@%—…", 0.85),
        ("ABCDEFGHKLNOPQRSTUVXYZ&", 0.68),
        ("0123456789$€£+=<>~#", 0.52),
        ("abcdeghknopquvxyzs", 0.5),
        ('Jr"“”*', 0.4),
    )
    for character in characters
}
_OTHER, _WIDE = 0.55, 1.0


def _char_width(character: str) -> float:
    return _WIDTHS.get(character) or (_WIDE if character >= "\u2e80" else _OTHER)


def width_of(text: str) -> float:
    """In ems, estimated from typical widths of characters."""
    return sum(map(_char_width, text))


@dataclass(slots=True)
class Piece:
    """A run of text on one line, in the reading frame."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    style: int = 0
    """`Style` bits."""
    level: bool = True
    """Set along x; else turned within its table."""
    ends_leader: bool = False
    """A dot leader was cut off to its right."""
    line: int = 0
    """Number of its text line in the table, from the top."""
    color: int = 0
    """0xRRGGBB."""
    row: int = 0
    c0: int = 0
    """First and last column."""
    c1: int = 0

    @property
    def bold(self) -> bool:
        return bool(self.style & Style.BOLD)

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    def cut(self, start: int) -> tuple[Piece, Piece]:
        """Two pieces, the second with the characters from `start` on."""
        head, tail = self.text[:start].rstrip(), self.text[start:].lstrip()
        unit = self._unit()
        end = self.x0 + unit * width_of(head)
        begin = max(self.x1 - unit * width_of(tail), end)
        return replace(self, x1=end, text=head, ends_leader=False), replace(self, x0=begin, text=tail)

    def cut_at(self, x: float, reach: float) -> tuple[Piece, Piece] | None:
        """Cut at the word space that x falls into, or the nearest one within `reach` of x."""
        unit = self._unit()
        best, least, end, whole = 0, reach, 0, width_of(self.text)
        before = 0.0
        for match in _SPACES.finditer(self.text):
            before += width_of(self.text[end : match.start()])
            left, end = before, match.end()
            before += width_of(match.group())
            miss = max(self.x0 + unit * left - x, x - (self.x1 - unit * (whole - before)), 0.0)
            if miss < least and match.start() > 0 and end < len(self.text):
                best, least = end, miss
        return self.cut(best) if best else None

    def _unit(self) -> float:
        """Points per em of typical widths: the font size, unless the text is set tighter."""
        return min(self.size, (self.x1 - self.x0) / max(width_of(self.text), 1e-6))


def read(page: Page, frame: Frame, ids: Indices) -> list[Piece]:
    """The cells `ids` of a page as pieces, dot leaders cut off."""
    ids = ids[np.isfinite(page.cells.boxes[ids]).all(axis=1)]
    boxes = frame.to_reading(page.cells.boxes[ids]).tolist()
    level = (page.cells.angle[ids] - frame.rotation) % 180 == 0
    pieces: list[Piece] = []
    for k, i in enumerate(ids.tolist()):
        text = page.cells.text[i].strip()
        if not text:
            continue
        x0, y0, x1, y1 = boxes[k]
        size = float(page.cells.size[i])
        size = size if size > 0 else max(y1 - y0, 1.0)
        style, color = int(page.cells.style[i]), int(page.cells.color[i])
        piece = Piece(x0, y0, x1, y1, text, size, style, bool(level[k]), color=color)
        pieces.extend(part for half in _before_sign(piece) for part in _without_leader(half))
    return pieces


def _before_sign(piece: Piece) -> list[Piece]:
    """Cut before a currency sign at the end, which belongs to the next number."""
    if len(piece.text) > 1 and piece.text[-1] in PREFIXES and not piece.text[-2].isalpha():
        return list(piece.cut(len(piece.text) - 1))
    return [piece]


def _without_leader(piece: Piece) -> list[Piece]:
    match = LEADER.search(piece.text)
    if match is None or not piece.level:
        return [piece]
    unit = (piece.x1 - piece.x0) / max(width_of(piece.text), 1e-6)
    tail = piece.text[match.end() :]
    parts = []
    if match.start() > 0:  # the leader stays in the text and leaves the geometry
        label = piece.text[: match.end()].rstrip()
        parts.append(
            replace(piece, x1=piece.x0 + unit * width_of(piece.text[: match.start()]), text=label, ends_leader=True)
        )
    if tail:
        parts.append(replace(piece, x0=piece.x0 + unit * width_of(piece.text[: match.end()]), text=tail))
    return parts or [piece]


def lines_of(pieces: list[Piece]) -> int:
    """Number the text lines from the top (sets `line`) and return how many there are.

    A piece belongs to a line if it shares most of its height with the line's tallest type. Turned pieces and others
    much taller than a line take the number of the first line they touch.
    """
    if not pieces:
        return 0
    usual = median(p.height for p in pieces)
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
