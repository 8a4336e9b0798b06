"""How documents are divided into what is learned and what is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray


def fold_of(layout: str, folds: int) -> int:
    """Fold of a layout: whole layouts are held out, because unseen collections have unseen layouts."""
    return int.from_bytes(sha256(layout.encode()).digest()[:4], "big") % folds


def balanced(labels: Sequence[Collection[int]], *, share: float = 0.6, seed: int = 1) -> NDArray[np.bool_]:
    """Which pages are learned, so that every label is divided alike; `labels` are those that occur on each page.

    Labels are visited from the one on the fewest pages to the one on the most; of the pages with that label that are
    not divided yet, `share` are learned (Livathinos et al. 2021, "Datasets"). Pages without labels are not learned.
    """
    rng = np.random.default_rng(seed)
    pages_of: dict[int, list[int]] = {}
    for page, present in enumerate(labels):
        for label in set(present):
            pages_of.setdefault(label, []).append(page)
    learned, divided = np.zeros(len(labels), np.bool_), np.zeros(len(labels), np.bool_)
    for label in sorted(pages_of, key=lambda label: (len(pages_of[label]), label)):
        left = [page for page in pages_of[label] if not divided[page]]
        chosen = rng.permutation(left).astype(np.intp)
        learned[chosen[: round(share * len(left))]] = True
        divided[chosen] = True
    return learned
