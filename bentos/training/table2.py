"""Table 2 of Livathinos et al. 2021 on a folder of ground truth: `python -m bentos.training.table2 --help`.

Every model is trained and measured on the same two divisions of the same pages: the paper's, balanced by label, in
which pages of one document are on both sides, and one by layouts, in which what is measured on was never seen. Each
row is kept in the cache as soon as it is measured, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from bentos.models.labels import LabelReader
from bentos.training import plots, train_labels
from bentos.training.paper import data
from bentos.training.paper.fit import answer, fit
from bentos.training.paper.forest import RecursiveForest
from bentos.training.paper.rows import ROWS, Row
from bentos.training.truth import MASKED
from ingest.document.labels import LABELS
from ingest.evaluation.labels import Scores, scores
from ingest.features import NAMES

SPLITS = ("pages", "layouts")
VERSION = 1
"""Raise when a row's training changes: kept results are of one version."""
OWN_EPOCHS = 3
"""Epochs of the project's network to one of the paper's: its batches are three times as large, so steps are alike."""


class Result(msgspec.Struct):
    """What one model did on one division of the data."""

    row: str
    split: str
    train_cpu_s: float
    time_ms: float
    """CPU-milliseconds a page, one thread."""
    size_mb: float
    parameters: int
    """Of a forest: nodes."""
    confusion: list[list[float]]
    """(labels, labels + 1) cells; the last column has no label."""

    @property
    def scores(self) -> Scores:
        return scores(np.array(self.confusion))


class Table(msgspec.Struct):
    """Everything that was measured, and on what."""

    data: str
    documents: int
    pages: dict[str, tuple[int, int]]
    """Division -> pages learned, pages measured on."""
    cells: dict[str, tuple[int, int]]
    epochs: int
    seed: int
    results: list[Result]


def title_of(row: Row) -> str:
    """Name of a row with its mode, as "model-2 stacked, no decoder"."""
    if row.network is None:
        return row.name
    return f"{row.name} {row.network.feeding}{', decoder' if row.network.decoder else ''}"


def measure(row: Row, samples: Sequence[data.Sample], split: str, *, epochs: int, seed: int) -> Result:
    """Train a row on what is learned, and count its answers on the rest."""
    torch.set_num_threads(1)
    learned = data.divide(samples, split, seed)
    tested = [(s, np.flatnonzero(~which)) for s, which in zip(samples, learned, strict=True)]
    started = time.process_time()
    predict, size, parameters = _trained(row, samples, learned, epochs, seed)
    trained = time.process_time()
    predicted = [predict(s, which) for s, which in tested]
    spent = time.process_time() - trained
    count = sum(len(which) for _, which in tested)
    if row.name == ROWS[0].name:
        pages = sum(len(s.regions) for s in samples)
        spent = sum(s.layout_cpu_s for s in samples) * count / max(pages, 1)
    confusion = np.zeros((len(LABELS), len(LABELS) + 1))
    for (s, which), answers in zip(tested, predicted, strict=True):
        for k, found in zip(which.tolist(), answers, strict=True):
            known = s.pages.labels[k] != MASKED
            np.add.at(confusion, (s.pages.labels[k][known], found[known]), 1)
    return Result(
        row=title_of(row),
        split=split,
        train_cpu_s=trained - started,
        time_ms=1000 * spent / max(count, 1),
        size_mb=size / 1e6,
        parameters=parameters,
        confusion=confusion.tolist(),
    )


Predict = Callable[[data.Sample, NDArray[np.intp]], list[NDArray[np.uint8]]]
"""Labels of the numbered pages of a document."""


def _trained(
    row: Row, samples: Sequence[data.Sample], learned: Sequence[NDArray[np.bool_]], epochs: int, seed: int
) -> tuple[Predict, int, int]:
    """(what answers, bytes of its weights, number of its parameters)."""
    documents = data.masked(samples, learned)
    pages = [cells for d in documents for cells in zip(d.features, d.labels, strict=True) if (cells[1] != MASKED).any()]
    if row.network is not None:
        feeding = row.network.feeding
        net = fit(row.network, pages, epochs=epochs, seed=seed)
        return (
            lambda s, which: answer(net, feeding, [s.pages.features[k] for k in which]),
            *_weights(net),
        )
    if row.name.startswith("recursive"):
        forest = RecursiveForest([NAMES.index(name) for name in row.columns], seed)
        forest.fit(pages)
        return lambda s, which: [forest.predict(s.pages.features[k]) for k in which], forest.size, forest.nodes
    if row.name == ROWS[0].name:
        return lambda s, which: [s.regions[k] for k in which], 0, 0
    own = train_labels.train(documents, epochs=OWN_EPOCHS * epochs, seed=seed)
    reader = LabelReader(own.config, train_labels.parameters(own))

    def in_context(s: data.Sample, which: NDArray[np.intp]) -> list[NDArray[np.uint8]]:
        found = train_labels.logits(reader, s.pages) if len(which) else []
        return [found[k].argmax(axis=1).astype(np.uint8) for k in which]

    return in_context, *_weights(own)


def _weights(net: torch.nn.Module) -> tuple[int, int]:
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    return buffer.tell(), sum(p.numel() for p in net.parameters())


_samples: list[data.Sample] = []
"""What the processes of a pool inherit."""


def _kept(task: tuple[Row, str, int, int, str, Path]) -> Result:
    row, split, epochs, seed, name, cache = task
    key = sha256(f"{VERSION} {row} {split} {epochs} {seed} {name}".encode()).hexdigest()[:24]
    path = cache / "table-2" / f"row-{key}.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Result)
    result = measure(row, _samples, split, epochs=epochs, seed=seed)
    temporary = path.with_suffix(".part")
    temporary.write_bytes(msgspec.json.encode(result))
    temporary.rename(path)
    return result


def run(
    found: data.Data,
    *,
    rows: Sequence[Row] = ROWS,
    epochs: int,
    seed: int,
    jobs: int,
    cache: Path,
) -> Table:
    """Measure all rows on both divisions; prints each as it is done."""
    samples = found.samples
    _samples[:] = samples
    (cache / "table-2").mkdir(parents=True, exist_ok=True)
    tasks = [
        (row, split, epochs, seed, f"{found.name} {found.seen if row.layout else ''}", cache)
        for row in rows
        for split in SPLITS
    ]
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        results = []
        for result in pool.map(_kept, tasks) if jobs > 1 else map(_kept, tasks):
            made = result.scores
            print(f"{result.row} by {result.split}: {made.weighted_f1:.3f} / {made.macro_f1:.3f}", flush=True)
            results.append(result)
    pages, cells = {}, {}
    for split in SPLITS:
        learned = data.divide(samples, split, seed)
        both = [
            (bool(keep), int((y != MASKED).sum()))
            for s, which in zip(samples, learned, strict=True)
            for keep, y in zip(which, s.pages.labels, strict=True)
        ]
        pages[split] = (sum(k for k, _ in both), sum(not k for k, _ in both))
        cells[split] = (sum(n for k, n in both if k), sum(n for k, n in both if not k))
    return Table(f"{found.name}-{found.seen}", len(samples), pages, cells, epochs, seed, results)


def markdown(table: Table, rows: Sequence[Row] = ROWS) -> str:
    """The paper's columns, its numbers beside the measured ones."""
    by = {(r.row, r.split): r for r in table.results}
    lines = [
        "| model | mode | decoder | k | d | h | F1 (paper) | pages: F1 | R | P | layouts: F1 | R | P | macro F1 "
        "| ms (paper, GPU) | ms | MB (paper) | MB | parameters (paper) | parameters |",
        "|---|---|---|" + "--:|" * 17,
    ]
    for row in rows:
        network, paper = row.network, row.paper
        made = {split: by[title_of(row), split] for split in SPLITS}
        last = made["layouts"]
        cells = [
            row.name,
            str(network.feeding) if network else "",
            ("yes" if network.decoder else "no") if network else "",
            str(network.layers) if network else "",
            str(network.hidden) if network else "",
            str(network.heads) if network and network.heads else "",
            f"{paper.f1:.2f}" if paper else "",
            *(value for split in SPLITS for value in averages(made[split].scores)),
            f"{last.scores.macro_f1:.3f}",
            f"{paper.time_ms:,.0f}" if paper else "",
            f"{last.time_ms:.2f}",
            f"{paper.size_mb:.1f}" if paper else "",
            f"{last.size_mb:.1f}",
            f"{paper.parameters:,}" if paper else "",
            f"{last.parameters:,}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def averages(made: Scores) -> list[str]:
    """F1, recall and precision, means over labels weighted by support."""
    total = sum(s.support for s in made.labels.values()) or 1
    weighted = [
        sum(getattr(s, name) * s.support for s in made.labels.values()) / total
        for name in ("f1", "recall", "precision")
    ]
    return [f"{value:.3f}" for value in weighted]


def write_plots(table: Table, folder: Path, row: Row = ROWS[-1]) -> None:
    """Confusion matrix and bars of each label, of one row on layouts never seen."""
    folder.mkdir(parents=True, exist_ok=True)
    result = next(r for r in table.results if (r.row, r.split) == (title_of(row), "layouts"))
    names = [str(label) for label in LABELS]
    matrix = plots.confusion(np.array(result.confusion), names, [*names, "no label"], f"{row.name}: unseen layouts")
    (folder / "labels-confusion.svg").write_text(matrix)
    made = result.scores.labels
    there = [name for name in names if name in made and made[name].support]
    series = {
        "recall": [made[name].recall for name in there],
        "precision": [made[name].precision for name in there],
        "F1": [made[name].f1 for name in there],
    }
    (folder / "labels-bars.svg").write_text(plots.bars(there, series, f"{row.name}: unseen layouts"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truth", type=Path, nargs="+", required=True, help="folders of PDFs with JSON beside them")
    parser.add_argument("--cache", type=Path, default=Path(".ingest/training"))
    parser.add_argument(
        "--layout", type=Path, nargs="*", default=[], help="layout weights; several: one per fold held out"
    )
    parser.add_argument("--pages", type=int, default=24, help="pages of one document at most")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", nargs="+", metavar="TEXT", help="only the rows whose name has one of these in it")
    parser.add_argument("--jobs", type=int, default=1, help="models trained at a time")
    parser.add_argument("--out", type=Path, default=Path(".ingest/table-2.json"))
    parser.add_argument("--plots", type=Path, help="folder for the plots; by default beside --out")
    options = parser.parse_args()
    found = data.read(
        options.truth, options.cache, layouts=options.layout, limit=options.pages, seed=options.seed, jobs=options.jobs
    )
    if not found.samples:
        parser.error(f"no PDF with a truth file (<stem>.json) below {', '.join(map(str, options.truth))}")
    rows = [row for row in ROWS if not options.rows or any(text in title_of(row) for text in options.rows)]
    table = run(found, rows=rows, epochs=options.epochs, seed=options.seed, jobs=options.jobs, cache=options.cache)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(table), indent=1))
    if ROWS[-1] in rows:
        write_plots(table, options.plots or options.out.parent)
    for split in SPLITS:
        (learned, measured), (cells, more) = table.pages[split], table.cells[split]
        print(f"by {split}: learned {learned} pages, {cells} cells; measured on {measured} pages, {more} cells")
    print(markdown(table, rows))


if __name__ == "__main__":
    main()
