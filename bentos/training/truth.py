"""Ground truth (`ingest.evaluation.truth`) transferred onto cells.

A cell on an element that cannot be trusted is masked, not taken for `text`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, area, as_boxes
from ingest.document.labels import LABEL_INDEX, LABELS, Label
from ingest.document.page import Page
from ingest.evaluation.truth import Element

MASKED = -1


def label_cells(page: Page, elements: list[Element]) -> NDArray[np.int8]:
    """(n,) label number of each cell of the page, MASKED where the truth says nothing that can be trusted.

    Points along each element vote for its label in the smallest cell that contains them; a cell takes the label with
    the most votes. The other way round would miss elements smaller than their cell, such as bullets.
    """
    votes = np.zeros((len(page.cells), len(LABELS) + 1), np.float32)
    if not len(page.cells) or not elements:
        return np.full(len(page.cells), MASKED, np.int8)
    cells, cell_area = page.cells.boxes, area(page.cells.boxes)
    order = np.argsort(-cell_area, kind="stable")  # so that the last hit is the smallest cell
    for element in elements:
        if not element.text.strip():
            continue
        column = LABEL_INDEX[Label(element.label)] if element.trusted else len(LABELS)
        points = _points(element)
        for owner in _owners(points, cells, order):
            votes[owner, column] += len(element.text) / len(points)
    labels: NDArray[np.int8] = votes.argmax(axis=1).astype(np.int8)
    labels[(votes.sum(axis=1) == 0) | (labels == len(LABELS))] = MASKED
    return labels


def _points(element: Element) -> NDArray[np.float32]:
    """(k, 2) points along the lines of an element."""
    x0, y0, x1, y1 = as_boxes([element.bbox])[0]
    size = max(((x1 - x0) * (y1 - y0) / (0.6 * max(len(element.text), 1))) ** 0.5, 1.0)
    lines = max(1, round(float((y1 - y0) / (1.2 * size))))
    xs = x0 + (np.arange(8) + 0.5) / 8 * (x1 - x0)
    ys = y0 + (np.arange(lines) + 0.5) / lines * (y1 - y0)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    return grid.astype(np.float32)


def _owners(points: NDArray[np.float32], cells: Boxes, order: NDArray[np.intp]) -> list[int]:
    """Index of the smallest cell at each point that lies in any."""
    boxes = cells[order]
    x, y = points[:, :1], points[:, 1:]
    hits = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
    last = hits.shape[1] - 1 - hits[:, ::-1].argmax(axis=1)
    chosen: list[int] = order[last][np.asarray(hits.any(axis=1))].tolist()
    return chosen
