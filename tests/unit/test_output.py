"""Output formats: DoclingDocument JSON by docling's own model, Markdown, HTML, cells and tables; golden files."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.text import ListItem, SectionHeaderItem
from docling_core.types.doc.labels import DocItemLabel
from hypothesis import given
from hypothesis import strategies as st

from ingest.document import cells_json, docling, render
from ingest.document.labels import Label
from ingest.document.model import Document, Item, PageSize, Part, Table, TableCell
from tests.support.sheets import Sheet, document

GOLDEN = Path(__file__).parent.parent / "golden"
FULL = 480.0


def article() -> Document:
    """Two pages with something of every kind."""
    grid = [
        TableCell(0, 0, 2, 1, "Station", (60, 320, 130, 350), column_header=True),
        TableCell(0, 1, 1, 2, "Height | m", (200, 340, 320, 350), column_header=True),
        TableCell(1, 1, 1, 1, "mean", (200, 320, 240, 330), column_header=True),
        TableCell(1, 2, 1, 1, "max", (280, 320, 320, 330), column_header=True),
        TableCell(2, 0, 1, 1, "Cape_Ormond", (60, 300, 130, 310), row_header=True),
        TableCell(2, 1, 1, 1, "5.8", (200, 300, 220, 310)),
        TableCell(2, 2, 1, 1, "", None),
    ]
    first = Sheet(1, tables=[Table(1, (55, 295, 330, 355), 3, 3, grid)], pictures=[(360, 290, 540, 380)])
    first.cell(60, 780, "Journal of Floats 3", Label.NONE)
    first.cell(120, 740, "Counting *Waves*", Label.TITLE, size=18)
    first.cell(150, 715, "Nils Achterberg, Carla Vesterholt", Label.AUTHOR)
    first.cell(150, 703, "Institute of Levels", Label.AFFILIATION)
    first.lines(90, 680, "We count the waves that", "one \ufb02oat can see.", label=Label.ABSTRACT, width=420)
    first.cell(90, 650, "Keywords: waves, floats", Label.KEYWORD)
    first.cell(60, 620, "1", Label.LIST_IDENTIFIER, bold=True).cell(
        75, 620, "Introduction", Label.SUBTITLE_1, bold=True
    )
    first.lines(60, 600, "The sea moves up and down. It has been ob-", "served for [1] a long time:", width=FULL)
    for y, x, marker, text in ((570, 60, "1.", "by pilots"), (556, 80, "a)", "at night"), (542, 60, "2.", "by us")):
        first.cell(x, y, marker, Label.LIST_IDENTIFIER).cell(x + 20, y, text, Label.LIST_ITEM)
    first.cell(60, 510, "We write for the height", Label.TEXT)
    first.cell(220, 490, "h = a + b", Label.FORMULA).cell(515, 490, "(1)", Label.FORMULA)
    first.cell(60, 460, "1.1", Label.LIST_IDENTIFIER, bold=True).cell(85, 460, "Data", Label.SUBTITLE_2, bold=True)
    first.cell(60, 440, "See https://example.org/<data> & the table.", Label.TEXT)
    first.cell(60, 360, "Table 1. Heights.", Label.CAPTION)
    for cell in grid:
        if cell.box is not None:
            first.cell(cell.box[0], cell.box[1], cell.text, Label.TABLE)
    first.cell(400, 320, "time", Label.PICTURE).cell(360, 270, "Figure 1. A day.", Label.CAPTION)
    first.lines(60, 240, "A last paragraph that the end of", "the page does not end but", width=FULL)
    first.boxes[-1] = (60, first.boxes[-1][1], 60 + FULL, first.boxes[-1][3])
    first.cell(60, 60, "1 A note.", Label.FOOTNOTE, size=8).cell(295, 30, "17", Label.NONE)
    second = Sheet(2, width=500, height=700, rotation=90)
    second.cell(60, 450, "goes on overleaf.", width=200)
    for k, text in enumerate(("while tide:", "  read()", "# done")):
        second.cell(60 + 6 * (len(text) - len(text.lstrip())), 420 - 14 * k, text.strip(), size=12, mono=True)
    second.cell(60, 340, "References", Label.SUBTITLE_1, bold=True)
    second.cell(60, 320, "[1]", Label.LIST_IDENTIFIER).cell(85, 320, "A. Pilot. Tides. 1901.", Label.CITATION)
    second.cell(60, 300, "1 Introduction .......... 1", Label.NONE).cell(60, 286, "1.1 Data .......... 1", Label.NONE)
    return document(first, second, name="waves.pdf")


FORMATS = {
    "docling.json": lambda d: json.dumps(json.loads(docling.export(d)), ensure_ascii=False, indent=1).encode() + b"\n",
    "md": lambda d: render.to_markdown(d).encode(),
    "html": lambda d: render.to_html(d).encode(),
    "cells.json": lambda d: json.dumps(json.loads(cells_json.export_cells(d)), ensure_ascii=False, indent=1).encode(),
    "tables.json": lambda d: json.dumps(json.loads(cells_json.export_tables(d)), ensure_ascii=False, indent=1).encode(),
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_golden(suffix: str, regenerate_goldens: bool) -> None:
    path, made = GOLDEN / f"waves.{suffix}", FORMATS[suffix](article())
    if regenerate_goldens:
        path.write_bytes(made)
    assert made.decode() == path.read_text("utf-8")


def test_same_document_gives_the_same_bytes() -> None:
    assert docling.export(article()) == docling.export(article())


@pytest.fixture(scope="module")
def parsed() -> DoclingDocument:
    """Read by docling_core, which checks tree, references and boxes."""
    return DoclingDocument.model_validate_json(docling.export(article()))


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(docling.export(article()))
    return data


class TestDocling:
    def test_labels(self, parsed: DoclingDocument) -> None:
        labels = {item.text: item.label for item in parsed.texts}
        assert labels["Counting *Waves*"] is DocItemLabel.TITLE
        assert labels["1 Introduction"] is DocItemLabel.SECTION_HEADER
        assert labels["h = a + b (1)"] is DocItemLabel.FORMULA
        assert labels["Table 1. Heights."] is DocItemLabel.CAPTION
        assert labels["[1] A. Pilot. Tides. 1901."] is DocItemLabel.REFERENCE
        assert labels["1 A note."] is DocItemLabel.FOOTNOTE
        assert labels["Journal of Floats 3"] is DocItemLabel.PAGE_HEADER
        assert labels["17"] is DocItemLabel.PAGE_FOOTER
        assert labels["while tide:\n  read()\n# done"] is DocItemLabel.CODE

    def test_furniture_is_no_body(self, parsed: DoclingDocument) -> None:
        body = {item.text for item, _ in parsed.iterate_items() if hasattr(item, "text")}
        assert "17" not in body
        assert "by pilots" in body

    def test_levels(self, parsed: DoclingDocument) -> None:
        assert [(h.text, h.level) for h in parsed.texts if isinstance(h, SectionHeaderItem)] == [
            ("1 Introduction", 1),
            ("1.1 Data", 2),
            ("References", 1),
        ]

    def test_nested_lists(self, parsed: DoclingDocument) -> None:
        items = [item for item in parsed.texts if isinstance(item, ListItem)]
        assert [(i.marker, i.enumerated, i.text) for i in items] == [
            ("1.", True, "by pilots"),
            ("a)", True, "at night"),
            ("2.", True, "by us"),
        ]
        outer, inner = parsed.groups
        assert inner.parent is not None
        assert inner.parent.cref == items[0].self_ref
        assert [child.cref for child in outer.children] == [items[0].self_ref, items[2].self_ref]

    def test_table(self, parsed: DoclingDocument) -> None:
        table = parsed.tables[0]
        assert (table.data.num_rows, table.data.num_cols) == (3, 3)
        assert table.data.grid[0][2].text == table.data.grid[0][1].text == "Height | m"
        assert table.data.grid[1][1].column_header
        assert table.data.grid[2][0].row_header
        assert table.caption_text(parsed) == "Table 1. Heights."

    def test_picture_holds_its_lettering(self, parsed: DoclingDocument) -> None:
        picture = parsed.pictures[0]
        assert picture.caption_text(parsed) == "Figure 1. A day."
        assert [child.resolve(parsed).text for child in picture.children] == ["Figure 1. A day.", "time"]

    def test_contents_are_an_index(self, parsed: DoclingDocument) -> None:
        index = parsed.tables[1]
        assert index.label is DocItemLabel.DOCUMENT_INDEX
        assert [[cell.text for cell in row] for row in index.data.grid] == [["1 Introduction", "1"], ["1.1 Data", "1"]]

    def test_provenance_of_a_paragraph_over_two_pages(self, parsed: DoclingDocument) -> None:
        item = next(item for item in parsed.texts if item.text.startswith("A last paragraph"))
        assert [(p.page_no, item.text[slice(*p.charspan)]) for p in item.prov] == [
            (1, "A last paragraph that the end of the page does not end but "),
            (2, "goes on overleaf."),
        ]

    def test_turned_pages_have_the_frame_in_which_they_are_shown(self, raw: dict[str, Any]) -> None:
        assert raw["pages"]["2"]["size"] == {"width": 700.0, "height": 500.0}
        code = next(t for t in raw["texts"] if t["label"] == "code")
        box, cell = code["prov"][0]["bbox"], code["meta"]["ingest__cells"][0]
        assert box["coord_origin"] == "BOTTOMLEFT"
        assert 0 <= box["l"] < box["r"] <= 700
        assert 0 <= box["b"] < box["t"] <= 500
        assert raw["body"]["meta"]["ingest__rotations"] == {"2": 90}
        assert cell[0] == 2
        assert cell[3] <= 500
        assert cell[4] <= 700

    def test_provenance_in_meta(self, raw: dict[str, Any]) -> None:
        text = next(t for t in raw["texts"] if t["text"].startswith("The sea"))
        assert text["text"] == "The sea moves up and down. It has been observed for [1] a long time:"
        assert text["orig"] == "The sea moves up and down. It has been ob- served for [1] a long time:"
        assert text["meta"]["ingest__label"] == "text"
        assert text["meta"]["ingest__score"] == 0.9
        assert (text["meta"]["ingest__font"], text["meta"]["ingest__size"]) == ("Serif", 10.0)
        assert text["meta"]["ingest__cells"] == [[1, 60.0, 600.0, 540.0, 610.0], [1, 60.0, 588.0, 195.0, 598.0]]

    def test_document_level(self, raw: dict[str, Any]) -> None:
        meta = raw["body"]["meta"]
        assert meta["language"] == {"code": "en"}
        assert meta["ingest__authors"] == ["Nils Achterberg", "Carla Vesterholt"]
        assert meta["ingest__versions"] == {"labels": "test", "parse": "parse-1"}
        assert (raw["name"], raw["origin"]["filename"]) == ("waves", "waves.pdf")
        assert raw["origin"]["binary_hash"] == int("5a" * 8, 16)

    def test_markdown_of_docling_reads_well(self, parsed: DoclingDocument) -> None:
        markdown = parsed.export_to_markdown()
        places = [
            markdown.index(text) for text in ("Counting", "## 1 Introduction", "by pilots", "### 1.1 Data", "Pilot")
        ]
        assert places == sorted(places)

    def test_lost_pages_and_pages_for_ocr(self) -> None:
        whole = document(Sheet(1).cell(60, 700, "Text."), Sheet(2), Sheet(3))
        whole.lost_pages[2], whole.ocr_pages[3] = "it crashed", "a scan"
        meta = json.loads(docling.export(whole))["body"]["meta"]
        assert meta["ingest__lost_pages"] == {"2": "it crashed"}
        assert meta["ingest__ocr_pages"] == {"3": "a scan"}
        assert "<!-- page 2: it crashed -->\n\n<!-- page 3: a scan -->" in render.to_markdown(whole)
        DoclingDocument.model_validate_json(docling.export(whole))

    def test_document_without_anything(self) -> None:
        parsed = DoclingDocument.model_validate_json(docling.export(document(Sheet(1))))
        assert parsed.texts == []


def single(item: Item) -> Document:
    return Document("x.pdf", "00" * 32, [PageSize(600, 800, 0)], [item], {})


def paragraph(text: str) -> str:
    """The Markdown of a paragraph."""
    part = Part(1, (0, 0, 1, 1), (0, len(text)))
    return render.to_markdown(single(Item(Label.TEXT, text, [part])))[:-1]


class TestMarkdown:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a plain [1] sentence.", "a plain [1] sentence."),
            ("a [link](it)", "a \\[link](it)"),
            ("x*y*z", "x\\*y\\*z"),
            ("one * is none", "one * is none"),
            ("snake_case stays", "snake_case stays"),
            ("_both_ ends", "\\_both\\_ ends"),
            ("3. is no list", "3\\. is no list"),
            ("- nor this", "\\- nor this"),
            ("# no heading", "\\# no heading"),
            ("<b> but 3 < 4", "\\<b> but 3 < 4"),
            ("AT&amp;T and A & B", "AT\\&amp;T and A & B"),
            ("---", "\\---"),
        ],
    )
    def test_escapes(self, text: str, expected: str) -> None:
        assert paragraph(text) == expected

    @given(st.text("ab *_`<>[]()#-+1.&\\|~\n", min_size=1, max_size=30))
    def test_text_is_kept_under_its_escapes(self, text: str) -> None:
        shown = paragraph(text).replace("\\\n", "\n")
        while "\\" in shown and shown != text:
            at = next((i for i, (a, b) in enumerate(zip(shown, text + " ", strict=False)) if a != b), len(text))
            assert shown[at] == "\\"
            shown = shown[:at] + shown[at + 1 :]
        assert shown == text

    def test_pipe_table(self) -> None:
        table = Table(1, (0, 0, 9, 9), 2, 2, [TableCell(0, 0, 1, 1, "a|b", None), TableCell(1, 1, 1, 1, "c\nd", None)])
        item = Item(Label.TABLE, "", [Part(1, (0, 0, 9, 9), (0, 0))], table=table)
        assert render.to_markdown(single(item)) == "| a\\|b |  |\n| --- | --- |\n|  | c d |\n"

    def test_fence_is_longer_than_any_in_the_code(self) -> None:
        item = Item(Label.TEXT, "```\ncode\n```", [Part(1, (0, 0, 1, 1), (0, 12))], code=True)
        assert render.to_markdown(single(item)) == "````\n```\ncode\n```\n````\n"


class _Balanced(HTMLParser):
    """Fails on tags that do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


class TestHtml:
    def test_tags_nest_and_text_is_kept(self) -> None:
        reader = _Balanced()
        reader.feed(render.to_html(article()))
        assert reader.open == []
        text = "".join(reader.text)
        assert "See https://example.org/<data> & the table." in text
        assert "Height | m" in text

    def test_lists_nest_by_depth(self) -> None:
        items = [
            Item(Label.LIST_ITEM, text, [Part(1, (0, 0, 1, 1), (0, 1))], level=level, marker=marker, enumerated=number)
            for text, level, marker, number in (
                ("deep", 2, "•", False),
                ("a", 1, "1.", True),
                ("b", 2, "•", False),
                ("c", 1, "2.", True),
                ("d", 1, "•", False),
            )
        ]
        whole = Document("x.pdf", "00" * 32, [PageSize(600, 800, 0)], items, {})
        body = render.to_html(whole).split("<body>\n")[1].split("\n")[0].replace("</body>", "")
        assert body == (
            "<ul><li>deep</li></ul>"
            '<ol><li value="1">a<ul><li>b</li></ul></li><li value="2">c</li></ol>'
            "<ul><li>d</li></ul>"
        )

    def test_right_to_left(self) -> None:
        whole = document(
            Sheet().lines(60, 700, "השומר קורא את הסרגל פעמיים ביום ורושם", "את גובה המים בספר.", width=FULL)
        )
        assert '<html lang="he" dir="rtl">' in render.to_html(whole)


def test_cells_name_markers_and_pictures() -> None:
    first = json.loads(cells_json.export_cells(article()))["pages"][0]
    cells = first["cells"]
    assert [cell["order"] for cell in cells] == list(range(len(cells)))
    by_text = {cell["text"]: cell for cell in cells}
    assert by_text["1."]["label"] == "list-identifier"
    assert by_text["by pilots"]["label"] == "list-item"
    assert by_text["time"]["label"] == "picture"
    assert by_text[""] == {
        "bbox": [360, 290, 540, 380],
        "text": "",
        "label": "picture",
        "score": 0.9,
        "order": by_text[""]["order"],
    }
    assert by_text["time"]["order"] == by_text[""]["order"] + 1


def test_tables_leave_out_cells_without_a_place() -> None:
    (table,) = json.loads(cells_json.export_tables(article()))["tables"]
    assert [cell["text"] for cell in table["cells"]] == ["Station", "Height | m", "mean", "max", "Cape_Ormond", "5.8"]
    assert table["cells"][1]["col_span"] == 2
