"""The cell labeller: a bidirectional LSTM with attention over the cells of a page in reading order.

Model 4 of Livathinos et al. 2021 (arXiv:2102.09395), "stacked" feeding mode, no active decoder: every feature is cut
into bins, the bins are one-hot encoded and stacked, and the product of that vector with the first weight matrix is
computed as a sum of rows of the matrix, one per feature, which is the same and twenty times less work.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class LabelConfig:
    features: int
    classes: int = 17
    bins: int = 20
    embedding: int = 96
    hidden: int = 64
    """Per direction."""
    layers: int = 2
    heads: int = 4
    """Of the attention; 0: none."""
    window: int = 512
    """Cells that attend to one another; longer pages are cut, so that cost stays linear."""
    dropout: float = 0.2


class Bins(nn.Module):
    """(…, features) numbers to bin numbers, each shifted to the feature's own rows of the weight matrix."""

    edges: Tensor
    """(features, bins - 1) ascending upper edges; a value above the last one is in the last bin."""
    offset: Tensor

    def __init__(self, features: int, bins: int) -> None:
        super().__init__()
        self.register_buffer("edges", torch.zeros(features, bins - 1))
        self.register_buffer("offset", torch.arange(features) * bins, persistent=False)

    def fit(self, values: Tensor) -> None:
        """Edges at quantiles of (n, features) values; features with few distinct values get an edge between each."""
        count = self.edges.shape[1]
        for k in range(values.shape[1]):
            distinct = torch.unique(values[:, k])
            if len(distinct) <= count + 1:
                middles = (distinct[1:] + distinct[:-1]) / 2
                edges = torch.full((count,), float("inf"))
                edges[: len(middles)] = middles
            else:
                edges = torch.quantile(values[:, k], torch.linspace(0, 1, count + 2)[1:-1])
            self.edges[k] = edges

    def forward(self, values: Tensor) -> Tensor:
        flat = values.reshape(-1, values.shape[-1]).T.contiguous()
        indices = torch.searchsorted(self.edges, flat).T
        return (indices + self.offset).reshape(values.shape)


class LabelNet(nn.Module):
    """(b, t, features) cells of b pages, padded to t, to (b, t, classes) logits."""

    def __init__(self, config: LabelConfig) -> None:
        super().__init__()
        self.config = config
        self.bins = Bins(config.features, config.bins)
        self.stack = nn.EmbeddingBag(config.features * config.bins, config.embedding, mode="sum")
        nn.init.normal_(self.stack.weight, std=0.5 / config.features**0.5)
        self.enter = nn.Sequential(nn.LayerNorm(config.embedding), nn.ReLU(), nn.Dropout(config.dropout))
        self.lstm = nn.LSTM(
            config.embedding,
            config.hidden,
            config.layers,
            batch_first=True,
            bidirectional=True,
            dropout=config.dropout if config.layers > 1 else 0.0,
        )
        width = 2 * config.hidden
        self.attention = nn.MultiheadAttention(width, config.heads, batch_first=True) if config.heads else None
        self.leave = nn.Sequential(
            nn.LayerNorm(width + config.embedding),
            nn.Dropout(config.dropout),
            nn.Linear(width + config.embedding, 96),
            nn.ReLU(),
            nn.Linear(96, config.classes),
        )

    def forward(self, features: Tensor, lengths: Tensor) -> Tensor:
        b, t, f = features.shape
        rows = self.bins(features).reshape(b * t, f)
        cells = self.enter(self.stack(rows)).reshape(b, t, -1)
        packed = nn.utils.rnn.pack_padded_sequence(cells, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=t)
        if self.attention is not None:
            states = states + self._attend(states, lengths)
        logits: Tensor = self.leave(torch.cat([states, cells], dim=-1))
        return logits

    def _attend(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Self-attention within windows of the sequence."""
        assert self.attention is not None
        b, t, width = states.shape
        window = min(self.config.window, t)
        padding = -t % window
        padded = nn.functional.pad(states, (0, 0, 0, padding)).reshape(-1, window, width)
        outside = torch.arange(t + padding)[None] >= lengths[:, None]
        outside = outside.reshape(-1, window)
        outside[outside.all(dim=1)] = False  # a window of padding alone would give NaN
        attended, _ = self.attention(padded, padded, padded, key_padding_mask=outside, need_weights=False)
        result: Tensor = attended.reshape(b, t + padding, width)[:, :t]
        return result
