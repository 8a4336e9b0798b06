"""Labels scored against ground truth: by hand on small pages, and by the command on a real PDF."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ingest.cli.main import main
from ingest.document.labels import LABELS
from ingest.errors import ConfigError
from ingest.evaluation import truth
from ingest.evaluation.labels import MISSED, WEIGHTINGS, Tally, report, score_document, scores
from tests.support.pdfs import scan_pdf, text_pdf


def line(label: str, y: float, text: str, **more: Any) -> dict[str, Any]:
    return {"label": label, "bbox": [50, y, 50 + 5 * len(text), y + 10], "text": text} | more


def document(*elements: dict[str, Any], source: str = "") -> truth.TruthDocument:
    pages = [{"page": 1, "width": 400, "height": 400, "elements": list(elements)}]
    return msgspec.convert({"file": "a.pdf", "source": source, "pages": pages}, truth.TruthDocument)


def cells(*found: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"file": "a.pdf", "pages": [{"page": 1, "cells": list(found)}]})


def test_what_agrees_is_scored_one_in_every_weighting() -> None:
    lines = [line("title", 300, "A title of some length"), line("text", 200, "and a line of text")]
    made = report(score_document("a", document(*lines), cells(*lines)))
    for found in (made.characters, made.elements, made.regions):
        assert (found.weighted_f1, found.macro_f1, found.missed) == (1, 1, 0)
    assert made.characters.labels["title"].support == 18
    assert made.spurious_characters == 0


def test_an_element_is_shared_out_among_the_cells_along_it() -> None:
    whole = line("text", 200, "x" * 40)
    left = {"label": "text", "bbox": [50, 200, 100, 210], "text": "x" * 10}
    right = {"label": "formula", "bbox": [100, 200, 250, 210], "text": "x" * 30}
    confusion = score_document("a", document(whole), cells(left, right)).confusion["characters"]
    assert confusion[7, 7] == pytest.approx(10)
    assert confusion[7, 10] == pytest.approx(30)


def test_the_smaller_of_two_cells_owns_a_point() -> None:
    block = {"label": "text", "bbox": [40, 100, 300, 300], "text": "x" * 900}
    made = score_document("a", document(line("formula", 200, "x" * 20)), cells(line("formula", 200, "x" * 20), block))
    assert made.confusion["elements"][10, 10] == 1


def test_what_no_cell_covers_is_missed() -> None:
    made = report(score_document("a", document(line("text", 200, "somewhere")), cells(line("text", 20, "elsewhere"))))
    assert made.elements.missed == 1
    assert made.spurious_characters == len("elsewhere")


def test_a_document_that_was_not_converted_is_missed_and_named() -> None:
    made = report(score_document("a.pdf", document(line("text", 200, "somewhere")), None))
    assert made.missing == ["a.pdf"]
    assert (made.elements.missed, made.elements.weighted_f1) == (1, 0)


def test_a_run_of_one_label_is_one_region_whatever_order_the_file_has() -> None:
    lines = [
        line("text", 340, "first", order=0),
        line("formula", 300, "between", order=2),
        line("text", 320, "second", order=1),
        line("text", 280, "third", order=3),
    ]
    confusion = score_document("a", document(*lines), cells(*lines)).confusion
    assert confusion["regions"][7, 7] == 2
    assert confusion["elements"][7, 7] == 3


def test_what_cannot_be_trusted_is_not_scored_and_guessed_furniture_is_apart() -> None:
    lines = [
        line("text", 340, "doubtful", trust="low-frontmatter"),
        line("none", 300, "heading", trust="heuristic-furniture"),
        line("text", 200, "certain"),
    ]
    made = report(score_document("a", document(*lines), cells(*lines)))
    assert made.elements.labels["text"].support == 1
    assert "none" not in made.elements.labels
    assert made.furniture_as_none == 1


def test_a_source_that_does_not_tell_labels_apart_accepts_the_finer_one() -> None:
    known, found = line("list-item", 200, "12."), line("list-identifier", 200, "12.")
    assert report(score_document("a", document(known), cells(found))).elements.weighted_f1 == 0
    assert report(score_document("a", document(known, source="x/DocBank"), cells(found))).elements.weighted_f1 == 1


def test_a_picture_without_text_asks_the_objects_first() -> None:
    picture = {"label": "picture", "bbox": [50, 50, 350, 350], "text": ""}
    made = report(score_document("a", document(picture), cells(picture, line("text", 200, "inside"))))
    assert made.picture_area_recall == 1


@given(hnp.arrays(np.float64, (len(LABELS), len(LABELS) + 1), elements=st.floats(0, 1000)))
def test_scores_are_shares_and_weighted_recall_is_the_accuracy(confusion: np.ndarray) -> None:
    made = scores(confusion)
    for value in (made.weighted_f1, made.macro_f1, made.accuracy, made.missed):
        assert 0 <= value <= 1 + 1e-9
    assert made.missed == pytest.approx(confusion[:, MISSED].sum() / max(confusion.sum(), 1e-12))
    recall = sum(s.recall * s.support for s in made.labels.values())
    assert recall == pytest.approx(made.accuracy * confusion.sum(), abs=1e-6)


def test_tallies_add_up() -> None:
    lines = [line("text", 200, "one line")]
    total = Tally()
    for _ in range(3):
        total.add(score_document("a", document(*lines), cells(*lines)))
    assert total.pages == 3
    assert all(total.confusion[name].sum() == 3 * (7 if name == "characters" else 1) for name in WEIGHTINGS)


def test_unusable_pages_are_left_out_and_a_file_that_is_no_truth_is_named(tmp_path: Path) -> None:
    pdf = tmp_path / "a.pdf"
    page: dict[str, Any] = {"page": 1, "width": 1, "height": 1, "elements": []}
    pages = [page, page | {"page": 2, "usable": False}]
    pdf.with_suffix(".json").write_text(json.dumps({"file": "a.pdf", "pages": pages}))
    assert [p.page for p in truth.read(pdf).pages] == [1]
    pdf.with_suffix(".json").write_text('{"pages": 3}')
    with pytest.raises(ConfigError, match=r"a\.json: is no ground truth"):
        truth.read(pdf)


def evaluate(monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str) -> int:
    monkeypatch.setenv("INGEST_HOME", str(folder / "home"))
    monkeypatch.setattr(sys, "argv", ["ingest", "evaluate", "labels", "--truth", str(folder), *more])
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_the_command_scores_the_networks_on_a_folder_and_names_what_it_could_not_convert(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = text_pdf(tmp_path / "good.pdf"), scan_pdf(tmp_path / "scan.pdf")
    body = {"label": "text", "bbox": [72, 400, 520, 757], "text": "x" * 1500}
    for pdf in (good, bad):
        pages = [{"page": 1, "width": 595, "height": 842, "elements": [body]}]
        pdf.with_suffix(".json").write_text(json.dumps({"file": pdf.name, "pages": pages}))
    assert evaluate(monkeypatch, tmp_path, "--json") == 0
    out, err = capsys.readouterr()
    made = json.loads(out)
    assert made["model"].startswith("labels-")
    assert made["collections"]["all"]["missing"] == ["scan.pdf"]
    assert "needs-ocr" in err
    elements = made["collections"][tmp_path.name]["elements"]
    assert (elements["labels"]["text"]["support"], elements["missed"]) == (2, pytest.approx(0.5))
    assert elements["labels"]["text"]["recall"] > 0.4


def test_a_folder_without_truth_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text_pdf(tmp_path / "good.pdf")
    assert evaluate(monkeypatch, tmp_path) == 2
    assert "no PDF with a truth file" in capsys.readouterr().err
