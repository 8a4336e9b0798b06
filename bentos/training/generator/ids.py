"""Numbers for the pieces of a document, written as fill colours and read back from the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bentos.training.generator.model import AMBIGUOUS, LABEL_OF, Cell, Zone

STEP = 4
"""Distance of neighbouring values of a channel: programs round colours to three decimals."""
_VALUES = 60
"""Values used per channel, 8 to 244: black, white and what is near them stay free."""


Meta = dict[str, Any]
"""What else is known of a piece: `region` (it is an area, not text), `front` (may be repeated as a running head),
`table`, `row`, `col`, `row_span`, `col_span`."""


@dataclass(slots=True)
class Piece:
    """What one colour stands for."""

    orig: str
    zone: Zone
    meta: Meta = field(default_factory=dict)

    @property
    def label(self) -> str:
        return LABEL_OF[self.orig].value

    @property
    def trust(self) -> str:
        return "low-ambiguous" if self.orig in AMBIGUOUS else "exact"


class Pieces:
    """All pieces of a document in reading order; a piece's number is its colour."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def add(self, orig: str, zone: Zone = Zone.BODY, meta: Meta | None = None) -> int:
        self.pieces.append(Piece(orig, zone, meta or {}))
        return len(self.pieces) - 1

    def __getitem__(self, number: int) -> Piece:
        return self.pieces[number]


def place_in_table(table: int, row: int, col: int, cell: Cell) -> Meta:
    """Meta of a cell."""
    return {"table": table, "row": row, "col": col, "row_span": cell.row_span, "col_span": cell.col_span}


def color_of(number: int) -> str:
    """`rrggbb` of a piece."""
    # neighbours in reading order get colours far apart, so that a page can be judged by eye
    spread = (number * 7919) % _VALUES**3
    channels = (spread % _VALUES, spread // _VALUES % _VALUES, spread // _VALUES**2)
    return "".join(f"{8 + STEP * c:02x}" for c in channels)


_INVERSE = pow(7919, -1, _VALUES**3)


def number_of(rgb: int) -> int | None:
    """The piece whose colour this is (0xRRGGBB), or None if it is no piece's colour. Tolerates errors of 1."""
    spread = 0
    for k, shift in enumerate((16, 8, 0)):
        value, rest = divmod((rgb >> shift & 255) - 8 + 1, STEP)
        if rest > 2 or not 0 <= value < _VALUES:
            return None
        spread += value * _VALUES**k
    return spread * _INVERSE % _VALUES**3
