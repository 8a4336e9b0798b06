"""The rows of table 2: what each model is, and what the paper measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ingest.features import NAMES

PAPER_NAMES: tuple[str, ...] = (
    *("x0", "x1", "top", "bottom", "width", "height"),
    *("dx_previous", "dy_previous", "dx_next", "dy_next", "right_previous", "right_next"),
    *("size", "bold", "italic", "mono", "serif", "math"),
    *("log_length", "words", "share_lower", "share_upper", "share_digit", "share_punctuation", "share_symbol"),
    *("share_space", "starts_upper", "starts_digit", "starts_punctuation", "is_number"),
)
"""The paper's features, as far as it names them: position, size, distances to the previous and the next cell, style,
classes of characters. Its numbers of parameters tell that there are thirty."""


class Feeding(StrEnum):
    """How features enter a network."""

    DIRECT = "direct"
    """Four geometric features as they are."""
    INDEXED = "indexed"
    """The same four, each in one of 20 bins, as one index into an embedding."""
    STACKED = "stacked"
    """All features, each in one of 20 bins, one-hot, side by side."""


class Recurrence(StrEnum):
    GRU = "gru"
    LSTM = "lstm"
    NONE = "transformer"


@dataclass(frozen=True, slots=True)
class Network:
    """A model of the paper."""

    feeding: Feeding
    recurrence: Recurrence
    decoder: bool
    """A decoder reads its own last label at every cell."""
    layers: int
    hidden: int
    """Per direction; of the transformer, of each cell."""
    both: bool = False
    """Reads the page forwards and backwards."""
    attention: bool = False
    heads: int = 0
    """Of the transformer."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A line of the paper's table. Scores are means over labels, weighted by support; time on a Tesla P100."""

    f1: float
    recall: float
    precision: float
    time_ms: float
    size_mb: float
    parameters: int


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    network: Network | None
    paper: Measured | None
    columns: tuple[str, ...] = PAPER_NAMES
    """Features of the rows that are no network of the paper."""
    layout: bool = False
    """Its answers depend on the layout network."""


def _network(
    name: str,
    feeding: str,
    decoder: bool,
    layers: int,
    hidden: int,
    paper: tuple[float, float, float, float, float, int],
) -> Row:
    number = int(name[-1])
    network = Network(
        feeding=Feeding(feeding),
        recurrence={0: Recurrence.GRU, 5: Recurrence.NONE}.get(number, Recurrence.LSTM),
        decoder=decoder,
        layers=layers,
        hidden=hidden,
        both=number in (2, 4),
        attention=number in (3, 4),
        heads=4 if number == 5 else 0,
    )
    return Row(name, network, Measured(*paper))


ROWS: tuple[Row, ...] = (
    Row("regions of the layout network", None, None, layout=True),
    Row("recursive random forest", None, None),
    Row("recursive random forest, all features", None, None, NAMES, layout=True),
    _network("model-0", "direct", True, 1, 128, (0.05, 0.05, 0.05, 151, 0.7, 105_817)),
    _network("model-0", "indexed", True, 2, 64, (0.25, 0.42, 0.18, 148, 1.8, 385_241)),
    _network("model-1", "indexed", True, 2, 64, (0.35, 0.42, 0.39, 407, 5.2, 426_713)),
    _network("model-1", "indexed", False, 2, 64, (0.79, 0.79, 0.79, 216, 4.2, 340_569)),
    _network("model-2", "indexed", True, 2, 64, (0.54, 0.55, 0.60, 575, 8.6, 725_273)),
    _network("model-2", "stacked", True, 2, 64, (0.59, 0.60, 0.60, 355, 7.7, 642_713)),
    _network("model-2", "indexed", False, 2, 64, (0.83, 0.84, 0.83, 397, 5.6, 457_881)),
    _network("model-2", "stacked", False, 2, 64, (0.96, 0.96, 0.96, 249, 5.4, 443_545)),
    _network("model-3", "indexed", True, 2, 64, (0.51, 0.53, 0.51, 2324, 5.5, 456_217)),
    _network("model-3", "indexed", False, 2, 64, (0.81, 0.82, 0.81, 612, 4.4, 350_489)),
    _network("model-3", "stacked", False, 2, 64, (0.96, 0.96, 0.96, 501, 2.8, 215_321)),
    _network("model-4", "indexed", True, 2, 64, (0.57, 0.58, 0.60, 3729, 9.8, 830_233)),
    _network("model-4", "indexed", False, 2, 64, (0.85, 0.85, 0.85, 714, 6.0, 494_105)),
    _network("model-4", "stacked", False, 2, 64, (0.97, 0.97, 0.97, 496, 5.8, 479_769)),
    _network("model-5", "indexed", False, 2, 200, (0.59, 0.62, 0.60, 63, 10.7, 889_025)),
    Row("this project", None, None, NAMES, layout=True),
)
