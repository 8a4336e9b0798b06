"""Models 0 to 5: what enters them, recurrent encoders with and without attention, the active decoder, a transformer."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from bentos.training.label_net import Bins
from bentos.training.paper.rows import Feeding, Network, Recurrence
from ingest.document.labels import LABELS

BINS = 20
START = len(LABELS)
"""What the decoder reads before the first cell, and where the label before is not known."""


class Entrance(nn.Module):
    """(p, t, features) to what the encoder reads, (p, t, width)."""

    seen: Tensor
    """Indices that occur in what is learned, ascending: the vocabulary of the indexed mode."""

    def __init__(self, feeding: Feeding, hidden: int, sample: Tensor) -> None:
        super().__init__()
        self.feeding = feeding
        self.features = sample.shape[1]
        self.width = {Feeding.DIRECT: self.features, Feeding.INDEXED: hidden}.get(feeding, self.features * BINS)
        if feeding is Feeding.DIRECT:
            return
        self.bins = Bins(self.features, BINS)
        if feeding is Feeding.STACKED:
            self.bins.fit(sample)
        else:  # shares of the page: bins of one width, which keeps the vocabulary small
            self.bins.edges[:] = torch.linspace(0, 1, BINS + 1)[1:-1]
            self.register_buffer("seen", torch.unique(self._index(sample)))
            self.embedding = nn.Embedding(len(self.seen) + 1, hidden)

    def forward(self, x: Tensor) -> Tensor:
        if self.feeding is Feeding.DIRECT:
            return x
        if self.feeding is Feeding.INDEXED:
            index = self._index(x)
            place = torch.searchsorted(self.seen, index).clamp(max=len(self.seen) - 1)
            embedded: Tensor = self.embedding(torch.where(self.seen[place] == index, place + 1, 0))
            return embedded
        rows = self.bins(x)
        stacked = torch.zeros(*x.shape[:2], self.features * BINS)
        return stacked.scatter_(2, rows, 1.0)

    def _index(self, x: Tensor) -> Tensor:
        """The sum over features of bin * bins ** number of the feature, before it."""
        bins = self.bins(x) - self.bins.offset
        index: Tensor = (bins * BINS ** torch.arange(self.features)).sum(dim=-1)
        return index


class Attend(nn.Module):
    """All-to-all correlation: each query with the weighted mean of what it resembles."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.combine = nn.Linear(2 * width, width)

    def forward(self, queries: Tensor, states: Tensor, inside: Tensor) -> Tensor:
        """`inside` (p, t): which states are cells and not padding."""
        alike = queries @ states.transpose(1, 2) / math.sqrt(states.shape[-1])
        weights = alike.masked_fill(~inside[:, None], -torch.inf).softmax(dim=-1)
        return torch.tanh(self.combine(torch.cat([queries, weights @ states], dim=-1)))


class Recurrent(nn.Module):
    """Models 0 to 4: (p, t, features) to (p, t, labels) logits."""

    def __init__(self, config: Network, sample: Tensor) -> None:
        super().__init__()
        self.entrance = Entrance(config.feeding, config.hidden, sample)
        kind = nn.GRU if config.recurrence is Recurrence.GRU else nn.LSTM
        self.encoder = kind(
            self.entrance.width, config.hidden, config.layers, batch_first=True, bidirectional=config.both
        )
        width = config.hidden * (2 if config.both else 1)
        self.attention = Attend(width) if config.attention else None
        self.decoder = kind(config.hidden, width, 1, batch_first=True) if config.decoder else None
        self.labels = nn.Embedding(len(LABELS) + 1, config.hidden) if config.decoder else None
        self.leave = nn.Linear(width, len(LABELS))
        self._directions = 2 if config.both else 1

    def forward(self, x: Tensor, lengths: Tensor, known: Tensor) -> Tensor:
        """Logits for learning; a decoder is told the true label before each cell, `known` (p, t), START if unknown."""
        states, last, inside = self._encode(x, lengths)
        if self.decoder is None or self.labels is None:
            return self._finish(states, states, inside)
        before = torch.cat([torch.full_like(known[:, :1], START), known[:, :-1]], dim=1)
        decoded, _ = self.decoder(self.labels(before), last)
        return self._finish(decoded, states, inside)

    def decode(self, x: Tensor, lengths: Tensor) -> Tensor:
        """(p, t) labels; a decoder is told what it said itself of the cell before."""
        states, state, inside = self._encode(x, lengths)
        if self.decoder is None or self.labels is None:
            return self._finish(states, states, inside).argmax(dim=-1)
        label = torch.full((len(x), 1), START)
        said = []
        for _ in range(x.shape[1]):
            decoded, state = self.decoder(self.labels(label), state)
            label = self._finish(decoded, states, inside).argmax(dim=-1)
            said.append(label)
        return torch.cat(said, dim=1)

    def _encode(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor | tuple[Tensor, ...], Tensor]:
        """(states (p, t, width), state of the decoder before its first step, which places are cells (p, t))."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.entrance(x), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        inside = torch.arange(x.shape[1])[None] < lengths[:, None]
        begin = tuple(self._joined(part) for part in last) if isinstance(last, tuple) else self._joined(last)
        return states, begin, inside

    def _joined(self, last: Tensor) -> Tensor:
        """Last state of the last layer, (1, p, width), directions side by side."""
        return torch.cat(list(last[-self._directions :]), dim=-1)[None].contiguous()

    def _finish(self, queries: Tensor, states: Tensor, inside: Tensor) -> Tensor:
        logits: Tensor = self.leave(self.attention(queries, states, inside) if self.attention else queries)
        return logits


class Transformer(nn.Module):
    """Model 5: the encoder of Vaswani et al. 2017 with sinusoidal positions, and no decoder."""

    def __init__(self, config: Network, sample: Tensor) -> None:
        super().__init__()
        self.entrance = Entrance(config.feeding, config.hidden, sample)
        layer = nn.TransformerEncoderLayer(config.hidden, config.heads, config.hidden, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, config.layers, enable_nested_tensor=False)
        self.leave = nn.Linear(config.hidden, len(LABELS))

    def forward(self, x: Tensor, lengths: Tensor, known: Tensor) -> Tensor:
        del known  # there is no decoder to be told
        cells = self.entrance(x) * math.sqrt(self.entrance.width)
        outside = torch.arange(x.shape[1])[None] >= lengths[:, None]
        states = self.encoder(cells + positions(x.shape[1], self.entrance.width), src_key_padding_mask=outside)
        logits: Tensor = self.leave(states)
        return logits

    def decode(self, x: Tensor, lengths: Tensor) -> Tensor:
        return self.forward(x, lengths, x).argmax(dim=-1)


def positions(count: int, width: int) -> Tensor:
    """(count, width) sines and cosines of the place in the sequence; width even."""
    angle = torch.arange(count)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(count, width)


def build(config: Network, sample: Tensor) -> Recurrent | Transformer:
    """An untrained model; bins and vocabulary are found in a sample (cells, features) of what it will learn."""
    return Transformer(config, sample) if config.recurrence is Recurrence.NONE else Recurrent(config, sample)
