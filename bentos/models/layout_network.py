"""The layout network ready to answer: weights loaded, arrays in, arrays out. Used by its service and in-process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bentos.models.layout import LayoutConfig, LayoutNet, fused
from bentos.models.serving import PACK, committed, version
from ingest.document.labels import REGIONS
from ingest.errors import ServiceRefused
from ingest.pipeline import render
from ingest.stage import ModelInfo, probabilities_to_bytes


def save(path: Path, net: LayoutNet) -> None:
    """Write weights in half precision: twice as small, and the same answers to three digits."""
    state = {k: v.half() if v.is_floating_point() else v for k, v in net.state_dict().items()}
    torch.save({"config": asdict(net.config), "state": state}, path)


def read(weights: bytes) -> LayoutNet:
    """The network of a file of weights."""
    kept = torch.load(BytesIO(weights), weights_only=True)
    config: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in kept["config"].items()}
    net = LayoutNet(LayoutConfig(**config))
    net.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in kept["state"].items()})
    return net.eval()


class LayoutNetwork:
    """Rasters (rows, columns) uint8 to maps (rows/8, columns/8, regions) uint8."""

    def __init__(self, data: bytes | None = None) -> None:
        torch.set_num_threads(1)  # replicas and workers scale, threads fight
        weights = data or committed("layout.pt")
        self._net = fused(read(weights))
        self.info = ModelInfo(
            name="layout", version=version("layout", weights), takes=render.VERSION, returns=tuple(map(str, REGIONS))
        )

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
