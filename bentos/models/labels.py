"""The cell labeller: a bidirectional LSTM with attention over the cells of a page, in the context of the pages around.

Within a page it is model 4 of Livathinos et al. 2021 (arXiv:2102.09395), "stacked" feeding mode, no active decoder:
every feature is cut into bins, the bins are one-hot encoded and stacked, and the product of that vector with the first
weight matrix is computed as a sum of rows of the matrix, one per feature, which is the same and twenty times less work.

Beyond the paper: each page is summed up in a vector, a second LSTM reads these vectors over the pages of the pack, and
what it says of a page is given to each of its cells. A page in the middle of a bibliography or of a table of contents
is known by its neighbours.

This is the network as it serves, in numpy; `bentos.training.label_net` is the same one as it learns, in torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bentos.models.recurrent import (
    Array,
    BidirectionalLSTM,
    EmbeddingSum,
    LayerNorm,
    Linear,
    Packing,
    SelfAttention,
    State,
)


@dataclass(frozen=True, slots=True)
class LabelConfig:
    features: int
    classes: int = 17
    bins: int = 20
    embedding: int = 96
    hidden: int = 80
    """Per direction."""
    layers: int = 2
    heads: int = 4
    """Of the attention; 0: none."""
    window: int = 512
    """Cells that attend to one another; longer pages are cut, so that cost stays linear."""
    context: int = 48
    """Per direction, of the LSTM over pages; 0: each page by itself."""
    dropout: float = 0.2


class LabelReader:
    """Features of the cells of consecutive pages to logits of their labels."""

    def __init__(self, config: LabelConfig, state: State) -> None:
        self.config = config
        self._edges = state["bins.edges"]
        self._stack = EmbeddingSum(state, "stack.", config.features)
        self._enter = LayerNorm(state, "enter.0.")
        self._lstm = [BidirectionalLSTM(state, "lstm.", layer) for layer in range(config.layers)]
        self._attention = SelfAttention(state, "attention.", config.heads) if config.heads else None
        self._over_pages = BidirectionalLSTM(state, "over_pages.") if config.context else None
        self._leave = LayerNorm(state, "leave.0."), Linear(state, "leave.2."), Linear(state, "leave.4.")

    def __call__(self, pages: Sequence[NDArray[np.float32]]) -> list[Array]:
        """(cells, features) of each page, none of them empty, to (cells, classes) logits of each."""
        lengths = [len(page) for page in pages]
        starts = np.cumsum([0, *lengths])
        cells = np.maximum(self._enter(self._stack(self._binned(np.concatenate(pages)))), 0)
        states, packing = cells, Packing(lengths)
        for layer in self._lstm:
            states = layer(states, packing)
        if self._attention is not None:
            states += np.concatenate([self._attended(states[a:b]) for a, b in pairwise(starts)])
        parts = [states, cells]
        if self._over_pages is not None:
            mean = np.add.reduceat(states, starts[:-1]) / np.array(lengths, np.float32)[:, None]
            most = np.maximum.reduceat(states, starts[:-1])
            told = self._over_pages(np.concatenate([mean, most], axis=1), Packing([len(pages)]))
            parts.append(np.repeat(told, lengths, axis=0))
        normalise, inner, outer = self._leave
        logits = outer(np.maximum(inner(normalise(np.concatenate(parts, axis=1))), 0))
        return np.split(logits, starts[1:-1])

    def _binned(self, values: NDArray[np.float32]) -> NDArray[np.intp]:
        """(features, n) bin numbers of (n, features) values."""
        columns = np.ascontiguousarray(values.T)
        return np.stack([np.searchsorted(edges, column) for edges, column in zip(self._edges, columns, strict=True)])

    def _attended(self, states: Array) -> Array:
        """Self-attention within windows of a page, so that cost stays linear."""
        assert self._attention is not None
        step = self.config.window
        return np.concatenate([self._attention(states[k : k + step]) for k in range(0, len(states), step)])
