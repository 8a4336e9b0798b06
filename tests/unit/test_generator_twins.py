"""Truth read back from twins: made here by reportlab, and by each program that is installed."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from click.testing import CliRunner
from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas

from bentos.training.generator import genres
from bentos.training.generator.__main__ import main
from bentos.training.generator.errors import TwinsDiffer
from bentos.training.generator.html.chromium import CHROMIUM
from bentos.training.generator.ids import Pieces, color_of, place_in_table
from bentos.training.generator.model import Cell, Zone
from bentos.training.generator.run import ENGINES, Engine
from bentos.training.generator.twins import truth
from ingest.document.labels import LABELS

Draw = Callable[[Callable[[int], None], Canvas], None]


def _twins(folder: Path, draw: Draw) -> tuple[Path, Path]:
    """The same page plain and in colours; `draw` calls the given function before each piece."""
    paths = folder / "plain.pdf", folder / "colored.pdf"
    for path, colored in zip(paths, (False, True), strict=True):
        canvas = Canvas(str(path), pagesize=(400, 600), invariant=1)

        def use(piece: int, canvas: Canvas = canvas, colored: bool = colored) -> None:
            canvas.setFillColor(HexColor("#" + color_of(piece)) if colored else HexColor("#000000"))

        canvas.setFont("Helvetica", 10)
        draw(use, canvas)
        canvas.showPage()
        canvas.save()
    return paths


def test_lines_get_label_text_box_and_order_and_are_cut_after_numbers(tmp_path: Path) -> None:
    pieces = Pieces()
    number, heading, body = pieces.add("page-number", Zone.FOOTER), pieces.add("section"), pieces.add("text")

    def draw(use: Callable[[int], None], canvas: Canvas) -> None:
        for piece, x, y, text in ((number, 190, 20, "7"), (body, 50, 480, "second line"),
                                  (heading, 50, 540, "1. Intro"),
                                  (body, 50, 500, "first line")):  # fmt: skip
            use(piece)
            canvas.drawString(x, y, text)

    found = truth(*_twins(tmp_path, draw), pieces, {"layout": "test"})
    elements = found["pages"][0]["elements"]
    assert [(e["label"], e["text"]) for e in elements] == [
        ("subtitle-level-1", "1."), ("subtitle-level-1", "Intro"), ("text", "second line"), ("text", "first line"),
        ("none", "7"),
    ]  # fmt: skip
    assert [e["order"] for e in elements] == [0, 1, 2, 3, 4]
    assert elements[0]["bbox"][0] == pytest.approx(50, abs=1)
    assert elements[0]["bbox"][1] == pytest.approx(538, abs=2)
    assert elements[0]["trust"] == "exact"
    assert found["file"] == "plain.pdf" and found["meta"] == {"layout": "test"}


def test_a_line_with_two_pieces_gives_two_elements(tmp_path: Path) -> None:
    pieces = Pieces()
    mark, item = pieces.add("itemid"), pieces.add("item")

    def draw(use: Callable[[int], None], canvas: Canvas) -> None:
        use(mark)
        canvas.drawString(50, 500, "(a)")
        use(item)
        canvas.drawString(66, 500, "an item")

    elements = truth(*_twins(tmp_path, draw), pieces, {})["pages"][0]["elements"]
    assert [(e["label"], e["text"]) for e in elements] == [("list-identifier", "(a)"), ("list-item", "an item")]


def test_tables_come_with_their_grid_and_figures_with_their_area(tmp_path: Path) -> None:
    pieces = Pieces()
    area = pieces.add("object", Zone.FLOAT, {"region": True})
    grid = pieces.add("table", Zone.FLOAT, {"region": True, "table": 1})
    cells = [
        pieces.add("table", Zone.FLOAT, place_in_table(1, r, c, Cell("", col_span=1))) for r in (0, 1) for c in (0, 1)
    ]

    def draw(use: Callable[[int], None], canvas: Canvas) -> None:
        use(area)
        canvas.rect(100, 300, 200, 100, stroke=0, fill=1)
        use(grid)
        canvas.rect(50, 100, 300, 60, stroke=0, fill=1)
        for k, piece in enumerate(cells):
            use(piece)
            canvas.drawString(60 + 150 * (k % 2), 140 - 30 * (k // 2), f"cell {k}")

    page = truth(*_twins(tmp_path, draw), pieces, {})["pages"][0]
    pictures = [e for e in page["elements"] if e["label"] == "picture"]
    assert [p["bbox"] for p in pictures] == [[100, 300, 300, 400]]
    table = page["tables"][0]
    assert table["bbox"] == [50, 100, 350, 160]
    assert [(c["row"], c["col"], c["text"]) for c in table["cells"]] == [
        (0, 0, "cell 0"), (0, 1, "cell 1"), (1, 0, "cell 2"), (1, 1, "cell 3")
    ]  # fmt: skip


def test_text_beyond_the_edge_of_the_paper_is_no_element(tmp_path: Path) -> None:
    pieces = Pieces()
    body = pieces.add("text")

    def draw(use: Callable[[int], None], canvas: Canvas) -> None:
        use(body)
        canvas.drawString(50, 500, "on paper")
        canvas.drawString(50, -30, "below it")

    elements = truth(*_twins(tmp_path, draw), pieces, {})["pages"][0]["elements"]
    assert [e["text"] for e in elements] == ["on paper"]


@pytest.mark.parametrize("change", ["text", "place", "pages"])
def test_twins_that_differ_are_refused(tmp_path: Path, change: str) -> None:
    pieces = Pieces()
    body = pieces.add("text")
    runs = iter(range(2))

    def draw(use: Callable[[int], None], canvas: Canvas) -> None:
        second = next(runs) == 1
        use(body)
        canvas.drawString(
            50, 300 if second and change == "place" else 500, "other" if second and change == "text" else "words"
        )
        if second and change == "pages":
            canvas.showPage()
            canvas.drawString(50, 500, "more")

    with pytest.raises(TwinsDiffer):
        truth(*_twins(tmp_path, draw), pieces, {})


def test_text_in_no_colour_of_ours_is_refused_unless_it_is_to_be_adopted(tmp_path: Path) -> None:
    pieces = Pieces()
    default = pieces.add("header", Zone.HEADER)
    body = pieces.add("text")

    def draw(use: Callable[[int], None], canvas: Canvas) -> None:
        use(body)
        canvas.drawString(50, 500, "body")
        canvas.setFillColor(HexColor("#000000"))
        canvas.drawString(50, 580, "head")

    twins = _twins(tmp_path, draw)
    with pytest.raises(TwinsDiffer, match="belong to no piece"):
        truth(*twins, pieces, {})
    elements = truth(*twins, pieces, {}, default)["pages"][0]["elements"]
    assert [(e["label"], e["text"]) for e in elements] == [("none", "head"), ("text", "body")]


_PROGRAMS = {
    "chromium": Path(CHROMIUM).exists(),
    "latex": shutil.which("pdflatex"),
    "libreoffice": shutil.which("soffice"),
}


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_a_program_sets_documents_with_truth(engine: str, tmp_path: Path) -> None:
    if not _PROGRAMS[engine]:
        pytest.skip(f"{engine} is not installed")
    program: AbstractContextManager[Engine] = ENGINES[engine]()
    plain, colored = tmp_path / "plain.pdf", tmp_path / "colored.pdf"
    with program as p:
        rng = random.Random("report 2")
        document = genres.make(rng, ("en",), ("report",))
        pieces, layout = p.set(document, rng, plain, colored)
        found = truth(plain, colored, pieces, layout, p.default_piece)
    elements = [e for page in found["pages"] for e in page["elements"]]
    labels = {e["label"] for e in elements}
    assert {"title", "subtitle-level-1", "text"} <= labels <= {str(label) for label in LABELS}
    assert sum(e["trust"] == "exact" for e in elements) > 0.9 * len(elements)
    for page in found["pages"]:
        assert [e["order"] for e in page["elements"]] == list(range(len(page["elements"])))


def test_the_command_writes_pairs_keeps_what_exists_and_prints_a_summary(tmp_path: Path) -> None:
    if not _PROGRAMS["latex"]:
        pytest.skip("pdflatex is not installed")
    arguments = [str(tmp_path), "--documents", "2", "--engines", "latex", "--seed", "3", "--jobs", "1"]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 0, first.output
    pdfs = sorted((tmp_path / "latex").glob("*.pdf"))
    assert pdfs
    data = json.loads(pdfs[0].with_suffix(".json").read_text("utf-8"))
    assert data["file"] == pdfs[0].name and data["meta"]["engine"] == "latex"
    before = [p.stat().st_mtime_ns for p in pdfs]
    again = CliRunner().invoke(main, arguments)
    assert [p.stat().st_mtime_ns for p in pdfs] == before
    assert f"documents{len(pdfs):25,}" in again.output


def test_an_unknown_engine_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(tmp_path), "--engines", "troff"])
    assert result.exit_code == 2
    assert "unknown engines: troff" in result.output
