"""Train the layout network: `python -m bentos.training.train_layout --help`."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from bentos.models.layout import STRIDE, LayoutConfig, LayoutNet
from bentos.models.layout_network import read, save
from bentos.training import manifest
from bentos.training.layout_truth import IGNORE
from bentos.training.prepare import LabelledDocument, load
from bentos.training.split import fold_of
from ingest.document.labels import REGIONS
from ingest.pipeline import render

CONFIG = LayoutConfig(stem=8, widths=(16, 40, 80, 128), depths=(1, 2, 3, 3))


def augment(rasters: Tensor, regions: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """(b, 1, h, w) rasters 0..1 and (b, h/8, w/8) regions, each scaled, shifted, sometimes mirrored or inverted."""
    b, _, h, w = rasters.shape

    def uniform(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(b, generator=generator)

    scale_x = uniform(0.85, 1.2)
    scale_y = scale_x * uniform(0.93, 1.07)
    mirror = 1 - 2 * (torch.rand(b, generator=generator) < 0.1).float()
    theta = torch.zeros(b, 2, 3)
    theta[:, 0, 0], theta[:, 1, 1] = scale_x * mirror, scale_y
    theta[:, 0, 2], theta[:, 1, 2] = uniform(-0.12, 0.12), uniform(-0.12, 0.12)
    grid = functional.affine_grid(theta, [b, 1, h, w], align_corners=False)
    moved = 1 - functional.grid_sample(1 - rasters, grid, align_corners=False)  # what comes in from outside is white
    coarse = functional.affine_grid(theta, [b, 1, h // STRIDE, w // STRIDE], align_corners=False)
    target = functional.grid_sample(
        regions[:, None].float() + 1, coarse, mode="nearest", align_corners=False
    )  # 0 now means "from outside the page"
    target = (target[:, 0] - 1).clamp(min=0).long()
    gain, noise = uniform(0.5, 1.1), uniform(0, 0.06)
    moved = 1 - (1 - moved) * gain[:, None, None, None]
    moved = moved + noise[:, None, None, None] * torch.randn(moved.shape, generator=generator)
    inverted = (torch.rand(b, generator=generator) < 0.05)[:, None, None, None]
    return torch.where(inverted, 1 - moved, moved).clamp(0, 1), target


class Pages:
    """All pages of a set of documents, by orientation, in memory as bytes."""

    def __init__(self, documents: Sequence[LabelledDocument]) -> None:
        self.groups: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []
        pages = [p for d in documents for p in d.pages if (p.regions != IGNORE).any()]
        for shape in sorted({p.raster.shape for p in pages}):
            chosen = [p for p in pages if p.raster.shape == shape]
            self.groups.append((np.stack([p.raster for p in chosen]), np.stack([p.regions for p in chosen])))

    def __len__(self) -> int:
        return sum(len(r) for r, _ in self.groups)

    def batches(self, size: int, rng: np.random.Generator | None) -> list[tuple[int, NDArray[np.intp]]]:
        """(group, indices), shuffled if there is a generator."""
        found = []
        for g, (rasters, _) in enumerate(self.groups):
            order = rng.permutation(len(rasters)) if rng else np.arange(len(rasters))
            found += [(g, order[i : i + size]) for i in range(0, len(order), size)]
        if rng:
            found = [found[k] for k in rng.permutation(len(found))]
        return found

    def take(self, group: int, indices: NDArray[np.intp]) -> tuple[Tensor, Tensor]:
        rasters, regions = self.groups[group]
        return torch.from_numpy(rasters[indices])[:, None].float() / 255, torch.from_numpy(regions[indices]).long()


def evaluate(net: LayoutNet, pages: Pages) -> tuple[float, dict[str, float]]:
    """Mean and per-region F1 over map cells whose truth is known."""
    net.eval()
    confusion = np.zeros((len(REGIONS), len(REGIONS)), np.int64)
    with torch.inference_mode():
        for group, indices in pages.batches(16, None):
            rasters, regions = pages.take(group, indices)
            predicted = net(rasters.to(memory_format=torch.channels_last)).argmax(1)
            known = regions != IGNORE
            index = regions[known] * len(REGIONS) + predicted[known]
            confusion += np.bincount(index.numpy(), minlength=len(REGIONS) ** 2).reshape(confusion.shape)
    hit, truth, found = confusion.diagonal(), confusion.sum(1), confusion.sum(0)
    f1 = {
        str(region): float(2 * hit[k] / max(truth[k] + found[k], 1)) for k, region in enumerate(REGIONS) if truth[k] > 0
    }
    return float(np.mean(list(f1.values()))), f1


def train(
    documents: Sequence[LabelledDocument], *, epochs: float, seed: int, batch: int = 12, start: bytes | None = None
) -> LayoutNet:
    """A network trained on the documents, from the weights given or from nothing; prints its progress."""
    torch.manual_seed(seed)
    rng, generator = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    pages = Pages(documents)
    counts = np.zeros(len(REGIONS))
    for _, known in pages.groups:
        counts += np.bincount(known[known != IGNORE], minlength=len(REGIONS))
    weights = torch.from_numpy((counts.sum() / np.maximum(counts, 1)) ** 0.4).float()
    weights /= weights.mean()
    first = read(start) if start else LayoutNet(CONFIG)
    net: LayoutNet = first.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.02)
    total = math.ceil(epochs * len(pages.batches(batch, None)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=total, pct_start=0.2)
    step, started, losses = 0, time.monotonic(), []
    while step < total:
        for group, indices in pages.batches(batch, rng):
            if step >= total:
                break
            net.train()
            rasters, regions = augment(*pages.take(group, indices), generator)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = net(rasters.to(memory_format=torch.channels_last))
            loss = functional.cross_entropy(logits.float(), regions, weights, ignore_index=IGNORE, label_smoothing=0.02)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            step += 1
            losses.append(loss.detach().item())
            if step % 100 == 0:
                print(
                    f"step {step}/{total} loss {np.mean(losses[-100:]):.3f} {time.monotonic() - started:.0f} s",
                    flush=True,
                )
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path, nargs="+", help="folders of ground truth (PDF and JSON side by side)")
    parser.add_argument("--cache", type=Path, default=Path(".ingest/training"))
    parser.add_argument("--out", type=Path, required=True, help="weights to write")
    parser.add_argument("--start", type=Path, help="weights to go on from, as those of a fold")
    parser.add_argument("--epochs", type=float, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hold-out", metavar="K/N", help="leave fold K of N (whole layouts) out, and measure on it")
    options = parser.parse_args()
    documents = list(load(options.truth, options.cache))
    held: list[LabelledDocument] = []
    if options.hold_out:
        k, n = map(int, options.hold_out.split("/"))
        held = [d for d in documents if fold_of(d.layout, n) == k]
        documents = [d for d in documents if fold_of(d.layout, n) != k]
    net = train(documents, epochs=options.epochs, seed=options.seed, start=options.start and options.start.read_bytes())
    save(options.out, net)
    how = {"seed": options.seed, "epochs": options.epochs, "held out": options.hold_out, "raster": render.VERSION}
    manifest.write(options.out, options.truth, {(d.collection, d.name) for d in documents}, how)
    for collection in sorted({d.collection for d in held}):
        mean, f1 = evaluate(net, Pages([d for d in held if d.collection == collection]))
        print(f"{collection}: mean F1 {mean:.3f} " + " ".join(f"{k} {v:.3f}" for k, v in f1.items()))


if __name__ == "__main__":
    main()
