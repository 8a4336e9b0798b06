"""Pages made to hurt: crowded, degenerate, absurd. They cost little time and break nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ingest.document import geometry
from ingest.document.geometry import Boxes
from ingest.document.page import Cells, Page, TextState
from ingest.pipeline.tables import find_tables, recover

WHOLE = (0.0, 0.0, 1000.0, 1000.0)


def page_of(boxes: object, text: Sequence[str], rules: object = (), drawings: object = (), size: float = 4.0) -> Page:
    n = len(text)
    cells = Cells(
        boxes=np.asarray(boxes, np.float32).reshape(-1, 4),
        text=list(text),
        size=np.full(n, size, np.float32),
        font=np.zeros(n, np.int16),
        style=np.zeros(n, np.uint8),
        share=np.zeros((n, 3), np.uint8),
        color=np.zeros(n, np.uint32),
        angle=np.zeros(n, np.int16),
    )
    return Page(
        number=1,
        width=1000,
        height=1000,
        cells=cells,
        rules=geometry.as_boxes(rules),
        drawings=geometry.as_boxes(drawings),
        state=TextState.TEXT,
    )


def grid(rows: int, cols: int, across: float, down: float) -> Boxes:
    c, r = np.meshgrid(np.arange(cols), np.arange(rows))
    x, y = c.ravel() * across, 1000 - r.ravel() * down
    return np.stack([x, y - 4, x + 5, y], axis=1).astype(np.float32)


def scatter(n: int) -> Boxes:
    low = np.random.default_rng(1).uniform(0, 980, (n, 2))
    return np.concatenate([low, low + np.array([12, 4])], axis=1).astype(np.float32)


def bars(n: int) -> Boxes:
    rng = np.random.default_rng(2)
    start, length = rng.uniform(0, 900, (n, 2)), rng.uniform(5, 900, (n, 1))
    return np.concatenate([start, start + length * np.eye(2)[np.arange(n) % 2]], axis=1).astype(np.float32)


def interleaved(n: int) -> Boxes:
    """Two columns whose lines overlap like the teeth of a zip."""
    y = 1000 - np.arange(n) * 0.05
    x = np.arange(n) % 2 * 100.0
    return np.stack([x, y - 0.4, x + 50, y], axis=1).astype(np.float32)


CROWDED = {
    "a grid of 20,000 numbers": page_of(grid(160, 125, 8, 6), ["12"] * 20000),
    "20,000 words anywhere": page_of(scatter(20000), [f"ab {k}" for k in range(20000)]),
    "5,000 rules and 1,000 words": page_of(scatter(1000), ["word"] * 1000, bars(5000)),
    "a full lattice": page_of(
        grid(70, 70, 14, 14),
        ["7"] * 4900,
        [(0, 1003 - 14 * k, 980, 1003.3 - 14 * k) for k in range(71)]
        + [(14 * k - 3, 20, 14 * k - 2.7, 1000) for k in range(71)],
    ),
    "60,000 drawings": page_of(grid(50, 20, 18, 9), ["5"] * 1000, drawings=np.tile(scatter(20000), (3, 1))),
    "overlapping lines": page_of(interleaved(10000), ["words of it"] * 10000),
    "one long cell": page_of(
        grid(3000, 1, 8, 0.33), ["word of words"] * 3000, [(0, k, 900, k + 0.2) for k in (1, 2, 3)]
    ),
    "everything in one place": page_of(np.tile([[500, 500, 504, 504]], (20000, 1)), ["1"] * 20000),
}


@pytest.mark.timeout(120)  # some seconds as it is; hours if anything were quadratic
@pytest.mark.parametrize("name", CROWDED)
def test_crowded_pages_come_to_an_end(name: str) -> None:
    page = CROWDED[name]
    find_tables(page, np.array([WHOLE], np.float32))
    table = recover(page, WHOLE)
    assert table.cells


def test_boxes_that_are_no_numbers_are_left_out() -> None:
    boxes = grid(3, 2, 40, 10)
    boxes[0, 2], boxes[3, 1] = np.nan, np.inf
    table = recover(page_of(boxes, list("abcdef")), WHOLE, range(6))
    assert sorted(c.text for c in table.cells if c.text) == ["b", "c", "e", "f"]


def test_type_without_a_size_is_measured_by_its_box() -> None:
    table = recover(page_of(grid(3, 2, 40, 10), list("123456"), size=0.0), WHOLE)
    assert (table.rows, table.cols) == (3, 2)


def test_boxes_without_any_extent_keep_their_text() -> None:
    boxes = grid(3, 2, 40, 10)
    boxes[:, 2:] = boxes[:, :2]
    table = recover(page_of(boxes, list("123456")), WHOLE, range(6))
    assert sorted("".join(c.text for c in table.cells).replace(" ", "")) == list("123456")
