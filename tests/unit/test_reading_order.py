"""Reading order: columns, titles across them, tables by rows, content order as evidence and no more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document.geometry import Boxes
from ingest.document.labels import LABEL_INDEX, Label
from ingest.pipeline.reading_order import is_right_to_left, page_order, reading_columns, reading_order
from tests.support.sheets import Sheet

WIDTH, HEIGHT = 600.0, 800.0
LINE, LEADING = 10.0, 12.0


class Layout:
    """Boxes in the order in which a reader reads them."""

    def __init__(self) -> None:
        self.boxes: list[tuple[float, float, float, float]] = []

    def column(self, x0: float, x1: float, top: float, lines: int, offset: float = 0.0) -> Layout:
        """Lines of running text; every fifth is the short last one of a paragraph."""
        for k in range(lines):
            y = top - offset - k * LEADING
            right = x0 + 0.4 * (x1 - x0) if k % 5 == 4 else x1
            self.boxes.append((x0, y - LINE, right, y))
        return self

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Layout:
        self.boxes.append((x0, y0, x1, y1))
        return self

    @property
    def array(self) -> Boxes:
        return np.array(self.boxes, np.float32)


def order_of(boxes: Boxes, content: Sequence[int], *, right_to_left: bool = False) -> list[int]:
    """Reading order of boxes that the PDF draws in the order `content`, as indices of `boxes`."""
    placed = np.array(content)
    return [int(i) for i in placed[reading_order(boxes[placed], WIDTH, HEIGHT, right_to_left=right_to_left)]]


def shuffled(count: int, seed: int = 3) -> list[int]:
    return [int(i) for i in np.random.default_rng(seed).permutation(count)]


def assert_read_in_order(layout: Layout, *, right_to_left: bool = False) -> None:
    """As drawn in order and in any order."""
    boxes = layout.array
    expected = list(range(len(boxes)))
    assert order_of(boxes, expected, right_to_left=right_to_left) == expected
    for seed in range(3):
        assert order_of(boxes, shuffled(len(boxes), seed), right_to_left=right_to_left) == expected


def test_one_column_is_read_downwards() -> None:
    assert_read_in_order(Layout().column(60, 540, 740, 40))


def test_two_columns_are_read_one_after_the_other() -> None:
    assert_read_in_order(Layout().column(50, 290, 740, 50).column(310, 550, 740, 45, offset=3))


def test_columns_whose_lines_stand_at_the_same_heights_are_still_columns() -> None:
    assert_read_in_order(Layout().column(50, 290, 740, 50).column(310, 550, 740, 50))


def test_three_columns() -> None:
    assert_read_in_order(
        Layout().column(40, 200, 740, 40).column(220, 380, 740, 40, offset=4).column(400, 560, 740, 40, offset=2)
    )


def test_title_across_columns_comes_first_and_a_footer_last() -> None:
    layout = Layout().box(120, 700, 480, 724).column(50, 290, 680, 40).column(310, 550, 680, 40, offset=3)
    assert_read_in_order(layout.box(290, 40, 310, 50))


def test_float_across_columns_parts_what_is_above_and_below() -> None:
    layout = Layout().column(50, 290, 740, 15).column(310, 550, 740, 15, offset=2)
    layout.box(60, 440, 540, 452)
    assert_read_in_order(layout.column(50, 290, 400, 20).column(310, 550, 400, 20, offset=2))


def test_abstract_over_two_columns() -> None:
    layout = Layout().box(150, 720, 450, 744).column(80, 520, 690, 8)
    assert_read_in_order(layout.column(50, 290, 560, 35).column(310, 550, 560, 33, offset=3))


def test_line_that_hangs_over_the_gutter_does_not_cut_the_columns() -> None:
    layout = Layout().column(50, 290, 740, 20).box(50, 480, 318, 490).column(50, 290, 470, 20)
    layout.column(330, 570, 740, 41, offset=3)
    assert_read_in_order(layout)


def test_running_head_of_two_parts_is_not_torn_apart_by_the_columns() -> None:
    layout = Layout().box(50, 770, 200, 780).box(400, 770, 550, 780)
    assert_read_in_order(layout.column(50, 290, 740, 40).column(310, 550, 740, 40, offset=2))


def test_table_is_read_by_rows() -> None:
    layout = Layout()
    for row in range(12):
        for column in range(4):
            x, y = 60 + column * 120, 700 - row * 14
            layout.box(x, y, x + 40 + 3 * (row % 4), y + 10)
    assert_read_in_order(layout)


def test_cells_labelled_table_are_read_by_rows_however_wide() -> None:
    layout = Layout()
    for row in range(10):
        for x in (50, 310):
            layout.box(x, 700 - row * 14, x + 230, 710 - row * 14)
    labels = np.full(len(layout.boxes), LABEL_INDEX[Label.TABLE], np.uint8)
    content = shuffled(len(layout.boxes))
    found = np.array(content)[reading_order(layout.array[content], WIDTH, HEIGHT, labels)]
    assert found.tolist() == list(range(len(layout.boxes)))


def test_table_above_two_columns_keeps_its_rows() -> None:
    layout = Layout()
    for row in range(8):
        for x in (60, 150, 330, 440):
            layout.box(x, 720 - row * 14, x + 40, 730 - row * 14)
    layout.column(50, 290, 580, 30).column(310, 550, 580, 30, offset=3)
    boxes = layout.array
    expected = list(range(len(boxes)))
    assert order_of(boxes, expected) == expected


def test_bullets_stay_with_their_items() -> None:
    layout = Layout()
    for k in range(12):
        layout.box(60, 700 - k * 14, 65, 710 - k * 14).box(80, 700 - k * 14, 400 + 5 * (k % 3), 710 - k * 14)
    assert_read_in_order(layout)


def test_numbers_of_formulas_stay_with_their_line() -> None:
    layout = Layout()
    for k in range(6):
        y = 700 - 60 * k
        layout.column(60, 540, y, 3)
        layout.box(250, y - 54, 350, y - 44).box(520, y - 54, 540, y - 44)
    assert_read_in_order(layout)


def test_right_to_left_pages_begin_with_the_right_column() -> None:
    layout = Layout().column(310, 550, 740, 40).column(50, 290, 740, 40, offset=3)
    assert_read_in_order(layout, right_to_left=True)


def test_content_order_decides_where_geometry_cannot() -> None:
    # two columns of short lines at the same heights: a table, or two lists side by side
    boxes = np.array([(x, 700 - 14 * k, x + 70, 710 - 14 * k) for x in (60, 200) for k in range(8)], np.float32)
    by_columns = list(range(16))
    by_rows = [k + 8 * side for k in range(8) for side in (0, 1)]
    assert order_of(boxes, by_columns) == by_columns
    assert order_of(boxes, by_rows) == by_rows


def test_content_order_does_not_turn_a_column_upside_down() -> None:
    boxes = Layout().column(60, 540, 740, 30).array
    assert order_of(boxes, list(range(29, -1, -1))) == list(range(30))


def test_furniture_labelled_none_comes_first_and_last() -> None:
    layout = Layout().box(60, 770, 120, 780).column(50, 290, 750, 45).column(310, 550, 750, 45).box(290, 30, 310, 40)
    labels = np.full(len(layout.boxes), LABEL_INDEX[Label.TEXT], np.uint8)
    labels[[0, -1]] = LABEL_INDEX[Label.NONE]
    content = np.array(shuffled(len(layout.boxes)))
    found = content[reading_order(layout.array[content], WIDTH, HEIGHT, labels[content])]
    assert found.tolist() == list(range(len(layout.boxes)))


def test_text_set_sideways_in_the_margin_comes_last() -> None:
    boxes = Layout().column(60, 540, 740, 30).box(15, 200, 30, 600).array
    assert order_of(boxes, shuffled(31))[-1] == 30


def test_columns_are_told_apart() -> None:
    layout = Layout().box(120, 700, 480, 724).column(50, 290, 680, 40).column(310, 550, 680, 40, offset=3)
    assert [len(c) for c in reading_columns(layout.array, WIDTH, HEIGHT)] == [1, 40, 40]


def test_turned_page_is_read_as_it_is_shown() -> None:
    sheet = Sheet(rotation=90, width=800, height=600)
    for x in (50, 320):
        for k in range(20):
            sheet.cell(x, 700 - 14 * k, "word " * 9)
    assert page_order(sheet.page).tolist() == list(range(40))


@pytest.mark.parametrize(
    ("text", "expected"), [("שלום עולם abc", True), ("hello 123", False), ("", False), ("א b c", False)]
)
def test_right_to_left_by_script(text: str, expected: bool) -> None:
    assert is_right_to_left([text]) is expected


boxes_anywhere = st.lists(
    st.tuples(st.floats(-50, 650), st.floats(-50, 850), st.floats(0, 300), st.floats(0, 60)), max_size=60
)


@given(boxes_anywhere, st.integers(0, 16), st.booleans())
def test_any_boxes_give_a_permutation(parts: list[tuple[float, ...]], label: int, right_to_left: bool) -> None:
    boxes = np.array([(x, y, x + w, y + h) for x, y, w, h in parts], np.float32).reshape(-1, 4)
    labels = np.full(len(boxes), label, np.uint8)
    for given_labels in (None, labels):
        order = reading_order(boxes, WIDTH, HEIGHT, given_labels, right_to_left=right_to_left)
        assert sorted(order.tolist()) == list(range(len(boxes)))


@given(st.permutations(range(60)))
def test_order_of_two_columns_does_not_depend_on_the_content_order(content: list[int]) -> None:
    boxes = Layout().column(50, 290, 740, 30).column(310, 550, 740, 30, offset=3).array
    assert order_of(boxes, content) == list(range(60))


def test_ordering_again_changes_nothing() -> None:
    boxes = Layout().column(50, 290, 740, 30).column(310, 550, 740, 30, offset=3).box(100, 300, 500, 310).array
    boxes = boxes[shuffled(len(boxes))]
    ordered = boxes[reading_order(boxes, WIDTH, HEIGHT)]
    assert reading_order(ordered, WIDTH, HEIGHT).tolist() == list(range(len(boxes)))


@pytest.mark.timeout(60)  # a tenth of a second as it is; minutes if it were quadratic
def test_a_page_of_many_cells_comes_to_an_end() -> None:
    rows, columns = 200, 100
    x, y = np.meshgrid(np.arange(columns) * 6.0, 800 - np.arange(rows) * 4.0)
    boxes = np.stack([x.ravel(), y.ravel() - 3, x.ravel() + 4, y.ravel()], axis=1).astype(np.float32)
    assert len(reading_order(boxes[shuffled(len(boxes))], WIDTH, HEIGHT)) == rows * columns
