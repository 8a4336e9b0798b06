"""The grid of one table: what rules, gaps, spacing and words say about its rows, columns and spans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ingest.document.model import Box, Table
from ingest.document.page import Page
from ingest.pipeline.tables import recover
from tests.support.grids import Entry, lay_out, placed, texts, with_rules
from tests.support.sheets import Sheet

WHOLE: Box = (0, 0, 600, 800)


def rows_of(page: Page) -> list[list[str]]:
    return texts(recover(page, WHOLE))


def numbers(sheet: Sheet, y: float, *values: str, first: float = 250.0, step: float = 80.0) -> None:
    """A row of numbers, each ending at its column's right edge."""
    for k, value in enumerate(values):
        if value:
            sheet.cell(first + k * step - len(value) * 5, y, value)


def statistics(rows: Sequence[tuple[str, ...]], *, top: float = 700.0, step: float = 14.0) -> Sheet:
    """Labels on the left and columns of numbers, without a head and without rules."""
    sheet = Sheet()
    for k, (label, *values) in enumerate(rows):
        if label:
            sheet.cell(60, top - k * step, label)
        numbers(sheet, top - k * step, *values)
    return sheet


YEARS = [("Rye", "10", "12", "9"), ("Wheat", "1 200", "1 150", "998"), ("Oats", "77", "-", "81")]


def test_numbers_aligned_at_the_right_make_columns() -> None:
    assert rows_of(statistics(YEARS).page) == [list(row) for row in YEARS]


def test_a_box_without_text_is_one_empty_cell() -> None:
    table = recover(statistics(YEARS).page, (400, 10, 500, 20))
    assert (table.rows, table.cols, [c.text for c in table.cells]) == (1, 1, [""])


def test_only_the_named_cells_are_used() -> None:
    page = statistics(YEARS).page
    assert texts(recover(page, WHOLE, range(4))) == [["Rye", "10", "12", "9"]]


def test_empty_places_are_cells_too() -> None:
    rows = [("Rye", "10", "", "9"), ("Wheat", "", "5", "998"), ("Oats", "77", "3", "")]
    table = recover(statistics(rows).page, WHOLE)
    assert texts(table) == [list(r) for r in rows]
    assert sum(c.box is None for c in table.cells) == 3


def test_boxes_are_those_of_the_text_in_the_unrotated_frame() -> None:
    entries = [Entry(r, c, f"{r}{c}x") for r in range(3) for c in range(3)]
    page, box = lay_out(entries, ruled=True, rotation=90)
    boxes = {c.text: c.box for c in recover(page, box).cells}
    for text, cell_box in zip(page.cells.text, page.cells.boxes.tolist(), strict=True):
        assert boxes[text] == pytest.approx(cell_box, abs=0.01)


def test_a_table_set_sideways_on_an_upright_page_is_read_along_its_text() -> None:
    entries = [Entry(r, c, f"{'ab'[c % 2]}{r}{c}") for r in range(4) for c in range(3)]
    page, box = lay_out(entries, ruled=True, rotation=90)
    upright = Page(page.number, page.width, page.height, 0, page.cells, page.fonts, page.rules)
    assert texts(recover(upright, box)) == [[f"{'ab'[c % 2]}{r}{c}" for c in range(3)] for r in range(4)]


class TestColumns:
    def test_a_head_that_is_not_above_its_numbers_is_no_column_of_its_own(self) -> None:
        sheet = statistics([("", "", "", ""), *YEARS])
        for x, head in ((200, "A"), (262, "B"), (342, "C")):
            sheet.cell(x, 700, head)
        assert rows_of(sheet.page)[0] == ["", "A", "B", "C"]

    def test_a_currency_sign_belongs_to_the_number_after_it(self) -> None:
        sheet = statistics(YEARS)
        for k in range(3):
            sheet.cell(195 + 80 * k, 700, "$")
        assert rows_of(sheet.page)[0] == ["Rye", "$ 10", "$ 12", "$ 9"]

    def test_a_per_cent_sign_belongs_to_the_number_before_it(self) -> None:
        sheet = statistics(YEARS)
        for k in range(3):
            sheet.cell(340, 700 - 14 * k, "%")
        assert [row[2] for row in rows_of(sheet.page)] == ["12 %", "1 150 %", "- %"]

    def test_bullets_belong_to_the_text_after_them(self) -> None:
        sheet = statistics([("", "10"), ("", "12"), ("", "14")])
        for k, word in enumerate(("amber", "basin", "cedar")):
            sheet.cell(60, 700 - 14 * k, "•").cell(80, 700 - 14 * k, word)
        assert rows_of(sheet.page) == [["• amber", "10"], ["• basin", "12"], ["• cedar", "14"]]

    def test_dot_leaders_do_not_close_the_gap(self) -> None:
        sheet = Sheet()
        for k, (word, value) in enumerate((("Rye", "10"), ("Wheat", "200"), ("Oats", "7"))):
            leader = word + "." * (30 - len(word))
            sheet.cell(60, 700 - 14 * k, f"{leader} {value}", width=250 - 5 * (3 - len(value)))
        assert [row[1] for row in rows_of(sheet.page)] == ["10", "200", "7"]

    def test_leaders_of_single_dots_stay_with_their_label(self) -> None:
        sheet = statistics(YEARS)
        for k in range(6):
            sheet.cell(110 + 15 * k, 700, ".", width=2)
        assert rows_of(sheet.page)[0] == ["Rye . . . . . .", "10", "12", "9"]

    def test_numbers_that_the_parser_joined_are_cut_apart(self) -> None:
        sheet = statistics([row for row in YEARS if row[0] != "Wheat"])
        sheet.cell(60, 660, "Maize").cell(240, 660, "55 64", width=90).cell(400, 660, "61")
        assert rows_of(sheet.page)[2] == ["Maize", "55", "64", "61"]

    def test_text_that_runs_through_a_vertical_rule_is_cut_there(self) -> None:
        entries = [Entry(r, c, "word") for r in range(3) for c in range(2)]
        page, box = lay_out(entries, ruled=True)
        page.cells.text[0] = "left right"
        page.cells.boxes[0, 2] = page.cells.boxes[1, 2]
        del page.cells.text[1]
        for name in ("boxes", "size", "font", "style", "share", "color", "angle"):
            setattr(page.cells, name, np.delete(getattr(page.cells, name), 1, axis=0))
        assert texts(recover(page, box))[0] == ["left", "right"]

    def test_a_column_of_figures_within_a_ruled_one_is_found(self) -> None:
        entries = [Entry(r, c, "head" if r == 0 else "") for r in range(7) for c in range(2)]
        page, box = lay_out(entries, ruled=True, padding=80)
        sheet = Sheet(width=page.width)
        for r in range(1, 7):
            sheet.cell(80, float(page.rules[2 * r, 1]) - 12, f"{r}0").cell(
                130, float(page.rules[2 * r, 1]) - 12, f"{r}5"
            )
            sheet.cell(300, float(page.rules[2 * r, 1]) - 12, "text")
        table = recover(with_rules(sheet.page, page.rules.tolist()), box)
        assert texts(table)[0] == ["10", "15", "text"]


class TestRows:
    def test_a_label_runs_on_below_its_numbers(self) -> None:
        rows = [
            ("Persons in private homes", "10", "12"),
            ("and in institutions", "", ""),
            ("Others", "5", "7"),
            ("Persons in private homes", "11", "14"),
        ]
        assert [r[0] for r in rows_of(statistics(rows).page)] == [
            "Persons in private homes and in institutions",
            "Others",
            "Persons in private homes",
        ]

    def test_a_label_begins_above_its_numbers(self) -> None:
        rows = [
            ("Under age", "10", "12"),
            ("Persons in private homes", "", ""),
            ("and in institutions", "5", "7"),
            ("Others", "11", "14"),
        ]
        assert rows_of(statistics(rows).page)[1] == ["Persons in private homes and in institutions", "5", "7"]

    def test_a_title_between_rows_is_a_row(self) -> None:
        rows = [("Rye", "10", "12"), ("By region", "", ""), ("North and north-east", "5", "7"), ("South", "1", "4")]
        assert rows_of(statistics(rows).page) == [list(r) for r in rows]

    def test_a_label_centred_beside_its_rows_is_no_line_of_its_own(self) -> None:
        sheet = statistics([("A long label that is", "", ""), ("", "", ""), ("set in two lines", "", "")], step=6)
        numbers(sheet, 694, "10", "12")
        numbers(sheet, 674, "11", "13")
        sheet.cell(60, 674, "Short")
        assert rows_of(sheet.page) == [["A long label that is set in two lines", "10", "12"], ["Short", "11", "13"]]

    def test_wider_spacing_tells_rows_of_running_text_apart(self) -> None:
        sheet = Sheet()
        for k, words in enumerate((("Alpha", "first line of it", "second line"), ("Beta", "one", "two of these"))):
            sheet.cell(60, 700 - 40 * k, words[0]).lines(160, 700 - 40 * k, *words[1:])
        sheet.cell(60, 620, "Gamma").cell(160, 620, "the last")
        assert rows_of(sheet.page) == [
            ["Alpha", "first line of it second line"],
            ["Beta", "one two of these"],
            ["Gamma", "the last"],
        ]

    def test_a_ruled_row_holds_all_its_lines(self) -> None:
        entries = [
            Entry(0, 0, "Name"),
            Entry(0, 1, "Told at length"),
            Entry(1, 0, "amber"),
            Entry(1, 1, "a text of\nseveral lines\nin one cell"),
            Entry(2, 0, "basin"),
            Entry(2, 1, "short"),
        ]
        page, box = lay_out(entries, ruled=True)
        assert texts(recover(page, box))[1] == ["amber", "a text of several lines in one cell"]

    def test_rows_of_numbers_in_one_ruled_band_are_told_apart(self) -> None:
        block = "\n".join
        entries = [
            *(Entry(0, c, head) for c, head in enumerate(("Name", "First", "Second"))),
            Entry(1, 0, block(["amber", "basin", "cedar", "delta"])),
            Entry(1, 1, block(["10", "20", "30", "40"])),
            Entry(1, 2, block(["1.5", "2.5", "3.5", "4.5"])),
        ]
        page, box = lay_out(entries, ruled=True)
        assert texts(recover(page, box))[1:] == [
            ["amber", "10", "1.5"],
            ["basin", "20", "2.5"],
            ["cedar", "30", "3.5"],
            ["delta", "40", "4.5"],
        ]

    def test_an_underline_divides_no_row(self) -> None:
        sheet = statistics(YEARS)
        page = with_rules(sheet.page, [(60, 700.5, 75, 701), (60, 686.5, 85, 687)])
        assert rows_of(page) == [list(row) for row in YEARS]

    def test_split_words_are_joined_at_their_hyphen(self) -> None:
        entries = [Entry(0, 0, "Name"), Entry(0, 1, "Kind"), Entry(1, 0, "amber"), Entry(1, 1, "trans-\nparent stone")]
        page, box = lay_out(entries, ruled=True)
        assert texts(recover(page, box))[1][1] == "trans-parent stone"

    def test_hebrew_lines_and_columns_are_read_from_the_right(self) -> None:
        sheet = Sheet()
        for k in range(3):
            sheet.cell(60, 700 - 14 * k, f"{k}5").cell(160, 700 - 14 * k, "שלום", width=20)
            sheet.cell(184, 700 - 14 * k, "עולם", width=20)
        assert rows_of(sheet.page) == [["עולם שלום", f"{k}5"] for k in range(3)]


class TestSpans:
    def head(self, *over: tuple[float, str], rules: list[Box] | None = None) -> Table:
        """Four columns of numbers with titles, and the given heads over them."""
        sheet = statistics([("", "", "", "", ""), ("", "", "", "", ""), *((r[0], *r[1:], "5") for r in YEARS)])
        for k, title in enumerate(("Men", "Women", "Boys", "Girls")):
            sheet.cell(250 + 80 * k - 25, 686, title)
        for middle, text in over:
            sheet.cell(middle - len(text) * 2.5, 700, text)
        return recover(with_rules(sheet.page, rules or []), WHOLE)

    def spans(self, table: Table) -> list[tuple[str, int, int]]:
        return [(c.text, c.col, c.col_span) for c in table.cells if c.row == 0 and c.text]

    def test_a_head_spans_the_columns_that_its_rule_covers(self) -> None:
        table = self.head((250, "Adults"), (490, "Young"), rules=[(215, 697, 335, 697.5), (375, 697, 495, 697.5)])
        assert self.spans(table) == [("Adults", 1, 2), ("Young", 3, 2)]

    def test_a_head_spans_the_columns_that_it_is_centred_over(self) -> None:
        assert self.spans(self.head((279, "Adults"), (439, "Young"))) == [("Adults", 1, 2), ("Young", 3, 2)]

    def test_heads_over_repeated_titles_share_the_columns(self) -> None:
        sheet = Sheet(width=700)
        for k, title in enumerate(("Men", "Women", "All") * 2):
            sheet.cell(150 + 60 * k - 5 * len(title), 686, title)
            for r in range(3):
                sheet.cell(150 + 60 * k - 10, 672 - 14 * r, str(10 + k + r))
        for r, label in enumerate(("Rye", "Oats", "Wheat")):
            sheet.cell(40, 672 - 14 * r, label)
        sheet.cell(190, 700, "North").cell(370, 700, "South")
        assert self.spans(recover(sheet.page, (0, 0, 700, 800))) == [("North", 1, 3), ("South", 4, 3)]

    def test_heads_of_several_lines_are_one_row(self) -> None:
        sheet = statistics([("", "", "", ""), ("", "", "", ""), *YEARS], step=13)
        for k, (upper, lower) in enumerate((("Number", "sold"), ("", "Stock"), ("Share", "in %"))):
            if upper:
                sheet.cell(250 + 80 * k - 30, 700, upper)
            sheet.cell(250 + 80 * k - 30, 687, lower)
        table = recover(sheet.page, WHOLE)
        assert texts(table)[0] == ["", "Number sold", "Stock", "Share in %"]
        assert [c.column_header for c in table.cells if c.row < 2] == [True] * 4 + [False] * 4

    def test_a_ruled_label_beside_two_rows_spans_them(self) -> None:
        entries = [
            Entry(0, 0, "Kind"),
            Entry(0, 1, "Part"),
            Entry(0, 2, "Value"),
            Entry(1, 0, "amber\nand resin", row_span=2),
            Entry(1, 1, "count"),
            Entry(1, 2, "5"),
            Entry(2, 1, "share"),
            Entry(2, 2, "7"),
        ]
        page, box = lay_out(entries, ruled=True)
        assert (1, 0, 2, 1, "amber and resin") in placed(recover(page, box))

    def test_a_total_line_in_one_column_joins_no_labels(self) -> None:
        page = with_rules(statistics([*YEARS, ("Total", "1287", "1162", "1088")]).page, [(215, 671, 255, 671.4)])
        assert [row[0] for row in rows_of(page)] == ["Rye", "Wheat", "Oats", "Total"]


class TestHeaders:
    def test_rows_above_the_numbers_are_column_heads_and_words_beside_them_row_labels(self) -> None:
        sheet = statistics([("Grain", "", "", ""), *YEARS])
        for k, year in enumerate(("1990", "2000", "2010")):
            sheet.cell(230 + 80 * k, 700, year)
        table = recover(sheet.page, WHOLE)
        assert {c.text for c in table.cells if c.column_header} == {"Grain", "1990", "2000", "2010"}
        assert {c.text for c in table.cells if c.row_header} == {"Rye", "Wheat", "Oats"}

    def test_a_bold_first_row_is_the_head_of_a_table_of_words(self) -> None:
        entries = [Entry(r, c, f"word {r} {c}", bold=r == 0) for r in range(3) for c in range(2)]
        page, box = lay_out(entries, ruled=True)
        assert [c.column_header for c in recover(page, box).cells] == [True, True, False, False, False, False]

    def test_a_table_of_words_alone_has_no_head(self) -> None:
        entries = [Entry(r, c, f"word {r} {c}") for r in range(3) for c in range(2)]
        page, box = lay_out(entries, ruled=True)
        assert not any(c.column_header or c.row_header for c in recover(page, box).cells)


class TestRules:
    def test_double_rules_are_one(self) -> None:
        entries = [Entry(r, c, f"{r}{c}") for r in range(3) for c in range(3)]
        page, box = lay_out(entries, ruled=True)
        doubled = [*page.rules.tolist(), *(page.rules + np.array([1.5, 1.5, 1.5, 1.5])).tolist()]
        assert texts(recover(with_rules(page, doubled), box)) == texts(recover(page, box))

    def test_dashed_rules_are_rules(self) -> None:
        entries = [Entry(0, 0, "a b c"), Entry(0, 1, "d"), Entry(1, 0, "e\nf"), Entry(1, 1, "g\nh")]
        page, box = lay_out(entries, ruled=True)
        dashes = []
        for x0, y0, x1, y1 in page.rules.tolist():
            n = int(max(x1 - x0, y1 - y0) // 8) + 1
            start, stop = np.arange(n) / n, (np.arange(n) + 0.6) / n
            if x1 - x0 > y1 - y0:
                dashes += [(x0 + (x1 - x0) * a, y0, x0 + (x1 - x0) * b, y1) for a, b in zip(start, stop, strict=True)]
            else:
                dashes += [(x0, y0 + (y1 - y0) * a, x1, y0 + (y1 - y0) * b) for a, b in zip(start, stop, strict=True)]
        assert texts(recover(with_rules(page, dashes), box)) == [["a b c", "d"], ["e f", "g h"]]

    def test_shaded_rows_are_rows(self) -> None:
        sheet = Sheet()
        bars = []
        for k in range(4):
            y = 700 - 40 * k
            sheet.cell(60, y, f"label {k}").lines(200, y, "which runs on over", "two lines of text")
            bars.append((50, y - 18, 400, y + 16))
        page = sheet.page
        page.drawings = np.array(bars[::2], np.float32)
        assert [row[0] for row in rows_of(page)] == [f"label {k}" for k in range(4)]
        assert rows_of(page)[1][1] == "which runs on over two lines of text"
