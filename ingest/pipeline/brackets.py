"""Tall brackets that are set in pieces, put together: what spans many lines is built of a top, a bottom and links."""

from __future__ import annotations

import numpy as np

from ingest.document.geometry import Boxes
from ingest.pipeline.fragments import Fragments
from ingest.pipeline.glyphs import Family

_PIECES = {"(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "{": "⎧⎨⎩", "}": "⎫⎬⎭"}
_WHOLE = {piece: whole for whole, pieces in _PIECES.items() for piece in pieces}
_LINKS = frozenset("⎪⏐|‖")
"""Links of braces of both sides, and of bars; in other fonts than those of large symbols they may be anything."""
NEAR = 0.15
"""In font sizes: pieces of one bracket stand above one another, and touch."""


def join(fragments: Fragments) -> Fragments:
    """The fragments, with one in the place of consecutive pieces of a bracket."""
    text = fragments.text
    if _LINKS.isdisjoint(text) and _WHOLE.keys().isdisjoint(text):
        return fragments
    joined = Fragments(list(text), fragments.boxes.copy(), fragments.run, fragments.space, fragments.runs)
    kept = np.ones(len(text), np.bool_)
    first: int | None = None
    for k, piece in enumerate(text):
        run = fragments.runs[fragments.run[k]]
        if piece not in _WHOLE and not (piece in _LINKS and run.family is Family.EXTENSION):
            first = None
        elif first is not None and _touch(joined.boxes[first], fragments.boxes[k], NEAR * run.size):
            low, high = joined.boxes[first, :2], joined.boxes[first, 2:]
            np.minimum(low, fragments.boxes[k, :2], out=low)
            np.maximum(high, fragments.boxes[k, 2:], out=high)
            joined.text[first] = _whole(joined.text[first], piece)
            kept[k] = False
        else:
            first = k
    return joined.keep(kept)


def _touch(above: Boxes, box: Boxes, near: float) -> bool:
    aligned = abs(above[0] - box[0]) <= near or abs(above[2] - box[2]) <= near
    return bool(aligned and box[1] <= above[3] + near and above[1] <= box[3] + near)


def _whole(before: str, piece: str) -> str:
    """The bracket that a piece, or the bracket so far, and the next piece belong to."""
    for known in (before, piece):
        if known in _PIECES:
            return known
        if known in _WHOLE:
            return _WHOLE[known]
    return before if before == "‖" else "|"
