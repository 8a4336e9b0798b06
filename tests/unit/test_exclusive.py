"""One run of a collection at a time, over steps that are processes of their own; abandoned runs are overcome."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.document.records import RunState
from ingest.errors import Conflict, GateFailed, RunError, SourceError
from ingest.scheduling import operate, steps
from ingest.scheduling.batch import RunFile, RunOptions
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.stores import keys
from tests.support.pdfs import text_pdf
from tests.support.runs import finish, platform, whole_run

Verb = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    text_pdf(folder / "a.pdf", seed=1)
    return folder


@pytest.fixture
def verb(tmp_path: Path) -> Verb:
    """A step in a process of its own."""

    def run(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "ingest", *arguments],
            env=os.environ | {"INGEST_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stderr
        return done

    return run


def leased(context: Context, source: Path, run_id: str, *, take_over: bool = False) -> RunFile:
    """A run whose steps are processes of their own, discovered."""
    options = RunOptions(strictness="lenient")
    run = steps.begin(context, "test", str(source), run_id=run_id, options=options, lease=True, take_over=take_over)
    steps.run_discover(context, run)
    return run


def holders(context: Context) -> list[str]:
    return [hold.owner for hold in context.ledger.holders("test")]


def test_processes_of_one_run_follow_one_another_and_no_other_run_comes_between(
    source: Path, tmp_path: Path, verb: Verb
) -> None:
    arguments = ("discover", "-c", "test", "--source", str(source), "--strictness", "lenient")
    verb(*arguments, "--run-id", "run-1")
    planned = json.loads(verb("plan", "-c", "test", "--json").stdout)
    refused = verb(*arguments, "--run-id", "run-2", status=1)
    assert "collection 'test' is held by run 'run-1' (between its steps) until" in refused.stderr
    assert "--take-over" in refused.stderr
    assert "held by run 'run-1'" in verb("status", "-c", "test").stdout
    verb("rollback", "-c", "test", status=1)
    with platform(tmp_path / "home") as context:
        steps.run_worker(context, planned["batches"][0]["key"])
        assert holders(context) == ["run-1"]
    assert "taken from run 'run-1'" in verb("unlock", "-c", "test").stdout
    assert "nobody holds test" in verb("unlock", "-c", "test").stdout


def test_a_run_that_is_refused_leaves_no_trace(context: Context, source: Path) -> None:
    leased(context, source, "run-1")
    with pytest.raises(Conflict):
        leased(context, source, "run-2")
    assert [r.run_id for r in context.ledger.runs("test")] == ["run-1"]
    assert holders(context) == ["run-1"]


def test_a_run_whose_discover_fails_lets_go(context: Context, source: Path) -> None:
    run = steps.begin(context, "test", str(source), run_id="run-1", lease=True)
    assert holders(context) == ["run-1"]
    (source / "a.pdf").unlink()
    source.rmdir()
    with pytest.raises(SourceError):
        steps.run_discover(context, run)
    assert holders(context) == []


def test_a_run_that_cannot_go_on_lets_go_and_one_that_can_be_retried_does_not(context: Context, source: Path) -> None:
    run = leased(context, source, "run-1")
    for batch in steps.run_plan(context, run, workers=1).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    verdict = steps.run_gate(context, run)
    assert holders(context) == ["run-1"]
    verdict.passed = False
    RunFiles(context.objects, "test", "run-1").write("gate.json", verdict)
    with pytest.raises(GateFailed):
        steps.run_publish(context, run)
    assert holders(context) == []
    assert not steps.run_report(context, run).good


def test_an_abandoned_run_is_taken_over_and_cannot_go_on(context: Context, source: Path) -> None:
    old = leased(context, source, "run-1")
    batches = steps.run_plan(context, old, workers=1).batches
    text_pdf(source / "b.pdf", seed=2)
    new = leased(context, source, "run-2", take_over=True)
    with pytest.raises(Conflict, match="held by run 'run-2'"):
        steps.run_worker(context, batches[0].key)
    assert finish(context, new).good
    published = context.index().published("test")
    assert len(published) == 2
    for step in (
        lambda: steps.run_worker(context, batches[0].key),
        lambda: steps.run_discover(context, old),
        lambda: steps.run_merge(context, old),
        lambda: steps.run_gate(context, old),
        lambda: steps.run_publish(context, old),
    ):
        with pytest.raises(RunError, match="run run-1 of 'test' cannot go on: another run has listed the source"):
            step()
    assert context.index().published("test") == published
    assert {r.run_id: r.state for r in context.ledger.runs("test")} == {
        "run-1": RunState.FAILED,
        "run-2": RunState.PUBLISHED,
    }
    assert holders(context) == []


def test_a_lease_that_nobody_prolongs_is_over_in_time(tmp_path: Path, source: Path) -> None:
    with platform(tmp_path / "home", lease_s=0.001) as context:
        leased(context, source, "run-1")
        assert finish(context, leased(context, source, "run-2")).good


def test_the_report_of_a_run_stays_as_it_was_when_another_has_listed_the_source(context: Context, source: Path) -> None:
    run = steps.find_run(context, "test", whole_run(context, source, "run-1").run_id)
    text_pdf(source / "b.pdf", seed=2)
    whole_run(context, source, "run-2")
    report = steps.run_report(context, run)
    assert (report.good, report.documents.discovered, report.documents.converted) == (True, 1, 1)
    assert context.objects.stat(keys.run_file("test", "run-1", "report.json")) is not None


def test_between_runs_a_document_is_released_and_published_without_a_lease(context: Context, source: Path) -> None:
    whole_run(context, source, "run-1")
    assert operate.release(context, "test", None) == []
    steps.run_publish(context, steps.find_run(context, "test", None))
    assert holders(context) == []
