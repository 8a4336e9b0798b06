"""The nightly DAG: which collections it asks for, and what of the file's mistakes it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import ConfigError
from ingest.scheduling.collections import read_collections
from tests.airflow_home import ROOT

GOOD = """
collections:
  papers:
    source: pdfs
    nightly: true
    workers: 4
    strictness: strict
  reports:
    source: /srv/reports
    nightly: true
    ocr: true
  archive:
    source: s3://bucket/archive
"""


@pytest.fixture
def night(bag: Callable[..., Any], tmp_path: Path, airflow_database: None) -> Callable[[str | None], Any]:
    """Runs the DAG on a `collections.yaml`; the runs that it would trigger are not."""

    def run(text: str | None) -> Any:
        path = tmp_path / "collections.yaml"
        if text is not None:
            path.write_text(text, "utf-8")
        dag = bag(INGEST_COLLECTIONS=str(path)).dags["ingest_nightly"]
        return dag.test(mark_success_pattern="ingest")

    return run


def states(run: Any) -> list[tuple[str, str]]:
    return sorted((ti.task_id, str(ti.state)) for ti in run.get_task_instances())


def test_each_collection_that_asks_for_it_gets_a_run(night: Callable[..., Any], tmp_path: Path) -> None:
    ended = night(GOOD)
    assert states(ended) == [("collections", "success"), ("ingest", "success"), ("ingest", "success")]
    [instance] = [ti for ti in ended.get_task_instances() if ti.task_id == "collections"]
    papers, reports = instance.xcom_pull(task_ids="collections")
    assert papers["conf"] == {
        "collection": "papers",
        "source": str(tmp_path / "pdfs"),
        "workers": 4,
        "ocr": False,
        "strictness": "strict",
    }
    assert reports["conf"]["ocr"] is True
    assert papers["trigger_run_id"].startswith("papers--")
    assert papers["trigger_run_id"] != reports["trigger_run_id"]


def test_what_it_asks_for_fits_the_form(night: Callable[..., Any], bag: Callable[..., Any]) -> None:
    [instance] = [ti for ti in night(GOOD).get_task_instances() if ti.task_id == "collections"]
    for row in instance.xcom_pull(task_ids="collections"):
        params = bag().dags["ingest_collection"].params
        for name, value in row["conf"].items():
            params[name] = value
        params.validate()


def test_without_the_file_the_night_is_skipped(night: Callable[..., Any]) -> None:
    ended = night(None)
    assert str(ended.state) == "success"
    assert states(ended) == [("collections", "skipped"), ("ingest", "skipped")]


def test_a_night_without_collections_is_good(night: Callable[..., Any]) -> None:
    ended = night("collections:\n  papers: {source: pdfs}\n")
    assert str(ended.state) == "success"
    assert states(ended) == [("collections", "success"), ("ingest", "skipped")]


def test_a_mistake_in_the_file_makes_the_night_red(night: Callable[..., Any]) -> None:
    assert str(night("collections:\n  papers: {sauce: pdfs}\n").state) == "failed"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- papers", "must hold one mapping"),
        ("collections: {}\nelse: 1", "must hold one mapping"),
        ("collections: [", "not YAML"),
        ("collections: {papers: {nightly: true}}", "collection 'papers': .*`source`"),
        ("collections: {papers: {source: ''}}", "collection 'papers': `source` is empty"),
        ("collections: {papers: {source: a, nightly: often}}", "collection 'papers': .*bool.*nightly"),
        ("collections: {papers: {source: a, workers: 0}}", "collection 'papers': `workers` is 0"),
        ("collections: {papers: {source: a, strictness: mad}}", "collection 'papers': .*mad.*strictness"),
        ("collections: {papers: {sauce: a, source: b}}", "collection 'papers': .*`sauce`"),
        ("collections: {a/b: {source: a}}", "collection 'a/b': its name"),
        ("collections: {1: {source: a}}", "collection 1: its name"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_and_collection(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said) as caught:
        read_collections(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_every_mistake_is_named(tmp_path: Path) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text("collections: {a: {}, b: {source: ''}, c: {source: d}}", "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_collections(path)
    assert len(str(caught.value).splitlines()) == 2


def test_the_example_is_good() -> None:
    found = read_collections(ROOT / "collections.example.yaml")
    assert Path(found["samples"].source) == ROOT / "samples"
    assert found["samples"].nightly
