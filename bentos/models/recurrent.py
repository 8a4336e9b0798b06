"""Layers of a recurrent network in numpy, for serving a network that torch has trained, without torch.

A small LSTM is bound by its steps, not by arithmetic, and torch's steps are no faster; without torch a replica of the
service starts at once and takes a fraction of the memory. All arrays are float32; layers and names are torch's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
State = Mapping[str, Array]
"""Parameters by the name that torch gives them."""
_EPSILON = np.float32(1e-5)


class Linear:
    def __init__(self, state: State, name: str) -> None:
        self._weight = np.ascontiguousarray(state[f"{name}weight"].T)
        self._bias = state[f"{name}bias"]

    def __call__(self, x: Array) -> Array:
        result: Array = x @ self._weight
        result += self._bias
        return result


class LayerNorm:
    def __init__(self, state: State, name: str) -> None:
        self._weight, self._bias = state[f"{name}weight"], state[f"{name}bias"]

    def __call__(self, x: Array) -> Array:
        result: Array = x - x.mean(axis=-1, keepdims=True)
        result /= np.sqrt(np.square(result).mean(axis=-1, keepdims=True) + _EPSILON)
        result *= self._weight
        result += self._bias
        return result


class EmbeddingSum:
    """Sum of one row of the table per feature: the product of a stacked one-hot vector with a weight matrix."""

    AT_ONCE = 256
    """Cells whose sums stay in the processor's cache."""

    def __init__(self, state: State, name: str, features: int) -> None:
        table = state[f"{name}weight"]
        self._tables = table.reshape(features, -1, table.shape[1])

    def __call__(self, indices: NDArray[np.intp]) -> Array:
        """(features, n) row numbers, each within the feature's own rows, to (n, width)."""
        total = np.zeros((indices.shape[1], self._tables.shape[2]), np.float32)
        for start in range(0, len(total), self.AT_ONCE):
            part = total[start : start + self.AT_ONCE]
            for table, rows in zip(self._tables, indices[:, start : start + self.AT_ONCE], strict=True):
                part += table[rows]
        return total


class Packing:
    """Which rows an LSTM reads at each step, of sequences of these lengths that stand one after another in a table.

    Sequences are read longest first, so that those that have not ended at a step are the first k.
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        size = np.array(lengths, np.intp)
        order = np.argsort(-size, kind="stable")
        first = (np.cumsum(size) - size)[order]
        size = size[order]
        last = first + size - 1
        self.sequences = len(size)
        self.steps: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        """Rows read forwards, and backwards."""
        for step in range(int(size.max(initial=0))):
            k = int((size > step).sum())
            self.steps.append((first[:k] + step, last[:k] - step))


class BidirectionalLSTM:
    """One layer. Both directions take each step together."""

    def __init__(self, state: State, name: str, layer: int = 0) -> None:
        ends = (f"_l{layer}", f"_l{layer}_reverse")
        # a sigmoid is a tanh of half the argument, so that one call serves all four gates
        hidden = state[f"{name}weight_hh{ends[0]}"].shape[1]
        halves = np.full((4, hidden), 0.5, np.float32)
        halves[2] = 1.0
        scale = halves.reshape(-1)
        self._across = np.stack([state[f"{name}weight_hh{end}"].T * scale for end in ends])
        """(directions, hidden, gates x hidden), gates in torch's order: in, forget, cell, out."""
        self._into = np.concatenate([state[f"{name}weight_ih{end}"].T * scale for end in ends], axis=1)
        self._bias = np.concatenate([(state[f"{name}bias_ih{e}"] + state[f"{name}bias_hh{e}"]) * scale for e in ends])

    def __call__(self, rows: Array, packing: Packing) -> Array:
        """(n, into) rows of all sequences to (n, 2 x hidden)."""
        h = self._across.shape[1]
        entering = (rows @ self._into + self._bias).reshape(len(rows), 2, 4 * h)
        states = np.empty((len(rows), 2, h), np.float32)
        hidden = np.zeros((2, packing.sequences, h), np.float32)
        memory = np.zeros_like(hidden)
        for forwards, backwards in packing.steps:
            k = len(forwards)
            gates = np.matmul(hidden[:, :k], self._across)
            gates[0] += entering[forwards, 0]
            gates[1] += entering[backwards, 1]
            np.tanh(gates, out=gates)
            candidate = gates[:, :, 2 * h : 3 * h].copy()
            gates += 1
            gates *= 0.5
            kept = memory[:, :k]
            kept *= gates[:, :, h : 2 * h]
            candidate *= gates[:, :, :h]
            kept += candidate
            np.multiply(np.tanh(kept), gates[:, :, 3 * h :], out=hidden[:, :k])
            states[forwards, 0], states[backwards, 1] = hidden[:, :k]
        return states.reshape(len(rows), 2 * h)


class SelfAttention:
    """torch's MultiheadAttention of a sequence with itself."""

    def __init__(self, state: State, name: str, heads: int) -> None:
        self._into = Linear({"weight": state[f"{name}in_proj_weight"], "bias": state[f"{name}in_proj_bias"]}, "")
        self._out = Linear(state, f"{name}out_proj.")
        self._heads = heads

    def __call__(self, rows: Array) -> Array:
        """(n, width) of one sequence to the same."""
        n, width = rows.shape
        query, key, value = self._into(rows).reshape(n, 3, self._heads, width // self._heads).transpose(1, 2, 0, 3)
        weights = query @ key.transpose(0, 2, 1)
        weights *= np.float32((width // self._heads) ** -0.5)
        return self._out((softmax(weights) @ value).transpose(1, 0, 2).reshape(n, width))


def softmax(logits: Array) -> Array:
    """Over the last axis."""
    result: Array = logits - logits.max(axis=-1, keepdims=True)
    np.exp(result, out=result)
    result /= result.sum(axis=-1, keepdims=True)
    return result
