"""What the networks that serve have in common: the pages that go through at a time, and files of weights."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ingest.stage import ModelInfo

PACK = 16
"""Pages that go through a network at a time."""


class Network(Protocol):
    """A network that answers for a pack of pages; see `ingest.stage.Model` for the arrays."""

    info: ModelInfo

    def predict(self, pages: Sequence[NDArray[Any]]) -> list[NDArray[np.uint8]]:
        """Raises ServiceRefused for arrays that it cannot take."""
        ...


def committed(file: str) -> bytes:
    """Content of a file of `bentos/weights`."""
    return (files("bentos") / "weights" / file).read_bytes()


def version(name: str, weights: bytes) -> str:
    """Of a network with these weights: name and the first ten digits of their SHA-256."""
    return f"{name}-{hashlib.sha256(weights).hexdigest()[:10]}"
