"""Where lines of text are cut into cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.pipeline import parse, pdfium
from tests.support.pdfs import drawn

String = tuple[float, float, str, float, str]


def texts(tmp_path: Path, *strings: String) -> list[str]:
    pdf = tmp_path / "drawn.pdf"
    pdf.write_bytes(drawn([strings]))
    with pdfium.open_document(pdf) as document, parse.loaded_page(document, 1) as address:
        return parse.parse_page(address, 1).cells.text


@pytest.mark.parametrize(
    ("number", "cells"),
    [
        ((56.0, 700.0, "Helvetica", 6.0, "48"), ["48", "for example"]),  # a manuscript's line number: 9 points of white
        ((64.0, 704.0, "Helvetica", 6.0, "48"), ["48 for example"]),  # the mark of a note: small, raised, close
        ((56.0, 700.0, "Helvetica", 12.0, "48"), ["48 for example"]),
        ((56.0, 700.0, "Helvetica", 6.0, "a8"), ["a8 for example"]),
    ],
)
def test_number_of_a_line_is_a_cell_of_its_own(tmp_path: Path, number: String, cells: list[str]) -> None:
    assert texts(tmp_path, number, (72.0, 700.0, "Times-Roman", 12.0, "for example")) == cells


@pytest.mark.parametrize(
    ("marker", "width", "cells"), [("\u2022", 7.0, ["\u2022", "refuel"]), ("-", 6.7, ["- refuel"])]
)
def test_a_bullet_is_a_cell_of_its_own_however_close_its_text(
    tmp_path: Path, marker: str, width: float, cells: list[str]
) -> None:
    opening = (72.0, 700.0, "Helvetica", 20.0, f"{marker} ")
    assert texts(tmp_path, opening, (72 + width + 1.5, 700.0, "Helvetica", 20.0, "refuel")) == cells
