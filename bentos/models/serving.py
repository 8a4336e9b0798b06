"""Networks ready to answer: weights loaded, arrays in, arrays out. Used by the services and in-process alike."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from io import BytesIO
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from bentos.models.labels import LabelConfig, LabelNet
from bentos.models.layout import LayoutConfig, LayoutNet, fused
from ingest import features
from ingest.document.labels import LABELS, REGIONS
from ingest.errors import ServiceRefused
from ingest.pipeline import render
from ingest.stage import ModelInfo, probabilities_to_bytes

PACK = 16
"""Pages that go through the network at a time."""
STRETCH = 1024
"""Cells of a page that are read in one go; of the few pages that have more, each stretch is like a page."""
CELLS = 16 * STRETCH
"""Cells, padding included, in memory at a time."""


class Network(Protocol):
    """A network that answers for a pack of pages; see `ingest.stage.Model` for the arrays."""

    info: ModelInfo

    def predict(self, pages: Sequence[NDArray[Any]]) -> list[NDArray[np.uint8]]:
        """Raises ServiceRefused for arrays that it cannot take."""
        ...


def save(path: str, net: LayoutNet | LabelNet) -> None:
    """Write weights in half precision: twice as small, and the same answers to three digits."""
    state = {k: v.half() if v.is_floating_point() else v for k, v in net.state_dict().items()}
    torch.save({"config": asdict(net.config), "state": state}, path)


def _load(name: str, data: bytes | None) -> tuple[dict[str, Any], dict[str, torch.Tensor], str]:
    """(config, weights, version) of the named weights file, or of the bytes given."""
    data = data or (files("bentos") / "weights" / f"{name}.pt").read_bytes()
    kept = torch.load(BytesIO(data), weights_only=True)
    state = {k: v.float() if v.is_floating_point() else v for k, v in kept["state"].items()}
    return kept["config"], state, f"{name}-{hashlib.sha256(data).hexdigest()[:10]}"


def load_layout(data: bytes | None = None) -> tuple[LayoutNet, str]:
    """The network of the weights given, or of the committed ones, and its version."""
    kept, state, version = _load("layout", data)
    config: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()}
    net = LayoutNet(LayoutConfig(**config))
    net.load_state_dict(state)
    return net.eval(), version


def load_labels(data: bytes | None = None) -> tuple[LabelNet, str]:
    """As `load_layout`, of the labels."""
    config, state, version = _load("labels", data)
    net = LabelNet(LabelConfig(**config))
    net.load_state_dict(state)
    return net.eval(), version


class LayoutNetwork:
    """Rasters (rows, columns) uint8 to maps (rows/8, columns/8, regions) uint8."""

    def __init__(self, data: bytes | None = None) -> None:
        torch.set_num_threads(1)  # replicas and workers scale, threads fight
        net, version = load_layout(data)
        self._net = fused(net)
        self.info = ModelInfo(name="layout", version=version, takes=render.VERSION, returns=tuple(map(str, REGIONS)))

    def predict(self, pages: Sequence[NDArray[Any]]) -> list[NDArray[np.uint8]]:
        for page in pages:
            if page.dtype != np.uint8 or sorted(page.shape) != [render.SHORT_SIDE, render.LONG_SIDE]:
                raise ServiceRefused(f"a raster must be uint8 of {render.LONG_SIDE} x {render.SHORT_SIDE}")
        answers: dict[int, NDArray[np.uint8]] = {}
        for shape in sorted({p.shape for p in pages}):
            chosen = [k for k, p in enumerate(pages) if p.shape == shape]
            for start in range(0, len(chosen), PACK):
                pack = chosen[start : start + PACK]
                maps = self._maps(np.stack([pages[k] for k in pack]))
                answers.update(zip(pack, maps, strict=True))
        return [answers[k] for k in range(len(pages))]

    def _maps(self, rasters: NDArray[np.uint8]) -> NDArray[np.uint8]:
        with torch.inference_mode():
            pixels = torch.from_numpy(rasters)[:, None].float() / 255
            logits = self._net(pixels.to(memory_format=torch.channels_last))
            maps = torch.softmax(logits, dim=1).permute(0, 2, 3, 1).contiguous().numpy()
        return probabilities_to_bytes(maps)


class LabelNetwork:
    """Features (cells, features) float32 to (cells, labels) uint8."""

    def __init__(self, data: bytes | None = None) -> None:
        torch.set_num_threads(1)
        self._net, version = load_labels(data)
        self.info = ModelInfo(name="labels", version=version, takes=features.VERSION, returns=tuple(map(str, LABELS)))

    def predict(self, pages: Sequence[NDArray[Any]]) -> list[NDArray[np.uint8]]:
        width = self._net.config.features
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
        lengths = torch.tensor([len(stretch) for stretch in stretches])
        padded = torch.zeros(len(stretches), int(lengths.max()), self._net.config.features)
        for row, stretch in enumerate(stretches):
            padded[row, : len(stretch)] = torch.from_numpy(np.array(stretch))
        with torch.inference_mode():
            probabilities = torch.softmax(self._net(padded, lengths), dim=-1).numpy()
        return [probabilities_to_bytes(rows[: len(s)]) for rows, s in zip(probabilities, stretches, strict=True)]
