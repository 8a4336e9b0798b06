"""The network of `bentos.models.labels` in torch, as it learns; the two give the same answers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bentos.models.labels import LabelConfig


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
    """(p, t, features) cells of p pages, padded to t, to (p, t, classes) logits."""

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
        self.over_pages = (
            nn.LSTM(2 * width, config.context, batch_first=True, bidirectional=True) if config.context else None
        )
        leaving = width + config.embedding + 2 * config.context
        self.leave = nn.Sequential(
            nn.LayerNorm(leaving),
            nn.Dropout(config.dropout),
            nn.Linear(leaving, 96),
            nn.ReLU(),
            nn.Linear(96, config.classes),
        )

    def forward(self, features: Tensor, lengths: Tensor, runs: Tensor) -> Tensor:
        """`lengths` (p,) cells of each page, at least 1. `runs` (r,) numbers of consecutive pages that belong together,
        adding up to p."""
        p, t, f = features.shape
        rows = self.bins(features).reshape(p * t, f)
        cells = self.enter(self.stack(rows)).reshape(p, t, -1)
        packed = nn.utils.rnn.pack_padded_sequence(cells, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=t)
        inside = torch.arange(t)[None] < lengths[:, None]
        if self.attention is not None:
            states = states + self._attend(states, inside)
        parts = [states, cells]
        if self.over_pages is not None:
            told = self._context(states, inside, lengths, runs)
            parts.append(told[:, None].expand(p, t, -1))
        logits: Tensor = self.leave(torch.cat(parts, dim=-1))
        return logits

    def _attend(self, states: Tensor, inside: Tensor) -> Tensor:
        """Self-attention within windows of the sequence."""
        assert self.attention is not None
        p, t, width = states.shape
        window = min(self.config.window, t)
        padding = -t % window
        padded = nn.functional.pad(states, (0, 0, 0, padding)).reshape(-1, window, width)
        outside = ~nn.functional.pad(inside, (0, padding)).reshape(-1, window)
        outside[outside.all(dim=1)] = False  # a window of padding alone would give NaN
        attended, _ = self.attention(padded, padded, padded, key_padding_mask=outside, need_weights=False)
        result: Tensor = attended.reshape(p, t + padding, width)[:, :t]
        return result

    def _context(self, states: Tensor, inside: Tensor, lengths: Tensor, runs: Tensor) -> Tensor:
        """(p, 2 context) what the pages around say of each page."""
        assert self.over_pages is not None
        mask = inside[:, :, None]
        mean = (states * mask).sum(dim=1) / lengths[:, None]
        most = states.masked_fill(~mask, -1.0).amax(dim=1)
        pages = torch.split(torch.cat([mean, most], dim=-1), runs.tolist())
        padded = nn.utils.rnn.pad_sequence(list(pages), batch_first=True)
        packed = nn.utils.rnn.pack_padded_sequence(padded, runs.cpu(), batch_first=True, enforce_sorted=False)
        told, _ = self.over_pages(packed)
        told, _ = nn.utils.rnn.pad_packed_sequence(told, batch_first=True)
        return torch.cat([row[:count] for row, count in zip(told, runs.tolist(), strict=True)])
