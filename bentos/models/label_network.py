"""The label network ready to answer: weights loaded, arrays in, arrays out. Used by its service and in-process.

Without torch: a replica of its service takes a third of the memory.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bentos.models.labels import LabelConfig, LabelReader
from bentos.models.recurrent import State, softmax
from bentos.models.serving import PACK, committed, version
from ingest import features
from ingest.document.labels import LABELS
from ingest.errors import ServiceRefused
from ingest.stage import ModelInfo, probabilities_to_bytes

STRETCH = 1024
"""Cells of a page that are read in one go; of the few pages that have more, each stretch is like a page."""
CELLS = 16 * STRETCH
"""Cells in memory at a time."""
ABOUT = "about"
"""Name in the file of weights of what is no weight: dimensions, and what else is to be known of them, as JSON."""


def save(path: Path, config: LabelConfig, state: State, **about: float) -> None:
    """Write weights in half precision: twice as small, and the same answers to three digits."""
    arrays: dict[str, Any] = {name: np.asarray(values, np.float16) for name, values in state.items()}
    arrays[ABOUT] = np.array(json.dumps({"config": asdict(config), **about}))
    with path.open("wb") as file:
        np.savez(file, **arrays)


def read(weights: bytes) -> tuple[LabelConfig, dict[str, NDArray[np.float32]], dict[str, Any]]:
    """(dimensions, parameters, what else `save` was told) of a file of weights."""
    with np.load(BytesIO(weights)) as kept:
        about = json.loads(str(kept[ABOUT]))
        state = {name: kept[name].astype(np.float32) for name in kept.files if name != ABOUT}
    return LabelConfig(**about.pop("config")), state, about


class LabelNetwork:
    """Features (cells, features) float32 to (cells, labels) uint8."""

    def __init__(self, data: bytes | None = None) -> None:
        threadpool_limits(1, "blas")  # replicas and workers scale, threads fight
        weights = data or committed("labels.npz")
        config, state, _ = read(weights)
        self._reader = LabelReader(config, state)
        self.info = ModelInfo(
            name="labels", version=version("labels", weights), takes=features.VERSION, returns=tuple(map(str, LABELS))
        )

    def predict(self, pages: Sequence[NDArray[Any]]) -> list[NDArray[np.uint8]]:
        width = self._reader.config.features
        for page in pages:
            if page.dtype != np.float32 or page.ndim != 2 or page.shape[1] != width:
                raise ServiceRefused(f"features must be float32 of (cells, {width}), not {page.dtype} of {page.shape}")
        answers: dict[int, NDArray[np.uint8]] = {k: np.zeros((0, len(LABELS)), np.uint8) for k in range(len(pages))}
        filled = [k for k in range(len(pages)) if len(pages[k])]
        for start in range(0, len(filled), PACK):
            pack = filled[start : start + PACK]
            answers.update(zip(pack, self._pack([pages[k] for k in pack]), strict=True))
        return [answers[k] for k in range(len(pages))]

    def _pack(self, pages: Sequence[NDArray[np.float32]]) -> list[NDArray[np.uint8]]:
        """Answers for consecutive pages of a document, of any length: cost and memory stay linear."""
        stretches = [page[start : start + STRETCH] for page in pages for start in range(0, len(page), STRETCH)]
        step = max(1, CELLS // max(len(stretch) for stretch in stretches))
        answers = [a for k in range(0, len(stretches), step) for a in self._stretches(stretches[k : k + step])]
        together = np.concatenate(answers)
        return np.split(together, np.cumsum([len(page) for page in pages])[:-1])

    def _stretches(self, stretches: Sequence[NDArray[np.float32]]) -> list[NDArray[np.uint8]]:
        return [probabilities_to_bytes(softmax(logits)) for logits in self._reader(stretches)]
