"""What the generator writes before any program sets it: content, colours, markup, reading order."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bentos.training.generator import drawing, formulas, genres
from bentos.training.generator.adopt import adopt
from bentos.training.generator.content import BULLETS, Author, marker
from bentos.training.generator.diagrams import draw
from bentos.training.generator.html.markup import Markup
from bentos.training.generator.html.style import sample as html_style
from bentos.training.generator.ids import Pieces, color_of, number_of
from bentos.training.generator.languages import LANGUAGES, WEIGHTS
from bentos.training.generator.latex.classes import CLASSES
from bentos.training.generator.latex.preamble import BABEL
from bentos.training.generator.latex.source import Source
from bentos.training.generator.model import LABEL_OF, ListItem, Table, Zone
from bentos.training.generator.odf.slides import SlideSource
from bentos.training.generator.odf.source import TextSource
from bentos.training.generator.odf.style import sample as odf_style
from bentos.training.generator.order import Placed, reading_order
from bentos.training.generator.words import Writer
from ingest.document.labels import LABELS

SEEDS = range(6)


@given(st.integers(0, 60**3 - 1), st.integers(-1, 1), st.integers(-1, 1), st.integers(-1, 1))
def test_a_colour_gives_its_piece_back_even_if_rounded(number: int, r: int, g: int, b: int) -> None:
    rgb = int(color_of(number), 16)
    assert number_of(rgb + (r << 16) + (g << 8) + b) == number


@pytest.mark.parametrize("rgb", [0x000000, 0xFFFFFF, 0x050505, 0xFAFAFA, 0xFF0000, 0x0A0A0A])
def test_black_white_and_colours_between_the_pieces_are_none(rgb: int) -> None:
    assert number_of(rgb) is None


def test_every_fine_name_has_one_of_the_labels_and_no_label_is_missing() -> None:
    assert set(LABEL_OF.values()) == set(LABELS)


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_sentences_have_the_length_and_the_signs_of_their_language(code: str) -> None:
    writer = Writer.of(random.Random(1), code)
    sentences = [writer.sentence() for _ in range(200)]
    stop = LANGUAGES[code].stop
    assert sum(s.endswith(stop) for s in sentences) > 150
    assert all((" " not in s) == writer.joined for s in sentences if len(s) > 20)
    words = sum(len(s.split()) for s in sentences) / len(sentences)
    assert writer.joined or 8 < words < 30
    assert code in WEIGHTS


@pytest.mark.parametrize(
    ("kind", "third"),
    [("1.", "3."), ("(a)", "(c)"), ("A.", "C."), ("i)", "iii)"), ("I.", "III."), ("[1]", "[3]"), ("①", "③"),
     ("R1", "R3"), ("Step 1:", "Step 3:"), *((b, b) for b in BULLETS)],
)  # fmt: skip
def test_markers_count_in_their_style(kind: str, third: str) -> None:
    assert marker(kind, 2) == third


def test_a_nested_decimal_marker_continues_the_one_above() -> None:
    assert marker("1.1", 1, "4") == "4.2"


@pytest.mark.parametrize("seed", range(30))
def test_tables_are_whole_grids(seed: int) -> None:
    table = Author(Writer.of(random.Random(seed), "en")).table(seed % 2 == 0, seed % 5 == 0)
    covered: set[tuple[int, int]] = set()
    for r, row in enumerate(table.rows):
        assert len(row) == table.columns
        for c, cell in enumerate(row):
            if cell:
                area = {(r + i, c + j) for i in range(cell.row_span) for j in range(cell.col_span)}
                assert not area & covered
                covered |= area
    assert covered == {(r, c) for r in range(len(table.rows)) for c in range(table.columns)}


@pytest.mark.parametrize("seed", range(40))
def test_formulas_are_well_formed_in_both_languages(seed: int) -> None:
    node = formulas.display(random.Random(seed))
    ET.fromstring(formulas.mathml(node, block=True))
    source = formulas.latex(node)
    plain = source.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert source.count(r"\left") == source.count(r"\right")
    assert source.count(r"\begin") == source.count(r"\end")


@pytest.mark.parametrize("seed", range(20))
def test_figures_are_well_formed_and_stay_near_their_frame(seed: int) -> None:
    figure = draw(Writer.of(random.Random(seed), "en"), seed % 2 == 0)
    picture = ET.fromstring(drawing.svg(figure, 200, ' data-p="1"'))
    assert picture.get("width") == "200.0pt"
    assert figure.image or figure.shapes
    for shape in figure.shapes:
        for x, y in shape.points:
            assert -20 <= x <= figure.width + 20
            assert -20 <= y <= figure.height + 20
    assert drawing.tikz(figure, 200, 7).count(r"\gc{7}") == sum(s.kind == "text" for s in figure.shapes)


@pytest.mark.parametrize("genre", sorted(genres.GENRES))
def test_the_same_seed_gives_the_same_document(genre: str) -> None:
    first, again = (genres.make(random.Random("x"), genres=(genre,)) for _ in range(2))
    assert first == again
    assert first != genres.make(random.Random("y"), genres=(genre,))
    assert first.blocks


@pytest.mark.parametrize("seed", SEEDS)
def test_web_pages_number_every_text_once(seed: int) -> None:
    rng = random.Random(seed)
    document = genres.make(rng)
    markup = Markup(document, html_style(rng, document), rng)
    html = markup.render(300)
    numbers = [int(n) for n in re.findall(r'data-[pr]="(\d+)"', html)]
    assert max(numbers) < len(markup.pieces.pieces)
    # no text stands outside of a piece
    bare = re.sub(r"<(style|title)>.*?</\1>", "", html, flags=re.S)
    depth, outside = 0, ""
    for token in re.split(r"(<[^>]+>)", bare):
        if token.startswith("</"):
            depth -= depth > 0
        elif token.startswith("<"):
            opens = not token.endswith("/>") and not token.startswith(("<!", "<meta"))
            depth += opens and (depth > 0 or "data-p" in token)
        elif depth == 0:
            outside += token
    assert not outside.strip()


@pytest.mark.parametrize("name", sorted({c.name for c in CLASSES}))
def test_latex_sources_are_balanced(name: str, tmp_path: Path) -> None:
    layout = next(c for c in CLASSES if c.name == name)
    rng = random.Random(name)
    document = genres.make(rng, ("en", *BABEL), layout.genres)
    source = Source(document, layout, layout.options[0], rng, tmp_path).render()
    without_code = re.sub(r"\\begin\{(verbatim|lstlisting)\}.*?\\end\{\1\}", "", source, flags=re.S)
    plain = re.sub(r"\\[{}]", "", without_code)
    assert plain.count("{") == plain.count("}")
    opened = re.findall(r"\\begin\{([\w*]+)\}", without_code)
    assert sorted(opened) == sorted(re.findall(r"\\end\{([\w*]+)\}", without_code))


@pytest.mark.parametrize("seed", SEEDS)
def test_office_twins_are_well_formed_and_differ_in_colours_alone(seed: int) -> None:
    rng = random.Random(seed)
    document = genres.make(rng, genres=("slides",) if seed < 2 else tuple(genres.GENRES))
    style = odf_style(rng, document)
    made = SlideSource(document, style, rng) if document.genre == "slides" else TextSource(document, style, rng)
    plain, colored = made.render(False), made.render(True)
    for twin in (plain, colored):
        ET.fromstring(twin)

    def skeleton(xml: str) -> str:
        xml = re.sub(r"<office:binary-data>.*?</office:binary-data>", "", xml, flags=re.S)
        return re.sub(r"#[0-9a-f]{6}", "#", xml)

    assert plain != colored
    assert skeleton(plain) == skeleton(colored)


def _placed(piece: int, zone: Zone, x0: float, y0: float, x1: float, y1: float) -> Placed:
    return Placed(piece, zone, (x0, y0, x1, y1), f"{piece}", 10)


def test_a_float_is_read_before_the_text_below_it_in_its_column() -> None:
    page = [
        _placed(1, Zone.HEADER, 50, 780, 300, 790),
        _placed(2, Zone.BODY, 50, 700, 280, 710),
        _placed(3, Zone.BODY, 50, 500, 280, 510),
        _placed(4, Zone.FLOAT, 50, 550, 280, 650),
        _placed(5, Zone.FLOAT, 50, 530, 280, 540),
        _placed(6, Zone.BODY, 310, 700, 540, 710),
        _placed(7, Zone.FLOAT, 310, 100, 540, 300),
        _placed(8, Zone.NOTE, 50, 80, 280, 90),
        _placed(0, Zone.FOOTER, 50, 40, 280, 50),
    ]
    assert [p.piece for p in reading_order(page)] == [1, 2, 4, 5, 3, 6, 7, 8, 0]


def test_a_float_across_the_columns_at_the_top_comes_first() -> None:
    page = [
        _placed(1, Zone.BODY, 50, 500, 280, 510),
        _placed(2, Zone.BODY, 310, 500, 540, 510),
        _placed(3, Zone.FLOAT, 50, 550, 540, 700),
    ]
    assert [p.piece for p in reading_order(page)] == [3, 1, 2]


def test_reading_order_keeps_every_line() -> None:
    rng = random.Random(5)
    page = [
        _placed(i, rng.choice(list(Zone)), x := rng.uniform(0, 500), y := rng.uniform(0, 700), x + 40, y + 10)
        for i in range(60)
    ]
    assert sorted(p.piece for p in reading_order(page)) == list(range(60))


def test_uncoloured_text_is_given_to_its_neighbour_or_to_the_furniture_or_not_trusted() -> None:
    pieces = Pieces()
    default = pieces.add("header", Zone.HEADER)
    note, text = pieces.add("footnote", Zone.NOTE), pieces.add("text")
    abstract = pieces.add("abstract")
    page = [
        Placed(default, Zone.HEADER, (50, 780, 200, 790), "Running head", 9),
        Placed(default, Zone.HEADER, (50, 700, 100, 710), "Abstract", 10),
        Placed(abstract, Zone.BODY, (50, 680, 300, 690), "We show", 10),
        Placed(text, Zone.BODY, (50, 400, 300, 410), "Body", 10),
        Placed(default, Zone.HEADER, (50, 300, 300, 310), "nobody knows", 10),
        Placed(default, Zone.HEADER, (50, 100, 54, 108), "1", 8),
        Placed(note, Zone.NOTE, (58, 98, 300, 108), "A note", 8),
        Placed(default, Zone.HEADER, (290, 40, 300, 50), "12", 9),
    ]
    adopt([page], pieces, default)
    assert [p.orig for p in page] == ["header", "abstract-heading", "", "", "", "footnote", "", "page-number"]
    assert [p.trust for p in page] == ["", "", "", "", "low-uncolored", "", "", ""]
    assert page[1].zone == Zone.BODY and page[5].piece == note and page[7].zone == Zone.FOOTER


def test_a_title_repeated_as_running_head_is_furniture() -> None:
    pieces = Pieces()
    default = pieces.add("header", Zone.HEADER)
    title, text = pieces.add("title", Zone.BODY, {"front": True}), pieces.add("text")
    pages = [
        [Placed(title, Zone.BODY, (50, 600, 300, 620), "Title", 18)],
        [
            Placed(title, Zone.BODY, (50, 780, 300, 790), "Title", 9),
            Placed(text, Zone.BODY, (50, 600, 300, 610), "x", 10),
        ],
    ]
    adopt(pages, pieces, default)
    assert [p[0].orig for p in pages] == ["", "header"]


def test_lists_and_tables_of_all_kinds_occur() -> None:
    items: list[ListItem] = []
    tables: list[Table] = []
    for seed in range(60):
        for block in genres.make(random.Random(seed)).blocks:
            if isinstance(block, ListItem):
                items.append(block)
            if isinstance(block, Table):
                tables.append(block)
    assert {i.depth for i in items} == {1, 2, 3}
    assert len({i.marker for i in items}) > 40
    assert any(i.term for i in items) and any(i.more for i in items)
    assert {t.head_rows for t in tables} == {0, 1, 2}
    assert any(t.wide for t in tables) and any(t.notes for t in tables)
