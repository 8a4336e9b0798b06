"""The recursive random forest of Staar et al. 2018: each pass sees what the one before said of the neighbours."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from bentos.training.paper.fit import Cells
from bentos.training.truth import MASKED
from ingest.document.labels import LABELS
from ingest.features import Features

PASSES = 3
TREES = 30
CAP = 15_000
"""Cells of one label that a pass learns from."""
REACH = (-2, -1, 0, 1, 2)
"""Cells around, in reading order, whose labels of the pass before are features."""

Probabilities = NDArray[np.float32]
"""(cells, labels)"""


class RecursiveForest:
    """Forests in a row; `columns` are the features that they see."""

    def __init__(self, columns: Sequence[int], seed: int) -> None:
        self._columns = list(columns)
        self._seed = seed
        self.passes: list[RandomForestClassifier] = []

    def fit(self, pages: Sequence[Cells]) -> None:
        values = [x[:, self._columns] for x, _ in pages]
        labels = np.concatenate([y for _, y in pages])
        ends = np.cumsum([len(x) for x in values])[:-1]
        rng = np.random.default_rng(self._seed)
        said: list[Probabilities] | None = None
        for number in range(PASSES):
            table = np.concatenate([_with_neighbours(x, said[k] if said else None) for k, x in enumerate(values)])
            chosen = _capped(labels, rng)
            forest = RandomForestClassifier(
                TREES, min_samples_leaf=2, bootstrap=True, oob_score=True, random_state=self._seed + number, n_jobs=1
            )
            forest.fit(table[chosen], labels[chosen])
            self.passes.append(forest)
            if number < PASSES - 1:
                answers = _spread(forest, table)
                # of what it has learned a forest is too sure: the next pass must see what unseen cells will get
                unseen = np.nan_to_num(forest.oob_decision_function_).astype(np.float32)
                answers[np.ix_(chosen, forest.classes_.astype(np.intp))] = unseen
                said = np.split(answers, ends)

    def predict(self, page: Features) -> NDArray[np.uint8]:
        """Labels of the cells of a page."""
        said: Probabilities | None = None
        for forest in self.passes if len(page) else []:
            said = _spread(forest, _with_neighbours(page[:, self._columns], said))
        return np.zeros(0, np.uint8) if said is None else said.argmax(axis=1).astype(np.uint8)

    @property
    def nodes(self) -> int:
        return sum(int(tree.tree_.node_count) for forest in self.passes for tree in forest.estimators_)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        buffer = io.BytesIO()
        pickle.dump(self.passes, buffer, protocol=5)
        return buffer.tell()


def _with_neighbours(x: NDArray[np.float32], said: Probabilities | None) -> NDArray[np.float32]:
    if said is None:
        return x
    at = np.arange(len(x))
    around = [np.where(_within(at + k, len(x))[:, None], said[(at + k).clip(0, len(x) - 1)], 0) for k in REACH]
    return np.concatenate([x, *around], axis=1).astype(np.float32)


def _within(index: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    return np.asarray((index >= 0) & (index < count))


def _capped(labels: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.intp]:
    """Cells to learn from: those with a known label, at most CAP of each."""
    parts = [np.flatnonzero(labels == label) for label in np.unique(labels[labels != MASKED])]
    return np.sort(np.concatenate([rng.permutation(part)[:CAP] for part in parts]))


def _spread(forest: RandomForestClassifier, table: NDArray[np.float32]) -> Probabilities:
    """(cells, labels) probabilities, zero for labels that the forest has not seen."""
    answers = np.zeros((len(table), len(LABELS)), np.float32)
    answers[:, forest.classes_.astype(np.intp)] = forest.predict_proba(table)
    return answers
