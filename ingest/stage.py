"""What a stage needs of a network: the same for a service and for a network in the process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Manifest of a model: what it is, what it takes and returns."""

    name: str
    version: str
    """Names the weights; another version gives other results."""
    takes: str
    """Version of its input: `ingest.pipeline.render.VERSION`, `ingest.features.VERSION`."""
    returns: tuple[str, ...]
    """Names of what it tells apart, in the order of its output."""


class Prediction(NamedTuple):
    """One array per page, in the order asked."""

    arrays: list[NDArray[Any]]
    cpu_s: float
    """CPU-seconds that the model spent."""
    remote: bool
    """It spent them in a service, not in this process."""


class Model(Protocol):
    """A network that answers for a pack of pages."""

    async def info(self) -> ModelInfo:
        """Raises ServiceUnavailable."""
        ...

    async def predict(self, pages: Sequence[NDArray[Any]]) -> Prediction:
        """Layout: rasters (rows, columns) uint8 to maps (rows/8, columns/8, regions) uint8 probabilities.

        Labels: features (cells, features) float32 to (cells, labels) uint8 probabilities.
        Raises ServiceUnavailable, ServiceRefused.
        """
        ...

    async def close(self) -> None: ...


def probabilities_to_bytes(probabilities: NDArray[np.float32]) -> NDArray[np.uint8]:
    """0..1 to 0..255, as models return them: a quarter of the bytes, and exact enough for every use."""
    return np.rint(probabilities * 255).astype(np.uint8)
