"""Learning and answering of the paper's networks: each page a sequence by itself, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from bentos.training.paper.networks import START, Recurrent, Transformer, build
from bentos.training.paper.rows import PAPER_NAMES, Feeding, Network
from bentos.training.truth import MASKED
from ingest.document.labels import LABELS
from ingest.features import NAMES, Features

STRETCH = 384
"""Cells of a page that go through a network together; longer pages are cut."""
BATCH = 1000
"""Cells of a batch, about."""

Cells = tuple[Features, NDArray[np.int8]]
"""Features of a page's cells and their labels, MASKED where they are not to be learned."""

_AT = {name: k for k, name in enumerate(NAMES)}
_PAPER = [_AT[name] for name in PAPER_NAMES]


def inputs(features: Features, feeding: Feeding) -> NDArray[np.float32]:
    """The columns that a network reads: all of the paper's, or left, lower edge, width and height as shares of the
    page's."""
    if feeding is Feeding.STACKED:
        return features[:, _PAPER]
    x0, width, top, bottom = (features[:, _AT[name]] for name in ("x0", "width", "top", "bottom"))
    return np.stack([x0, 1 - bottom, width, bottom - top], axis=1).astype(np.float32)


def fit(config: Network, pages: Sequence[Cells], *, epochs: int, seed: int) -> Recurrent | Transformer:
    """A network trained on the pages, those without a known label left out."""
    torch.set_num_threads(1)  # batches are small: threads wait for one another
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    learned = [
        (inputs(x, config.feeding)[start : start + STRETCH], y[start : start + STRETCH])
        for x, y in pages
        for start in range(0, len(y), STRETCH)
        if (y[start : start + STRETCH] != MASKED).any()
    ]
    net = build(config, torch.from_numpy(np.concatenate([x for x, _ in learned])))
    optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
    plan = [_batches(learned, rng) for _ in range(epochs)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 5e-3, total_steps=sum(map(len, plan)), pct_start=0.2)
    for epoch in plan:
        net.train()
        for chosen in epoch:
            x, y, lengths = collate([learned[k] for k in chosen])
            logits = net(x, lengths, torch.where(y == MASKED, START, y))
            loss = functional.cross_entropy(logits.reshape(-1, len(LABELS)), y.reshape(-1), ignore_index=MASKED)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    return net.eval()


def answer(net: Recurrent | Transformer, feeding: Feeding, pages: Sequence[Features]) -> list[NDArray[np.uint8]]:
    """Labels of each page's cells."""
    cut = [
        (inputs(page, feeding)[start : start + STRETCH], np.zeros(len(page[start : start + STRETCH]), np.int8))
        for page in pages
        for start in range(0, len(page), STRETCH)
    ]
    said: list[NDArray[np.uint8]] = [np.zeros(0, np.uint8)] * len(cut)
    with torch.inference_mode():
        for chosen in _batches(cut, None):
            x, _, lengths = collate([cut[k] for k in chosen])
            for k, labels in zip(chosen, net.decode(x, lengths).numpy().astype(np.uint8), strict=True):
                said[k] = labels[: len(cut[k][1])]
    parts = iter(said)
    found = []
    for page in pages:
        own = [next(parts) for _ in range(0, len(page), STRETCH)]
        found.append(np.concatenate([np.zeros(0, np.uint8), *own]))
    return found


def _batches(pages: Sequence[Cells], rng: np.random.Generator | None) -> list[list[int]]:
    """Numbers of pages of like length, about BATCH cells together; in random order if there is a generator."""
    noise = rng.integers(0, 24, len(pages)) if rng is not None else np.zeros(len(pages), np.int64)
    batches: list[list[int]] = [[]]
    cells = 0
    for k in np.argsort([len(y) + n for (_, y), n in zip(pages, noise, strict=True)], kind="stable").tolist():
        if cells >= BATCH:
            batches.append([])
            cells = 0
        batches[-1].append(k)
        cells += len(pages[k][1])
    order = rng.permutation(len(batches)) if rng is not None else np.arange(len(batches))
    return [batches[k] for k in order if batches[k]]


def collate(pages: Sequence[tuple[NDArray[np.float32], NDArray[np.int8]]]) -> tuple[Tensor, Tensor, Tensor]:
    """(features, labels, lengths) of pages padded to the longest."""
    lengths = torch.tensor([len(y) for _, y in pages])
    x = torch.zeros(len(pages), int(lengths.max()), pages[0][0].shape[1])
    labels = torch.full((len(pages), int(lengths.max())), MASKED, dtype=torch.long)
    for k, (values, y) in enumerate(pages):
        x[k, : len(y)], labels[k, : len(y)] = torch.from_numpy(values), torch.from_numpy(y).long()
    return x, labels, lengths
