"""What is a caption, where the labels are not sure of it, and which table or picture it belongs to."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ingest.document.labels import Label
from ingest.document.model import Box, Item
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.breaks import Block, is_short, same_size
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.lines import Line
from ingest.pipeline.assemble.measures import Measures
from ingest.pipeline.assemble.text import CAPTION_START

_HEAD = re.compile(rf"(?:{CAPTION_START.pattern})[\d.\-]*(?:[.:：|–—]|$| [–—-] )", re.I)
"""How a caption begins, as against a sentence: "Table 2. Sizes", and not "Table 2 shows"."""
_SURE_HEAD = re.compile(rf"(?:{CAPTION_START.pattern})[\d.\-]*[a-z]?\s?[:：|](?!.*\d$)", re.I)
"""How no sentence begins, and no line of a list of figures: those end with a page number."""
NEAR = 3.0
"""Font sizes between a table or picture and a paragraph that may be its caption."""
MAX_LINES, LONGEST = 6, 20
"""Lines of a paragraph that may be a caption, and of one that is sure to be, or to go on with one."""
TIGHT, WHITE = 1.25, 1.35
"""Leadings between two lines of a caption, at most, and between a caption and the text below, at least."""
REACH = 0.25
"""Share of the page's height beyond which a caption belongs to nothing."""
_TABLE = re.compile(r"tab|таблиц|表", re.I)
_PICTURE = re.compile(r"fig|abb|рис|図|图|圖|scheme|plate|chart|photo|map\b", re.I)


def find_captions(pieces: list[Block | Float], measures: Measures) -> None:
    """Relabel, in place, paragraphs that begin like a caption, and give captions the rest of their paragraph."""
    floats: dict[int, list[Float]] = {}
    for piece in pieces:
        if isinstance(piece, Float) and not piece.background:
            floats.setdefault(piece.page, []).append(piece)
    for piece in pieces:
        if isinstance(piece, Block) and piece.label == kinds.TEXT and _is_caption(piece, floats):
            _relabel(piece)
    for k in range(len(pieces) - 2, -1, -1):
        caption, rest = pieces[k], pieces[k + 1]
        below = pieces[k + 2] if k + 2 < len(pieces) else None
        if isinstance(caption, Block) and isinstance(rest, Block) and _goes_on(caption, rest, below, measures):
            _relabel(rest)
            caption.lines += rest.lines
            del pieces[k + 1]


def _is_caption(block: Block, floats: dict[int, list[Float]]) -> bool:
    first, last = block.lines[0], block.last
    if first.page != last.page or len(block.lines) > LONGEST:
        return False
    if _SURE_HEAD.match(first.text):
        return True
    box = min(k.x0 for k in block.lines), last.y0, max(k.x1 for k in block.lines), first.y1
    return (
        len(block.lines) <= MAX_LINES
        and _HEAD.match(first.text) is not None
        and any(_distance(box, near.box) < NEAR * first.size for near in floats.get(first.page, ()))
    )


def _goes_on(caption: Block, rest: Block, below: Block | Float | None, measures: Measures) -> bool:
    """The first line of a caption was labelled so, the lines below, set like it up to the next white, were not."""
    if caption.label != kinds.CAPTION or rest.label != kinds.TEXT or len(rest.lines) > LONGEST:
        return False
    above, line, last = caption.last, rest.lines[0], rest.last
    leading = measures.leading(line)
    return (
        CAPTION_START.match(caption.lines[0].text) is not None
        and (above.page, above.column) == (line.page, line.column) == (last.page, last.column)
        and same_size(above, line, 0.05)
        and 0 < above.base - line.base < TIGHT * leading
        and abs(line.x0 - above.x0) < 0.5 * line.size
        and not is_short(above, line, max(k.x1 for k in rest.lines))
        and (not isinstance(below, Block) or _white(last, below.lines[0]) > WHITE * leading)
    )


def _white(above: Line, line: Line) -> float:
    """Points from base line to base line, endless where the other stands elsewhere."""
    same = (above.page, above.column) == (line.page, line.column) and above.base > line.base
    return above.base - line.base if same else math.inf


def _relabel(block: Block) -> None:
    block.label = kinds.CAPTION
    for line in block.lines:
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
