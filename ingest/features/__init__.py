"""Features of text cells: what the label network sees of a document.

The features of Staar et al. 2018 (position, size, distance to the neighbours in reading order, character classes,
style) and what they lack: everything relative to the document's own body text (font size, leading, column width),
indents and slack within the column, repetition across pages, ruling lines, what is drawn around the cell, what the
layout network saw under it, and what all cells in the same style are like. No word of the text is used, so that the
same network serves every language. Training and serving call the same function, `document_features`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.document.labels import REGIONS
from ingest.document.page import Page
from ingest.features import columns, context, figures, geometry, styles, text
from ingest.features.geometry import LayoutMap

VERSION = "features-4"
"""Raise whenever the same pages give other numbers: networks are trained for one version."""

PAGE_MEANS = ("share_digit", "starts_identifier", "starts_bracket", "ends_number", "years", "initials", "share_math")
"""Features of the text whose mean over the page says what kind of page it is: references, contents, an index."""
STYLE_MEANS = (
    "log_length",
    "starts_upper",
    "starts_identifier",
    "numbering_depth",
    "starts_word_number",
    "ends_stop",
    "share_digit",
    "gap_above",
    "gap_below",
    "column_indent",
    "line_off_centre",
    "line_fill",
    "before_on_line",
    "step_above",
    "in_figure",
    "top",
    *(f"region_{region}" for region in REGIONS),
)
"""Features whose mean over all cells in the same style says what the style is for."""

_OF_CELL: tuple[str, ...] = (*text.NAMES, *geometry.NAMES, *columns.NAMES, *figures.NAMES, *context.NAMES)
NAMES: tuple[str, ...] = (
    *_OF_CELL,
    *(f"page_{name}" for name in PAGE_MEANS),
    *(f"style_{name}" for name in STYLE_MEANS),
)
"""Names of the columns."""
_OF_PAGE = [_OF_CELL.index(name) for name in PAGE_MEANS]
_OF_STYLE = [_OF_CELL.index(name) for name in STYLE_MEANS]

Features = NDArray[np.float32]
"""(n, len(NAMES)); ratios, shares and distances in units of the body font; not normalised."""


def document_features(
    pages: Sequence[Page], orders: Sequence[NDArray[np.intp]], maps: Sequence[LayoutMap | None]
) -> list[Features]:
    """Features of every cell, one array per page, rows in the page's reading order.

    `orders` are permutations of the cells of each page; `maps` are the layout network's, None where it was not asked.
    """
    shown = [page.to_display(page.cells.boxes) for page in pages]
    keys = [styles.keys(page) for page in pages]
    body = context.measure(pages, shown, keys)
    repeated = context.repetition(pages, shown)
    em = max(body.size, 1.0)
    tables = []
    for index, (page, order, layout) in enumerate(zip(pages, orders, maps, strict=True)):
        if not len(page.cells):
            tables.append(np.zeros((0, len(_OF_CELL)), np.float32))
            continue
        boxes = shown[index]
        near = geometry.spatial_neighbours(boxes, em)
        parts = (
            text.features(page.cells.text),
            geometry.features(page, boxes, order, near, body, layout),
            columns.features(page, boxes, near, body),
            figures.features(page, boxes, em),
            context.features(pages, index, body, keys[index], repeated[index]),
        )
        tables.append(np.concatenate(parts, axis=1))
    of_style = styles.means(keys, [table[:, _OF_STYLE] for table in tables])
    return [
        _in_order(np.concatenate([table, _of_page(table), style], axis=1), order)
        for table, style, order in zip(tables, of_style, orders, strict=True)
    ]


def _of_page(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """The page's means, the same in each row."""
    means = table[:, _OF_PAGE].mean(axis=0) if len(table) else np.zeros(len(_OF_PAGE), np.float32)
    return np.broadcast_to(means, (len(table), len(_OF_PAGE)))


def _in_order(table: NDArray[np.float32], order: NDArray[np.intp]) -> Features:
    return np.nan_to_num(table[order], nan=0.0, posinf=1e4, neginf=-1e4)
