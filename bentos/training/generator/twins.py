"""Truth from twins: the same document set plain and with every piece in a colour of its own.

Both are parsed as the pipeline parses. Each text fragment of the plain twin is found in the coloured one, at the same
place with the same text; its colour says which piece it belongs to. A document whose twins differ is refused.
"""

from __future__ import annotations

import ctypes
import itertools
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bentos.training.generator.adopt import adopt
from bentos.training.generator.errors import LeftOut, TwinsDiffer
from bentos.training.generator.ids import Pieces, number_of
from bentos.training.generator.model import LABEL_OF
from bentos.training.generator.order import Placed, reading_order
from ingest.document.geometry import union
from ingest.pipeline import pdfium
from ingest.pipeline.cells import IDENTIFIER
from ingest.pipeline.fragments import Fragments, read_fragments
from ingest.pipeline.parse import loaded_page

TOLERANCE = 0.6
"""Points by which the boxes of twins may differ."""
LINE_GAP = 1.05
"""In font sizes: a wider gap ends an element, as it ends a cell."""
MAX_DEPTH = 6
MAX_PAGES = 16
"""Longer documents are left out: more pages of one layout teach little."""
_Box = tuple[float, float, float, float]
_Regions = dict[int, list[_Box]]
"""Region piece -> filled boxes in its colour."""


@dataclass(slots=True)
class _Page:
    width: float
    height: float
    fragments: Fragments
    areas: list[tuple[int, _Box]]
    """Filled shapes: colour, box."""


def truth(
    plain: Path, colored: Path, pieces: Pieces, meta: dict[str, Any], default: int | None = None, strict: float = 0.995
) -> dict[str, Any]:
    """The truth of the plain twin in the format of `bentos.training.truth`, with tables.

    `default` is the piece of text in no colour of ours, which `adopt` sorts out by place; without one, TwinsDiffer is
    raised if less than `strict` of all fragments have a piece. It is also raised if the twins' pages differ.
    """
    with pdfium.open_document(plain) as a, pdfium.open_document(colored) as b:
        if len(a) != len(b):
            raise TwinsDiffer(f"{len(a)} and {len(b)} pages")
        if len(a) > MAX_PAGES:
            raise LeftOut(f"{len(a)} pages")
        found: list[tuple[_Page, list[Placed], _Regions]] = []
        known, total = 0, 0
        for number in range(1, len(a) + 1):
            page, twin = _read(a, number), _read(b, number)
            ids = _match(page, twin, number)
            ids[ids >= len(pieces.pieces)] = -1
            known, total = known + int((ids >= 0).sum()), total + len(ids)
            if default is not None:
                ids[ids < 0] = default
            found.append((page, *_place(page, twin, ids, pieces)))
    if total == 0 or known < (strict if default is None else 0.5) * total:
        raise TwinsDiffer(f"{total - known} of {total} fragments belong to no piece")
    if default is not None:
        adopt([placed for _, placed, _ in found], pieces, default)
    pages = [_page(number, *item, pieces) for number, item in enumerate(found, 1)]
    return {"file": plain.name, "source": "generated", "granularity": "line", "meta": meta, "pages": pages}


def _read(document: Any, number: int) -> _Page:
    with loaded_page(document, number) as address:
        text_page = pdfium.load_text(address)
        try:
            fragments = read_fragments(text_page)
        finally:
            pdfium.close_text(text_page)
        areas: list[tuple[int, _Box]] = []
        objects = [pdfium.get_object(address, i) for i in range(pdfium.count_objects(address))]
        _areas(objects, np.eye(3), 0, areas)
        return _Page(pdfium.page_width(address), pdfium.page_height(address), fragments, areas)


def _areas(objects: list[int], matrix: NDArray[np.float64], depth: int, found: list[Any]) -> None:
    """Boxes and fill colours of all filled paths."""
    bounds = (ctypes.c_float * 4)()
    start = ctypes.addressof(bounds)
    rgba = [ctypes.c_uint() for _ in range(4)]
    refs = [ctypes.byref(v) for v in rgba]
    for item in objects:
        kind = pdfium.object_type(item)
        if kind == pdfium.OBJECT_FORM and depth < MAX_DEPTH:
            m = (ctypes.c_float * 6)()
            pdfium.object_matrix(item, m)
            own = np.array([[m[0], m[1], 0], [m[2], m[3], 0], [m[4], m[5], 1]])
            inner = [pdfium.form_get_object(item, i) for i in range(pdfium.form_count_objects(item))]
            _areas(inner, own @ matrix, depth + 1, found)
        elif kind == pdfium.OBJECT_PATH and pdfium.object_fill_color(item, *refs):
            if not pdfium.object_bounds(item, start, start + 4, start + 8, start + 12):
                continue
            corners = np.array([[x, y, 1] for x in bounds[0::2] for y in bounds[1::2]]) @ matrix
            low, high = corners.min(axis=0), corners.max(axis=0)
            color = rgba[0].value << 16 | rgba[1].value << 8 | rgba[2].value
            found.append((color, (float(low[0]), float(low[1]), float(high[0]), float(high[1]))))


def _match(page: _Page, twin: _Page, number: int) -> NDArray[np.int64]:
    """(n,) piece of each fragment of the plain page, -1 where its colour is no piece's."""
    mine, theirs = page.fragments, twin.fragments
    colors = [number_of(r.color) for r in theirs.runs]
    ids = (
        np.array([-1 if c is None else c for c in colors], np.int64)[theirs.run]
        if theirs.text
        else np.zeros(0, np.int64)
    )
    if mine.text == theirs.text and np.abs(mine.boxes - theirs.boxes).max(initial=0) <= TOLERANCE:
        return ids
    if "".join(sorted("".join(mine.text))) != "".join(sorted("".join(theirs.text))):
        raise TwinsDiffer(f"page {number}: other text")
    found = np.full(len(mine.text), -1, np.int64)
    centers = (mine.boxes[:, :2] + mine.boxes[:, 2:]) / 2
    for i, (x, y) in enumerate(centers):
        box = theirs.boxes
        inside = np.flatnonzero((box[:, 0] <= x) & (x <= box[:, 2]) & (box[:, 1] <= y) & (y <= box[:, 3]))
        hit = [int(h) for h in inside if mine.text[i] in theirs.text[h] or theirs.text[h] in mine.text[i]]
        if not hit:
            raise TwinsDiffer(f"page {number}: {mine.text[i]!r} stands elsewhere")
        found[i] = ids[hit[0]]
    return found


def _place(page: _Page, twin: _Page, ids: NDArray[np.int64], pieces: Pieces) -> tuple[list[Placed], _Regions]:
    """Lines of pieces, and the regions of figures and tables."""
    fragments = page.fragments
    size = np.array([r.size for r in fragments.runs], np.float32)[fragments.run] if fragments.text else np.zeros(0)
    placed: list[Placed] = []
    for first, stop in _lines(fragments, ids, size):
        piece = int(ids[first])
        if piece < 0:
            continue
        box = _hull(fragments.boxes[first:stop])
        if not (0 <= (box[0] + box[2]) / 2 <= page.width and 0 <= (box[1] + box[3]) / 2 <= page.height):
            continue  # set beyond the edge of the paper
        text = _joined(fragments, first, stop)
        placed.append(Placed(piece, pieces[piece].zone, box, text, float(np.median(size[first:stop]))))
    regions: _Regions = defaultdict(list)
    for color, box in twin.areas:
        number = number_of(color)
        if number is not None and number < len(pieces.pieces) and pieces[number].meta.get("region"):
            regions[number].append(box)
    for number, boxes in regions.items():
        hull = _hull(np.array(boxes, np.float32))
        if pieces[number].orig == "object" and (hull[2] - hull[0]) * (hull[3] - hull[1]) > 100:
            placed.append(Placed(number, pieces[number].zone, hull, "", 0.0))
    return placed, regions


def _page(number: int, page: _Page, placed: list[Placed], regions: _Regions, pieces: Pieces) -> dict[str, Any]:
    elements = []
    for order, item in enumerate(reading_order(placed)):
        piece = pieces[item.piece]
        orig = item.orig or piece.orig
        element: dict[str, Any] = {
            "label": LABEL_OF[orig].value, "orig_label": orig, "bbox": [round(v, 2) for v in item.box],
            "text": item.text, "order": order, "block": item.piece, "trust": item.trust or piece.trust,
        }  # fmt: skip
        if item.text:
            element["font_size"] = round(item.size, 2)
        elements.append(element)
    tables = _tables(placed, regions, pieces)
    return {
        "page": number, "width": round(page.width, 2), "height": round(page.height, 2), "usable": bool(elements),
        "elements": elements, **({"tables": tables} if tables else {}),
    }  # fmt: skip


def _hull(boxes: NDArray[np.float32]) -> _Box:
    box = union(boxes)
    return float(box[0]), float(box[1]), float(box[2]), float(box[3])


def _lines(fragments: Fragments, ids: NDArray[np.int64], size: NDArray[Any]) -> list[tuple[int, int]]:
    """Ranges of fragments that follow one another on a line and belong to one piece."""
    n = len(fragments.text)
    if not n:
        return []
    boxes = fragments.boxes
    before, after = boxes[:-1], boxes[1:]
    shared = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    thin = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    gap = np.maximum(after[:, 0] - before[:, 2], before[:, 0] - after[:, 2])
    turned = np.array([r.angle % 180 == 90 for r in fragments.runs], np.bool_)[fragments.run]
    same = (shared >= 0.4 * thin) & (gap <= LINE_GAP * np.maximum(np.maximum(size[1:], size[:-1]), 1))
    same |= turned[1:] & turned[:-1]
    starts = [0, *(np.flatnonzero(~same | (ids[1:] != ids[:-1])) + 1).tolist(), n]
    out: list[tuple[int, int]] = []
    for first, stop in itertools.pairwise(starts):
        cut = _identifier_end(fragments, first, stop)
        out += [(first, cut), (cut, stop)] if cut < stop else [(first, stop)]
    return out


def _identifier_end(fragments: Fragments, first: int, stop: int) -> int:
    """Where a number or bullet that opens the line ends, because a cell ends there too; `stop` if there is none."""
    end, label = first + 1, fragments.text[first]
    while end < stop and not fragments.space[end] and len(label) < 12:
        label += fragments.text[end]
        end += 1
    return end if end < stop and IDENTIFIER.fullmatch(label) else stop


def _joined(fragments: Fragments, first: int, stop: int) -> str:
    out = fragments.text[first]
    for i in range(first + 1, stop):
        out += (" " if fragments.space[i] else "") + fragments.text[i]
    return out


def _tables(placed: list[Placed], regions: _Regions, pieces: Pieces) -> list[dict[str, Any]]:
    """Grids on a page, as far as they stand on it."""
    cells: dict[int, dict[int, list[Placed]]] = defaultdict(lambda: defaultdict(list))
    for item in placed:
        if "row" in pieces[item.piece].meta:
            cells[pieces[item.piece].meta["table"]][item.piece].append(item)
    hulls = {
        pieces[p].meta["table"]: _hull(np.array(b, np.float32)) for p, b in regions.items() if "table" in pieces[p].meta
    }
    out = []
    for table, by_piece in cells.items():
        found = []
        for piece, items in by_piece.items():
            box = _hull(np.array([i.box for i in items], np.float32))
            grid = {key: pieces[piece].meta[key] for key in ("row", "col", "row_span", "col_span")}
            found.append({**grid, "bbox": [round(v, 2) for v in box], "text": " ".join(i.text for i in items)})
        hull = hulls.get(table) or _hull(np.array([c["bbox"] for c in found], np.float32))
        out.append({"bbox": [round(v, 2) for v in hull], "cells": found})
    return out
