"""Truth folders to what table 2 compares on: some pages of every document, features, labels, the region baseline."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bentos.models.layout_network import LayoutNetwork
from bentos.training.paper import regions
from bentos.training.prepare import LabelledDocument, load
from bentos.training.split import balanced, fold_of
from bentos.training.train_labels import Sequences
from bentos.training.truth import MASKED
from ingest import features
from ingest.document.page import TextState
from ingest.evaluation.truth import list_folder
from ingest.pipeline import parse
from ingest.pipeline.reading_order import page_order

FORMAT = 1
FOLDS, TESTED = 5, 2
"""The split by layouts measures on this many folds of that many: 40 %, as the split by pages."""


@dataclass(slots=True)
class Sample:
    """The chosen pages of a document."""

    pages: Sequences
    regions: list[NDArray[np.uint8]]
    """Labels of the region baseline, per page."""
    layout_cpu_s: float
    """CPU-seconds that the layout network spent on these pages."""


@dataclass(slots=True)
class Data:
    samples: list[Sample]
    name: str
    """Names documents, pages and features …"""
    seen: str
    """… and the layout networks."""


def choose(count: int, limit: int, rng: np.random.Generator) -> list[int]:
    """Pages of a document of `count`: the first third of `limit`, where front matter is, and a stretch of the rest."""
    if count <= limit:
        return list(range(count))
    front = max(1, limit // 3)
    start = int(rng.integers(front, count - (limit - front) + 1))
    return [*range(front), *range(start, start + limit - front)]


def sample(document: LabelledDocument, chosen: Sequence[int], layout: LayoutNetwork | None) -> Sample:
    """Features see the whole document; only the chosen pages are kept, and seen by the layout network."""
    pages = [p.page for p in document.pages]
    orders = [page_order(page) for page in pages]
    maps: list[NDArray[np.uint8] | None] = [None] * len(pages)
    started = time.process_time()
    if layout is not None:
        seen = [k for k in chosen if pages[k].state is not TextState.BLANK]
        for k, answer in zip(seen, layout.predict([document.pages[k].raster for k in seen]), strict=True):
            maps[k] = answer
    spent = time.process_time() - started
    made = features.document_features(pages, orders, maps)
    kept = Sequences(
        document.name,
        document.collection,
        document.layout,
        [made[k] for k in chosen],
        [document.pages[k].labels[orders[k]] for k in chosen],
    )
    return Sample(kept, [regions.labels_of(pages[k], maps[k])[orders[k]] for k in chosen], spent)


def read(roots: Sequence[Path], cache: Path, *, layouts: Sequence[Path], limit: int, seed: int, jobs: int) -> Data:
    """Samples of all documents below the roots, from the cache if they are in it.

    With several layout weights each document is seen by the network of the fold that its layout is in, which is the
    one that was trained without it.
    """
    facts = [f"{FORMAT} {parse.VERSION} {features.VERSION} {limit} {seed}"]
    for root in roots:
        for pdf in list_folder(root):
            truth_size = pdf.with_suffix(".json").stat().st_size
            facts.append(f"{pdf.parent.name}/{pdf.name}:{pdf.stat().st_size}:{truth_size}")
    weights = [path.read_bytes() for path in layouts]
    name, seen = (sha256(fact).hexdigest()[:12] for fact in ("\n".join(facts).encode(), b"".join(weights)))
    kept = cache / "table-2" / f"data-{name}-{seen}.pickle"
    if kept.exists():
        with kept.open("rb") as file:
            return Data(pickle.load(file), name, seen)
    networks = [LayoutNetwork(w) for w in weights]
    rng = np.random.default_rng(seed)
    samples = []
    for document in load(roots, cache, jobs=jobs):
        network = networks[fold_of(document.layout, len(networks))] if networks else None
        samples.append(sample(document, choose(len(document.pages), limit, rng), network))
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("wb") as file:
        pickle.dump(samples, file, protocol=5)
    return Data(samples, name, seen)


def divide(samples: Sequence[Sample], by: str, seed: int) -> list[NDArray[np.bool_]]:
    """Per document, which of its pages are learned; `by` "pages" (the paper's split) or "layouts"."""
    if by == "layouts":
        return [np.full(len(s.regions), fold_of(s.pages.layout, FOLDS) >= TESTED) for s in samples]
    present = [set(y[y != MASKED].tolist()) for s in samples for y in s.pages.labels]
    learned = balanced(present, share=1 - TESTED / FOLDS, seed=seed)
    return np.split(learned, np.cumsum([len(s.regions) for s in samples])[:-1])


def masked(samples: Sequence[Sample], learned: Sequence[NDArray[np.bool_]]) -> list[Sequences]:
    """The documents as a network may see them while it learns: labels of pages that are measured on are masked."""
    return [
        Sequences(
            s.pages.name,
            s.pages.collection,
            s.pages.layout,
            s.pages.features,
            [y if keep else np.full_like(y, MASKED) for y, keep in zip(s.pages.labels, which, strict=True)],
        )
        for s, which in zip(samples, learned, strict=True)
        if which.any()
    ]
