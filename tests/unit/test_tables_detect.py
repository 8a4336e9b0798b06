"""Where tables are found, where none may be found, and what hints add."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ingest.document import geometry
from ingest.document.model import Box
from ingest.document.page import Page, Style
from ingest.pipeline.tables import find_tables, recover
from tests.support.grids import Entry, lay_out, texts, with_rules
from tests.support.sheets import Sheet

SENTENCE = "The harvest of the year before was brought in late and sold at once"
ROWS = [
    ("Rye", "10", "12.5", "9"),
    ("Wheat", "1 200", "1.1", "998"),
    ("Oats", "77", "3.4", "81"),
    ("Hay", "8", "2.2", "7"),
]


def paragraph(sheet: Sheet, x: float, y: float, lines: int, width: float = 340.0) -> None:
    sheet.lines(x, y, *([SENTENCE] * lines), "and that was all.", width=width)


def statistics(sheet: Sheet, top: float, rows: Sequence[tuple[str, ...]] = ROWS, left: float = 60.0) -> None:
    for k, (label, *values) in enumerate(rows):
        sheet.cell(left, top - 14 * k, label)
        for n, value in enumerate(values):
            sheet.cell(left + 190 + 80 * n - 5 * len(value), top - 14 * k, value)


def covers(box: Box, x0: float, y0: float, x1: float, y1: float, slack: float = 16.0) -> bool:
    return bool(np.abs(np.array(box) - np.array([x0, y0, x1, y1])).max() <= slack)


def hint(*box: float) -> geometry.Boxes:
    return np.array([box], np.float32)


class TestFound:
    def test_columns_of_numbers_between_paragraphs(self) -> None:
        sheet = Sheet()
        paragraph(sheet, 60, 740, 4)
        statistics(sheet, 650)
        paragraph(sheet, 60, 570, 4)
        (box,) = find_tables(sheet.page)
        assert covers(box, 60, 608, 410, 660)

    def test_with_the_heads_over_its_columns(self) -> None:
        sheet = Sheet()
        statistics(sheet, 650)
        for k, head in enumerate(("1990", "2000", "2010")):
            sheet.cell(230 + 80 * k, 664, head)
        sheet.cell(300, 678, "Harvest")
        (box,) = find_tables(sheet.page)
        head = " ".join(c.text for c in recover(sheet.page, box).cells if c.column_header)
        assert sorted(head.split()) == ["1990", "2000", "2010", "Harvest"]

    def test_without_its_caption(self) -> None:
        sheet = Sheet()
        sheet.cell(60, 670, "Table 3:").cell(120, 670, "Grain sold")
        statistics(sheet, 650)
        (box,) = find_tables(sheet.page)
        assert box[3] < 665

    def test_between_level_rules_as_in_books(self) -> None:
        sheet = Sheet()
        paragraph(sheet, 60, 740, 4)
        words = [
            ("Tree", "Colour", "Use"),
            ("oak", "brown", "ships"),
            ("birch", "white", "brooms"),
            ("elm", "red", "boats"),
        ]
        for k, row in enumerate(words):
            for c, word in enumerate(row):
                sheet.cell(60 + 120 * c, 640 - 16 * k, word)
        rules = [(55, 654, 400, 654.6), (55, 637, 400, 637.4), (55, 588, 400, 588.6)]
        (box,) = find_tables(with_rules(sheet.page, rules))
        assert covers(box, 55, 588, 400, 654)

    def test_in_a_frame_of_rules(self) -> None:
        entries = [Entry(r, c, f"word {r}{c}") for r in range(4) for c in range(3)]
        page, around = lay_out(entries, ruled=True)
        (box,) = find_tables(page)
        assert covers(box, *around, slack=3)

    def test_on_a_turned_page_in_the_unrotated_frame(self) -> None:
        entries = [Entry(r, c, f"word {r}{c}") for r in range(4) for c in range(3)]
        page, around = lay_out(entries, ruled=True, rotation=270)
        (box,) = find_tables(page)
        assert covers(box, *around, slack=3)

    def test_two_side_by_side_are_two(self) -> None:
        entries = [Entry(r, c, f"{r}{c}5") for r in range(5) for c in range(2)]
        left, _ = lay_out(entries, ruled=True)
        right, _ = lay_out(entries, ruled=True, left=350)
        sheet = Sheet()
        for page in (left, right):
            for (x0, y0, _, _), text in zip(page.cells.boxes.tolist(), page.cells.text, strict=True):
                sheet.cell(x0, y0, text)
        both = with_rules(sheet.page, [*left.rules.tolist(), *right.rules.tolist()])
        assert len(find_tables(both)) == 2

    def test_a_frame_around_two_tables_is_no_third(self) -> None:
        entries = [Entry(r, c, f"word {r}{c}") for r in range(3) for c in range(2)]
        upper, _ = lay_out(entries, ruled=True)
        lower, _ = lay_out(entries, ruled=True, top=400)
        sheet = Sheet()
        for page in (upper, lower):
            for (x0, y0, _, _), text in zip(page.cells.boxes.tolist(), page.cells.text, strict=True):
                sheet.cell(x0, y0, text)
        frame = [
            (20, 20, 580, 20.5),
            (20, 780, 580, 780.5),
            (20, 20, 20.5, 780),
            (580, 20, 580.5, 780),
            (20, 500, 580, 500.5),
        ]
        page = with_rules(sheet.page, [*upper.rules.tolist(), *lower.rules.tolist(), *frame])
        assert len(find_tables(page)) == 2

    def test_parts_with_a_title_of_rows_between_them_are_one(self) -> None:
        sheet = Sheet()
        statistics(sheet, 650)
        sheet.cell(60, 576, "In the north")
        statistics(sheet, 560)
        (box,) = find_tables(sheet.page)
        assert recover(sheet.page, box).rows == 9

    def test_from_the_top_of_the_page(self) -> None:
        sheet = Sheet()
        statistics(sheet, 300)
        paragraph(sheet, 60, 560, 5)
        statistics(sheet, 700)
        upper, lower = find_tables(sheet.page)
        assert upper[1] > lower[3]


class TestNotFound:
    def test_an_empty_page(self) -> None:
        assert find_tables(Page(1, 600, 800)) == []

    def test_running_text_in_two_columns(self) -> None:
        sheet = Sheet()
        for k in range(4):
            paragraph(sheet, 50, 740 - 90 * k, 5, width=240)
            paragraph(sheet, 310, 740 - 90 * k, 5, width=240)
        assert find_tables(sheet.page) == []

    def test_running_text_between_head_and_foot_rules(self) -> None:
        sheet = Sheet()
        for k in range(6):
            paragraph(sheet, 50, 740 - 90 * k, 5, width=240)
            paragraph(sheet, 310, 740 - 90 * k, 5, width=240)
        assert find_tables(with_rules(sheet.page, [(50, 760, 550, 760.5), (50, 150, 550, 150.5)])) == []

    @pytest.mark.parametrize("mark", ["{}.", "({})", "[{}]", "•"])
    def test_a_list(self, mark: str) -> None:
        sheet = Sheet()
        for k in range(8):
            sheet.cell(60, 700 - 14 * k, mark.format(k + 1)).cell(90, 700 - 14 * k, "grain and its price in town")
        assert find_tables(sheet.page) == []

    def test_a_list_of_contents(self) -> None:
        sheet = Sheet()
        for k in range(12):
            title = f"{k + 1} On the harvest of year {k}"
            sheet.cell(60, 700 - 16 * k, title + "." * (70 - len(title))).cell(450, 700 - 16 * k, str(3 + 4 * k))
        assert find_tables(sheet.page) == []

    def test_formulas(self) -> None:
        sheet = Sheet()
        for k in range(5):
            for c, part in enumerate(("x + y", "=", "2", "(1)")):
                sheet.cell(150 + 80 * c, 700 - 18 * k, part)
        page = sheet.page
        page.cells.style[:] = int(Style.MATH)
        assert find_tables(page) == []

    def test_a_letter_head(self) -> None:
        sheet = Sheet()
        for k, (left, right) in enumerate((("Miller & Sons", "12 Mill Lane"), ("Grain and Flour", "Riverside"))):
            sheet.cell(60, 740 - 14 * k, left).cell(420, 740 - 14 * k, right)
        sheet.cell(60, 690, "Dear Sir,")
        paragraph(sheet, 60, 660, 6)
        assert find_tables(sheet.page) == []

    def test_program_text(self) -> None:
        sheet = Sheet()
        for k in range(8):
            for c, part in enumerate(("mov", "eax,", "10", "; note")):
                sheet.cell(60 + 70 * c, 700 - 14 * k, part, mono=True)
        assert find_tables(sheet.page) == []

    def test_a_chart_with_grid_lines(self) -> None:
        sheet = Sheet()
        for k in range(6):
            sheet.cell(70, 500 + 40 * k, str(20 * k)).cell(120 + 70 * k, 480, str(1990 + k))
        level = [(100, 505 + 40 * k, 520, 505.4 + 40 * k) for k in range(6)]
        upright = [(120 + 70 * k, 505, 120.4 + 70 * k, 705) for k in range(6)]
        assert find_tables(with_rules(sheet.page, [*level, *upright])) == []

    def test_boxes_joined_by_arrows(self) -> None:
        sheet = Sheet()
        rules: list[Box] = []
        for k, (x, y) in enumerate(((100, 650), (300, 660), (120, 520), (320, 500), (240, 400))):
            sheet.cell(x + 5, y + 10, f"step {k}").cell(x + 5, y - 2, "of the work")
            rules += [(x, y - 8, x + 80, y - 7.6), (x, y + 24, x + 80, y + 24.4)]
            rules += [(x, y - 8, x + 0.4, y + 24), (x + 80, y - 8, x + 80.4, y + 24)]
        rules += [(180, 665, 300, 665.4), (140, 544, 140.4, 642), (340, 524, 340.4, 652), (200, 515, 320, 515.4)]
        assert find_tables(with_rules(sheet.page, rules)) == []


class TestHints:
    def words(self, sheet: Sheet) -> None:
        """Two columns of words: a table to who knows, and too little to be taken for one unasked."""
        for k, (term, meaning) in enumerate(
            (("bushel", "eight gallons"), ("peck", "two gallons"), ("sack", "three bushels"))
        ):
            sheet.cell(60, 600 - 16 * k, term).cell(160, 600 - 16 * k, meaning)

    def test_show_a_table_that_was_not_seen(self) -> None:
        sheet = Sheet()
        self.words(sheet)
        assert find_tables(sheet.page) == []
        (box,) = find_tables(sheet.page, hint(50, 560, 240, 615))
        assert texts(recover(sheet.page, box))[1] == ["peck", "two gallons"]

    def test_too_large_are_cut_to_the_text_without_caption_and_paragraph(self) -> None:
        sheet = Sheet()
        self.words(sheet)
        sheet.cell(60, 630, "Table 2: Measures of grain")
        paragraph(sheet, 60, 540, 4)
        (box,) = find_tables(sheet.page, hint(40, 520, 420, 645))
        assert covers(box, 60, 568, 225, 610)

    def test_too_small_are_widened_to_the_rows_that_they_cut(self) -> None:
        sheet = Sheet()
        self.words(sheet)
        (box,) = find_tables(sheet.page, hint(50, 560, 200, 600))
        assert covers(box, 60, 568, 225, 610)

    def test_do_not_double_a_table_that_was_found(self) -> None:
        sheet = Sheet()
        statistics(sheet, 650)
        assert find_tables(sheet.page, hint(70, 615, 380, 655)) == find_tables(sheet.page)

    def test_around_two_tables_keep_them_apart(self) -> None:
        sheet = Sheet()
        statistics(sheet, 700)
        statistics(sheet, 500)
        assert len(find_tables(sheet.page, hint(50, 440, 450, 720))) == 2

    def test_on_a_paragraph_make_no_table(self) -> None:
        sheet = Sheet()
        paragraph(sheet, 60, 700, 8)
        assert find_tables(sheet.page, hint(50, 600, 450, 720)) == []

    def test_on_a_list_make_no_table(self) -> None:
        sheet = Sheet()
        for k in range(8):
            sheet.cell(60, 700 - 14 * k, f"{k + 1}.").cell(90, 700 - 14 * k, "grain and its price in town")
        assert find_tables(sheet.page, hint(50, 590, 300, 715)) == []

    def test_on_nothing_are_passed_over(self) -> None:
        sheet = Sheet()
        statistics(sheet, 650)
        assert len(find_tables(sheet.page, hint(50, 100, 450, 200))) == 1

    def test_are_in_the_unrotated_frame(self) -> None:
        entries = [Entry(r, c, f"word {'abc'[r]}{c}") for r in range(3) for c in range(2)]
        page, around = lay_out(entries, ruled=False, rotation=90)
        assert find_tables(page) == []
        (box,) = find_tables(page, hint(*around))
        assert recover(page, box).rows == 3
