"""What is read of a page's lines, images and drawings, and who hears of it when that is not all."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from click.testing import CliRunner
from reportlab.pdfgen.canvas import Canvas

from ingest import runtime
from ingest.cli.main import cli
from ingest.document.page import GRAPHICS_CUT, Page, TextState
from ingest.document.records import Outcome
from ingest.pipeline import graphics, pages, parse, pdfium
from ingest.scheduling.context import Context
from tests.support.children import ReadsFewObjects
from tests.support.pdfs import map_pdf
from tests.support.runs import begin, finish, rows, whole_run

FEW = ReadsFewObjects.FEW


def parsed(path: Path, number: int) -> Page:
    with pdfium.open_document(path, None) as document, parse.loaded_page(document, number) as address:
        return parse.parse_page(address, number)


class Read(NamedTuple):
    limit: int
    drawings: int
    code: str


@pytest.mark.parametrize("read", [Read(12, 11, ""), Read(11, 10, GRAPHICS_CUT), Read(1, 0, GRAPHICS_CUT)])
def test_a_page_beyond_the_limit_says_so_and_keeps_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Read
) -> None:
    monkeypatch.setattr(graphics, "MAX_OBJECTS", read.limit)
    page = parsed(map_pdf(tmp_path / "map.pdf", 11), 2)
    assert (page.state, page.code, len(page.drawings)) == (TextState.TEXT, read.code, read.drawings)
    assert " ".join(page.cells.text).startswith("Sheet 2 of the survey")
    assert bool(read.code) == (f"more graphics than are read: {read.limit} objects" in page.reason)
    (kept,) = pages.unpack_pages(pages.pack_pages([page]))
    assert (kept.code, kept.reason) == (page.code, page.reason)


@pytest.mark.parametrize(("nested", "code"), [(graphics.MAX_DEPTH, ""), (graphics.MAX_DEPTH + 1, GRAPHICS_CUT)])
def test_forms_nested_too_deep_are_not_left_out_in_silence(tmp_path: Path, nested: int, code: str) -> None:
    canvas = Canvas(str(tmp_path / "nested.pdf"))
    for depth in range(nested):
        canvas.beginForm(f"form{depth}")
        if depth:
            canvas.doForm(f"form{depth - 1}")
        else:
            canvas.circle(100, 100, 50)
        canvas.endForm()
    canvas.drawString(72, 700, "A circle in many forms")
    canvas.doForm(f"form{nested - 1}")
    canvas.save()
    page = parsed(tmp_path / "nested.pdf", 1)
    assert (page.code, len(page.drawings)) == (code, 0 if code else 1)


def test_a_scan_beyond_the_limit_gives_both_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canvas = Canvas(str(tmp_path / "outlines.pdf"))
    for dot in range(100):
        canvas.rect(50 + 5 * dot, 100, 2, 2)
    canvas.save()
    monkeypatch.setattr(graphics, "MAX_OBJECTS", 60)
    page = parsed(tmp_path / "outlines.pdf", 1)
    assert (page.state, page.code) == (TextState.NEEDS_OCR, GRAPHICS_CUT)
    assert page.reason.startswith("drawings and no text") and "; more graphics than are read" in page.reason


def test_a_document_with_such_a_page_is_published_and_named_wherever_one_looks(
    context: Context, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "CHILD", "tests.support.children:ReadsFewObjects")
    map_pdf(source / "map.pdf", FEW)
    map_pdf(source / "plain.pdf", FEW - 1)
    report = finish(context, begin(context, source, "run-1"))
    assert report.good
    assert (report.documents.converted, report.documents.published, report.pages.failed) == (2, 2, 0)
    assert report.reasons == {"converted": {"graphics-cut": 1}}
    found = rows(context)
    assert (found["plain.pdf"].code, found["plain.pdf"].reason) == ("", "")
    cut = found["map.pdf"]
    assert (cut.outcome, cut.code, cut.pages_failed) == (Outcome.CONVERTED, "graphics-cut", 0)
    assert cut.reason.startswith("1 of 2 pages with graphics cut (page 2: more graphics than are read")
    named = {}
    for record in found.values():
        meta = msgspec.json.decode(context.objects.get(record.result_key))["body"]["meta"]
        named[record.path] = list(meta.get("ingest__cut_pages", {}))
    assert named == {"map.pdf": ["2"], "plain.pdf": []}
    monkeypatch.setenv("INGEST_HOME", str(context.settings.home))
    listed = CliRunner().invoke(cli, ["failures", "-c", "test"])
    assert listed.stdout.startswith("converted   graphics-cut     map.pdf: 1 of 2 pages with graphics cut")
    assert len(listed.stdout.splitlines()) == 1
    again = whole_run(context, source, "run-2")
    assert (again.documents.unchanged, again.reasons) == (2, {})


def test_a_single_conversion_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "CHILD", "tests.support.children:ReadsFewObjects")
    monkeypatch.setenv("INGEST_HOME", str(tmp_path / "home"))
    map_pdf(tmp_path / "map.pdf", FEW)
    done = CliRunner().invoke(cli, ["convert", str(tmp_path / "map.pdf"), "--out", str(tmp_path / "out")])
    assert (done.exit_code, (tmp_path / "out" / "map.json").exists()) == (0, True)
    assert done.stderr.startswith("graphics-cut: map.pdf: 1 of 2 pages with graphics cut (page 2: ")
