"""Lines, columns and styles as features."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ingest.document.geometry import as_boxes
from ingest.document.page import Page
from ingest.features import NAMES, columns, context, document_features, geometry
from tests.support.sheets import Sheet

LEFT, WIDTH = 100.0, 400.0


def of(page: Page) -> dict[str, NDArray[np.float32]]:
    """Every feature of a page's cells, in content order, by name."""
    [table] = document_features([page], [np.arange(len(page.cells))], [None])
    return dict(zip(NAMES, table.T, strict=True))


def text(sheet: Sheet, x: float, y: float, lines: int, width: float, indent: float = 0.0) -> Sheet:
    return sheet.lines(x, y, *(["words of some length"] * lines), "end", width=width, indent=indent)


def test_indents_and_slack_are_measured_from_the_column() -> None:
    sheet = text(Sheet(), LEFT, 700, 9, WIDTH, indent=20)
    sheet.cell(LEFT + 150, 500, "A heading", width=100)
    found = of(sheet.page)
    assert found["line_indent"][:3].tolist() == [2, 0, 0]
    assert found["line_slack"][1] == 0
    assert found["line_off_centre"][-1] < 0.1
    assert found["line_off_centre"][1] < 0.1
    assert found["line_fill"][1] == 1
    assert found["line_fill"][-1] < 0.3


def test_two_columns_are_found_and_each_line_is_measured_in_its_own() -> None:
    sheet = text(text(Sheet(), 60, 700, 20, 230), 310, 700, 20, 230)
    found = of(sheet.page)
    assert set(found["columns"].tolist()) == {2}
    assert np.abs(found["column_indent"]).max() < 0.1


def test_pieces_of_one_line_know_how_far_it_goes() -> None:
    sheet = text(Sheet(), LEFT, 700, 9, WIDTH)
    sheet.cell(LEFT, 500, "First", width=100).cell(LEFT + 104, 500, "second", width=96)
    sheet.cell(LEFT + 260, 500, "far away", width=140)
    found = of(sheet.page)
    assert found["line_cells"][-3:].tolist() == [2, 2, 1]
    assert found["before_on_line"][-3:].tolist() == [0, np.float32(10.4), 0]
    assert found["after_on_line"][-3:].tolist() == [10, 0, 0]


def test_space_between_lines_is_told_in_lines() -> None:
    sheet = text(Sheet(), LEFT, 700, 5, WIDTH)
    text(sheet, LEFT, 700 - 7 * 12, 5, WIDTH)
    found = of(sheet.page)
    assert np.allclose(found["step_above"][1:6], 1, atol=0.05)
    assert abs(found["step_above"][6] - 2) < 0.05


def test_a_style_is_what_its_cells_are_like_together() -> None:
    sheet = text(Sheet(), LEFT, 700, 9, WIDTH)
    for k, heading in enumerate(("1 One", "2 Two", "Three")):
        sheet.cell(LEFT, 500 - 60 * k, heading, bold=True)
    found = of(sheet.page)
    assert np.allclose(found["style_numbering_depth"][-3:], 2 / 3)
    assert len(set(found["style_numbering_depth"][:-3].tolist())) == 1
    assert found["style_step_above"][-1] > found["style_step_above"][0]


box = st.tuples(
    st.floats(-50, 650, width=32),
    st.floats(-50, 850, width=32),
    st.floats(0, 700, width=32),
    st.floats(0, 60, width=32),
).map(lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3]))


@given(st.lists(box, min_size=1, max_size=30))
def test_any_boxes_give_lines_and_columns(found: list[tuple[float, float, float, float]]) -> None:
    boxes = as_boxes(found)
    near = geometry.spatial_neighbours(boxes, 10.0)
    line = columns.line_numbers(boxes, near.left, 10.0)
    assert sorted(set(line.tolist())) == list(range(int(line.max()) + 1))
    edges = columns.columns(boxes[:, 0], boxes[:, 2], 600.0, 200.0, 10.0)
    assert 1 <= len(edges) <= columns.MAX_COLUMNS
    assert (edges[:, 0] <= edges[:, 1]).all()
    assert np.isfinite(columns.features(Sheet().page, boxes, near, context.measure([], [], []))).all()


@given(st.lists(box, min_size=1, max_size=40))
def test_neighbours_are_the_nearest_of_all_cells(found: list[tuple[float, float, float, float]]) -> None:
    boxes = as_boxes(found)
    slack, least = np.float32(1), np.float32(3)
    near = geometry.spatial_neighbours(boxes, 10.0)
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    for i, this in enumerate(boxes):
        away = {
            k: middle[k] - middle[i]
            for k, other in enumerate(boxes)
            if this[0] < other[2] - slack and other[0] < this[2] - slack and middle[k] - middle[i] > least
        }
        wanted = min(away.values(), default=None)
        chosen = int(near.above[i])
        assert (away.get(chosen) if chosen >= 0 else None) == wanted


def test_a_page_of_very_many_cells_is_compared_in_blocks() -> None:
    sheet = Sheet()
    for k in range(40 * 40):
        sheet.cell(10 + 14 * (k % 40), 780 - 19 * (k // 40), "12", size=5, width=12)
    near = geometry.spatial_neighbours(sheet.page.to_display(sheet.page.cells.boxes), 5.0)
    inner = 40 * 20 + 20
    assert (near.above[inner], near.below[inner]) == (inner - 40, inner + 40)
    assert (near.left[inner], near.right[inner]) == (inner - 1, inner + 1)
    assert (near.above[:40] == -1).all()
    assert (near.right[39::40] == -1).all()


def test_a_document_without_pages_or_without_text_has_features_of_nothing() -> None:
    assert document_features([], [], []) == []
    [table] = document_features([Sheet().page], [np.zeros(0, np.intp)], [None])
    assert table.shape == (0, len(NAMES))
