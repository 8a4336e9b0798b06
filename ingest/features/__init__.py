"""Features of text cells: what the label network sees of a document.

The features of Staar et al. 2018 (position, size, distance to the neighbours in reading order, character classes,
style) and what they lack: everything relative to the document's own body text (font size, leading, column width),
repetition across pages, ruling lines, what is drawn around the cell, and what the layout network saw under it. No word
of the text is used, so
that the same network serves every language. Training and serving call the same function, `document_features`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.document.page import Page
from ingest.features import context, figures, geometry, text
from ingest.features.geometry import LayoutMap

VERSION = "features-3"
"""Raise whenever the same pages give other numbers: networks are trained for one version."""

PAGE_MEANS = ("share_digit", "starts_identifier", "starts_bracket", "ends_number", "years", "initials", "share_math")
"""Features of the text whose mean over the page says what kind of page it is: references, contents, an index."""

NAMES: tuple[str, ...] = (
    *text.NAMES,
    *geometry.NAMES,
    *figures.NAMES,
    *context.NAMES,
    *(f"page_{name}" for name in PAGE_MEANS),
)
"""Names of the columns."""
_OF_PAGE = [text.NAMES.index(name) for name in PAGE_MEANS]

Features = NDArray[np.float32]
"""(n, len(NAMES)); ratios, shares and distances in units of the body font; not normalised."""


def document_features(
    pages: Sequence[Page], orders: Sequence[NDArray[np.intp]], maps: Sequence[LayoutMap | None]
) -> list[Features]:
    """Features of every cell, one array per page, rows in the page's reading order.

    `orders` are permutations of the cells of each page; `maps` are the layout network's, None where it was not asked.
    """
    body = context.measure(pages)
    repeated = context.repetition(pages)
    parts = []
    for index, (page, order, layout) in enumerate(zip(pages, orders, maps, strict=True)):
        if not len(page.cells):
            parts.append(np.zeros((0, len(NAMES)), np.float32))
            continue
        written = text.features(page.cells.text)
        table = np.concatenate(
            [
                written,
                geometry.features(page, order, body, layout),
                figures.features(page, page.to_display(page.cells.boxes), max(body.size, 1.0)),
                context.features(pages, index, body, repeated),
                np.broadcast_to(written[:, _OF_PAGE].mean(axis=0), (len(written), len(_OF_PAGE))),
            ],
            axis=1,
        )
        parts.append(np.nan_to_num(table[order], nan=0.0, posinf=1e4, neginf=-1e4))
    return parts
