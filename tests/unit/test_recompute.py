"""What is run again when a version changes: that stage and what follows, nothing else. Counted by stage."""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document.records import Outcome
from ingest.scheduling import steps
from ingest.scheduling.context import Context
from ingest.scheduling.discover import Discovered
from ingest.scheduling.files import RunFiles
from ingest.scheduling.report import Report
from ingest.scheduling.stages import KEPT, VERSIONS_OF, changes, fingerprints
from ingest.stores import keys
from tests.support.pdfs import scan_pdf, text_pdf
from tests.support.runs import begin, finish, platform

CHAIN = (*KEPT, "document")


def with_versions(context: Context, **changed: str) -> Context:
    """The same platform, of a release in which these versions are others."""
    real = context.versions

    async def versions(models: Mapping[str, str]) -> dict[str, str]:
        return await real(models) | changed

    return dataclasses.replace(context, versions=versions)


def run_counted(context: Context, source: Path, run_id: str) -> tuple[Counter[str], Discovered, Report]:
    """(documents by stage that was run for them, what discover said, report)."""
    run = begin(context, source, run_id)
    report = finish(context, run)
    discovered = RunFiles(context.objects, "test", run_id).read("discover.json", Discovered, "discover")
    return stages_run(context, run_id), discovered, report


def stages_run(context: Context, run_id: str) -> Counter[str]:
    """Documents by stage that was run for them."""
    ran: Counter[str] = Counter()
    for result in RunFiles(context.objects, "test", run_id).outcomes():
        ran.update(
            stage for stage in ("parse", "render", "layout", "labels", "assemble") if stage in result.usage.stage_s
        )
    return ran


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    text_pdf(folder / "a.pdf", 2, seed=1)
    text_pdf(folder / "b.pdf", 1, seed=2)
    scan_pdf(folder / "scan.pdf")
    return folder


@pytest.mark.parametrize(
    ("changed", "ran", "stale"),
    [
        ({"labels": "labels-new"}, {"labels": 2, "assemble": 2}, "labels"),
        ({"features": "features-new"}, {"labels": 2, "assemble": 2}, "labels"),
        ({"assemble": "assemble-new"}, {"assemble": 2}, "document"),
        ({"layout": "layout-new"}, {"render": 2, "layout": 2, "labels": 2, "assemble": 2}, "layout"),
    ],
)
def test_a_new_version_runs_its_stage_and_what_follows(
    tmp_path: Path, source: Path, changed: dict[str, str], ran: dict[str, int], stale: str
) -> None:
    with platform(tmp_path / "home") as context:
        run_counted(context, source, "run-1")
        counted, discovered, report = run_counted(with_versions(context, **changed), source, "run-2")
        assert counted == ran
        assert discovered.recompute == {stale: 2}
        (name, version), *_ = changed.items()
        assert len(discovered.why) == 1
        assert discovered.why[0].startswith(f"{name}: ")
        assert discovered.why[0].endswith(f" -> {version}")
        # the scan was rejected by a stage that has not changed
        assert (report.documents.converted, report.documents.unchanged) == (2, 1)
        assert report.documents.published == 2


def test_each_version_in_turn_runs_its_stage_and_what_follows(tmp_path: Path, source: Path) -> None:
    steps_of = {"parse": ["parse"], "layout": ["render", "layout"], "labels": ["labels"], "document": ["assemble"]}
    changed: dict[str, str] = {}
    with platform(tmp_path / "home") as context:
        run_counted(context, source, "first")
        for stage, names in VERSIONS_OF.items():
            following = [step for later in CHAIN[CHAIN.index(stage) :] for step in steps_of[later]]
            for name in (*names, "figures") if stage == "document" else names:
                changed[name] = f"{name}-new"
                newer = with_versions(context, **changed)
                run = begin(newer, source, f"run-{name}")
                for batch in steps.run_plan(newer, run, workers=1).batches:
                    steps.run_worker(newer, batch.key)
                steps.run_merge(newer, run)
                rejected = {"layout": 3} if stage == "parse" else {}  # the scan is opened again, too
                assert stages_run(newer, run.run_id) == dict.fromkeys(following, 2) | rejected, name


def test_a_new_parser_runs_everything_and_opens_again_what_was_rejected(tmp_path: Path, source: Path) -> None:
    with platform(tmp_path / "home") as context:
        run_counted(context, source, "run-1")
        counted, discovered, report = run_counted(with_versions(context, parse="parse-new"), source, "run-2")
        assert counted["parse"] == 2
        assert discovered.recompute == {"parse": 2}
        assert (report.documents.converted, report.documents.rejected) == (2, 1)


def test_recomputed_documents_are_those_of_a_fresh_start(tmp_path: Path, source: Path) -> None:
    """Labelled again from kept pages, a document is byte for byte what converting it anew gives."""
    outputs = []
    for name, runs in (("kept", [{}, {"labels": "labels-new"}]), ("fresh", [{"labels": "labels-new"}])):
        with platform(tmp_path / name) as context:
            for number, changed in enumerate(runs):
                run_counted(with_versions(context, **changed), source, f"run-{number}")
            good = [r for r in context.ledger.documents("test") if r.outcome is Outcome.CONVERTED]
            outputs.append({r.path: context.objects.get(r.result_key) for r in good})
    assert outputs[0] == outputs[1]


def test_kept_pages_spare_the_source_a_download(tmp_path: Path, source: Path) -> None:
    with platform(tmp_path / "home") as context:
        run_counted(context, source, "run-1")
        newer = with_versions(context, labels="labels-new")
        run = begin(newer, source, "run-2")
        made = steps.run_plan(newer, run, workers=1)
        for path in source.iterdir():
            path.write_bytes(b"nobody may read this any more")
        for batch in made.batches:
            results = steps.run_worker(newer, batch.key).results
            assert {r.outcome for r in results} == {Outcome.CONVERTED}


def test_what_is_kept_and_gone_is_made_again(tmp_path: Path, source: Path) -> None:
    with platform(tmp_path / "home") as context:
        run_counted(context, source, "run-1")
        record = next(r for r in context.ledger.documents("test") if r.path == "a.pdf")
        context.objects.delete(keys.kept(record.sha256, "parse", record.stage_parse))
        counted, _, report = run_counted(with_versions(context, labels="labels-new"), source, "run-2")
        assert report.documents.converted == 2
        assert counted["parse"] == 1


def test_what_is_kept_of_bytes_serves_under_every_name(tmp_path: Path, source: Path) -> None:
    with platform(tmp_path / "home") as context:
        shutil.copy(source / "b.pdf", source / "c.pdf")
        run_counted(context, source, "run-1")
        shutil.copy(source / "a.pdf", source / "0.pdf")  # sorts before it, and so stands for both from now on
        (source / "b.pdf").rename(source / "d.pdf")  # so c.pdf stands for both
        counted, _, report = run_counted(with_versions(context, labels="labels-new"), source, "run-2")
        assert counted == {"labels": 2, "assemble": 2}
        assert (report.documents.converted, report.documents.duplicate) == (2, 2)


@given(st.sampled_from([name for names in VERSIONS_OF.values() for name in names]))
def test_a_version_changes_the_fingerprints_of_its_stage_and_of_those_after_it(name: str) -> None:
    before = {n: "1" for names in VERSIONS_OF.values() for n in names}
    old, new = fingerprints(before), fingerprints(before | {name: "2"})
    first = next(k for k, stage in enumerate(CHAIN) if name in VERSIONS_OF[stage])
    for k, stage in enumerate(CHAIN):
        assert (getattr(old, stage) != getattr(new, stage)) == (k >= first), stage


def test_a_further_model_changes_the_document_alone() -> None:
    old, new = fingerprints({"parse": "1"}), fingerprints({"parse": "1", "figures": "figures-1"})
    assert [getattr(old, s) == getattr(new, s) for s in CHAIN] == [True, True, True, False]


def test_changes_are_said_in_words() -> None:
    assert changes({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"}) == ["b: 2 -> 3", "c: none -> 4"]
