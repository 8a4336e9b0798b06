"""What is read where a font does not say what its glyphs are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.document.page import Page
from ingest.pipeline import glyphs, parse, pdfium
from ingest.pipeline.glyphs import Family
from tests.support.pdfs import coded_pdf

String = tuple[str, bytes, float, float]


def page_of(tmp_path: Path, *strings: String) -> Page:
    pdf = coded_pdf(tmp_path / "coded.pdf", strings)
    with pdfium.open_document(pdf) as document, parse.loaded_page(document, 1) as address:
        return parse.parse_page(address, 1)


def texts(tmp_path: Path, *strings: String) -> list[str]:
    return page_of(tmp_path, *strings).cells.text


@pytest.mark.parametrize(
    ("font", "numbers", "text"),
    [
        ("CMEX10", b"X\x12Z\x13", "∑(∫)"),
        ("CMEX10", b"P !", "∑()"),  # number 32 is a parenthesis and looks like a space
        ("CMEX10", b"X\x02\x03", "∑[]"),  # what pdfium gives for hyphens in other fonts
        ("CMEX10", b"X\x0d\x0d", "∑‖‖"),  # and for line ends
        ("CMEX10", b"()", "()"),  # braces, or parentheses of a font that says so: left as they seem to be
        ("CMSY10", b"kok\x1c0A{", "‖≀‖≪′A{"),
        ("CMMI10", b"\x0fa`.;~%", "ϵaℓ.;⃗ϱ"),
        ("CMR10", b"k0X`~", "k0X`~"),
        ("LMMathExtension10-Regular", b"Y\x00\x01", "∏()"),
    ],
)
def test_numbers_of_mathematical_fonts_are_characters(tmp_path: Path, font: str, numbers: bytes, text: str) -> None:
    assert texts(tmp_path, (font, numbers, 50, 200)) == [text]


def test_control_codes_within_words_are_ligatures(tmp_path: Path) -> None:
    assert texts(tmp_path, ("drawn", b"e\x0bective \x0cnd A\x0cB", 50, 200)) == [f"eﬀective ﬁnd A{glyphs.UNKNOWN}B"]


def test_a_glyph_that_nothing_is_known_of_is_marked_where_it_has_ink(tmp_path: Path) -> None:
    assert texts(tmp_path, ("drawn", b"A\x14B", 50, 200)) == [f"A{glyphs.UNKNOWN}B"]
    assert texts(tmp_path, ("CMR10", b"A\x14B", 50, 200)) == ["A B"]  # nothing is drawn for it


def test_brackets_of_pieces_are_one_cell_that_belongs_to_no_line(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        ("CMEX10", b"0", 50, 214),  # top, link and bottom of a parenthesis
        ("CMEX10", b"B", 50, 207),
        ("CMEX10", b"@", 50, 200),
        ("CMR10", b"ab", 60, 210),
        ("CMR10", b"cd", 60, 200),
        ("CMEX10", b"X", 100, 200),
    )
    assert page.cells.text == ["(", "ab", "cd", "∑"]
    height = page.cells.boxes[0, 3] - page.cells.boxes[0, 1]
    assert 20 < height < 23
    assert page.cells.size[0] == 10


def test_pieces_apart_are_brackets_of_their_own(tmp_path: Path) -> None:
    found = texts(tmp_path, ("CMEX10", b"8", 50, 240), ("CMEX10", b":", 50, 200), ("CMEX10", b"X", 100, 100))
    assert found == ["⎧", "⎩", "∑"]


def test_a_bracket_as_high_as_its_line_stays_in_it(tmp_path: Path) -> None:
    assert texts(tmp_path, ("CMEX10", b"h", 50, 200), ("CMR10", b"a", 55, 200)) == ["[a"]


def test_every_number_has_a_character() -> None:
    everything = "".join(map(chr, range(128)))
    assert len(glyphs.large(everything)) == 128
    assert not set(glyphs.large(everything)) & set(map(chr, range(32)))
    for family in Family:
        assert all(glyphs.control(family, code) for code in range(32))


@pytest.mark.parametrize(
    ("font", "family"),
    [
        ("CMEX10", Family.EXTENSION),
        ("CMBSY7", Family.SYMBOLS),
        ("CMMIB10", Family.ITALIC),
        ("LMMathItalic12-Regular", Family.ITALIC),
        ("txsys", None),  # has parentheses where Knuth's has arrows
        ("CMR10", None),
        ("Symbol", None),
        ("", None),
    ],
)
def test_fonts_are_known_by_name(font: str, family: Family | None) -> None:
    assert glyphs.family(font) is family


def test_private_codes() -> None:
    assert "\uf8eb\uf8ec\uf8ed \uf731\uf739 \uf761".translate(glyphs.PRIVATE) == "⎛⎜⎝ 19 a"
