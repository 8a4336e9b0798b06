"""What a program prints by itself (numbers, heads of abstracts, running heads) has no colour: whose is it?

By place: on the line of a coloured piece and near it, it is part of that piece; above or below everything coloured it
is furniture; a known word alone on its line is the heading that it says; what is left is not trusted.
"""

from __future__ import annotations

import re

from bentos.training.generator.ids import Pieces
from bentos.training.generator.languages import LANGUAGES
from bentos.training.generator.model import Zone
from bentos.training.generator.order import Placed

NEAR = 2.5
"""In font sizes: how far a part may stand from its piece."""
EDGE = 0.5
"""In font sizes: how far furniture may reach into the text."""

_SIGNS = re.compile(r"[\W\d_]+")
_KEYS = {
    "abstract": "abstract-heading",
    "keywords": "keyword-heading",
    "references": "bib-heading",
    "contents": "toc-heading",
}
_HEADINGS = {
    _SIGNS.sub("", language.labels[key].lower()): orig
    for language in LANGUAGES.values()
    for key, orig in _KEYS.items()
    if key in language.labels
} | {"bibliography": "bib-heading", "summary": "abstract-heading", "indexterms": "keyword-heading"}
"""A heading's letters -> what it is."""


def adopt(pages: list[list[Placed]], pieces: Pieces, default: int) -> None:
    """Sorts the lines of the default piece, in place; and title or authors repeated as running heads."""
    first: dict[int, int] = {}
    for number, placed in enumerate(pages):
        for item in placed:
            first.setdefault(item.piece, number)
    for number, placed in enumerate(pages):
        for item in placed:
            if pieces[item.piece].meta.get("front") and first[item.piece] != number:
                item.orig, item.zone = "header", Zone.HEADER
        known = [p for p in placed if p.piece != default and p.orig != "header" and p.text]
        top = max((p.box[3] for p in known), default=0.0)
        for item in placed:
            if item.orig == "header" and item.box[1] < top:
                item.trust = "low-repeated"
        for item in [p for p in placed if p.piece == default]:
            _sort(item, known, pieces)


def _sort(item: Placed, known: list[Placed], pieces: Pieces) -> None:
    name = _HEADINGS.get(_SIGNS.sub("", item.text.lower()))
    if name:
        item.orig, item.zone = name, Zone.BODY
        after = [p.piece for p in known if p.box[3] <= item.box[1] + item.size]
        item.piece = min(after) if after else item.piece
        return
    top = max((p.box[3] for p in known), default=0.0)
    bottom = min((p.box[1] for p in known), default=0.0)
    edge = EDGE * max(item.size, 1)
    digits = item.text.strip().strip("–-—/ ")
    if known and item.box[1] >= top - edge:
        item.orig, item.zone = ("page-number" if digits.isdigit() else "header"), Zone.HEADER
        return
    if known and item.box[3] <= bottom + edge:
        item.orig, item.zone = ("page-number" if digits.isdigit() else "footer"), Zone.FOOTER
        return
    owner = _owner(item, known)
    if owner:
        item.piece, item.zone, item.orig = owner.piece, owner.zone, pieces[owner.piece].orig
        return
    item.trust = "low-uncolored"


def _owner(item: Placed, known: list[Placed]) -> Placed | None:
    """The nearest piece on the same line."""
    best: tuple[float, Placed] | None = None
    for other in known:
        shared = min(item.box[3], other.box[3]) - max(item.box[1], other.box[1])
        thin = min(item.box[3] - item.box[1], other.box[3] - other.box[1])
        gap = max(other.box[0] - item.box[2], item.box[0] - other.box[2])
        if shared >= 0.35 * thin and gap <= NEAR * max(item.size, other.size) and (best is None or gap < best[0]):
            best = gap, other
    return best[1] if best else None
