"""The sample collection is what samples/expected.json and samples/README.md say, and can be made again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pypdfium2
import pytest

from bentos.training.generator.samples import faults
from bentos.training.generator.samples.collection import SAMPLES, make_collection
from bentos.training.generator.samples.expect import Expected
from bentos.training.generator.samples.style import SOFT_HYPHEN, Sheet, hyphenate, para
from bentos.training.generator.samples.typeset import Block, Break, Column, Composer, Layout
from ingest.document.page import Page, TextState
from ingest.errors import BrokenPdf, EncryptedPdf
from ingest.pipeline.parse import loaded_page, parse_page
from ingest.pipeline.pdfium import open_document

COMMITTED = Path(__file__).parents[2] / "samples"
EXPECTED = msgspec.json.decode((COMMITTED / "expected.json").read_bytes(), type=dict[str, Expected])
CONVERTED = [name for name, e in EXPECTED.items() if e.outcome == "converted"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    make_collection(folder)
    return folder


def _pages(path: Path) -> list[Page]:
    with open_document(path) as document:
        pages = []
        for number in range(1, len(document) + 1):
            with loaded_page(document, number) as address:
                pages.append(parse_page(address, number))
        return pages


def _squash(text: str) -> str:
    return "".join(text.replace(SOFT_HYPHEN, "").split())


def _text(page: Page) -> str:
    """Characters of a page without white space, words joined that are hyphenated over a line end."""
    return "".join(_squash(t).removesuffix("-") if t.endswith("-") else _squash(t) for t in page.cells.text)


def _key(text: str) -> list[str]:
    """Order does not matter where glyphs are drawn from right to left."""
    return sorted(_squash(text)) if any("\u0590" <= c <= "\u05ff" for c in text) else [_squash(text)]


def test_every_sample_is_committed_and_described() -> None:
    files = {p.name for p in COMMITTED.glob("*.pdf")}
    readme = (COMMITTED / "README.md").read_text("utf-8")
    assert files == set(EXPECTED) == set(SAMPLES)
    assert all(name in readme for name in files)
    assert sum(p.stat().st_size for p in COMMITTED.iterdir()) < 3_000_000


def test_making_the_samples_twice_gives_the_same_bytes(made: Path, tmp_path: Path) -> None:
    make_collection(tmp_path)
    for path in sorted(made.iterdir()):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_the_committed_samples_are_those_that_the_generator_makes(made: Path) -> None:
    assert (made / "expected.json").read_bytes() == (COMMITTED / "expected.json").read_bytes()
    for name in CONVERTED:
        # compressed streams may differ between builds of zlib; what they hold may not
        ours, theirs = _pages(made / name), _pages(COMMITTED / name)
        assert [p.cells.text for p in ours] == [p.cells.text for p in theirs], name
        for a, b in zip(ours, theirs, strict=True):
            assert a.cells.boxes == pytest.approx(b.cells.boxes, abs=0.01)


@pytest.mark.parametrize("name", CONVERTED)
def test_what_is_expected_stands_on_the_pages_that_are_named(name: str) -> None:
    expected, pages = EXPECTED[name], _pages(COMMITTED / name)
    texts = [_text(p) for p in pages]
    assert len(pages) == expected.pages
    assert _squash(expected.title.partition(":")[0]) in "".join(texts[:3])
    assert expected.headings and expected.search
    assert _squash(expected.search.phrase) in texts[expected.search.page - 1]
    for heading in expected.headings:
        cells = pages[heading.page - 1].cells.text
        joined = ["".join(cells[i : i + n]) for i in range(len(cells)) for n in (1, 2, 3)]
        assert any(_key(heading.text) == _key(t) for t in joined), heading
    for grid in expected.tables:
        here = "".join(texts[grid.page - 1 : grid.page + 1])
        assert _squash(grid.caption) in here
        assert all(_squash(text) in here for text in grid.cells.values()), grid.caption


def test_every_page_of_a_readable_sample_has_text_or_is_blank() -> None:
    states = {name: [p.state for p in _pages(COMMITTED / name)] for name in CONVERTED}
    assert {s for found in states.values() for s in found} == {TextState.TEXT, TextState.BLANK}
    assert states["book.pdf"].count(TextState.BLANK) == 2
    assert len(states["book.pdf"]) == 60


def test_the_scan_has_pictures_and_no_text() -> None:
    pages = _pages(COMMITTED / "scan.pdf")
    assert [p.state for p in pages] == [TextState.NEEDS_OCR] * EXPECTED["scan.pdf"].pages


def test_the_encrypted_sample_opens_with_its_password_alone() -> None:
    with pytest.raises(EncryptedPdf), open_document(COMMITTED / "encrypted.pdf"):
        pass
    with open_document(COMMITTED / "encrypted.pdf", faults.PASSWORD) as document:
        assert "Salaries" in document[0].get_textpage().get_text_bounded()


def test_the_broken_sample_cannot_be_opened() -> None:
    with pytest.raises(BrokenPdf), open_document(COMMITTED / "broken.pdf"):
        pass


@pytest.fixture
def compose(tmp_path: Path) -> Callable[[list[Block | Break]], list[str]]:
    """Sets blocks on small pages of two columns; returns the text of the pages."""
    sheet = Sheet("Times-Roman", "Times-Bold", "Times-Italic", 10, 12)

    def run(flow: list[Block | Break]) -> list[str]:
        layout = Layout(
            (300, 200),
            lambda page: [Column(10, 10, 135, 190), Column(155, 10, 135, 190)],
            sheet.note,
            lambda c, p: None,
        )
        Composer(tmp_path / "x.pdf", layout, "x", "x").run(flow)
        document = pypdfium2.PdfDocument(tmp_path / "x.pdf")
        return [page.get_textpage().get_text_bounded() for page in document]

    return run


SHEET = Sheet("Times-Roman", "Times-Bold", "Times-Italic", 10, 12)


def _long(words: str, times: int = 60) -> str:
    return " ".join([words] * times)


def test_a_footnote_stands_on_the_page_of_its_mark(compose: Callable[[list[Block | Break]], list[str]]) -> None:
    text = _long("long ago", 100) + "<super>7</super> the end"
    pages = compose([Block(para(text, SHEET.text), {"7": "where the mark is"})])
    assert len(pages) > 1
    assert "where the mark is" in pages[-1]
    assert all("where the mark is" not in p for p in pages[:-1])


def test_a_heading_never_ends_a_page(compose: Callable[[list[Block | Break]], list[str]]) -> None:
    for words in range(30, 150, 5):
        flow: list[Block | Break] = [
            Block(para(_long("filler", words), SHEET.text)),
            Block(para("Heading", SHEET.h1), keep_next=True),
            Block(para("following words " * 12, SHEET.text)),
        ]
        page = next(p for p in compose(flow) if "Heading" in p)
        assert "following" in page, words


def test_a_wide_float_goes_to_the_top_of_the_next_page(compose: Callable[[list[Block | Break]], list[str]]) -> None:
    flow: list[Block | Break] = [
        Block(para("first words", SHEET.text)),
        Block(para("a wide figure", SHEET.text), wide=True),
        Block(para(_long("body text", 90), SHEET.text)),
    ]
    pages = compose(flow)
    assert "a wide figure" not in pages[0]
    assert "a wide figure" in pages[1]


def test_what_fits_on_no_page_is_an_error(compose: Callable[[list[Block | Break]], list[str]]) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        compose([Block(para(_long("tall", 90), SHEET.h1), keep_next=True)])


def test_hyphenation_leaves_markup_addresses_and_short_words_alone() -> None:
    markup = '<font face="Courier-Bold">measurement</font> development https://example.org/measurement &ndash; short'
    cut = hyphenate(markup)
    assert cut.replace(SOFT_HYPHEN, "") == markup
    assert f"develop{SOFT_HYPHEN}ment" in cut
    assert 'face="Courier-Bold"' in cut
    assert "https://example.org/measurement" in cut
    assert cut.endswith("short")
