"""Scores of labels against ground truth, whichever way truth and prediction are cut into cells.

Points are sampled along each element of the truth; each point belongs to the smallest predicted cell around it, and
the element's weight is shared out among the labels of these cells. What no cell covers is `missed`. Three weightings:

characters  what is not white space: does not depend on how the truth is cut up
elements    each element 1; nearest to Livathinos et al. 2021, whose cells count 1 each
regions     each run of elements with one label in the order of the page 1: a formula, a table, a paragraph counts once

Elements that cannot be trusted are not scored. Furniture that the truth only guesses is reported apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import area, as_boxes
from ingest.document.labels import LABEL_INDEX, LABELS, Label
from ingest.evaluation.owners import Owners
from ingest.evaluation.truth import Element, TruthDocument, TruthPage

WEIGHTINGS = ("characters", "elements", "regions")
MISSED = len(LABELS)
"""Column of a confusion matrix for what no cell covers."""
GUESSED_FURNITURE = frozenset({"heuristic-furniture", "untagged"})
"""Trust of elements that were taken for furniture by their place."""
ACCEPTED: dict[str, dict[Label, Label]] = {
    "DocBank": {
        Label.AFFILIATION: Label.AUTHOR,
        Label.LIST_IDENTIFIER: Label.LIST_ITEM,
        Label.KEYWORD: Label.ABSTRACT,
    }
}
"""Sources that do not tell some labels apart: the finer one counts as the coarser one where the truth says that."""


class PredictedCell(msgspec.Struct):
    """A cell of `ingest convert --to cells`; one without text is an object (a picture)."""

    bbox: tuple[float, float, float, float]
    text: str
    label: str


class PredictedPage(msgspec.Struct):
    page: int
    cells: list[PredictedCell]


class Predicted(msgspec.Struct):
    pages: list[PredictedPage]


_DECODER = msgspec.json.Decoder(Predicted)


@dataclass(slots=True)
class Tally:
    """What was counted over some documents."""

    confusion: dict[str, NDArray[np.float64]] = field(
        default_factory=lambda: {name: np.zeros((len(LABELS), len(LABELS) + 1)) for name in WEIGHTINGS}
    )
    """Weighting -> (truth, predicted or MISSED)."""
    pages: int = 0
    furniture: float = 0.0
    """Characters of guessed furniture, and those of them that were labelled `none`."""
    furniture_found: float = 0.0
    picture_area: float = 0.0
    """Square points of pictures without text, and those of them that were labelled `picture`."""
    picture_area_found: float = 0.0
    spurious: int = 0
    """Characters of cells that lie on no element of the truth and are not labelled `none`."""
    missing: list[str] = field(default_factory=list)
    """Documents that were not converted: all of them is missed."""

    def add(self, other: Tally) -> None:
        for name in WEIGHTINGS:
            self.confusion[name] += other.confusion[name]
        self.pages += other.pages
        self.furniture += other.furniture
        self.furniture_found += other.furniture_found
        self.picture_area += other.picture_area
        self.picture_area_found += other.picture_area_found
        self.spurious += other.spurious
        self.missing += other.missing


def score_document(name: str, truth: TruthDocument, cells: bytes | None) -> Tally:
    """Count one document; `cells` is its `--to cells`, None where it could not be converted."""
    tally = Tally()
    predicted: Mapping[int, list[PredictedCell]] = {}
    if cells is None:
        tally.missing.append(name)
    else:
        predicted = {p.page: p.cells for p in _DECODER.decode(cells).pages}
    accepted = next((v for source, v in ACCEPTED.items() if source in truth.source), {})
    for page in truth.pages:
        _score_page(tally, page, predicted.get(page.page, []), accepted)
    return tally


def _score_page(tally: Tally, page: TruthPage, cells: list[PredictedCell], accepted: Mapping[Label, Label]) -> None:
    tally.pages += 1
    owners = Owners([c.bbox for c in cells], [_length(c.text) for c in cells], page)
    label_of = np.array([LABEL_INDEX[Label(c.label)] for c in cells], np.intp)
    order = [e.order if e.order is not None else k for k, e in enumerate(page.elements)]
    run: list[NDArray[np.float64]] = []
    run_label = -1

    def end_run() -> None:
        if run:
            tally.confusion["regions"][run_label] += np.mean(run, axis=0)
        run.clear()

    for k in np.argsort(np.array(order, np.float64), kind="stable"):
        element = page.elements[k]
        if not element.trusted:
            continue
        label, length = LABEL_INDEX[Label(element.label)], _length(element.text)
        share = _shares(owners, element, label_of, accepted)
        if element.trust in GUESSED_FURNITURE:
            tally.furniture += length
            tally.furniture_found += length * float(share[LABEL_INDEX[Label.NONE]])
            continue
        tally.confusion["characters"][label] += length * share
        tally.confusion["elements"][label] += share
        if label == LABEL_INDEX[Label.PICTURE] and not length:
            size = float(area(as_boxes([element.bbox]))[0])
            tally.picture_area += size
            tally.picture_area_found += size * float(share[label])
        if label != run_label:
            end_run()
            run_label = label
        run.append(share)
    end_run()
    if cells:
        tally.spurious += _spurious(page, cells)


def _spurious(page: TruthPage, cells: Iterable[PredictedCell]) -> int:
    elements = Owners([e.bbox for e in page.elements], [_length(e.text) for e in page.elements], page)
    found = 0
    for cell in cells:
        length = _length(cell.text)
        if length and cell.label != Label.NONE and not len(elements.of(cell.bbox, length)[0]):
            found += length
    return found


def _shares(
    owners: Owners, element: Element, label_of: NDArray[np.intp], accepted: Mapping[Label, Label]
) -> NDArray[np.float64]:
    """(labels + 1,) share of an element by predicted label, the last one missed; adds up to 1."""
    hits, found = owners.of(element.bbox, _length(element.text))
    share = np.zeros(len(LABELS) + 1)
    if len(hits):
        share[: len(LABELS)] = found * np.bincount(label_of[hits], minlength=len(LABELS)) / len(hits)
        for fine, coarse in accepted.items():
            if coarse == element.label:
                share[LABEL_INDEX[coarse]] += share[LABEL_INDEX[fine]]
                share[LABEL_INDEX[fine]] = 0
    share[MISSED] = 1 - found
    return share


def _length(text: str) -> int:
    """Characters that are not white space."""
    return sum(not c.isspace() for c in text)


class LabelScore(msgspec.Struct):
    precision: float
    recall: float
    f1: float
    support: float


class Scores(msgspec.Struct):
    """Of one weighting."""

    weighted_f1: float
    """Mean of the labels' F1, weighted by how often the truth has them."""
    macro_f1: float
    """Plain mean over the labels that the truth has."""
    accuracy: float
    missed: float
    labels: dict[str, LabelScore]


def scores(confusion: NDArray[np.float64]) -> Scores:
    """Scores of a (labels, labels + 1) confusion matrix whose last column is what was missed."""
    hit, support = confusion.diagonal(), confusion.sum(axis=1)
    predicted = confusion[:, : len(LABELS)].sum(axis=0)
    precision = np.divide(hit, predicted, out=np.zeros(len(LABELS)), where=predicted > 0)
    recall = np.divide(hit, support, out=np.zeros(len(LABELS)), where=support > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(LABELS)), where=both > 0)
    total, there = max(float(support.sum()), 1e-12), support > 0
    return Scores(
        weighted_f1=float((f1 * support).sum() / total),
        macro_f1=float(f1[there].mean()) if there.any() else 0.0,
        accuracy=float(hit.sum() / total),
        missed=float(confusion[:, MISSED].sum() / total),
        labels={
            str(label): LabelScore(float(precision[k]), float(recall[k]), float(f1[k]), float(support[k]))
            for k, label in enumerate(LABELS)
            if support[k] > 0 or predicted[k] > 0
        },
    )


class Report(msgspec.Struct):
    """Scores of a collection of documents."""

    pages: int
    missing: list[str]
    furniture_as_none: float | None
    picture_area_recall: float | None
    spurious_characters: int
    characters: Scores
    elements: Scores
    regions: Scores


def report(tally: Tally) -> Report:
    return Report(
        pages=tally.pages,
        missing=sorted(tally.missing),
        furniture_as_none=tally.furniture_found / tally.furniture if tally.furniture else None,
        picture_area_recall=tally.picture_area_found / tally.picture_area if tally.picture_area else None,
        spurious_characters=tally.spurious,
        **{name: scores(tally.confusion[name]) for name in WEIGHTINGS},
    )
