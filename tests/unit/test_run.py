"""Whole runs in a temporary folder: every document ends in one state, and ledger, index and objects agree."""

from __future__ import annotations

import dataclasses
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from docling_core.types.doc.document import DoclingDocument

from ingest.document.records import GOOD, Outcome, RunState, document_id
from ingest.errors import GateFailed, RunError
from ingest.quality.verdict import Verdict
from ingest.scheduling import steps
from ingest.scheduling.batch import BatchResult, Result
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.publish import Listed
from ingest.scheduling.results import read_stored
from ingest.stores import keys
from tests.support.pdfs import blank_pdf, scan_pdf, text_pdf
from tests.support.runs import begin, finish, platform, rows, whole_run


def fill(source: Path) -> None:
    """One document of every kind."""
    text_pdf(source / "good.pdf", 2, seed=1)
    text_pdf(source / "locked.pdf", seed=2, password="secret")
    scan_pdf(source / "scan.pdf")
    blank_pdf(source / "blank.pdf", 2)
    (source / "page.pdf").write_bytes(b"<html><body>404 not found</body></html>")
    (source / "empty.pdf").write_bytes(b"")
    (source / "broken.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<<")
    (source / "sub").mkdir()
    shutil.copy(source / "good.pdf", source / "sub" / "again.pdf")


def test_every_document_ends_in_one_state_with_a_reason_and_the_stores_agree(context: Context, source: Path) -> None:
    fill(source)
    report = whole_run(context, source, "run-1")
    found = rows(context)
    assert {path: (r.outcome, r.code) for path, r in found.items()} == {
        "good.pdf": (Outcome.CONVERTED, ""),
        "locked.pdf": (Outcome.REJECTED, "encrypted"),
        "scan.pdf": (Outcome.REJECTED, "needs-ocr"),
        "blank.pdf": (Outcome.REJECTED, "no-text"),
        "page.pdf": (Outcome.REJECTED, "not-a-pdf"),
        "empty.pdf": (Outcome.REJECTED, "not-a-pdf"),
        "broken.pdf": (Outcome.REJECTED, "broken-pdf"),
        "sub/again.pdf": (Outcome.DUPLICATE, "duplicate"),
    }
    assert all(r.reason for r in found.values() if r.outcome is not Outcome.CONVERTED)
    assert "locked.pdf" in found["locked.pdf"].reason
    counts = report.documents
    assert (counts.discovered, counts.converted, counts.rejected, counts.duplicate) == (8, 1, 6, 1)
    assert counts.discovered == sum(getattr(counts, outcome.value) for outcome in Outcome)
    assert report.good
    assert context.ledger.runs("test")[0].state is RunState.PUBLISHED
    good = found["good.pdf"]
    assert context.index().published("test") == {good.doc_id: (good.sha256, good.fingerprint)}
    document = DoclingDocument.model_validate_json(context.objects.get(good.result_key))
    assert "Observations of station 2" in document.export_to_markdown()
    (hit, *_) = context.index().search("observations station", collection="test")
    assert (hit.path, hit.page) == ("good.pdf", 1)
    assert report.pages.converted == 2
    assert report.effective_pages_per_s > 0
    assert report.cpu_s > sum(report.stage_cpu_s.values()) > 0


def test_the_same_again_converts_nothing_and_says_so(context: Context, source: Path) -> None:
    fill(source)
    whole_run(context, source, "run-1")
    before = {o.key: o.mtime_ms for o in context.objects.list("documents/")}
    report = whole_run(context, source, "run-2")
    assert (report.documents.discovered, report.documents.unchanged) == (8, 8)
    assert (report.documents.published, report.documents.removed, report.pages.converted) == (0, 0, 0)
    assert report.good
    assert {o.key: o.mtime_ms for o in context.objects.list("documents/")} == before
    assert rows(context)["good.pdf"].changed_run == "run-1"


def test_what_is_new_changed_or_gone_is_followed(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    text_pdf(source / "c.pdf", seed=3)
    whole_run(context, source, "run-1")
    text_pdf(source / "b.pdf", 2, seed=20)
    (source / "c.pdf").unlink()
    text_pdf(source / "d.pdf", seed=4)
    report = whole_run(context, source, "run-2")
    counts = report.documents
    assert (counts.discovered, counts.converted, counts.unchanged) == (3, 2, 1)
    assert (counts.published, counts.removed) == (2, 1)
    published = context.index().published("test")
    assert set(published) == {document_id("test", name) for name in ("a.pdf", "b.pdf", "d.pdf")}
    assert rows(context)["c.pdf"].published_run == ""


def test_touching_a_file_without_changing_it_converts_nothing(context: Context, source: Path) -> None:
    path = text_pdf(source / "a.pdf", seed=1)
    whole_run(context, source, "run-1")
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)
    assert whole_run(context, source, "run-2").documents.unchanged == 1


def test_force_converts_again(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    whole_run(context, source, "run-1")
    report = whole_run(context, source, "run-2", force=True)
    assert (report.documents.converted, report.documents.unchanged) == (1, 0)
    assert report.pages.converted == 1


def test_when_the_first_of_two_equal_documents_goes_the_other_takes_its_place(context: Context, source: Path) -> None:
    first = text_pdf(source / "a.pdf", seed=1)
    shutil.copy(first, source / "b.pdf")
    whole_run(context, source, "run-1")
    first.unlink()
    report = whole_run(context, source, "run-2")
    assert (report.documents.converted, report.documents.published, report.documents.removed) == (1, 1, 1)
    assert set(context.index().published("test")) == {document_id("test", "b.pdf")}


def test_a_long_document_in_shards_is_byte_for_byte_the_whole_one(tmp_path: Path, source: Path) -> None:
    text_pdf(source / "long.pdf", 40, seed=5)
    outputs = []
    for name, shard_pages in (("whole", 64), ("shards", 16)):
        with platform(tmp_path / name, shard_pages=shard_pages) as context:
            run = begin(context, source, "run-1")
            # counting pages is left to large files; here the plan is told
            files = RunFiles(context.objects, "test", "run-1")
            entries = list(files.inventory())
            entries[0].pages = 40
            files.write_lines("inventory.jsonl", entries)
            report = finish(context, run)
            plan = files.plan()
            assert plan.shards == (3 if name == "shards" else 0)
            assert report.documents.converted == 1
            assert report.pages.converted == 40
            record = rows(context)["long.pdf"]
            outputs.append(context.objects.get(record.result_key))
            assert not list(context.objects.list(keys.content_folder(record.sha256) + "/shards/"))
    assert outputs[0] == outputs[1]


def test_a_batch_without_a_result_costs_its_documents_an_outcome_and_not_their_existence(
    context: Context, source: Path
) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    steps.run_plan(context, run, workers=1)
    merged = steps.run_merge(context, run)
    assert merged.missing == 1
    record = rows(context)["a.pdf"]
    assert (record.outcome, record.code) == (Outcome.FAILED, "batch-lost")
    assert "batch (0001)" in record.reason
    report = whole_run(context, source, "run-2")
    assert report.documents.converted == 1, "what failed is tried again by the next run"


def test_a_run_that_stopped_half_way_reports_what_it_did_not_reach(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    report = steps.run_report(context, run)
    assert not report.good
    assert (report.documents.discovered, report.documents.failed) == (1, 1)
    assert report.reasons == {"failed": {"not-reached": 1}}
    assert context.ledger.runs("test")[0].state is RunState.FAILED


def test_a_repeated_batch_finds_its_result(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    (batch,) = steps.run_plan(context, run, workers=1).batches
    first = steps.run_worker(context, batch.key)
    assert steps.run_worker(context, batch.key) == first


def test_a_retried_batch_does_not_do_again_what_was_finished(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    run = begin(context, source, "run-1")
    (batch,) = steps.run_plan(context, run, workers=1).batches
    steps.run_worker(context, batch.key)
    result_key = keys.result_of(batch.key)
    context.objects.delete(result_key)  # the worker died just before it wrote its result
    again = steps.run_worker(context, batch.key, attempt=2)
    assert [r.reused for r in again.results] == [True, True]
    assert [r.outcome for r in again.results] == [Outcome.CONVERTED] * 2


def test_of_two_workers_at_one_batch_the_first_to_end_counts(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    (batch,) = steps.run_plan(context, run, workers=1).batches
    first: list[BatchResult] = []

    def taken_for_dead(_: Result) -> None:
        """The other worker ends while this one is at its last document."""
        if not first:
            first.append(steps.run_worker(context, batch.key))

    with ThreadPoolExecutor(1) as other:
        second = steps.run_worker(
            context, batch.key, progress=lambda result: other.submit(taken_for_dead, result).result()
        )
    assert second == first[0]
    assert rows(context)["a.pdf"].updated_ms == first[0].results[0].finished_ms
    assert rows(context)["a.pdf"].outcome is Outcome.CONVERTED


def test_of_two_workers_at_one_document_the_first_to_store_it_counts(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    (batch,) = steps.run_plan(context, run, workers=1).batches
    rival: list[Result] = []

    class Raced:
        """The object store, when another worker stores the document's result just before this one does."""

        def __getattr__(self, name: str) -> Any:
            return getattr(context.objects, name)

        def put(self, key: str, data: bytes, *, if_absent: bool = False) -> bool:
            if key.endswith("/result.json"):
                result = msgspec.json.decode(data, type=Result)
                assert result.facts is not None
                result.facts["cpu_s"] = 12345.0
                rival.append(result)
                context.objects.put(key, msgspec.json.encode(result))
            return context.objects.put(key, data, if_absent=if_absent)

    raced = dataclasses.replace(context, objects=Raced())
    (result,) = steps.run_worker(raced, batch.key).results
    assert (result.facts, result.reused) == (rival[0].facts, True)
    stored = read_stored(context.objects, result.sha256, run.fingerprints.document)
    assert stored is not None
    assert stored.facts == rival[0].facts


def test_a_document_at_which_a_worker_died_fails_alone(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    run = begin(context, source, "run-1")
    (batch,) = steps.run_plan(context, run, workers=1).batches
    context.objects.put(keys.suspect(batch.key, document_id("test", "a.pdf")), b"")  # left by a second attempt
    results = steps.run_worker(context, batch.key, attempt=3).results
    outcomes = {r.path: (r.outcome, r.code) for r in results}
    assert outcomes == {"a.pdf": (Outcome.FAILED, "crashed"), "b.pdf": (Outcome.CONVERTED, "")}


def test_a_failed_gate_publishes_nothing_and_the_run_is_not_good(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    verdict = steps.run_gate(context, run)
    verdict.passed = False
    RunFiles(context.objects, "test", "run-1").write("gate.json", verdict)
    with pytest.raises(GateFailed, match="nothing is published"):
        steps.run_publish(context, run)
    assert context.index().published("test") == {}
    assert not steps.run_report(context, run).good
    assert context.ledger.runs("test")[0].state is RunState.BLOCKED


def test_a_document_that_breaks_a_check_of_its_own_is_quarantined_and_the_rest_is_published(
    context: Context, source: Path
) -> None:
    for k in range(3):
        text_pdf(source / f"{k}.pdf", seed=k)
    run = begin(context, source, "run-1")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    files = RunFiles(context.objects, "test", "run-1")
    outcomes = list(files.outcomes())
    assert outcomes[0].facts is not None
    outcomes[0].facts["boxes_ok"] = False
    files.write_lines("outcomes.jsonl", outcomes)
    for _ in range(2):  # the step may be repeated
        verdict = steps.run_gate(context, run)
        assert verdict.passed
        assert list(verdict.quarantine) == [outcomes[0].doc_id]
    steps.run_publish(context, run)
    held = rows(context)[outcomes[0].path]
    assert (held.outcome, held.published_run) == (Outcome.QUARANTINED, "")
    assert held.doc_id not in context.index().published("test")
    report = steps.run_report(context, run)
    assert (report.documents.quarantined, report.documents.converted, report.documents.published) == (1, 2, 2)
    assert any(o.key.endswith("index.html") for o in context.objects.list("runs/test/run-1/data_docs/"))


def test_what_is_wrong_in_a_stored_document_is_found_before_it_is_published(context: Context, source: Path) -> None:
    text_pdf(source / "old.pdf", seed=9)
    whole_run(context, source, "run-1")
    for k in range(3):
        text_pdf(source / f"{k}.pdf", seed=k)
    run = begin(context, source, "run-2")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    bad = rows(context)["1.pdf"]
    document = msgspec.json.decode(context.objects.get(bad.result_key))
    document["texts"][0]["prov"][0]["bbox"]["r"] = 9999
    context.objects.put(bad.result_key, msgspec.json.encode(document))
    verdict = steps.run_gate(context, run)
    assert set(verdict.audited) == {document_id("test", f"{k}.pdf") for k in range(3)}  # the old one was, in its run
    assert list(verdict.quarantine) == [bad.doc_id]
    assert "audit-boxes" in verdict.quarantine[bad.doc_id]
    steps.run_publish(context, run)
    assert set(context.index().published("test")) == {
        document_id("test", name) for name in ("old.pdf", "0.pdf", "2.pdf")
    }


@pytest.mark.parametrize(
    "damaged", [b'{"schema_name": "Docl', b'{"body": {"children": [{"$ref": "#/texts/0"}]}}', b"[]"]
)
def test_a_document_that_cannot_be_read_back_is_not_published_and_the_rest_is(
    context: Context, source: Path, damaged: bytes
) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    whole_run(context, source, "run-1")
    text_pdf(source / "b.pdf", seed=3)
    text_pdf(source / "c.pdf", seed=4)
    run = begin(context, source, "run-2")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    assert steps.run_gate(context, run).passed
    context.objects.put(rows(context)["b.pdf"].result_key, damaged)
    for _ in range(2):  # published again, it says the same
        steps.run_publish(context, run)
        report = steps.run_report(context, run)
        b = rows(context)["b.pdf"]
        assert (b.outcome, b.code, b.published_run) == (Outcome.FAILED, "invalid-output", "")
        assert b.reason.startswith("b.pdf: ")
        assert report.unpublished == {b.doc_id: b.reason}
        assert (report.documents.failed, report.reasons) == (1, {"failed": {"invalid-output": 1}})
        # its older version is gone with this publish too: readers find what this run's documents are
        published = {document_id("test", name) for name in ("a.pdf", "c.pdf")}
        assert set(context.index().published("test")) == published
        files = RunFiles(context.objects, "test", "run-2")
        assert {d.doc_id for d in files.read_lines("published.jsonl", Listed, "publish")} == published


def test_a_publish_that_was_cut_off_is_healed_by_the_next(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    whole_run(context, source, "run-1")
    # the index was written and the ledger was not
    record = rows(context)["a.pdf"]
    record.published_run = ""
    context.ledger.upsert([record])
    run = begin(context, source, "run-2")
    finish(context, run)
    assert rows(context)["a.pdf"].published_run == "run-2"
    assert len(context.index().published("test")) == 1


def test_a_step_whose_predecessor_has_not_run_names_it(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    with pytest.raises(RunError, match="`ingest plan` writes it"):
        steps.run_merge(context, run)
    with pytest.raises(RunError, match="has no run"):
        steps.find_run(context, "other", None)


def test_an_empty_source_is_a_good_run_with_nothing_in_it(context: Context, source: Path) -> None:
    report = whole_run(context, source, "run-1")
    assert report.good
    assert report.documents.discovered == 0


def test_facts_of_unchanged_documents_stay_in_the_gate(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    whole_run(context, source, "run-1")
    text_pdf(source / "b.pdf", seed=2)
    whole_run(context, source, "run-2")
    verdict = msgspec.json.decode(context.objects.get("runs/test/run-2/gate.json"), type=Verdict)
    assert verdict.checked == 2
    assert all(r.outcome in GOOD for r in context.ledger.documents("test"))
