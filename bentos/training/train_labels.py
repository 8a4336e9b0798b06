"""Train the cell labeller: `python -m bentos.training.train_labels --help`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from bentos.models.label_network import save
from bentos.models.labels import LabelConfig, LabelReader
from bentos.models.layout_network import LayoutNetwork
from bentos.models.serving import PACK
from bentos.training import manifest
from bentos.training.label_net import LabelNet
from bentos.training.prepare import LabelledDocument, load
from bentos.training.split import fold_of
from bentos.training.truth import MASKED
from ingest import features
from ingest.document.labels import LABELS
from ingest.document.page import TextState
from ingest.pipeline.reading_order import page_order

PAGE_CAP = 24
"""Pages of one document per epoch: variety of documents limits the labeller, not their length."""
RUN = 6
"""Consecutive pages that are learned together."""
CELLS = 384
"""Cells of a page per training step; of longer pages a stretch is taken."""


@dataclass(slots=True)
class Sequences:
    """A document's pages as the network sees them."""

    name: str
    collection: str
    layout: str
    features: list[features.Features]
    labels: list[NDArray[np.int8]]


def sequences(document: LabelledDocument, layout: LayoutNetwork | None) -> Sequences:
    """Features and labels in reading order, by the same code that serves."""
    pages = [p.page for p in document.pages]
    orders = [page_order(page) for page in pages]
    maps: list[NDArray[np.uint8] | None] = [None] * len(pages)
    if layout is not None:
        seen = [k for k, page in enumerate(pages) if page.state is not TextState.BLANK]
        for k, answer in zip(seen, layout.predict([document.pages[k].raster for k in seen]), strict=True):
            maps[k] = answer
    return Sequences(
        document.name,
        document.collection,
        document.layout,
        features.document_features(pages, orders, maps),
        [p.labels[order] for p, order in zip(document.pages, orders, strict=True)],
    )


LabelledCells = tuple[features.Features, NDArray[np.int8]]
Batch = tuple[Tensor, Tensor, Tensor, Tensor]
"""Features, labels (MASKED in the padding), cells of each page, pages of each run."""


class Sampler:
    """Batches of runs of consecutive pages."""

    def __init__(self, documents: Sequence[Sequences], rng: np.random.Generator) -> None:
        self._documents = [[(x, y) for x, y in zip(d.features, d.labels, strict=True) if len(y)] for d in documents]
        self._rng = rng

    def epoch(self, cells: int) -> list[Batch]:
        """Batches of about `cells` cells each, in random order."""
        runs: list[list[LabelledCells]] = []
        for pages in self._documents:
            # a document gives PAGE_CAP pages at most, in runs that begin anywhere
            starts = list(range(int(self._rng.integers(0, RUN)) - RUN + 1, len(pages), RUN))
            for start in self._rng.permutation(starts)[: PAGE_CAP // RUN]:
                run = [self._cut(page) for page in pages[max(start, 0) : start + RUN]]
                if any((y != MASKED).any() for _, y in run):
                    runs.append(run)
        runs.sort(key=lambda run: max(len(y) for _, y in run) + self._rng.integers(0, 24))
        batches: list[Batch] = []
        batch: list[list[LabelledCells]] = []
        for run in runs:
            batch.append(run)
            if sum(len(y) for run in batch for _, y in run) >= cells:
                batches.append(collate(batch))
                batch = []
        if batch:
            batches.append(collate(batch))
        order = self._rng.permutation(len(batches))
        return [batches[k] for k in order]

    def _cut(self, page: LabelledCells) -> LabelledCells:
        x, y = page
        start = self._rng.integers(0, max(1, len(y) - CELLS + 1))
        return x[start : start + CELLS], y[start : start + CELLS]


def collate(runs: Sequence[Sequence[LabelledCells]]) -> Batch:
    """Runs of pages padded to the longest page."""
    pages = [page for run in runs for page in run]
    lengths = torch.tensor([len(y) for _, y in pages])
    x = torch.zeros(len(pages), int(lengths.max()), pages[0][0].shape[1])
    labels = torch.full((len(pages), int(lengths.max())), MASKED, dtype=torch.long)
    for k, (values, y) in enumerate(pages):
        x[k, : len(y)], labels[k, : len(y)] = torch.from_numpy(values), torch.from_numpy(y).long()
    return x, labels, lengths, torch.tensor([len(run) for run in runs])


def train(documents: Sequence[Sequences], *, epochs: int, seed: int, config: LabelConfig | None = None) -> LabelNet:
    """A network trained on the documents; prints its progress."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = LabelNet(config or LabelConfig(features=len(features.NAMES)))
    sampler = Sampler(documents, rng)
    net.bins.fit(torch.from_numpy(_some_cells(documents, rng)))
    counts = np.zeros(len(LABELS))
    for document in documents:
        for known in document.labels:
            counts += np.bincount(known[known != MASKED], minlength=len(LABELS))
    weights = torch.from_numpy((counts.sum() / np.maximum(counts, 50)) ** 0.3).float()
    weights /= (weights * torch.from_numpy(counts / counts.sum()).float()).sum()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    steps = len(sampler.epoch(3000)) * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps + epochs * 4, pct_start=0.15)
    started = time.monotonic()
    for epoch in range(epochs):
        net.train()
        losses = []
        for x, y, lengths, runs in sampler.epoch(3000):
            logits = net(_jitter(x, runs, rng), lengths, runs)
            loss = functional.cross_entropy(
                logits.reshape(-1, len(LABELS)), y.reshape(-1), weights, ignore_index=MASKED, label_smoothing=0.05
            )
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.detach().item())
        print(f"epoch {epoch + 1}/{epochs} loss {np.mean(losses):.3f} {time.monotonic() - started:.0f} s", flush=True)
    return net.eval()


def _some_cells(documents: Sequence[Sequences], rng: np.random.Generator) -> NDArray[np.float32]:
    """A sample of cells, the same number of each document, to find bins in."""
    parts = []
    for document in documents:
        cells = np.concatenate(document.features)
        parts.append(cells[rng.permutation(len(cells))[:400]])
    return np.concatenate(parts)


def _jitter(x: Tensor, runs: Tensor, rng: np.random.Generator) -> Tensor:
    """Features of a whole run of pages taken from other pages of the batch, so that none is relied on alone."""
    pages, _, f = x.shape
    swapped = torch.from_numpy(rng.random((len(runs), f)) < 0.06).repeat_interleave(runs, dim=0)
    other = x[torch.from_numpy(rng.permutation(pages))]
    return torch.where(swapped[:, None, :], other, x)


def parameters(net: LabelNet) -> dict[str, NDArray[np.float32]]:
    """By name, as `bentos.models.labels.LabelReader` takes them."""
    return {name: values.numpy() for name, values in net.state_dict().items()}


def logits(reader: LabelReader, document: Sequences) -> list[NDArray[np.float32]]:
    """(cells, labels) of every page, packed as they are when serving."""
    found = [np.zeros((0, reader.config.classes), np.float32) for _ in document.features]
    filled = [k for k, x in enumerate(document.features) if len(x)]
    for start in range(0, len(filled), PACK):
        pack = filled[start : start + PACK]
        for k, said in zip(pack, reader([document.features[k] for k in pack]), strict=True):
            found[k] = said
    return found


def scores(truth: Iterable[NDArray[np.int8]], predicted: Iterable[NDArray[np.integer]]) -> tuple[float, float, str]:
    """(weighted F1, macro F1, F1 of each label in a line), a cell counting one."""
    confusion = np.zeros((len(LABELS), len(LABELS)), np.int64)
    for y, p in zip(truth, predicted, strict=True):
        known = y != MASKED
        np.add.at(confusion, (y[known], p[known]), 1)
    hit, of_truth, of_prediction = confusion.diagonal(), confusion.sum(1), confusion.sum(0)
    f1 = 2 * hit / np.maximum(of_truth + of_prediction, 1)
    there = of_truth > 0
    weighted = float((f1 * of_truth).sum() / max(of_truth.sum(), 1))
    line = " ".join(f"{label} {f1[k]:.2f}" for k, label in enumerate(LABELS) if there[k])
    return weighted, float(f1[there].mean()) if there.any() else 0.0, line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path, nargs="+", help="folders of ground truth (PDF and JSON side by side)")
    parser.add_argument("--cache", type=Path, default=Path(".ingest/training"))
    parser.add_argument("--layout", type=Path, nargs="+", help="layout weights; several: one per fold held out")
    parser.add_argument("--out", type=Path, required=True, help="weights to write")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hold-out", metavar="K/N", help="leave fold K of N (whole layouts) out, and measure on it")
    options = parser.parse_args()
    networks = [LayoutNetwork(path.read_bytes()) for path in options.layout or []]
    documents = []
    for document in load(options.truth, options.cache):
        # each document is seen by the layout network that was not trained on its layout, as unseen documents are
        network = networks[fold_of(document.layout, len(networks))] if networks else None
        documents.append(sequences(document, network))
    held: list[Sequences] = []
    if options.hold_out:
        k, n = map(int, options.hold_out.split("/"))
        held = [d for d in documents if fold_of(d.layout, n) == k]
        documents = [d for d in documents if fold_of(d.layout, n) != k]
    net = train(documents, epochs=options.epochs, seed=options.seed)
    save(options.out, net.config, parameters(net))
    how = {"seed": options.seed, "epochs": options.epochs, "held out": options.hold_out, "features": features.VERSION}
    manifest.write(options.out, options.truth, {(d.collection, d.name) for d in documents}, how)
    reader = LabelReader(net.config, parameters(net))
    for collection in sorted({d.collection for d in held}):
        chosen = [d for d in held if d.collection == collection]
        predicted = [said.argmax(axis=1) for d in chosen for said in logits(reader, d)]
        weighted, macro, line = scores([y for d in chosen for y in d.labels], predicted)
        print(f"{collection}: weighted F1 {weighted:.3f} macro {macro:.3f} {line}")


if __name__ == "__main__":
    main()
