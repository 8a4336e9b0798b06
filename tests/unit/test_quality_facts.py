"""Facts rows: what is counted, and that lost, doubled and misplaced content is seen."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document.labels import LABELS, Label
from ingest.document.model import Box, Document, Item, PageSize, Part, Table, TableCell
from ingest.document.page import Cells, Page, TextState
from ingest.quality.facts import Facts, document_facts, share_field

WIDTH, HEIGHT = 600.0, 800.0
LINE = 10.0


def page(number: int, *lines: str, state: TextState = TextState.TEXT) -> Page:
    """A page with a cell per line, from the top."""
    n = len(lines)
    tops = HEIGHT - LINE * np.arange(1, n + 1, dtype=np.float32)
    boxes = np.stack([np.full(n, 50), tops - 8, np.full(n, 550), tops], axis=1).astype(np.float32)
    cells = Cells(
        boxes=boxes,
        text=list(lines),
        size=np.full(n, 8, np.float32),
        font=np.zeros(n, np.int16),
        style=np.zeros(n, np.uint8),
        color=np.zeros(n, np.uint32),
        angle=np.zeros(n, np.int16),
        share=np.zeros((n, 3), np.uint8),
    )
    return Page(number=number, width=WIDTH, height=HEIGHT, cells=cells, fonts=["F"], state=state)


def box_of(source: Page, cell: int) -> Box:
    x0, y0, x1, y1 = source.cells.boxes[cell].tolist()
    return x0, y0, x1, y1


def item(source: Page, cell: int, label: Label = Label.TEXT, text: str | None = None, **more: object) -> Item:
    """An item made of one cell."""
    text = source.cells.text[cell] if text is None else text
    box = box_of(source, cell)
    return Item(label, text, [Part(source.number, box, (0, len(text)), [box])], **more)  # type: ignore[arg-type]


def document(pages: list[Page], items: list[Item]) -> Document:
    sizes = [PageSize(p.width, p.height, p.rotation) for p in pages]
    return Document(name="a.pdf", sha256="0" * 64, pages=sizes, items=items, versions={}, language="en")


def table(cells: list[TableCell], rows: int = 2, cols: int = 2) -> Item:
    box = (50.0, 100.0, 550.0, 300.0)
    grid = Table(page=1, box=box, rows=rows, cols=cols, cells=cells)
    return Item(Label.TABLE, "", [Part(1, box, (0, 0))], table=grid)


def faithful(pages: list[Page]) -> list[Item]:
    return [item(p, cell) for p in pages for cell in range(len(p.cells))]


def test_counts_pages_items_and_characters() -> None:
    first = page(1, "A title", "Chapter", "Some text.", "• ", "one", "• ", "two", "more", "3", "E=mc²")
    pages = [first, page(2, state=TextState.BLANK), page(3, state=TextState.NEEDS_OCR), page(4, state=TextState.LOST)]
    items = [
        item(first, 0, Label.TITLE),
        item(first, 1, Label.SUBTITLE_1),
        item(first, 2),
        item(first, 4, Label.LIST_ITEM, marker="•"),
        item(first, 6, Label.LIST_ITEM, marker="•"),
        item(first, 7),
        item(first, 8, Label.NONE),
        item(first, 9, Label.FORMULA),
    ]
    facts = document_facts(pages, document(pages, items))
    assert (facts.pages, facts.pages_output) == (4, 4)
    assert (facts.pages_text, facts.pages_blank, facts.pages_needs_ocr, facts.pages_lost) == (1, 1, 1, 1)
    assert (facts.items, facts.headings, facts.paragraphs, facts.furniture, facts.formulas) == (8, 1, 2, 1, 1)
    assert (facts.lists, facts.list_items) == (1, 2)
    assert facts.has_title
    assert facts.chars_pdf == facts.chars_output == len("".join(first.cells.text).replace(" ", ""))
    assert (facts.coverage, facts.text_lost, facts.text_doubled, facts.pages_silent) == (1.0, 0.0, 0.0, 0)
    assert facts.language == "en"


def test_pages_of_the_pdf_may_be_given() -> None:
    source = page(1, "text")
    assert document_facts([source], document([source], faithful([source])), source_pages=3).pages == 3


def test_shares_of_labels_add_up_to_one() -> None:
    source = page(1, "12345678", "12", "#")
    items = [item(source, 0), item(source, 1, Label.LIST_ITEM, marker="#")]
    facts = document_facts([source], document([source], items))
    shares = {label: getattr(facts, share_field(label)) for label in LABELS}
    assert math.isclose(sum(shares.values()), 1)
    assert math.isclose(shares[Label.TEXT], 8 / 11)
    assert math.isclose(shares[Label.LIST_IDENTIFIER], 1 / 11)


def test_scores_are_weighted_by_characters() -> None:
    source = page(1, "123456789", "0")
    items = [item(source, 0, score=0.9), item(source, 1, score=0.4)]
    facts = document_facts([source], document([source], items))
    assert math.isclose(facts.label_score, 0.85)
    assert math.isclose(facts.low_score_share, 0.1)


WORD = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)


@given(st.lists(st.lists(WORD, min_size=1, max_size=6), min_size=1, max_size=4))
def test_faithful_output_loses_and_doubles_nothing(words: list[list[str]]) -> None:
    pages = [page(n, *lines) for n, lines in enumerate(words, 1)]
    facts = document_facts(pages, document(pages, faithful(pages)))
    assert (facts.coverage, facts.text_lost, facts.text_doubled) == (1.0, 0.0, 0.0)
    assert facts.order_ok and facts.boxes_ok and facts.pages_silent == 0


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        (["ﬁrst eﬃcient ﬂow"], "first efficient flow"),
        (["inter-", "national"], "international"),
        (["inter\ufffe", "national"], "international"),
        (["Contents . . . . . . 12"], "Contents 12"),
        (["Pe´rez said “no”"], 'Pérez said "no"'),
        (["e\u0301te\u0301"], "été"),
        (["a\u00a0b\u00adc"], "a bc"),
    ],
)
def test_cleaned_up_text_counts_as_the_same(printed: list[str], written: str) -> None:
    source = page(1, *printed)
    facts = document_facts([source], document([source], [item(source, 0, text=written)]))
    assert (facts.text_lost, facts.text_doubled) == (0.0, 0.0)


def test_a_lost_paragraph_is_seen() -> None:
    source = page(1, "0123456789" * 9, "abcdefghij")
    facts = document_facts([source], document([source], faithful([source])[:1]))
    assert math.isclose(facts.text_lost, 0.1)
    assert math.isclose(facts.coverage, 0.9)
    assert not facts.order_ok


def test_a_doubled_paragraph_is_seen() -> None:
    source = page(1, "0123456789" * 9, "abcdefghij")
    items = faithful([source])
    facts = document_facts([source], document([source], [*items, items[1]]))
    assert math.isclose(facts.text_doubled, 0.1)
    assert math.isclose(facts.coverage, 1.1)
    assert not facts.order_ok


def test_losing_one_page_and_doubling_another_do_not_cancel() -> None:
    pages = [page(1, "the same words"), page(2, "the same words")]
    items = faithful(pages)
    facts = document_facts(pages, document(pages, [items[0], items[0]]))
    assert facts.coverage == 1.0
    assert math.isclose(facts.text_lost, 0.5)
    assert math.isclose(facts.text_doubled, 0.5)
    assert facts.pages_silent == 1


def test_a_paragraph_over_two_pages_is_compared_with_both() -> None:
    pages = [page(1, "begins"), page(2, "ends")]
    parts = [Part(1, box_of(pages[0], 0), (0, 6)), Part(2, box_of(pages[1], 0), (7, 11))]
    facts = document_facts(pages, document(pages, [Item(Label.TEXT, "begins ends", parts)]))
    assert (facts.text_lost, facts.text_doubled) == (0.0, 0.0)


def test_text_of_tables_counts() -> None:
    source = page(1, "12", "34")
    grid = [TableCell(0, 0, 1, 1, "12", None), TableCell(1, 1, 1, 1, "34", None)]
    facts = document_facts([source], document([source], [table(grid)]))
    assert (facts.tables, facts.table_cells, facts.chars_output, facts.text_lost) == (1, 2, 4, 0.0)


def test_text_that_names_no_page_counts_as_doubled() -> None:
    source = page(1, "abc")
    facts = document_facts([source], document([source], [item(source, 0), Item(Label.TEXT, "xyz", [])]))
    assert math.isclose(facts.text_doubled, 1.0)


def test_unusable_text_layers_are_not_compared() -> None:
    pages = [page(1, "text"), page(2, "\ue001\ue002 garbage", state=TextState.NEEDS_OCR)]
    facts = document_facts(pages, document(pages, faithful(pages[:1])))
    assert (facts.coverage, facts.pages_silent, facts.chars_compared) == (1.0, 0, 4)
    assert facts.chars_pdf > facts.chars_output


@pytest.mark.parametrize("character", ["\ufffd", "\ue123", "\x07", "\U000f1234", "\ufffe"])
def test_garbage_in_the_output_is_counted(character: str) -> None:
    source = page(1, "abc" + character)
    assert math.isclose(document_facts([source], document([source], faithful([source]))).garbage_ratio, 0.25)


def test_control_characters_that_are_white_space_are_no_garbage() -> None:
    source = page(1, "a\tb\nc")
    assert document_facts([source], document([source], faithful([source]))).garbage_ratio == 0


def test_what_the_pdf_prints_twice_at_one_place_may_be_there_twice() -> None:
    source = page(1, "bold", "bold")
    source.cells.boxes[1] = source.cells.boxes[0]
    assert document_facts([source], document([source], faithful([source]))).order_ok


def test_cells_of_a_page_that_does_not_exist_break_the_order() -> None:
    source = page(1, "text")
    found = item(source, 0)
    found.parts[0].page = 2
    facts = document_facts([source], document([source], [found]))
    assert not facts.order_ok
    assert not facts.boxes_ok


def _moved(part: Part, box: Box) -> None:
    part.box = box


@pytest.mark.parametrize(
    "breakage",
    [
        pytest.param(lambda part: _moved(part, (50, 700, 620, 710)), id="right of the page"),
        pytest.param(lambda part: _moved(part, (50, -20, 60, 10)), id="below the page"),
        pytest.param(lambda part: _moved(part, (60, 10, 50, 20)), id="inside out"),
        pytest.param(lambda part: _moved(part, (math.nan, 10, 50, 20)), id="no number"),
        pytest.param(lambda part: setattr(part, "page", 0), id="page 0"),
        pytest.param(lambda part: setattr(part, "span", (0, 99)), id="span beyond the text"),
        pytest.param(lambda part: setattr(part, "span", (3, 1)), id="span inside out"),
    ],
)
def test_boxes_and_spans_out_of_place_are_seen(breakage: Callable[[Part], None]) -> None:
    source = page(1, "text")
    found = item(source, 0)
    assert document_facts([source], document([source], [found])).boxes_ok
    breakage(found.parts[0])
    assert not document_facts([source], document([source], [found])).boxes_ok


def test_boxes_of_table_cells_are_looked_at() -> None:
    source = page(1, "a")
    broken = TableCell(0, 0, 1, 1, "a", (0.0, 0.0, 700.0, 10.0))
    assert not document_facts([source], document([source], [table([broken])])).boxes_ok


@pytest.mark.parametrize(
    ("cells", "sound"),
    [
        pytest.param([(0, 0, 1, 2), (1, 0, 1, 1), (1, 1, 1, 1)], True, id="sound"),
        pytest.param([(0, 0, 1, 1)], True, id="holes"),
        pytest.param([(0, 0, 1, 2), (0, 1, 1, 1)], False, id="overlap"),
        pytest.param([(0, 1, 1, 2)], False, id="column span outside"),
        pytest.param([(1, 0, 2, 1)], False, id="row span outside"),
        pytest.param([(-1, 0, 1, 1)], False, id="negative"),
        pytest.param([(0, 0, 0, 1)], False, id="no span"),
    ],
)
def test_grids_are_looked_at(cells: list[tuple[int, int, int, int]], sound: bool) -> None:
    source = page(1, "")
    grid = table([TableCell(*cell, "", None) for cell in cells])
    assert document_facts([source], document([source], [grid])).tables_ok is sound


def test_a_grid_without_rows_is_not_sound() -> None:
    source = page(1, "")
    assert not document_facts([source], document([source], [table([], rows=0)])).tables_ok


def test_a_document_without_anything_has_facts() -> None:
    facts = document_facts([], document([], []))
    assert (facts.items, facts.coverage, facts.label_score) == (0, 1.0, 0.0)
    assert facts.boxes_ok and facts.order_ok and facts.tables_ok


def test_facts_are_scalars_that_survive_json() -> None:
    source = page(1, "text")
    facts = document_facts([source], document([source], faithful([source])))
    assert all(isinstance(value, str | int | float) for value in msgspec.structs.astuple(facts))
    assert msgspec.json.decode(msgspec.json.encode(facts), type=Facts) == facts


def test_every_label_has_its_share() -> None:
    assert {share_field(label) for label in LABELS} == {f for f in Facts.__struct_fields__ if f.startswith("share_")}


@pytest.mark.parametrize("module", ["ingest.quality.facts", "ingest.quality.gate"])
def test_importing_does_not_import_great_expectations(module: str) -> None:
    code = f"import sys, {module}; print([m for m in ('great_expectations', 'pandas') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
