"""What is drawn around a cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ingest.document.geometry import as_boxes
from ingest.document.page import Cells, Page, TextState
from ingest.features import figures

EM = 10.0
INSIDE, DISTANCE, PARTS, RULES, IMAGES, AREA, CELLS = range(len(figures.NAMES))
Box = tuple[float, float, float, float]


def page(*, rules: list[Box] | None = None, images: list[Box] | None = None, drawings: list[Box] | None = None) -> Page:
    return Page(
        number=1,
        width=600,
        height=800,
        cells=Cells.empty(),
        fonts=["F"],
        state=TextState.TEXT,
        rules=as_boxes(rules or []),
        images=as_boxes(images or []),
        drawings=as_boxes(drawings or []),
    )


def of(where: Page, *cells: Box) -> NDArray[np.float32]:
    return figures.features(where, as_boxes(list(cells)), EM)


PLOT: list[Box] = [(100 + 9 * k, 500 + 3 * k, 108 + 9 * k, 512 + 3 * k) for k in range(20)]


def test_small_paths_that_touch_are_one_figure_with_its_lettering() -> None:
    within, axis, far = of(page(drawings=PLOT), (150, 520, 170, 530), (150, 488, 170, 496), (150, 300, 400, 310))
    assert within[INSIDE] == 1
    assert within[DISTANCE] == 0
    assert within[PARTS] == np.float32(np.log1p(20))
    assert 0 < axis[DISTANCE] < 2
    assert axis[PARTS] == within[PARTS]
    assert far.tolist() == [0, figures.FAR, 0, 0, 0, 0, 0]


def test_a_frame_of_rules_is_told_from_an_image() -> None:
    frame: list[Box] = [(100, y, 400, y + 0.5) for y in (600, 610, 620, 630)]
    table, picture = of(page(rules=frame, images=[(100, 100, 300, 200)]), (120, 612, 160, 619), (120, 120, 160, 130))
    assert (table[RULES], table[IMAGES]) == (1, 0)
    assert (picture[RULES], picture[IMAGES]) == (0, 1)
    assert table[CELLS] == np.float32(np.log1p(1))


def test_backgrounds_and_bullets_are_no_figures() -> None:
    found = of(page(images=[(0, 0, 600, 800)], drawings=[(90, 500, 95, 505)]), (100, 498, 300, 508))
    assert found[0].tolist() == [0, figures.FAR, 0, 0, 0, 0, 0]


def test_the_smallest_figure_around_a_cell_counts() -> None:
    border: list[Box] = [(20, 20, 580, 20.5), (20, 780, 580, 780.5), (20, 20, 20.5, 780), (580, 20, 580.5, 780)]
    found = of(page(rules=border, drawings=PLOT), (150, 520, 170, 530))
    assert found[0, AREA] < 0.1


numbers = st.floats(0, 800, allow_nan=False, width=32)
boxes = st.lists(
    st.tuples(numbers, numbers, numbers, numbers).map(
        lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
    ),
    max_size=12,
)


@given(boxes, boxes, boxes, boxes)
def test_any_page_gives_finite_numbers_that_do_not_depend_on_the_order_of_cells(
    rules: list[Box], images: list[Box], drawings: list[Box], cells: list[Box]
) -> None:
    where = page(rules=rules, images=images, drawings=drawings)
    found = of(where, *cells)
    assert found.shape == (len(cells), len(figures.NAMES))
    assert np.isfinite(found).all()
    assert ((found[:, INSIDE] >= 0) & (found[:, INSIDE] <= 1.001)).all()
    np.testing.assert_allclose(of(where, *cells[::-1]), found[::-1], rtol=1e-5)
