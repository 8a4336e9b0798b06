from __future__ import annotations

from typing import Any

import pytest
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.table.table_data import TableCell, TableData
from docling_core.types.doc.labels import DocItemLabel
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import InvalidOutput
from ingest.export.index import IndexedDocument, Record
from ingest.export.records import document_records, split_text


def place(
    page: int = 1, box: tuple[float, float, float, float] = (10, 20, 110, 40), span: tuple[int, int] = (0, 1)
) -> ProvenanceItem:
    """box is [x0, y0, x1, y1], origin bottom left."""
    bbox = BoundingBox(l=box[0], b=box[1], r=box[2], t=box[3], coord_origin=CoordOrigin.BOTTOMLEFT)
    return ProvenanceItem(page_no=page, bbox=bbox, charspan=span)


def empty() -> DoclingDocument:
    docling = DoclingDocument(name="name-when-first-seen.pdf")
    for page in (1, 2):
        docling.add_page(page_no=page, size=Size(width=600, height=800))
    return docling


def convert(docling: DoclingDocument | dict[str, Any]) -> IndexedDocument:
    return document_records(
        docling if isinstance(docling, dict) else docling.export_to_dict(),
        collection="c",
        doc_id="d",
        path="a/paper.pdf",
        sha256="s",
        fingerprint="f",
        run_id="r",
    )


def brief(docling: DoclingDocument | dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(record.label, record.text, record.section) for record in convert(docling).records]


def cell(row: int, col: int, text: str, rows: int = 1, cols: int = 1) -> TableCell:
    return TableCell(
        text=text,
        start_row_offset_idx=row,
        end_row_offset_idx=row + rows,
        start_col_offset_idx=col,
        end_col_offset_idx=col + cols,
        row_span=rows,
        col_span=cols,
    )


def test_a_record_says_where_its_text_stands() -> None:
    docling = empty()
    docling.add_text(DocItemLabel.TEXT, "Hello", prov=place(2, (1, 2, 3, 4)))
    document = convert(docling)
    assert document == IndexedDocument(
        collection="c",
        doc_id="d",
        path="a/paper.pdf",
        title="paper",
        sha256="s",
        fingerprint="f",
        run_id="r",
        records=[
            Record(record_id="d:0", ref="#/texts/0", label="text", text="Hello", page=2, bbox=(1, 2, 3, 4), section="")
        ],
    )


def test_boxes_from_the_top_are_turned_round() -> None:
    docling = empty()
    item = docling.add_text(DocItemLabel.TEXT, "Hello", prov=place(1, (10, 20, 110, 40)))
    item.prov[0].bbox = item.prov[0].bbox.to_top_left_origin(page_height=800)
    assert convert(docling).records[0].bbox == (10, 20, 110, 40)


def test_sections_follow_the_levels_of_headings() -> None:
    docling = empty()
    docling.add_title("A Paper\non Things")
    docling.add_heading("Methods", level=1)
    docling.add_heading("Data", level=2)
    docling.add_text(DocItemLabel.TEXT, "one")
    docling.add_heading("Models", level=2)
    docling.add_heading("Small", level=3)
    docling.add_text(DocItemLabel.TEXT, "two")
    docling.add_heading("Results", level=1)
    docling.add_text(DocItemLabel.TEXT, "three")
    docling.add_title("Another")
    docling.add_text(DocItemLabel.TEXT, "four")
    assert brief(docling) == [
        ("title", "A Paper\non Things", ""),
        ("subtitle-level-1", "Methods", ""),
        ("subtitle-level-2", "Data", "Methods"),
        ("text", "one", "Methods > Data"),
        ("subtitle-level-2", "Models", "Methods"),
        ("subtitle-level-2", "Small", "Methods > Models"),
        ("text", "two", "Methods > Models > Small"),
        ("subtitle-level-1", "Results", ""),
        ("text", "three", "Results"),
        ("title", "Another", ""),
        ("text", "four", ""),
    ]
    assert convert(docling).title == "A Paper on Things"


def test_every_kind_of_text_becomes_a_record_in_reading_order() -> None:
    docling = empty()
    outer = docling.add_list_group()
    first = docling.add_list_item("one", parent=outer)
    inner = docling.add_list_group(parent=first)
    docling.add_list_item("one and a half", parent=inner)
    docling.add_list_item("two", parent=outer)
    docling.add_code("x = 1")
    docling.add_formula("E = mc^2")
    docling.add_formula("")
    caption = docling.add_text(DocItemLabel.CAPTION, "Figure 1")
    docling.add_picture(caption=caption)
    docling.add_picture()
    docling.add_text(DocItemLabel.FOOTNOTE, "1 A note")
    docling.add_text(DocItemLabel.REFERENCE, "[1] A book")
    docling.add_text(DocItemLabel.TEXT, "   ")
    assert [(label, text) for label, text, _ in brief(docling)] == [
        ("list-item", "one"),
        ("list-item", "one and a half"),
        ("list-item", "two"),
        ("text", "x = 1"),
        ("formula", "E = mc^2"),
        ("caption", "Figure 1"),
        ("footnote", "1 A note"),
        ("citation", "[1] A book"),
    ]
    assert [record.record_id for record in convert(docling).records] == [f"d:{n}" for n in range(8)]


def test_the_order_is_that_of_the_tree_not_of_the_lists() -> None:
    docling = empty()
    docling.add_text(DocItemLabel.TEXT, "last")
    docling.add_text(DocItemLabel.TEXT, "first")
    docling.body.children.reverse()
    assert [text for _, text, _ in brief(docling)] == ["first", "last"]


def test_furniture_is_left_out() -> None:
    docling = empty()
    docling.add_text(DocItemLabel.PAGE_HEADER, "Journal", content_layer=ContentLayer.FURNITURE)
    docling.add_text(DocItemLabel.TEXT, "watermark", content_layer=ContentLayer.BACKGROUND)
    docling.add_text(DocItemLabel.PAGE_FOOTER, "12")
    docling.add_text(DocItemLabel.TEXT, "body")
    assert [text for _, text, _ in brief(docling)] == ["body"]


def test_a_table_is_its_cells_row_by_row_with_its_caption_before() -> None:
    docling = empty()
    caption = docling.add_text(DocItemLabel.CAPTION, "Table 1")
    cells = [
        cell(1, 1, "4"),
        cell(0, 0, "Year\n and place", rows=2),
        cell(0, 1, "Sum", cols=2),
        cell(1, 2, ""),
        cell(2, 0, ""),
    ]
    docling.add_table(TableData(num_rows=3, num_cols=3, table_cells=cells), caption=caption, prov=place(2))
    docling.add_table(TableData(num_rows=0, num_cols=0, table_cells=[]))
    document = convert(docling)
    assert [(r.label, r.text) for r in document.records] == [
        ("caption", "Table 1"),
        ("table", "Year and place\tSum\n4"),
    ]
    assert (document.records[1].ref, document.records[1].page) == ("#/tables/0", 2)


def test_a_caption_that_only_its_table_names_is_not_lost() -> None:
    docling = empty()
    caption = docling.add_text(DocItemLabel.CAPTION, "Table 1")
    docling.add_table(TableData(num_rows=1, num_cols=1, table_cells=[cell(0, 0, "x")]), caption=caption)
    docling.body.children = [child for child in docling.body.children if child.cref != caption.self_ref]
    assert [text for _, text, _ in brief(docling)] == ["x", "Table 1"]


def test_the_label_that_the_exporter_kept_comes_before_doclings() -> None:
    docling = empty()
    for label in ("author", "abstract", "none", "subtitle-level-2"):
        docling.add_text(DocItemLabel.TEXT, f"an {label}")
    raw = docling.export_to_dict()
    for item, label in zip(raw["texts"], ("author", "abstract", "none", "subtitle-level-2"), strict=True):
        item["meta"] = {"ingest__label": label}
    DoclingDocument.model_validate(raw)
    assert [label for label, _, _ in brief(raw)] == ["author", "abstract", "subtitle-level-2"]


def test_a_long_text_becomes_several_records_each_with_its_own_place() -> None:
    sentence = "Words of a sentence that ends here. "
    text = sentence * 150
    docling = empty()
    half = len(text) // 2
    item = docling.add_text(DocItemLabel.TEXT, text, prov=place(1, (1, 1, 2, 2), (0, half)))
    item.prov.append(place(2, (3, 3, 4, 4), (half, len(text))))
    records = convert(docling).records
    assert len(records) == 3
    assert all(len(record.text) <= 2000 and record.text.endswith("here.") for record in records)
    assert " ".join(record.text for record in records) == text.strip()
    assert [(record.page, record.bbox) for record in records] == [
        (1, (1, 1, 2, 2)),
        (1, (1, 1, 2, 2)),
        (2, (3, 3, 4, 4)),
    ]
    assert {record.ref for record in records} == {"#/texts/0"}
    assert [record.record_id for record in records] == ["d:0", "d:1", "d:2"]


@given(st.text(st.sampled_from("ab .!?。\n\t)"), max_size=200), st.integers(1, 40))
def test_pieces_join_to_the_text_and_are_short_enough(text: str, limit: int) -> None:
    pieces = list(split_text(text, limit))
    assert "".join(pieces) == text
    assert all(len(piece) <= limit for piece in pieces)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("aaaa bbbb cccc. dddd eeee ffff", "aaaa bbbb cccc. "),
        ("aaaa bbbb cccc dddd eeee ffff", "aaaa bbbb cccc dddd "),
        ("aaaa bbb\tcccc.\ndddd. ee ffff", "aaaa bbb\tcccc.\n"),
        ("一二三四五六七八九十。一二三四五六七八九十", "一二三四五六七八九十。"),
        ("a" * 30, "a" * 20),
        ("v3.14159265358979 and more of it", "v3.14159265358979 "),
    ],
)
def test_a_text_is_cut_where_it_hurts_least(text: str, first: str) -> None:
    assert next(split_text(text, 20)) == first


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"body": {"children": [{"$ref": "#/texts/7"}]}, "texts": []},
        {"body": {"children": [{"$ref": "nonsense"}]}},
        {"body": {"children": [{"$ref": "#/texts/0"}]}, "texts": [{"text": "x", "meta": {"ingest__label": "odd"}}]},
        {"body": {"children": [{"$ref": "#/texts/0"}]}, "texts": ["x"]},
    ],
)
def test_what_is_no_document_is_named(broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidOutput, match=r"a/paper\.pdf"):
        convert(broken)
