"""Features of a cell's style: what the cells of the document in the same font, size and weight are like together.

One heading may look like a short line of text; fifty of them, all short, all with space above, all capitalised, do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.document.page import Page, Style

StyleKey = tuple[str, float, int]
"""Font, size to half a point, and bold and italic."""


def keys(page: Page) -> list[StyleKey]:
    """Style of each cell."""
    cells = page.cells
    sizes = (np.round(cells.size * 2) / 2).tolist()
    faces = (cells.style & np.uint8(Style.BOLD | Style.ITALIC)).tolist()
    return [(page.fonts[f], s, b) for f, s, b in zip(cells.font.tolist(), sizes, faces, strict=True)]


def means(keys_of_pages: Sequence[list[StyleKey]], tables: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
    """Per page (n, features): mean of each cell's style over the document; `tables` (n, features) is of what."""
    if not keys_of_pages:
        return []
    numbers: dict[StyleKey, int] = {}
    of = [np.array([numbers.setdefault(key, len(numbers)) for key in page], np.intp) for page in keys_of_pages]
    every = np.concatenate(of)
    count = np.maximum(np.bincount(every, minlength=len(numbers)), 1)
    table = np.concatenate(tables)
    mean = np.stack([np.bincount(every, column, len(numbers)) / count for column in table.T], axis=1)
    return [np.asarray(mean[rows], np.float32) for rows in of]
