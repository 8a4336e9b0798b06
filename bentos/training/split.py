"""How documents are divided into what is learned and what is measured."""

from __future__ import annotations

from hashlib import sha256


def fold_of(layout: str, folds: int) -> int:
    """Fold of a layout: whole layouts are held out, because unseen collections have unseen layouts."""
    return int.from_bytes(sha256(layout.encode()).digest()[:4], "big") % folds
