"""Runs of the collection DAG that really run: processes, files, ledger, gate and index. Red and green are honest."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ingest.document.records import Outcome, RunState
from ingest.runtime import open_context
from ingest.scheduling import steps
from ingest.scheduling.files import RunFiles
from ingest.scheduling.names import run_id_for
from ingest.scheduling.report import Report

Bag = Callable[..., Any]
Run = Callable[..., Any]
Source = Callable[..., Path]

ALL_GOOD = {
    name: ["success"]
    for name in ("discover", "plan", "convert", "batches_done", "merge", "gate", "publish", "report", "good")
}


@pytest.fixture
def dag(bag: Bag, home: Path) -> Any:
    return bag().dags["ingest_collection"]


def report_of(collection: str, dag_run_id: str) -> Report:
    with open_context() as context:
        found = RunFiles(context.objects, collection, run_id_for(dag_run_id)).find("report.json", Report)
    assert found is not None
    return found


def worker_script(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for the Python that the worker's process is started with."""
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr("ingest_tasks.sys.executable", str(path))


def test_a_run_with_rejected_documents_is_green_and_says_how_many(dag: Any, run_dag: Run, source: Source) -> None:
    folder = source(world="world", broken="broken", locked="encrypted")
    ended = run_dag(dag, collection="papers", source=str(folder))
    assert ended.state == "success"
    assert ended.tasks == ALL_GOOD
    report = report_of("papers", ended.run_id)
    assert report.good
    assert (report.documents.discovered, report.documents.converted, report.documents.rejected) == (3, 1, 2)
    assert report.reasons == {"rejected": {"broken-pdf": 1, "encrypted": 1}}
    with open_context() as context:
        [hit, *_] = context.index().search("細い穴のあいた筒", collection="papers")
        assert (hit.path, hit.page) == ("world.pdf", 1)
        assert context.objects.stat(report.gate.data_docs) is not None

    again = run_dag(dag, collection="papers", source=str(folder))
    assert again.state == "success"
    assert again.tasks == ALL_GOOD | {"convert": ["skipped"]}, "there was nothing to convert; all else ran"
    report = report_of("papers", again.run_id)
    assert report.good
    assert (report.documents.unchanged, report.documents.published) == (3, 0)


def test_batches_are_named_after_what_they_hold_and_names_are_no_templates(
    dag: Any, run_dag: Run, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`{{ 1 % 0 }}` as the name of a file must be taken as it is."""
    monkeypatch.setattr("ingest.scheduling.plan.MIN_BATCH_S", 0.001)
    hostile = "{{ 1 % 0 }} <script>alert(1)<|script>"
    folder = source(**{hostile: "world", "two": "paper-two-column"})
    ended = run_dag(dag, collection="hostile", source=str(folder), workers=2)
    assert ended.state == "success"
    assert ended.tasks["convert"] == ["success", "success"]
    assert sorted(name.partition(" · ")[2] for name in ended.names) == ["two.pdf", f"{hostile}.pdf"]


def test_a_gate_that_fails_makes_the_run_red_and_publishes_nothing(dag: Any, run_dag: Run, source: Source) -> None:
    ended = run_dag(dag, collection="bad", source=str(source(broken="broken", scan="scan")))
    assert ended.state == "failed"
    expected = {"gate": ["failed"], "publish": ["upstream_failed"], "report": ["failed"], "good": ["upstream_failed"]}
    assert ended.tasks == ALL_GOOD | expected
    report = report_of("bad", ended.run_id)
    assert not report.good
    assert report.gate.verdict == "failed"
    assert report.documents.rejected == 2
    with open_context() as context:
        assert context.ledger.runs("bad")[0].state is RunState.BLOCKED
        assert context.index().published("bad") == {}


def test_a_lost_batch_makes_the_run_red_its_documents_fail_and_the_report_is_made(
    bag: Bag, home: Path, run_dag: Run, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dag = bag().dags["ingest_collection"]
    dag.get_task("convert").partial_kwargs["retries"] = 0
    worker_script(tmp_path / "dies", "kill -9 $$", monkeypatch)
    ended = run_dag(dag, collection="lost", source=str(source(world="world", broken="broken")))
    assert ended.state == "failed"
    assert ended.tasks["convert"] == ["failed"]
    assert ended.tasks["merge"] == ["success"]
    assert ended.tasks["good"] == ["upstream_failed"]
    report = report_of("lost", ended.run_id)
    assert report.documents.failed == 2
    assert report.reasons == {"failed": {"batch-lost": 2}}


def test_a_worker_that_died_is_tried_again_one_document_at_a_time(
    bag: Bag, home: Path, run_dag: Run, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dag = bag().dags["ingest_collection"]
    dag.get_task("convert").partial_kwargs["retry_delay"] = timedelta(0)
    script = f'case "$*" in *"--attempt 1"*) kill -9 $$;; esac\nexec {sys.executable} "$@"'
    worker_script(tmp_path / "dies-once", script, monkeypatch)
    ended = run_dag(dag, collection="again", source=str(source(world="world")))
    assert ended.state == "success"
    assert ended.attempts["convert"] == 2
    assert report_of("again", ended.run_id).documents.converted == 1


def test_a_source_that_is_not_there_fails_at_once_and_nothing_else_runs(dag: Any, run_dag: Run, tmp_path: Path) -> None:
    ended = run_dag(dag, collection="nowhere", source=str(tmp_path / "missing"))
    assert ended.state == "failed"
    assert ended.attempts["discover"] == 1, "a retry could not help"
    assert ended.tasks["merge"] == ended.tasks["gate"] == ended.tasks["publish"] == ["upstream_failed"]
    assert not (tmp_path / "home" / "index").exists()


def test_a_forced_run_converts_again(dag: Any, run_dag: Run, source: Source) -> None:
    folder = source(world="world")
    run_dag(dag, collection="forced", source=str(folder))
    ended = run_dag(dag, collection="forced", source=str(folder), force=True, strictness="lenient")
    report = report_of("forced", ended.run_id)
    assert report.documents.converted == 1
    with open_context() as context:
        run = RunFiles(context.objects, "forced", run_id_for(ended.run_id)).run()
        [record] = context.ledger.documents("forced")
    assert run.options.force
    assert run.options.strictness == "lenient"
    assert record.outcome is Outcome.CONVERTED


def test_a_collection_has_one_run_at_a_time_from_discover_to_report(
    dag: Any, run_dag: Run, source: Source, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = source(world="world")
    with open_context() as context:
        other = steps.begin(context, "busy", str(folder), run_id="by-hand", lease=True)
        refused = run_dag(dag, collection="busy", source=str(folder))
        assert refused.state == "failed"
        assert refused.tasks["discover"] == ["failed"]
        assert refused.attempts["discover"] == 1
        assert [run.run_id for run in context.ledger.runs("busy")] == ["by-hand"], "it left no trace"
        taken = run_dag(dag, collection="busy", source=str(folder), take_over=True)
        assert taken.state == "success"
        assert context.ledger.holders("busy") == []
        steps.run_report(context, other)


def test_a_published_collection_is_announced_and_other_dags_follow(
    bag: Bag, home: Path, run_dag: Run, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
    from airflow.models.asset import AssetDagRunQueue, AssetEvent, AssetModel
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.utils.session import create_session
    from sqlalchemy import select, update

    followers = tmp_path / "dags"
    followers.mkdir()
    (followers / "follow.py").write_text(FOLLOWERS, "utf-8")
    with create_session() as session:
        session.add(DagBundleModel(name="followers"))
    sync_bag_to_db(DagBag(str(followers)), "followers", None)
    with create_session() as session:
        session.execute(update(DagModel).where(DagModel.bundle_name == "followers").values(is_paused=False))
    listed = tmp_path / "collections.yaml"
    listed.write_text(f"collections: {{followed: {{source: {source(world='world')}}}}}", "utf-8")
    dag = bag(INGEST_COLLECTIONS=str(listed)).dags["ingest_collection"]
    first, second = run_dag(dag, collection="followed"), run_dag(dag, collection="followed")
    assert (first.state, second.state) == ("success", "success")
    with create_session() as session:
        wanted = select(AssetEvent).join(AssetModel, AssetModel.id == AssetEvent.asset_id)
        events = session.scalars(wanted.where(AssetModel.uri == "x-corpus://followed").order_by(AssetEvent.id)).all()
        assert [event.extra for event in events] == [
            {"collection": "followed", "run_id": run_id_for(run.run_id), "written": n, "removed": 0, "total": 1}
            for run, n in ((first, 1), (second, 0))
        ]
        assert set(session.scalars(select(AssetDagRunQueue.target_dag_id))) == {"follows_one", "follows_all"}


FOLLOWERS = """
from airflow.sdk import dag, task
from ingest_assets import PUBLISHED, collection_asset


@task
def look(**context):
    print(context["triggering_asset_events"])


@dag(schedule=[collection_asset("followed")])
def follows_one():
    look()


@dag(schedule=[collection_asset("another")])
def follows_another():
    look()


@dag(schedule=[PUBLISHED])
def follows_all():
    look()


follows_one(), follows_another(), follows_all()
"""
