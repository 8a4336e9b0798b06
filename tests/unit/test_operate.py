"""What operators do between runs: rollback, rebuild, release from quarantine, provenance."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ingest.document.records import DocumentRecord, Outcome, RunRecord, RunState, document_id
from ingest.errors import ConfigError, NotFound, RunError
from ingest.scheduling import check, operate, publish, steps
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.stores import keys
from tests.support.pdfs import text_pdf
from tests.support.runs import begin, finish, whole_run


def row(context: Context, path: str) -> DocumentRecord:
    return context.ledger.get("test", [document_id("test", path)])[document_id("test", path)]


def test_a_rollback_gives_readers_the_run_before_and_the_next_run_goes_on(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    whole_run(context, source, "run-1")
    before = context.index().published("test")
    text_pdf(source / "a.pdf", 3, seed=11)
    (source / "b.pdf").unlink()
    text_pdf(source / "c.pdf", seed=3)
    whole_run(context, source, "run-2")
    after = context.index().published("test")
    assert after != before

    run_id, published = operate.rollback(context, "test")
    assert (run_id, published.written, published.removed) == ("run-1", 2, 1)
    assert context.index().published("test") == before
    assert {r.run_id: r.state for r in context.ledger.runs("test")} == {
        "run-1": RunState.PUBLISHED,
        "run-2": RunState.ROLLED_BACK,
    }
    assert row(context, "c.pdf").published_run == ""
    with pytest.raises(RunError, match="none to go back to"):
        operate.rollback(context, "test")

    report = whole_run(context, source, "run-3")
    assert report.documents.unchanged == 2
    assert context.index().published("test") == after


def test_a_rebuild_gives_the_same_index(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    whole_run(context, source, "run-1")
    before = context.index().published("test")
    run = steps.find_run(context, "test", None)
    published = steps.run_publish(context, run, rebuild=True)
    assert (published.written, published.total) == (2, 2)
    assert context.index().published("test") == before
    assert len(context.index().search("observations", collection="test")) >= 2


def test_a_released_document_is_published_and_not_held_again(context: Context, source: Path) -> None:
    for k in range(3):
        text_pdf(source / f"{k}.pdf", seed=k)
    run = begin(context, source, "run-1")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    files = RunFiles(context.objects, "test", "run-1")
    outcomes = list(files.outcomes())
    for result in outcomes:
        if result.path == "1.pdf":
            assert result.facts is not None
            result.facts["boxes_ok"] = False
    files.write_lines("outcomes.jsonl", outcomes)
    steps.run_gate(context, run)
    steps.run_publish(context, run)
    assert row(context, "1.pdf").outcome is Outcome.QUARANTINED

    with pytest.raises(ConfigError, match=r"not in quarantine in 'test': 0\.pdf"):
        operate.release(context, "test", ["0.pdf"])
    assert [r.path for r in operate.release(context, "test", ["1.pdf"])] == ["1.pdf"]
    steps.run_publish(context, run)
    assert document_id("test", "1.pdf") in context.index().published("test")
    verdict = steps.run_gate(context, run)
    assert verdict.quarantine == {}
    assert row(context, "1.pdf").outcome is Outcome.CONVERTED
    assert operate.release(context, "test", None) == []


def test_a_collection_of_which_everything_was_released_is_not_held_again(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    files = RunFiles(context.objects, "test", "run-1")
    (result,) = files.outcomes()
    assert result.facts is not None
    result.facts["boxes_ok"] = False
    files.write_lines("outcomes.jsonl", [result])
    assert not steps.run_gate(context, run).passed  # nothing is left to publish
    assert operate.release(context, "test", None)
    verdict = steps.run_gate(context, run)
    assert (verdict.passed, verdict.quarantine, verdict.failed_expectations) == (True, {}, [])
    steps.run_publish(context, run)
    assert len(context.index().published("test")) == 1


def test_from_a_search_hit_one_gets_to_its_origin(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", 2, seed=1)
    whole_run(context, source, "run-1")
    hit = next(h for h in context.index().search("observations", collection="test") if h.page == 2)
    told = operate.trace(context, "test", hit.doc_id, hit.ref)
    assert told["source"] == str(source)
    assert told["document"]["path"] == "a.pdf"
    assert told["document"]["sha256"] == hit.sha256
    assert told["converted_by"]["run_id"] == "run-1"
    assert told["converted_by"]["versions"]["labels"].startswith("labels-")
    assert all(context.objects.stat(key) for key in told["kept"].values())
    assert set(told["kept"]) == {"parse", "layout", "labels"}
    item = told["item"]
    assert "Observations of station" in item["text"]
    assert item["places"][0]["page"] == 2
    assert item["cells"]
    assert 0 < item["score"] <= 1
    assert operate.trace(context, "test", "a.pdf")["document"]["doc_id"] == hit.doc_id
    with pytest.raises(NotFound, match="has no item"):
        operate.trace(context, "test", "a.pdf", "#/texts/999")
    with pytest.raises(NotFound, match=r"has no document 'z\.pdf'"):
        operate.trace(context, "test", "z.pdf")


def test_what_readers_find_is_traced_while_the_ledger_has_something_newer(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", 3, seed=1)
    whole_run(context, source, "run-1")
    first = row(context, "a.pdf")
    hit = next(h for h in context.index().search("observations", collection="test") if h.page == 3)
    text_pdf(source / "a.pdf", 1, seed=2)
    run = begin(context, source, "run-2")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)

    def check() -> None:
        told = operate.trace(context, "test", hit.doc_id, hit.ref)
        assert row(context, "a.pdf").sha256 != first.sha256
        assert told["published"]["sha256"] == hit.sha256 == first.sha256
        assert told["published"]["run_id"] == told["converted_by"]["run_id"] == "run-1"
        assert told["item"]["places"][0]["page"] == 3
        assert told["kept"] == {}

    check()  # converted, not published yet
    steps.run_gate(context, run)
    steps.run_publish(context, run)
    told = operate.trace(context, "test", hit.doc_id, "#/texts/0")
    assert told["published"]["run_id"] == "run-2"
    assert told["item"]["places"][0]["page"] == 1
    operate.rollback(context, "test")
    check()  # published, and taken back


def test_a_document_that_readers_do_not_find_is_traced_by_its_row(context: Context, source: Path) -> None:
    (source / "bad.pdf").write_bytes(b"no PDF")
    whole_run(context, source, "run-1")
    told = operate.trace(context, "test", "bad.pdf")
    assert told["published"] is None
    assert told["document"]["code"] == "not-a-pdf"
    assert told["converted_by"]["versions"]["parse"]


def test_what_came_of_many_runs_since_does_not_hide_the_run_that_was_published_last(
    context: Context, source: Path
) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    states = {"older": RunState.PUBLISHED, "run-1": RunState.PUBLISHED, "taken-back": RunState.ROLLED_BACK}
    states |= {f"blocked-{n:02d}": RunState.BLOCKED for n in range(60)} | {"now": RunState.PUBLISHED}
    for number, (run_id, state) in enumerate(states.items()):
        context.ledger.put_run(RunRecord(collection="test", run_id=run_id, state=state, started_ms=number))
    published = check.last_published(context, msgspec.structs.replace(run, run_id="now"))
    assert published is not None
    assert published.run_id == "run-1"
    assert [r.run_id for r in publish.published_runs(context, "test")] == ["now", "run-1", "older"]


def test_what_a_run_published_is_listed(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    finish(context, run)
    (line,) = context.objects.get(keys.run_file("test", "run-1", "published.jsonl")).splitlines()
    assert msgspec.json.decode(line)["path"] == "a.pdf"
