"""Features of a cell's style: what the cells of the document in the same font, size and weight are like together.

One heading may look like a short line of text; fifty of them, all short, all with space above, all capitalised, do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.document.page import Page
from ingest.features.context import style_keys


def means(pages: Sequence[Page], tables: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
    """Per page (n, features): mean of each cell's style over the document; `tables` (n, features) is of what."""
    if not pages:
        return []
    numbers: dict[tuple[str, float, int], int] = {}
    of = [np.array([numbers.setdefault(key, len(numbers)) for key in style_keys(page)], np.intp) for page in pages]
    every = np.concatenate(of)
    count = np.maximum(np.bincount(every, minlength=len(numbers)), 1)
    table = np.concatenate(tables)
    mean = np.stack([np.bincount(every, column, len(numbers)) / count for column in table.T], axis=1)
    return [np.asarray(mean[rows], np.float32) for rows in of]
