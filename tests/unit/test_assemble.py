"""Assembly: labelled cells become paragraphs, headings, lists, tables … and none is lost."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.document.labels import LABELS, Label
from ingest.document.model import Document, Item, Table, TableCell
from ingest.errors import InvalidOutput
from ingest.pipeline import validate
from tests.support.sheets import Sheet, document

FULL = 480.0
"""Width of a line that fills its column."""


def made(*sheets: Sheet) -> list[Item]:
    """Checked items of these sheets."""
    whole = document(*sheets)
    validate.check(whole, [sheet.page for sheet in sheets])
    return whole.items


def texts(items: list[Item], *labels: Label) -> list[str]:
    return [item.text for item in items if not labels or item.label in labels]


class TestParagraphs:
    def test_lines_are_joined(self) -> None:
        sheet = Sheet().lines(60, 700, "One line goes", "over into the next", "and ends here.", width=FULL)
        assert texts(made(sheet)) == ["One line goes over into the next and ends here."]

    def test_indented_line_begins_a_paragraph(self) -> None:
        sheet = Sheet().cell(60, 700, "First paragraph is", width=FULL)
        sheet.cell(60, 688, "full to the very end.", width=FULL)
        sheet.lines(60, 676, "The second one is", "indented.", width=FULL, indent=15)
        assert len(made(sheet)) == 2

    def test_white_between_lines_begins_a_paragraph(self) -> None:
        sheet = Sheet().lines(60, 700, "One that is wide", "and full of words here.", "Ends.", width=FULL)
        sheet.lines(60, 655, "Another one that", "is wide.", width=FULL)
        assert texts(made(sheet)) == ["One that is wide and full of words here. Ends.", "Another one that is wide."]

    def test_short_last_line_ends_a_paragraph(self) -> None:
        sheet = Sheet().lines(60, 700, "A first line", "of it. And", "done.", width=FULL)
        sheet.lines(60, 664, "Next one begins", "at the margin.", width=FULL)
        assert len(made(sheet)) == 2

    def test_paragraph_goes_on_in_the_next_column_and_on_the_next_page(self) -> None:
        first = Sheet(1)
        first.lines(50, 740, *(f"left column line {k} is full" for k in range(40)), "it goes", width=230)
        first.boxes[-1] = (50, first.boxes[-1][1], 280, first.boxes[-1][3])
        first.lines(320, 740, *(f"right column line {k} is full" for k in range(40)), "and still", width=230)
        first.boxes[-1] = (320, first.boxes[-1][1], 550, first.boxes[-1][3])
        second = Sheet(2).lines(50, 740, "goes on overleaf", "and ends.", width=230)
        (item,) = made(first, second)
        assert [part.page for part in item.parts] == [1, 1, 2]
        pieces = [item.text[slice(*part.span)] for part in item.parts]
        assert "".join(pieces) == item.text
        assert pieces[0].startswith("left column line 0")
        assert pieces[1].startswith("right column line 0")
        assert pieces[2] == "goes on overleaf and ends."

    def test_paragraph_goes_on_below_a_figure_and_past_a_footnote(self) -> None:
        first = Sheet(1).lines(60, 700, "a sentence that", "the page's end", "cuts in the mid", width=FULL)
        first.boxes[-1] = (60, first.boxes[-1][1], 60 + FULL, first.boxes[-1][3])
        first.texts[-1] += "-"
        first.cell(60, 60, "1 A note at the foot.", Label.FOOTNOTE, size=8)
        second = Sheet(2, pictures=[(60, 500, 540, 760)])
        second.cell(60, 480, "Figure 1. A view.", Label.CAPTION).lines(60, 440, "dle of a word.", width=FULL)
        items = made(first, second)
        assert texts(items, Label.TEXT) == ["a sentence that the page's end cuts in the middle of a word."]

    def test_finished_paragraph_is_not_continued(self) -> None:
        first = Sheet(1).lines(60, 700, "It is full and", "ends here.", width=FULL)
        second = Sheet(2).lines(60, 740, "A new page and", "a new thought.", width=FULL)
        assert len(made(first, second)) == 2

    def test_hyphen_at_a_line_end_is_kept_in_the_original(self) -> None:
        sheet = Sheet().lines(60, 700, "the measure-", "ment is e\ufb03cient.", width=FULL)
        (item,) = made(sheet)
        assert item.text == "the measurement is efficient."
        assert item.orig == "the measure- ment is e\ufb03cient."

    def test_chinese_lines_are_joined_without_spaces(self) -> None:
        sheet = Sheet().lines(60, 700, "海平面正在缓慢", "上升。", width=FULL)
        assert texts(made(sheet)) == ["海平面正在缓慢上升。"]

    def test_right_to_left_lines_are_read_from_the_right(self) -> None:
        sheet = Sheet()
        sheet.cell(320, 700, "שלום", width=220).cell(60, 700, "עולם", width=240)
        sheet.cell(300, 688, "סוף.", width=240)
        assert texts(made(sheet)) == ["שלום עולם סוף."]

    def test_hanging_paragraphs(self) -> None:
        sheet = Sheet()
        for k in range(4):
            y = 700.0 - 36 * k
            sheet.cell(60, y, f"Author {k}, on the measurement of tides.", width=FULL - 60)
            sheet.cell(80, y - 12, "A report of it. One that is full", width=FULL - 20).cell(80, y - 24, "and ends.")
        assert len(made(sheet)) == 4

    def test_abstract_and_text_are_apart(self) -> None:
        sheet = Sheet().lines(80, 700, "We show that", "it works.", label=Label.ABSTRACT, width=440)
        sheet.lines(60, 660, "It is known that", "it is so.", width=FULL)
        assert [i.label for i in made(sheet)] == [Label.ABSTRACT, Label.TEXT]


class TestHeadings:
    @staticmethod
    def headings(*headings: tuple[str, float, Label]) -> list[Item]:
        sheet, y = Sheet(height=2000), 1950.0
        for text, size, label in headings:
            sheet.cell(60, y, text, label, size=size, bold=True)
            sheet.lines(60, y - 30, "Some text that", "follows it.", width=FULL)
            y -= 80
        return [i for i in made(sheet) if i.label in (Label.SUBTITLE_1, Label.SUBTITLE_2)]

    def levels(self, *headings: tuple[str, float, Label]) -> list[tuple[int, str]]:
        return [(i.level, i.text) for i in self.headings(*headings)]

    def test_numbers_give_the_level(self) -> None:
        found = self.levels(
            ("1 Introduction", 14, Label.SUBTITLE_1),
            ("1.1 Aim", 12, Label.SUBTITLE_2),
            ("1.1.1 Scope", 11, Label.SUBTITLE_2),
            ("2 Method", 14, Label.SUBTITLE_1),
            ("References", 14, Label.SUBTITLE_1),
            ("A.1 Proofs", 12, Label.SUBTITLE_2),
        )
        assert [level for level, _ in found] == [1, 2, 3, 1, 1, 2]

    def test_roman_numbers_stand_above_letters(self) -> None:
        found = self.levels(
            ("I. INTRODUCTION", 10, Label.SUBTITLE_1),
            ("A. Background", 10, Label.SUBTITLE_2),
            ("1. History", 10, Label.SUBTITLE_2),
            ("II. METHOD", 10, Label.SUBTITLE_1),
        )
        assert [level for level, _ in found] == [1, 2, 3, 1]

    def test_size_gives_the_level_where_nothing_is_numbered(self) -> None:
        found = self.levels(
            ("Stations", 16, Label.SUBTITLE_1),
            ("North", 12, Label.SUBTITLE_2),
            ("South", 12, Label.SUBTITLE_2),
            ("Instruments", 16, Label.SUBTITLE_1),
        )
        assert [level for level, _ in found] == [1, 2, 2, 1]

    def test_one_heading_set_like_no_other_moves_no_level(self) -> None:
        sections = [("Stations", 16.0, Label.SUBTITLE_1), *[(f"Section {c}", 11.0, Label.SUBTITLE_2) for c in "abc"]]
        found = self.levels(*sections, ("A name taken for a heading", 13, Label.SUBTITLE_1), *sections)
        assert [level for level, _ in found] == [1, 2, 2, 2, 2, 1, 2, 2, 2]

    def test_headings_of_one_level_have_the_label_of_most(self) -> None:
        found = self.headings(
            ("1 Introduction", 14, Label.SUBTITLE_1),
            ("1.1 Aim", 12, Label.SUBTITLE_2),
            ("2 Method", 14, Label.SUBTITLE_2),
            ("2.1 Scope", 12, Label.SUBTITLE_1),
            ("2.2 Range", 12, Label.SUBTITLE_2),
            ("3 Results", 14, Label.SUBTITLE_1),
        )
        assert [i.label is Label.SUBTITLE_1 for i in found] == [True, False, True, False, False, True]

    def test_chapters_and_sections_may_share_a_label(self) -> None:
        found = self.headings(
            ("Chapter 1 The Lamp", 18, Label.SUBTITLE_1),
            ("1.1 The keepers", 14, Label.SUBTITLE_1),
            ("1.1.1 Their book", 12, Label.SUBTITLE_2),
            ("1.2 The oil", 14, Label.SUBTITLE_1),
        )
        assert [(i.level, i.label is Label.SUBTITLE_1) for i in found] == [(1, True), (2, True), (3, False), (2, True)]

    def test_parts_stand_above_chapters(self) -> None:
        found = self.levels(
            ("Part I The House", 22, Label.SUBTITLE_1),
            ("Chapter 1 The Lamp", 18, Label.SUBTITLE_1),
            ("1.1 The keepers", 14, Label.SUBTITLE_2),
            ("Appendix A Tables", 18, Label.SUBTITLE_1),
        )
        assert [level for level, _ in found] == [1, 2, 3, 2]

    def test_number_and_text_in_two_cells_are_one_heading(self) -> None:
        sheet = Sheet().cell(60, 700, "2.1", Label.LIST_IDENTIFIER, bold=True)
        sheet.cell(85, 700, "A Model of a Bad Clock", Label.SUBTITLE_2, bold=True)
        (item,) = made(sheet)
        assert (item.label, item.text) == (Label.SUBTITLE_2, "2.1 A Model of a Bad Clock")

    def test_title_is_no_heading_and_stands_on_one_page(self) -> None:
        first = Sheet(1).lines(100, 720, "A Long Title", "of Two Lines", label=Label.TITLE, size=18)
        second = Sheet(2).cell(100, 720, "Another", Label.TITLE, size=18)
        whole = document(first, second)
        assert whole.title == 0
        assert [(i.label, i.text) for i in whole.items] == [
            (Label.TITLE, "A Long Title of Two Lines"),
            (Label.SUBTITLE_1, "Another"),
        ]

    def test_heading_in_the_largest_type_serves_as_title(self) -> None:
        sheet = Sheet().cell(60, 740, "Annual Report", Label.SUBTITLE_1, size=24)
        for k, name in enumerate(("Stations", "Instruments", "Money")):
            sheet.cell(60, 680 - 80 * k, name, Label.SUBTITLE_1, size=14)
        whole = document(sheet)
        assert whole.title == 0
        assert {i.level for i in whole.items} == {1}


class TestLists:
    def test_markers_and_depths(self) -> None:
        sheet, y = Sheet(), 700.0
        for x, marker, text in (
            (60, "•", "first"),
            (80, "–", "inner one"),
            (80, "–", "inner two"),
            (100, "1.", "innermost"),
            (60, "•", "second"),
        ):
            sheet.cell(x, y, marker, Label.LIST_IDENTIFIER).cell(x + 15, y, text, Label.LIST_ITEM)
            y -= 14
        assert [(i.level, i.marker, i.enumerated, i.text) for i in made(sheet)] == [
            (1, "•", False, "first"),
            (2, "–", False, "inner one"),
            (2, "–", False, "inner two"),
            (3, "1.", True, "innermost"),
            (1, "•", False, "second"),
        ]

    @staticmethod
    def terms(*terms: str, indent: float) -> Sheet:
        sheet, y = Sheet().lines(60, 760, "Text above that fills", "its column.", width=FULL), 700.0
        for term in terms:
            wide = 6.0 * len(term)
            sheet.cell(60, y, term, Label.TEXT, bold=True, width=wide)
            sheet.cell(70 + wide, y, "is what the book", Label.TEXT, width=FULL - wide - 10)
            sheet.cell(60 + indent, y - 12, f"says of the {term}.", Label.TEXT)
            y -= 40
        return sheet

    def test_terms_that_the_model_called_text(self) -> None:
        items = [i for i in made(self.terms("Lamp", "Harbour", indent=25)) if i.label is Label.LIST_ITEM]
        assert [(i.marker, i.text) for i in items] == [
            ("Lamp", "is what the book says of the Lamp."),
            ("Harbour", "is what the book says of the Harbour."),
        ]

    def test_paragraphs_that_begin_in_bold_are_no_list(self) -> None:
        for sheet in (
            self.terms("Lamp", "Harbour", indent=0),
            self.terms("Lamp", indent=25),
            self.terms("return", "else", indent=25),
            self.terms("Lemma 1.", "Lemma 2.", indent=25),
        ):
            assert not texts(made(sheet), Label.LIST_ITEM)

    def test_item_of_several_lines(self) -> None:
        sheet = Sheet().cell(60, 700, "1.", Label.LIST_IDENTIFIER)
        sheet.lines(75, 700, "An item that goes", "on here.", label=Label.LIST_ITEM, width=465)
        sheet.cell(60, 676, "2.", Label.LIST_IDENTIFIER).cell(75, 676, "Another.", Label.LIST_ITEM)
        assert texts(made(sheet)) == ["An item that goes on here.", "Another."]

    def test_marker_within_the_text(self) -> None:
        sheet = Sheet().cell(60, 700, "• Where is it?", Label.LIST_ITEM).cell(60, 686, "(b) There.", Label.LIST_ITEM)
        assert [(i.marker, i.text) for i in made(sheet)] == [("•", "Where is it?"), ("(b)", "There.")]

    def test_bullet_that_the_model_called_text(self) -> None:
        (item,) = made(Sheet().cell(60, 700, "• An item", Label.TEXT))
        assert (item.label, item.text) == (Label.LIST_ITEM, "An item")

    def test_list_goes_on_at_its_depth_on_the_next_page(self) -> None:
        first = Sheet(1)
        first.cell(60, 700, "1.", Label.LIST_IDENTIFIER).cell(75, 700, "outer", Label.LIST_ITEM)
        first.cell(80, 686, "a)", Label.LIST_IDENTIFIER).cell(95, 686, "inner", Label.LIST_ITEM)
        second = Sheet(2).cell(120, 740, "b)", Label.LIST_IDENTIFIER).cell(135, 740, "inner too", Label.LIST_ITEM)
        assert [i.level for i in made(first, second)] == [1, 2, 2]

    def test_rest_of_an_item_labelled_text(self) -> None:
        sheet = Sheet().cell(60, 700, "•", Label.LIST_IDENTIFIER)
        sheet.cell(75, 700, "An item whose second", Label.LIST_ITEM, width=465)
        sheet.cell(75, 688, "line is taken for text", Label.TEXT, width=465).cell(75, 676, "and the third.", Label.TEXT)
        assert texts(made(sheet)) == ["An item whose second line is taken for text and the third."]


class TestBibliography:
    def test_entries_with_markers(self) -> None:
        sheet = Sheet()
        for k, y in ((1, 700.0), (2, 676.0)):
            sheet.cell(60, y, f"[{k}]", Label.LIST_IDENTIFIER)
            sheet.lines(80, y, f"Author {k}. A title", f"Journal, 19{k}0.", label=Label.CITATION, width=460)
        assert [(i.marker, i.text) for i in made(sheet)] == [
            ("[1]", "Author 1. A title Journal, 1910."),
            ("[2]", "Author 2. A title Journal, 1920."),
        ]

    def test_entries_that_hang_out(self) -> None:
        sheet = Sheet()
        for k in range(3):
            y = 700.0 - 24 * k
            sheet.cell(60, y, f"Author {chr(65 + k)} (1990) A title", Label.CITATION, width=FULL)
            sheet.cell(80, y - 12, "12. Journal of it, 5.", Label.CITATION)
        assert texts(made(sheet)) == [f"Author {c} (1990) A title 12. Journal of it, 5." for c in "ABC"]


class TestFloats:
    TABLE = Table(
        1,
        (60, 400, 300, 460),
        2,
        2,
        [
            TableCell(0, 0, 1, 1, "Name", (60, 440, 100, 450), column_header=True),
            TableCell(0, 1, 1, 1, "Size", (200, 440, 240, 450), column_header=True),
            TableCell(1, 0, 1, 1, "\ufb02oat", (60, 420, 100, 430)),
            TableCell(1, 1, 1, 1, "12", (200, 420, 240, 430)),
        ],
    )

    def sheet(self) -> Sheet:
        sheet = Sheet(tables=[self.TABLE])
        for x, y, text in ((60, 440, "Name"), (200, 440, "Size"), (60, 420, "\ufb02oat"), (200, 420, "12")):
            sheet.cell(x, y, text, Label.TABLE)
        return sheet

    def test_cells_in_a_table_belong_to_it(self) -> None:
        (item,) = made(self.sheet())
        assert item.table is not None
        assert [c.text for c in item.table.cells] == ["Name", "Size", "float", "12"]
        assert (item.text, len(item.parts[0].cells)) == ("", 4)

    def test_text_in_the_box_that_the_grid_does_not_have_stays_text(self) -> None:
        sheet = self.sheet().cell(60, 404, "Not in the grid.", Label.TEXT)
        assert texts(made(sheet), Label.TEXT) == ["Not in the grid."]

    def test_cell_labelled_table_that_the_grid_does_not_have_is_added(self) -> None:
        item = made(self.sheet().cell(245, 420, "kg", Label.TABLE))[0]
        assert item.table is not None
        assert item.table.cells[3].text == "12 kg"

    def test_a_line_that_shares_words_with_the_grid_is_not_taken_for_one_of_its_cells(self) -> None:
        sheet = Sheet(tables=[self.TABLE]).cell(60, 452, "Name of Size", Label.TEXT)
        for cell in self.sheet().tables[0].cells:
            assert cell.box is not None
            sheet.cell(cell.box[0], cell.box[1], cell.text, Label.TABLE)
        assert texts(made(sheet), Label.TEXT) == ["Name of Size"]

    def test_cells_labelled_table_without_a_table_make_one(self) -> None:
        sheet = Sheet()
        for row in range(3):
            for column in range(2):
                sheet.cell(60 + 60 * column, 500 - 14 * row, f"{row}{column}", Label.TABLE)
        (item,) = made(sheet)
        assert item.table is not None
        assert (item.table.rows, item.table.cols) == (3, 2)
        assert [c.text for c in item.table.cells] == ["00", "01", "10", "11", "20", "21"]

    def test_columns_of_text_taken_for_a_table(self) -> None:
        wrong = Table(1, (50, 600, 560, 760), 1, 2, [TableCell(0, 0, 1, 2, "anything", None)])
        sheet = Sheet(tables=[wrong])
        for x in (50, 310):
            sheet.lines(x, 740, *(f"running text of column {x} in line {k}" for k in range(8)), width=240)
        assert {i.label for i in made(sheet)} == {Label.TEXT}

    def test_lettering_of_a_picture_is_no_paragraph(self) -> None:
        sheet = Sheet(pictures=[(100, 400, 500, 700)])
        sheet.cell(150, 500, "x axis", Label.PICTURE).cell(105, 550, "y", Label.PICTURE)
        sheet.cell(100, 380, "Figure 1. Both axes.", Label.CAPTION)
        picture, caption = made(sheet)
        assert (picture.label, picture.text, picture.captions) == (Label.PICTURE, "x axis y", [1])
        assert caption.label is Label.CAPTION

    def test_cells_labelled_picture_without_a_picture_make_one(self) -> None:
        sheet = Sheet().cell(150, 500, "0.5", Label.PICTURE).cell(150, 520, "1.0", Label.PICTURE)
        (item,) = made(sheet)
        assert (item.label, item.parts[0].box) == (Label.PICTURE, (150, 500, 165, 530))

    def test_text_on_a_background_is_text(self) -> None:
        sheet = Sheet(pictures=[(0, 0, 600, 800)])
        sheet.lines(60, 700, "A slide with a", "picture behind.", width=FULL)
        assert [i.label for i in made(sheet)] == [Label.PICTURE, Label.TEXT]

    def test_captions_go_to_the_nearest_float_of_their_kind(self) -> None:
        sheet = self.sheet()
        sheet.pictures = [(60, 480, 300, 560)]
        sheet.cell(60, 465, "Table 1. Sizes.", Label.CAPTION).cell(60, 565, "Fig. 1. View.", Label.CAPTION)
        items = made(sheet)
        owners = {items[c].text: item.label for item in items for c in item.captions}
        assert owners == {"Table 1. Sizes.": Label.TABLE, "Fig. 1. View.": Label.PICTURE}

    def test_caption_that_the_model_called_text(self) -> None:
        sheet = (
            self.sheet().cell(60, 464, "Table 1. Sizes.", Label.TEXT).cell(60, 380, "Table 1 shows sizes.", Label.TEXT)
        )
        found = {i.text: i.label for i in made(sheet)}
        assert (found["Table 1. Sizes."], found["Table 1 shows sizes."]) == (Label.CAPTION, Label.TEXT)

    def test_caption_that_no_figure_was_found_for(self) -> None:
        sheet = Sheet().cell(60, 740, "Figure 3: The quay", Label.TEXT).cell(60, 700, "Figure 3 shows it.", Label.TEXT)
        sheet.cell(60, 660, "Figure 3: The quay  12", Label.TEXT)  # a line of a list of figures
        assert [i.label for i in made(sheet)] == [Label.CAPTION, Label.TEXT, Label.TEXT]

    def test_rest_of_a_caption_that_the_model_called_text(self) -> None:
        sheet = Sheet().cell(60, 740, "Figure 2: The quay at low", Label.CAPTION, width=FULL)
        sheet.lines(60, 728, "water, and the boats", "that were there.", width=FULL)
        sheet.lines(60, 680, "Elsewhere the quay was", "rebuilt.", width=FULL)
        assert [(i.label, i.text) for i in made(sheet)] == [
            (Label.CAPTION, "Figure 2: The quay at low water, and the boats that were there."),
            (Label.TEXT, "Elsewhere the quay was rebuilt."),
        ]

    def test_text_below_a_caption_that_is_set_in_is_text(self) -> None:
        sheet = Sheet().cell(100, 740, "Figure 2: The quay at", Label.CAPTION, width=FULL - 40)
        sheet.lines(60, 728, "which the boats lay", "was rebuilt.", width=FULL)
        assert [i.label for i in made(sheet)] == [Label.CAPTION, Label.TEXT]

    def test_text_right_below_a_short_caption_is_text(self) -> None:
        sheet = Sheet().cell(60, 740, "Figure 2: The quay.", Label.CAPTION)
        sheet.lines(60, 728, "Elsewhere the quay was", "rebuilt.", width=FULL)
        assert [i.label for i in made(sheet)] == [Label.CAPTION, Label.TEXT]

    def test_formula_has_its_number(self) -> None:
        sheet = Sheet().cell(60, 740, "It follows that", Label.TEXT)
        sheet.cell(250, 720, "x = y", Label.FORMULA).cell(520, 720, "(3)", Label.TEXT)
        assert texts(made(sheet), Label.FORMULA) == ["x = y (3)"]

    def test_words_between_displays_are_text(self) -> None:
        sheet = Sheet().lines(60, 760, "Text that fills", "its column.", width=FULL)
        sheet.cell(250, 720, "x = y", Label.FORMULA).cell(60, 700, "which means", Label.FORMULA)
        sheet.cell(250, 680, "y = x", Label.FORMULA).cell(60, 680, "if", Label.FORMULA)
        items = made(sheet)
        assert texts(items, Label.TEXT) == ["Text that fills its column.", "which means"]
        assert texts(items, Label.FORMULA) == ["x = y", "if y = x"]

    def test_formulas_with_numbers_of_their_own_are_apart(self) -> None:
        sheet = Sheet()
        for k, y in ((1, 720.0), (2, 700.0)):
            sheet.cell(250, y, f"x = {k}", Label.FORMULA).cell(520, y, f"({k})", Label.FORMULA)
        assert texts(made(sheet)) == ["x = 1 (1)", "x = 2 (2)"]


class TestCode:
    def test_lines_and_indentation_are_kept(self) -> None:
        sheet = Sheet().lines(60, 740, "The program is", "this:", width=FULL)
        for k, (indent, text) in enumerate(((0, "def f(x):"), (4, "if x:"), (8, "return 1"), (4, "return 0"))):
            sheet.cell(60 + 6 * indent, 690 - 12 * k, text, size=12, width=6 * len(text), mono=True)
        code = [i for i in made(sheet) if i.code]
        assert texts(code) == ["def f(x):\n    if x:\n        return 1\n    return 0"]

    def test_typewritten_document_is_no_code(self) -> None:
        sheet = Sheet().lines(60, 740, "All of this is set", "in one width.", width=FULL, mono=True)
        (item,) = made(sheet)
        assert (item.code, item.text) == (False, "All of this is set in one width.")


class TestFurniture:
    def test_heads_and_feet(self) -> None:
        sheet = Sheet().cell(60, 780, "A Journal", Label.NONE).lines(60, 700, "Some text", "here.", width=FULL)
        sheet.cell(290, 30, "17", Label.NONE)
        assert [(i.label, i.header, i.text) for i in made(sheet)] == [
            (Label.NONE, True, "A Journal"),
            (Label.TEXT, False, "Some text here."),
            (Label.NONE, False, "17"),
        ]

    def test_line_that_every_page_repeats_is_furniture_whatever_its_label(self) -> None:
        sheets = [
            Sheet(k).cell(60, 780, f"Report of the year, page {k}", Label.TEXT).cell(60, 600, f"Page {k} says so.")
            for k in range(1, 8)
        ]
        items = made(*sheets)
        assert len(texts(items, Label.NONE)) == 7
        assert len(texts(items, Label.TEXT)) == 7

    def test_contents_are_told_from_heads(self) -> None:
        sheet = Sheet().cell(60, 740, "Contents", Label.SUBTITLE_1)
        for k in range(4):
            sheet.cell(60, 700 - 14 * k, f"{k} Chapter ........ {k}7", Label.TEXT)
        items = made(sheet)
        assert [i.contents for i in items] == [False, True, True, True, True]

    @staticmethod
    def manuscript(pages: int, *, step: int = 1, lines: int = 12, right: bool = False) -> list[Sheet]:
        """Every label is text, as of a model that has never seen numbered lines."""
        sheets = []
        for page in range(pages):
            sheet = Sheet(page + 1)
            for k in range(lines):
                y, number = 700.0 - 14 * k, str(step * (page * lines + k + 1))
                sheet.cell(60, y, f"line {k} of the book", Label.TEXT, width=FULL)
                sheet.cell(
                    560 if right else 48 - 3.5 * len(number), y, number, Label.TEXT, size=6, width=3.5 * len(number)
                )
            sheets.append(sheet)
        return sheets

    @pytest.mark.parametrize(("step", "right"), [(1, False), (5, False), (1, True)])
    def test_numbers_of_lines_are_furniture_whatever_their_label(self, step: int, *, right: bool) -> None:
        items = made(*self.manuscript(3, step=step, right=right))
        assert len(texts(items, Label.NONE)) == 36
        assert " ".join(texts(items, Label.TEXT)) == " ".join(3 * [f"line {k} of the book" for k in range(12)])

    def test_last_page_of_a_manuscript_has_few_numbers(self) -> None:
        sheets = self.manuscript(3)
        few = Sheet(4).cell(60, 700, "The end.", Label.TEXT).cell(41, 700, "37", Label.TEXT, size=6, width=7)
        assert texts(made(*sheets, few), Label.NONE)[-1] == "37"

    def test_numbers_that_do_not_count_lines_are_text(self) -> None:
        sheet = Sheet()
        for k, number in enumerate((3, 17, 5, 80, 2, 9, 41)):
            sheet.cell(60, 700 - 14 * k, "length of the boat", Label.TEXT, width=200)
            sheet.cell(300, 700 - 14 * k, str(number), Label.TEXT)
        other = Sheet(2)
        for k in range(7):
            other.cell(60, 700 - 14 * k, "name of the boat", Label.TEXT, width=200)
            other.cell(300, 700 - 14 * k, str(3 * k), Label.TEXT)
        assert not texts(made(sheet, other), Label.NONE)

    def test_marks_of_notes_are_no_numbers_of_lines(self) -> None:
        sheets = []
        for page in range(3):
            sheet = Sheet(page + 1)
            for k in range(20):
                sheet.cell(60, 750 - 14 * k, f"line {k} of the book", Label.TEXT, width=FULL)
            for k in range(6):
                sheet.cell(60, 150 - 14 * k, str(6 * page + k + 1), Label.FOOTNOTE, size=6, width=6)
                sheet.cell(72, 150 - 14 * k, "See the book of tides.", Label.FOOTNOTE)
            sheets.append(sheet)
        assert not texts(made(*sheets), Label.NONE)

    def test_line_numbers_do_not_part_paragraphs(self) -> None:
        sheet = Sheet()
        for k, text in enumerate(("A paragraph of", "three lines that", "are numbered.")):
            sheet.cell(30, 700 - 12 * k, str(k + 1), Label.NONE, size=6)
            sheet.cell(60, 700 - 12 * k, text, width=FULL if k < 2 else None)
        assert texts(made(sheet), Label.TEXT) == ["A paragraph of three lines that are numbered."]


class TestWrongLabels:
    def test_single_odd_cell_of_a_line(self) -> None:
        sheet = Sheet().cell(60, 700, "we write", width=50).cell(115, 700, "x", Label.FORMULA)
        sheet.cell(125, 700, "for the place of it and go on.", width=200)
        assert texts(made(sheet)) == ["we write x for the place of it and go on."]

    def test_single_odd_line_of_a_paragraph(self) -> None:
        sheet = Sheet()
        for k, label in enumerate((Label.TEXT, Label.CAPTION, Label.TEXT, Label.TEXT)):
            sheet.cell(60, 700 - 12 * k, f"line {k} of it", label, width=FULL)
        assert len(made(sheet)) == 1

    def test_title_of_two_lines_of_which_one_is_mislabelled(self) -> None:
        sheet = (
            Sheet().cell(60, 740, "A Title That Is", Label.AUTHOR, size=20).cell(60, 716, "Long", Label.TITLE, size=20)
        )
        for k in range(5):
            sheet.cell(60, 600 - 12 * k, f"text {k}", width=FULL)
        assert texts(made(sheet), Label.TITLE) == ["A Title That Is Long"]

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=30, deadline=None)
    def test_no_label_loses_a_cell(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sheets = []
        for number in (1, 2):
            sheet = Sheet(number, rotation=int(rng.choice([0, 90, 180, 270])))
            for _ in range(rng.integers(0, 40)):
                x, y = rng.uniform(-20, 580), rng.uniform(-20, 790)
                text = str(rng.choice(["word", "•", "3.", "(4)", "\ufb01", "\u00ad", "海", "שלום", "a-", "A. B"]))
                sheet.cell(x, y, text, LABELS[rng.integers(17)], size=float(rng.uniform(4, 30)))
            if rng.random() < 0.5:
                sheet.pictures = [(100, 100, 400, 400)]
            if rng.random() < 0.5:
                sheet.tables = [Table(number, (50, 50, 500, 600), 1, 1, [TableCell(0, 0, 1, 1, "word", None)])]
            sheets.append(sheet)
        made(*sheets)


def test_pages_without_text() -> None:
    whole = document(Sheet(1), Sheet(2))
    assert (whole.items, len(whole.pages), whole.language) == ([], 2, "")


def test_same_input_gives_the_same_document() -> None:
    def build() -> Document:
        return document(Sheet().lines(60, 700, "Some text", "here.", width=FULL).cell(60, 30, "3", Label.NONE))

    assert build() == build()


def test_a_page_of_20000_cells_takes_less_than_a_second() -> None:
    sheet = Sheet(width=2000, height=2000)
    for row in range(200):
        for column in range(100):
            sheet.cell(column * 20, 1990 - row * 9, "ab12", LABELS[(row // 20) % 17], size=7)
    page = sheet.page
    begin = time.process_time()
    whole = document(sheet)
    spent = time.process_time() - begin
    validate.check(whole, [page])
    assert spent < 2.0  # twice what it may take, for slow machines


class TestValidation:
    @pytest.fixture
    def sheet(self) -> Sheet:
        return Sheet().lines(60, 700, "Some text", "here.", width=FULL)

    def refused(self, whole: Document, sheet: Sheet) -> str:
        with pytest.raises(InvalidOutput) as caught:
            validate.check(whole, [sheet.page])
        return str(caught.value)

    def test_lost_cell(self, sheet: Sheet) -> None:
        whole = document(sheet)
        whole.items[0].parts[0].cells.pop()
        assert "1 cells in no item" in self.refused(whole, sheet)

    def test_doubled_cell(self, sheet: Sheet) -> None:
        whole = document(sheet)
        whole.items[0].parts[0].cells *= 2
        assert "2 in more than one" in self.refused(whole, sheet)

    def test_spans(self, sheet: Sheet) -> None:
        whole = document(sheet)
        whole.items[0].parts[0].span = (0, 3)
        assert "spans end at 3" in self.refused(whole, sheet)

    @pytest.mark.parametrize("box", [(-9.0, 0.0, 10.0, 10.0), (0.0, 0.0, 10.0, float("nan")), (20.0, 0.0, 10.0, 10.0)])
    def test_boxes(self, sheet: Sheet, box: tuple[float, float, float, float]) -> None:
        whole = document(sheet)
        whole.items[0].parts[0].box = box
        assert "is not on page 1" in self.refused(whole, sheet)

    def test_grid(self, sheet: Sheet) -> None:
        whole = document(sheet)
        cells = [TableCell(0, 0, 1, 2, "a", None), TableCell(0, 1, 1, 1, "b", None)]
        whole.items[0].table = Table(1, (0, 0, 1, 1), 1, 2, cells)
        assert "lies on another" in self.refused(whole, sheet)

    def test_captions(self, sheet: Sheet) -> None:
        whole = document(sheet)
        whole.items[0].captions = [0]
        assert "caption 0 is none" in self.refused(whole, sheet)
