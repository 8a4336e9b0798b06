"""Features that need the whole document: its body text, what repeats from page to page, where in the document."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes
from ingest.document.page import Page
from ingest.features.styles import StyleKey

NAMES: tuple[str, ...] = (
    "body_font",
    "font_share",
    "size_rank",
    "size_to_largest",
    "style_share",
    "style_cells",
    "style_length",
    "style_pages",
    "page_number",
    "page_from_end",
    "position",
    "pages",
    "landscape",
    "cells",
    "repeated_text",
    "repeated_place",
    "leading",
)

FRONT_PAGES = 3
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,7}\b")


@dataclass(slots=True)
class Body:
    """The document's body text: what most of its characters are set in."""

    size: float
    """Points."""
    font: str
    largest: float
    """Size of the largest type on the first pages, in points."""
    column: float
    """Width of a typical full line, in points."""
    leading: float
    """Distance from line to line, in points."""
    styles: dict[StyleKey, tuple[float, float, float, float]]
    """Share of the characters, log of the number of cells, log of the mean length of a cell, share of the pages that
    have it: headings come in many short cells, spread over the document."""
    font_share: dict[str, float]
    """Share of the document's characters by font name."""
    sizes: NDArray[np.float32]
    """Sizes in use, rounded to 0.5 points, ascending …"""
    cumulative: NDArray[np.float32]
    """… and the share of characters that are at most that big."""


def measure(pages: Sequence[Page], shown: Sequence[Boxes], keys: Sequence[list[StyleKey]]) -> Body:
    """Body text of a document; of A4 in 10 points where there is no text.

    Per page, `shown` are the cells' boxes as shown and `keys` their styles.
    """
    by_size: Counter[float] = Counter()
    by_font: Counter[str] = Counter()
    for page in pages:
        rounded = np.round(page.cells.size * 2) / 2
        for text, size, font in zip(page.cells.text, rounded.tolist(), page.cells.font.tolist(), strict=True):
            by_size[size] += len(text)
            by_font[page.fonts[font]] += len(text)
    total = max(sum(by_size.values()), 1)
    styles = _styles(pages, keys, total)
    first = [page.cells.size for page in pages[:FRONT_PAGES] if len(page.cells)]
    size = max(by_size, key=lambda s: (by_size[s], s)) if by_size else 10.0
    sizes = np.array(sorted(by_size), np.float32) if by_size else np.array([10.0], np.float32)
    counts = np.array([by_size[s] for s in sorted(by_size)], np.float32) if by_size else np.ones(1, np.float32)
    widths, steps = _lines(pages, shown, size)
    return Body(
        size=max(size, 1.0),
        font=max(by_font, key=lambda f: (by_font[f], f)) if by_font else "",
        largest=max(float(np.concatenate(first).max()) if first else size, 1.0),
        styles=styles,
        column=float(np.percentile(widths, 75)) if len(widths) else 450.0,
        leading=float(np.median(steps)) if len(steps) else 1.2 * size,
        font_share={font: count / total for font, count in by_font.items()},
        sizes=sizes,
        cumulative=np.cumsum(counts) / counts.sum(),
    )


def _styles(
    pages: Sequence[Page], keys: Sequence[list[StyleKey]], total: int
) -> dict[StyleKey, tuple[float, float, float, float]]:
    characters: Counter[StyleKey] = Counter()
    cells: Counter[StyleKey] = Counter()
    on: Counter[StyleKey] = Counter()
    for page, of_page in zip(pages, keys, strict=True):
        for key, text in zip(of_page, page.cells.text, strict=True):
            characters[key] += len(text)
        cells.update(of_page)
        on.update(set(of_page))
    return {
        key: (count / total, math.log(cells[key]), math.log(count / cells[key]), on[key] / len(pages))
        for key, count in characters.items()
    }


def _lines(
    pages: Sequence[Page], shown: Sequence[Boxes], size: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Widths of the lines in body size, and distances between consecutive ones."""
    widths, steps = [np.zeros(0, np.float32)], [np.zeros(0, np.float32)]
    for page, every in zip(pages, shown, strict=True):
        boxes = every[np.abs(page.cells.size - size) < 0.3]
        wide = boxes[:, 2] - boxes[:, 0]
        widths.append(wide[wide > 8 * size])
        if len(boxes) > 1:
            step = boxes[:-1, 1] - boxes[1:, 1]
            steps.append(step[(step > 0.8 * size) & (step < 2.5 * size)])
    return np.concatenate(widths), np.concatenate(steps)


def _place(page: Page, boxes: Boxes) -> list[tuple[int, bool]]:
    """Coarse place of each cell: distance from the nearer of top and bottom, in 4 points; which of the two."""
    _, height = page.display_size
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    top = middle > height / 2
    distance = np.where(top, height - middle, middle)
    return [(int(d), bool(t)) for d, t in zip((distance / 4).tolist(), top.tolist(), strict=True)]


def _skeleton(text: str) -> str:
    """Text with numbers as one sign, so that running heads with page numbers are the same on every page."""
    return _DIGITS.sub("#", text.lower())[:60]


def repetition(pages: Sequence[Page], shown: Sequence[Boxes]) -> list[NDArray[np.float32]]:
    """(n, 2) per page: share of the document's pages that have the cell's text, and any cell in its place.

    Text counts within one step (4 points) of the place. Zero in a document of one page.
    """
    texts: defaultdict[tuple[str, bool], set[int]] = defaultdict(set)
    places: defaultdict[tuple[int, bool, int], set[int]] = defaultdict(set)
    keys = []
    for number, (page, boxes) in enumerate(zip(pages, shown, strict=True)):
        lefts: list[int] = (boxes[:, 0] / 8).astype(int).tolist()
        page_keys = []
        for text, (distance, top), left in zip(page.cells.text, _place(page, boxes), lefts, strict=True):
            skeleton = (_skeleton(text), top)
            texts[skeleton].add(number)
            places[distance, top, left].add(number)
            page_keys.append((skeleton, (distance, top, left)))
        keys.append(page_keys)
    count = max(len(pages) - 1, 1)
    return [
        np.array(
            [((len(texts[s]) - 1) / count, (len(places[p]) - 1) / count) for s, p in page_keys], np.float32
        ).reshape(-1, 2)
        for page_keys in keys
    ]


def features(
    pages: Sequence[Page], index: int, body: Body, keys: list[StyleKey], repeated: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(n, len(NAMES)) of the cells of pages[index], in content order; `keys` and `repeated` are of that page."""
    page = pages[index]
    cells = page.cells
    n = len(cells)
    names = [page.fonts[f] for f in cells.font.tolist()]
    width, height = page.display_size
    rank = np.searchsorted(body.sizes, np.round(cells.size * 2) / 2).clip(0, len(body.sizes) - 1)
    columns = [
        np.array([name == body.font for name in names]),
        np.array([body.font_share.get(name, 0.0) for name in names]),
        body.cumulative[rank],
        cells.size / body.largest,
        *np.array([body.styles[key] for key in keys], np.float32).T,
        np.full(n, min(index, 10)),
        np.full(n, min(len(pages) - 1 - index, 10)),
        np.full(n, index / max(len(pages) - 1, 1)),
        np.full(n, np.log1p(len(pages))),
        np.full(n, width > height),
        np.full(n, np.log1p(n)),
        repeated[:, 0],
        repeated[:, 1],
        np.full(n, body.leading / max(body.size, 1)),
    ]
    return np.stack([np.asarray(c, np.float32) for c in columns], axis=1)
