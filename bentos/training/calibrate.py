"""Make the label network's score mean what it says: `python -m bentos.training.calibrate --help`.

A score of 0.8 should be right eight times in ten. One number, the temperature, divides the logits before the softmax
(Guo et al. 2017, "On Calibration of Modern Neural Networks"): it does not change which label wins. It is found on
layouts that the network has not seen, by networks that were trained with these held out, and is then written into the
last layer of the network that serves, whose weights and biases are divided by it; serving needs to know nothing of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from bentos.models.label_network import read, save
from bentos.models.labels import LabelReader
from bentos.models.layout_network import LayoutNetwork
from bentos.training import plots
from bentos.training.prepare import load
from bentos.training.split import fold_of
from bentos.training.train_labels import Sequences, logits, sequences
from bentos.training.truth import MASKED

BINS = 15
LAST = ("leave.4.weight", "leave.4.bias")
"""The layer whose output the softmax takes."""


@dataclass(slots=True)
class Answers:
    """What a network said of cells whose label is known."""

    logits: NDArray[np.float32]
    """(cells, labels)"""
    labels: NDArray[np.int64]

    def sure(self, temperature: float = 1.0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """(score, whether it is right) of each cell."""
        probabilities = np.exp(_log_softmax(self.logits / temperature))
        return probabilities.max(axis=1), probabilities.argmax(axis=1) == self.labels


def _log_softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def loss(answers: Answers, temperature: float = 1.0) -> float:
    """Mean negative log likelihood of the true labels."""
    return -float(_log_softmax(answers.logits / temperature)[np.arange(len(answers.labels)), answers.labels].mean())


def fit(answers: Answers) -> float:
    """The temperature with the least loss, 0.1 to 10."""
    found = minimize_scalar(lambda t: loss(answers, float(np.exp(t))), bounds=(-2.3, 2.3), method="bounded")
    return float(np.exp(found.x))


def reliability(
    score: NDArray[np.float64], right: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """(mean score, share that is right, cells) of each of BINS equal bins of the score that has any."""
    bins = np.minimum((score * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(bins, minlength=BINS)
    there = count > 0
    mean = np.bincount(bins, score, BINS)[there] / count[there]
    share = np.bincount(bins, right.astype(np.float64), BINS)[there] / count[there]
    return mean, share, count[there]


def error(score: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean distance of score and share that is right, weighted by the bins' cells."""
    mean, share, count = reliability(score, right)
    return float((np.abs(mean - share) * count).sum() / max(count.sum(), 1))


def ask(reader: LabelReader, documents: Iterable[Sequences]) -> Answers:
    """Logits of all cells whose label is known."""
    said, labels = [np.zeros((0, reader.config.classes), np.float32)], [np.zeros(0, np.int64)]
    for document in documents:
        for page, known in zip(logits(reader, document), document.labels, strict=True):
            said.append(page[known != MASKED])
            labels.append(known[known != MASKED].astype(np.int64))
    return Answers(np.concatenate(said), np.concatenate(labels))


def crossed(parts: Sequence[Answers]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores at the temperature found on all the other parts: what to expect of documents that are new."""
    score, right = [], []
    for k, part in enumerate(parts):
        others = [p for j, p in enumerate(parts) if j != k]
        temperature = fit(
            Answers(np.concatenate([p.logits for p in others]), np.concatenate([p.labels for p in others]))
        )
        made = part.sure(temperature)
        score.append(made[0])
        right.append(made[1])
    return np.concatenate(score), np.concatenate(right)


def write_into(path: Path, temperature: float) -> None:
    """Divide the last layer of the weights by the temperature, and note it in the file.

    Raises ValueError for weights that have one already.
    """
    config, state, about = read(path.read_bytes())
    if "temperature" in about:
        raise ValueError(f"{path} is calibrated already (temperature {about['temperature']:.3f}); train it again first")
    for name in LAST:
        state[name] = state[name] / np.float32(temperature)
    temporary = path.with_suffix(".part")
    save(temporary, config, state, **about, temperature=temperature)
    temporary.rename(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path, nargs="+", help="folders of ground truth (PDF and JSON side by side)")
    parser.add_argument("--weights", type=Path, nargs="+", required=True, help="the k-th was trained without fold k")
    parser.add_argument("--folds", type=int, help="number of folds; by default as many as there are weights")
    parser.add_argument("--layout", type=Path, nargs="+", help="layout weights; several: one per fold held out")
    parser.add_argument("--cache", type=Path, default=Path(".ingest/training"))
    parser.add_argument("--into", type=Path, help="weights to write the temperature into: those that serve")
    parser.add_argument("--plot", type=Path, help="reliability plot (SVG) to write")
    options = parser.parse_args()
    folds = options.folds or len(options.weights)
    nets = [LabelReader(*read(path.read_bytes())[:2]) for path in options.weights]
    layouts = [LayoutNetwork(path.read_bytes()) for path in options.layout or []]
    parts: dict[str, list[Answers]] = {}
    for document in load(options.truth, options.cache):
        fold = fold_of(document.layout, folds)
        if fold < len(nets):
            layout = layouts[fold_of(document.layout, len(layouts))] if layouts else None
            parts.setdefault(document.layout, []).append(ask(nets[fold], [sequences(document, layout)]))
    halves = [
        [a for name, found in parts.items() if fold_of(f"calibration {name}", 2) == half for a in found]
        for half in (0, 1)
    ]
    if not all(halves):
        parser.error("too few layouts were held out to calibrate on some and to measure on others")
    joined = [Answers(np.concatenate([a.logits for a in h]), np.concatenate([a.labels for a in h])) for h in halves]
    every = Answers(np.concatenate([a.logits for a in joined]), np.concatenate([a.labels for a in joined]))
    temperature = fit(every)
    before, after = every.sure(), crossed(joined)
    print(f"{len(every.labels)} cells of {len(parts)} layouts never seen; temperature {temperature:.3f}")
    print(f"expected calibration error {error(*before):.4f}, calibrated on other layouts {error(*after):.4f}")
    print(f"loss {loss(every):.4f}, calibrated {loss(every, temperature):.4f}")
    if options.plot:
        series = {
            name: (made[0].tolist(), made[1].tolist())
            for name, made in (("as trained", reliability(*before)), ("calibrated", reliability(*after)))
        }
        options.plot.write_text(plots.reliability(series, "Scores on unseen layouts"))
    if options.into:
        write_into(options.into, temperature)


if __name__ == "__main__":
    main()
