"""Which caption belongs to which table or picture."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.document.labels import Label
from ingest.document.model import Box, Item
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.breaks import Block
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.text import CAPTION_START

_HEAD = re.compile(rf"(?:{CAPTION_START.pattern})[\d.\-]*(?:[.:：|–—]|$| [–—-] )", re.I)
"""How a caption begins, as against a sentence: "Table 2. Sizes", and not "Table 2 shows"."""
NEAR = 3.0
"""Font sizes between a table or picture and a paragraph that may be its caption."""
MAX_LINES = 6
REACH = 0.25
"""Share of the page's height beyond which a caption belongs to nothing."""
_TABLE = re.compile(r"tab|таблиц|表", re.I)
_PICTURE = re.compile(r"fig|abb|рис|図|图|圖|scheme|plate|chart|photo|map\b", re.I)


def find_captions(pieces: Sequence[Block | Float]) -> None:
    """Relabel, in place, paragraphs that begin like a caption and stand right at a table or picture."""
    floats: dict[int, list[Float]] = {}
    for piece in pieces:
        if isinstance(piece, Float) and not piece.background:
            floats.setdefault(piece.page, []).append(piece)
    for piece in pieces:
        if not isinstance(piece, Block) or piece.label != kinds.TEXT or len(piece.lines) > MAX_LINES:
            continue
        first, last = piece.lines[0], piece.last
        if first.page != last.page or not _HEAD.match(first.text):
            continue
        box = min(k.x0 for k in piece.lines), last.y0, max(k.x1 for k in piece.lines), first.y1
        if any(_distance(box, near.box) < NEAR * first.size for near in floats.get(first.page, ())):
            piece.label = kinds.CAPTION
            for line in piece.lines:
                line.relabel(kinds.CAPTION)


def attach_captions(items: Sequence[Item], heights: dict[int, float]) -> None:
    """Fill `captions` of tables and pictures: nearest pairs of a page first, each caption once."""
    pairs = []
    by_page: dict[int, list[int]] = {}
    for k, item in enumerate(items):
        if item.label in (Label.TABLE, Label.PICTURE) and item.parts:
            by_page.setdefault(item.parts[0].page, []).append(k)
    for c, item in enumerate(items):
        if item.label is not Label.CAPTION:
            continue
        part = item.parts[0]
        for k in by_page.get(part.page, ()):
            distance = _distance(part.box, items[k].parts[0].box)
            kind = _kind(item.text)
            if kind is not None and kind is not items[k].label:
                distance += 0.5 * REACH * heights[part.page]
            if distance < REACH * heights[part.page]:
                pairs.append((distance, c, k))
    taken: set[int] = set()
    full: dict[int, Label | None] = {}
    for _, c, k in sorted(pairs):
        # a second numbered caption is another float's, whose own box was not found
        if c not in taken and not (k in full and _kind(items[c].text) is not None):
            taken.add(c)
            full[k] = items[k].label
            items[k].captions.append(c)
    for item in items:
        item.captions.sort()


def _kind(text: str) -> Label | None:
    if _TABLE.match(text):
        return Label.TABLE
    return Label.PICTURE if _PICTURE.match(text) else None


def _distance(caption: Box, box: Box) -> float:
    """White between the two; sideways it counts double."""
    across = max(caption[0] - box[2], box[0] - caption[2], 0.0)
    down = max(caption[1] - box[3], box[1] - caption[3], 0.0)
    return 2 * across + down
