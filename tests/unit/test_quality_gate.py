"""The gate on tables of facts: good ones pass, and each check is seen to fail on a table broken in just that way.

A run of Great Expectations costs more than a second, so breakages that do not touch one another share a run: each in
a document, or in a figure, of its own.
"""

from __future__ import annotations

import hashlib
import re
import socket
import tempfile
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from ingest.document.records import Outcome
from ingest.errors import RunError, StoreError
from ingest.quality import suites, tables
from ingest.quality.facts import Facts
from ingest.quality.gate import MAX_OFFENDERS, GateContext, run_gate
from ingest.quality.summary import Summary, summarise
from ingest.quality.thresholds import Thresholds
from ingest.quality.validation import Validator
from ingest.quality.verdict import Verdict

RUN = "scheduled__2026-01-31T04:00:00.5+00:00"


def good(number: int) -> Facts:
    """Facts of a document that breaks no check."""
    return Facts(
        doc_id=f"{number:020x}",
        path=f"folder/{number}.pdf",
        sha256=hashlib.sha256(str(number).encode()).hexdigest(),
        pages=10,
        pages_output=10,
        pages_text=10,
        chars_pdf=20_000,
        chars_output=20_000,
        chars_compared=18_000,
        language="en",
        items=100,
        headings=5,
        has_title=True,
        share_text=0.8,
        share_none=0.2,
        label_score=0.9,
    )


def table(n: int) -> list[Facts]:
    return [good(i) for i in range(n)]


def context(folder: Path, converted: int, **more: Any) -> GateContext:
    counts = {Outcome.CONVERTED: converted, **more.pop("counts", {})}
    return GateContext(collection="c", run_id=RUN, counts=counts, data_docs=folder, **more)


def names(verdict: Verdict) -> set[str]:
    return {finding.expectation for finding in verdict.failed_expectations + verdict.warnings}


class Run(NamedTuple):
    verdict: Verdict
    folder: Path


@pytest.fixture(scope="session")
def good_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """10,000 good documents after a published run, in a process that may neither connect nor write elsewhere."""
    folder = tmp_path_factory.mktemp("good")
    empty = tmp_path_factory.mktemp("empty")
    connections: list[object] = []
    rows = table(10_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", lambda _, address: connections.append(address))
        patch.setenv("HOME", str(empty))
        patch.setattr(tempfile, "tempdir", str(empty))
        patch.chdir(empty)
        verdict = run_gate(rows, context(folder, len(rows), previous=summarise("before", rows[:200])))
    assert connections == []
    assert list(empty.iterdir()) == []
    return Run(verdict, folder)


def test_good_documents_pass(good_run: Run) -> None:
    verdict = good_run.verdict
    assert verdict.passed
    assert names(verdict) == set()
    assert (verdict.quarantine, verdict.skipped, verdict.checked) == ({}, [], 10_000)


def test_the_summary_is_kept_for_the_next_run(good_run: Run) -> None:
    summary = good_run.verdict.summary
    assert summary is not None
    assert (summary.run_id, summary.documents, summary.coverage) == (RUN, 10_000, 1.0)
    assert summary.label_shares["text"] == pytest.approx(0.8)
    assert summary.languages == {"en": 1.0}
    assert (summary.pages_per_document, summary.chars_per_page) == (10, 2000)


def test_a_verdict_survives_json(good_run: Run) -> None:
    verdict = good_run.verdict
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict


# One document each, broken in just one way.
BROKEN_DOCUMENTS: dict[str, dict[str, object]] = {
    "numbers-sound": {"share_title": float("nan")},
    "pages-complete": {"pages_output": 9},
    "pages-accounted": {"pages_text": 9},
    "text-present": {"chars_output": 0},
    "pages-not-silent": {"pages_silent": 1},
    "text-whole": {"text_lost": 0.04},
    "text-once": {"text_doubled": 0.04},
    "text-readable": {"garbage_ratio": 0.2},
    "order-sound": {"order_ok": False},
    "boxes-inside": {"boxes_ok": False},
    "tables-sound": {"tables_ok": False},
}
DOUBTFUL_DOCUMENTS: dict[str, dict[str, object]] = {
    "labels-confident": {"label_score": 0.3},
    "document-needs-no-ocr": {"pages_text": 7, "pages_needs_ocr": 3},
    "document-lost-few-pages": {"pages_text": 9, "pages_lost": 1},
}
TOO_SHORT_TO_JUDGE: dict[str, object] = {"chars_compared": 100, "text_lost": 0.5, "text_doubled": 0.5}


@pytest.fixture(scope="session")
def broken_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """400 documents: one broken in each way, one too short for its coverage to be judged, the rest good."""
    folder = tmp_path_factory.mktemp("broken")
    rows = table(400)
    changes = [*BROKEN_DOCUMENTS.values(), *DOUBTFUL_DOCUMENTS.values(), TOO_SHORT_TO_JUDGE]
    rows[: len(changes)] = [msgspec.structs.replace(row, **c) for row, c in zip(rows, changes, strict=False)]
    return Run(run_gate(rows, context(folder, len(rows))), folder)


@pytest.mark.parametrize("check", BROKEN_DOCUMENTS)
def test_a_broken_document_is_named_and_quarantined(broken_run: Run, check: str) -> None:
    verdict = broken_run.verdict
    offender = good([*BROKEN_DOCUMENTS].index(check)).doc_id
    (finding,) = (f for f in verdict.failed_expectations if f.expectation == check)
    assert (finding.offenders, finding.offenders_total, finding.level) == ([offender], 1, "document")
    assert offender in finding.observed
    assert check in verdict.quarantine[offender]
    assert finding.description in verdict.quarantine[offender]


@pytest.mark.parametrize("check", DOUBTFUL_DOCUMENTS)
def test_a_doubtful_document_is_named_and_published(broken_run: Run, check: str) -> None:
    verdict = broken_run.verdict
    offender = good(len(BROKEN_DOCUMENTS) + [*DOUBTFUL_DOCUMENTS].index(check)).doc_id
    (finding,) = (f for f in verdict.warnings if f.expectation == check)
    assert finding.offenders == [offender]
    assert offender not in verdict.quarantine


def test_few_broken_documents_do_not_block_the_others(broken_run: Run) -> None:
    verdict = broken_run.verdict
    assert verdict.passed
    assert len(verdict.quarantine) == len(BROKEN_DOCUMENTS)
    assert names(verdict) == BROKEN_DOCUMENTS.keys() | DOUBTFUL_DOCUMENTS.keys()


def test_the_summary_leaves_the_quarantine_out(broken_run: Run) -> None:
    summary = broken_run.verdict.summary
    assert summary is not None
    assert summary.documents == 400 - len(BROKEN_DOCUMENTS)


class Scenario(NamedTuple):
    """A run broken as a whole, and which checks must see it."""

    rows: list[Facts]
    counts: dict[Outcome, int]
    previous: Summary | None
    blocks: set[str]
    warns: set[str]


def _identities() -> Scenario:
    rows = table(100)
    rows[1].doc_id = rows[0].doc_id
    rows[3].sha256 = rows[2].sha256
    rows[4].doc_id = ""
    rows[5].sha256 = "not a hash"
    blocks = {"doc-id-unique", "sha256-unique", "doc-id-present", "sha256-valid"}
    return Scenario(rows, {}, None, blocks, set())


def _many_in_quarantine() -> Scenario:
    rows = table(100)
    for row in rows[:6]:
        row.boxes_ok = False
    return Scenario(rows, {}, None, {"quarantined-few"}, set())


def _bad_night() -> Scenario:
    rows = table(100)
    for row in rows:
        row.pages, row.pages_output, row.pages_needs_ocr, row.pages_lost = 100, 100, 26, 3
        row.pages_text = 71
    counts = {Outcome.CONVERTED: 101, Outcome.FAILED: 20, Outcome.REJECTED: 200}
    blocks = {"failed-few", "rows-match-ledger"}
    warns = {"rejected-few", "needs-ocr-few", "lost-few", "document-needs-no-ocr", "document-lost-few-pages"}
    return Scenario(rows, counts, None, blocks, warns)


def _poor_text() -> Scenario:
    rows = table(100)
    for row in rows:
        row.text_lost, row.coverage = 0.02, 0.98
    for row in rows[:60]:
        row.has_title, row.headings, row.language = False, 0, ""
    return Scenario(rows, {}, None, {"coverage-mean"}, {"titles-found", "headings-found", "languages-known"})


def _drift() -> Scenario:
    rows = table(100)
    before = summarise("before", rows)
    for row in rows:
        row.share_text, row.share_list_item, row.language = 0.5, 0.3, "de"
        row.pages = row.pages_output = row.pages_text = 25
    return Scenario(rows, {}, before, {"labels-stable"}, {"labels-steady", "languages-steady", "sizes-steady"})


def _nothing_left() -> Scenario:
    rows = table(1)
    rows[0].order_ok = False
    return Scenario(rows, {}, None, {"something-to-publish"}, set())


SCENARIOS = {f.__name__.strip("_"): f for f in (_identities, _many_in_quarantine, _bad_night, _poor_text, _drift)}
SCENARIOS["nothing_left"] = _nothing_left


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_that_is_broken_as_a_whole_is_blocked(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]()
    given = context(tmp_path, len(scenario.rows), counts=scenario.counts, previous=scenario.previous)
    verdict = run_gate(scenario.rows, given)
    assert not verdict.passed
    assert {f.expectation for f in verdict.failed_expectations if f.level != "document"} == scenario.blocks
    assert {f.expectation for f in verdict.warnings} == scenario.warns
    assert all(f.observed and f.description for f in verdict.failed_expectations + verdict.warnings)
    if name == "drift":
        (labels,) = (f for f in verdict.failed_expectations if f.expectation == "labels-stable")
        assert set(labels.offenders) == {"list-item", "text"}
        (languages,) = (f for f in verdict.warnings if f.expectation == "languages-steady")
        assert set(languages.offenders) == {"en", "de"}


def test_every_check_is_seen_to_fail_here() -> None:
    """Those of elements, and of how many documents have such, are in test_quality_audit.py."""
    limits = Thresholds()
    figures = tables.run_figures(table(1), 0, {})
    checks = [
        *suites.document_checks(limits),
        *suites.identity_checks(),
        *suites.publishable_checks(limits),
        *suites.share_checks(limits),
        *suites.run_checks(limits, figures),
        *suites.drift_checks(limits),
    ]
    seen = BROKEN_DOCUMENTS.keys() | DOUBTFUL_DOCUMENTS.keys()
    for scenario in SCENARIOS.values():
        seen |= scenario().blocks | scenario().warns
    assert {check.name for check in checks} - {"audited-sound"} == seen
    assert len(checks) == len(seen) + 1


def test_documents_that_an_earlier_run_held_back_do_not_count(tmp_path: Path) -> None:
    assert run_gate(table(3), context(tmp_path, 3, counts={Outcome.QUARANTINED: 50})).passed


def test_the_report_names_the_first_offenders_only(tmp_path: Path) -> None:
    rows = table(60)
    for row in rows[:30]:
        row.boxes_ok = False
    verdict = run_gate(rows, context(tmp_path, len(rows)))
    (finding,) = (f for f in verdict.failed_expectations if f.expectation == "boxes-inside")
    assert (len(finding.offenders), finding.offenders_total, len(verdict.quarantine)) == (MAX_OFFENDERS, 30, 30)


def test_one_failure_and_one_quarantine_do_not_block_a_small_run(tmp_path: Path) -> None:
    rows = table(3)
    rows[0].order_ok = False
    verdict = run_gate(rows, context(tmp_path, len(rows), counts={Outcome.FAILED: 1, Outcome.REJECTED: 2}))
    assert verdict.passed
    assert list(verdict.quarantine) == [rows[0].doc_id]
    assert {skipped.checks.split(",")[0] for skipped in verdict.skipped} == {"titles-found", "drift"}


def test_a_run_that_converted_nothing_is_blocked_and_says_so(tmp_path: Path) -> None:
    verdict = run_gate([], context(tmp_path, 0, counts={Outcome.REJECTED: 3}))
    assert not verdict.passed
    assert {f.expectation for f in verdict.failed_expectations} == {"something-to-publish"}
    assert "no document was converted" in verdict.skipped[0].reason
    assert (tmp_path / verdict.data_docs).is_file()


def test_new_documents_that_are_rejected_do_not_block_a_collection_that_has_others(tmp_path: Path) -> None:
    verdict = run_gate([], context(tmp_path, 0, counts={Outcome.REJECTED: 1, Outcome.UNCHANGED: 50}))
    assert verdict.passed
    assert names(verdict) == {"rejected-few"}


@pytest.mark.parametrize("counts", [{}, {Outcome.UNCHANGED: 5}])
def test_nothing_new_passes_and_keeps_the_baseline(tmp_path: Path, counts: dict[Outcome, int]) -> None:
    before = summarise("before", table(60))
    verdict = run_gate([], context(tmp_path / "docs", 0, counts=counts, previous=before))
    assert (verdict.passed, verdict.checked, verdict.data_docs, verdict.summary) == (True, 0, "", before)
    assert "no document" in verdict.skipped[0].reason
    assert not (tmp_path / "docs").exists()


@pytest.mark.parametrize(
    ("now", "before", "reason", "kept"),
    [
        (60, 0, "no published run", RUN),
        (60, 10, "has only 10 documents", RUN),
        (10, 60, "the run has 10 documents", "before"),
    ],
)
def test_drift_is_not_judged_without_enough_documents(
    tmp_path: Path, now: int, before: int, reason: str, kept: str
) -> None:
    previous = summarise("before", table(before)) if before else None
    verdict = run_gate(table(now), context(tmp_path, now, previous=previous))
    assert verdict.passed
    assert reason in verdict.skipped[-1].reason
    assert verdict.summary is not None
    assert verdict.summary.run_id == kept


def test_a_second_attempt_at_the_same_run_replaces_the_first(tmp_path: Path) -> None:
    rows = table(40)
    rows[0].order_ok = False
    first = run_gate(rows, context(tmp_path, 40))
    pages = sorted(p.parts[-4] for p in tmp_path.glob("validations/**/*.html"))
    second = run_gate(rows, context(tmp_path, 40))
    assert sorted(p.parts[-4] for p in tmp_path.glob("validations/**/*.html")) == pages
    assert (first.passed, first.quarantine) == (second.passed, second.quarantine)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag in ("script", "link", "img", "iframe"):
            self.loaded.append(found.get("src") or found.get("href") or "inline")
        elif tag == "a" and found.get("href"):
            self.linked.append(str(found["href"]))


def _pages(folder: Path) -> Iterator[tuple[Path, str]]:
    for page in folder.rglob("*.html"):
        yield page, page.read_text("utf-8")


def test_data_docs_load_nothing_from_anywhere(broken_run: Run) -> None:
    found = list(_pages(broken_run.folder))
    assert len(found) > 5
    for page, html in found:
        links = _Links()
        links.feed(html)
        assert links.loaded == [], page
        assert "url(" not in html
        for link in links.linked:
            target = link.split("#")[0]
            assert not target or (page.parent / target).is_file() or target == "https://greatexpectations.io", link


def test_data_docs_name_the_offenders_and_tell_good_from_bad(broken_run: Run) -> None:
    index = (broken_run.folder / broken_run.verdict.data_docs).read_text("utf-8")
    for number, check in enumerate(BROKEN_DOCUMENTS):
        assert good(number).doc_id in index
        assert good(number).path in index
        assert check in index
    (page,) = broken_run.folder.glob("validations/documents/**/*.html")
    html = page.read_text("utf-8")
    for number in range(1, len(BROKEN_DOCUMENTS)):
        assert good(number).doc_id in html
    assert len(re.findall("fa-times", html)) > len(BROKEN_DOCUMENTS)
    assert "fa-check-circle" in html


def test_data_docs_show_names_as_text(tmp_path: Path) -> None:
    rows = table(30)
    rows[0].path, rows[0].order_ok = "<script>alert(1)</script>.pdf", False
    verdict = run_gate(rows, context(tmp_path, len(rows)))
    assert "&lt;script&gt;" in (tmp_path / verdict.data_docs).read_text("utf-8")
    assert all("<script" not in html for _, html in _pages(tmp_path))


def test_the_gate_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_gate(table(2), context(tmp_path, 2))
    assert capfd.readouterr() == ("", "")


def test_data_docs_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Data Docs cannot be written"):
        run_gate(table(1), context(tmp_path / "file", 1))


def test_a_check_that_cannot_be_judged_is_an_error(tmp_path: Path) -> None:
    columns: dict[str, Sequence[object]] = {"doc_id": ["a"], "coverage": ["no number"]}
    checks = suites.publishable_checks(Thresholds())
    with pytest.raises(RunError, match="coverage-mean"):
        Validator(tmp_path, RUN).run("publishable", columns, checks, index="doc_id")
