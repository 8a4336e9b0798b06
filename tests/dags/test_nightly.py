"""The nightly DAGs: one for each collection that has a schedule; and what of the file's mistakes is said, and where."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.config import load_settings
from ingest.errors import ConfigError
from ingest.scheduling.collections import asked_for, parse_collections
from ingest.scheduling.cron import cron_mistake
from tests.airflow_home import ROOT

Bag = Callable[..., Any]

GOOD = """
collections:
  papers:
    source: pdfs
    owner: library@example.org
    schedule: "30 1 * * mon-fri"
    timezone: Europe/Berlin
    workers: 4
    strictness: strict
    thresholds: {quarantined_max: 0.5}
    include: ["*.pdf"]
    exclude: [drafts]
    removal_limit: 0.1
  reports:
    source: /srv/reports
    schedule: "@daily"
  archive:
    source: s3://bucket/archive
"""


@pytest.fixture
def dags(bag: Bag, tmp_path: Path) -> Callable[[str | None], dict[str, Any]]:
    """The nightly DAGs of a `collections.yaml`, by the names of their collections."""

    def read(text: str | None) -> dict[str, Any]:
        path = tmp_path / "collections.yaml"
        if text is not None:
            path.write_text(text, "utf-8")
        found = bag(INGEST_COLLECTIONS=str(path))
        assert found.import_errors == {}
        return {n.removeprefix("nightly_"): dag for n, dag in found.dags.items() if n.startswith("nightly_")}

    return read


def first_night(dag: Any) -> Any:
    from airflow.serialization.encoders import coerce_to_core_timetable
    from airflow.timetables.base import TimeRestriction

    restriction = TimeRestriction(earliest=None, latest=None, catchup=dag.catchup)
    found = coerce_to_core_timetable(dag.timetable).next_dagrun_info(
        last_automated_data_interval=None, restriction=restriction
    )
    assert found is not None
    return found.run_after


def test_each_collection_with_a_schedule_has_a_dag_of_its_own(dags: Callable[..., dict[str, Any]]) -> None:
    from airflow.sdk import timezone

    found = dags(GOOD)
    assert set(found) == {"papers", "reports"}
    papers, reports = found["papers"], found["reports"]
    night = first_night(papers)
    assert night > timezone.utcnow(), "a DAG that is first seen waits for its hour"
    local = night.in_timezone("Europe/Berlin")
    assert (local.hour, local.minute) == (1, 30)
    assert local.weekday() < 5
    assert (first_night(reports).hour, first_night(reports).minute) == (0, 0)
    assert papers.owner == "library@example.org"
    assert not papers.catchup


ASKING = """
collections:
  papers: {source: pdfs, nightly: true, workers: 4}
  reports: {source: /srv/reports, nightly: true}
  archive: {source: /srv/archive}
  wrong: {sauce: pdfs, nightly: true}
"""


def states(run: Any) -> list[tuple[str, str]]:
    return sorted((ti.task_id, str(ti.state)) for ti in run.get_task_instances())


@pytest.fixture
def all_of_them(bag: Bag, tmp_path: Path, airflow_database: None) -> Callable[[str | None], Any]:
    """Runs `ingest_nightly` on a `collections.yaml`; the runs that it would trigger are not."""

    def run(text: str | None) -> Any:
        path = tmp_path / "collections.yaml"
        if text is not None:
            path.write_text(text, "utf-8")
        dag = bag(INGEST_COLLECTIONS=str(path), INGEST_NIGHTLY="30 2 * * *").dags["ingest_nightly"]
        night = first_night(dag)
        assert (night.hour, night.minute) == (2, 30)
        return dag.test(mark_success_pattern="ingest")

    return run


def test_each_collection_that_asks_for_it_gets_a_run_of_the_common_night(all_of_them: Callable[..., Any]) -> None:
    ended = all_of_them(ASKING)
    assert states(ended) == [("collections", "success"), ("ingest", "success"), ("ingest", "success")]
    [instance] = [ti for ti in ended.get_task_instances() if ti.task_id == "collections"]
    found = instance.xcom_pull(task_ids="collections")
    assert [row["conf"] for row in found] == [{"collection": "papers"}, {"collection": "reports"}]
    assert [row["trigger_run_id"] for row in found] == [f"{c}--{ended.run_id}" for c in ("papers", "reports")]


@pytest.mark.parametrize("text", [None, "collections:\n  papers: {source: pdfs}\n"])
def test_a_common_night_that_nobody_asks_for_is_good(all_of_them: Callable[..., Any], text: str | None) -> None:
    ended = all_of_them(text)
    assert str(ended.state) == "success"
    assert states(ended) == [("collections", "success"), ("ingest", "skipped")]


def test_a_night_that_was_missed_is_not_caught_up_by_a_run_of_its_own(dags: Callable[..., dict[str, Any]]) -> None:
    import pendulum
    from airflow.serialization.encoders import coerce_to_core_timetable
    from airflow.timetables.base import DataInterval, TimeRestriction

    dag = dags(GOOD)["reports"]
    long_ago = pendulum.now("UTC").subtract(days=40)
    found = coerce_to_core_timetable(dag.timetable).next_dagrun_info(
        last_automated_data_interval=DataInterval.exact(long_ago),
        restriction=TimeRestriction(earliest=None, latest=None, catchup=dag.catchup),
    )
    assert found is not None
    assert found.run_after > pendulum.now("UTC").subtract(days=1)


def test_a_night_triggers_a_run_with_the_options_of_the_file(
    dags: Callable[..., dict[str, Any]], bag: Bag, airflow_database: None, tmp_path: Path
) -> None:
    ended = dags(GOOD)["papers"].test(mark_success_pattern="ingest")
    [instance] = ended.get_task_instances()
    assert (instance.task_id, str(instance.state)) == ("ingest", "success")
    task = dags(GOOD)["papers"].get_task("ingest")
    assert task.trigger_run_id == "papers--{{ run_id }}"
    params = bag().dags["ingest_collection"].params
    for name, value in task.conf.items():
        params[name] = value
    asked = asked_for(
        load_settings(collections=tmp_path / "collections.yaml"),
        **{name: value for name, value in params.validate().items() if name != "take_over"},
    )
    assert asked.source == str(tmp_path / "pdfs")
    options = asked.options
    assert (options.workers, options.strictness, options.thresholds) == (4, "strict", {"quarantined_max": 0.5})
    assert (options.include, options.exclude, options.removal_limit) == (("*.pdf",), ("drafts",), 0.1)


def test_what_is_asked_for_wins_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text(GOOD, "utf-8")
    settings = load_settings(collections=path)
    asked = asked_for(settings, "papers", source="/elsewhere", strictness="lenient", workers=1, exclude=["old"])
    assert (asked.source, asked.options.strictness, asked.options.workers) == ("/elsewhere", "lenient", 1)
    assert asked.options.exclude == ("old",)
    assert asked_for(settings, "unlisted", source="/there").options.thresholds == {}
    with pytest.raises(ConfigError, match=r"collection 'unlisted' is not in .*name its source"):
        asked_for(settings, "unlisted")


def test_a_run_with_ocr_is_refused_and_hears_what_becomes_of_scans(tmp_path: Path) -> None:
    settings = load_settings(collections=tmp_path / "collections.yaml")
    with pytest.raises(ConfigError, match=r"^ocr: there is no OCR yet.* rejected as needs-ocr; start the run without"):
        asked_for(settings, "papers", source="/there", ocr=True)
    assert asked_for(settings, "papers", source="/there", ocr=False).source == "/there"
    with pytest.raises(ConfigError, match=r"^INGEST_OCR_URL='http://ocr': .*there is no OCR yet.*; leave it empty$"):
        load_settings(ocr_url="http://ocr")


def test_without_the_file_there_are_no_nights(dags: Callable[..., dict[str, Any]]) -> None:
    assert dags(None) == {}


def test_a_mistake_makes_its_own_night_red_and_no_other(
    dags: Callable[..., dict[str, Any]], airflow_database: None, capfd: pytest.CaptureFixture[str]
) -> None:
    found = dags(GOOD + "  broken: {sauce: pdfs, workers: 0}\n  a/b: {source: x}\n")
    assert len(found) == 4
    assert first_night(found["papers"])
    assert str(found["broken"].test().state) == "failed"
    assert "`sauce` is not known" in found["broken"].doc_md
    assert "`workers` is 0" in found["broken"].doc_md


def test_a_file_that_cannot_be_read_is_an_import_error(bag: Bag, tmp_path: Path) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text("collections: [", "utf-8")
    assert "not YAML" in "".join(bag(INGEST_COLLECTIONS=str(path)).import_errors.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- papers", "must hold one mapping"),
        ("collections: {}\nelse: 1", "must hold one mapping"),
        ("collections: [", "not YAML"),
        (None, "no such file"),
    ],
)
def test_a_file_without_entries_is_refused_in_one_line(tmp_path: Path, text: str | None, said: str) -> None:
    path = tmp_path / "collections.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said) as caught:
        parse_collections(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("collections: {papers: {owner: me}}", "collection 'papers': `source` is missing"),
        ("collections: {papers: {source: ''}}", "collection 'papers': `source` is ''"),
        ("collections: {papers: [source]}", "collection 'papers': must be a mapping"),
        ("collections: {papers: {source: a, nightly: often}}", "collection 'papers': `nightly` is 'often': .*bool"),
        ("collections: {papers: {source: a, workers: 0}}", "collection 'papers': `workers` is 0"),
        ("collections: {papers: {source: a, strictness: mad}}", "collection 'papers': `strictness` is 'mad'"),
        ("collections: {papers: {source: b, sauce: a}}", "collection 'papers': `sauce` is not known; known are source"),
        ("collections: {papers: {source: a, schedule: often}}", "`schedule` is 'often': a cron .*five fields"),
        ("collections: {papers: {source: a, schedule: 0 25 * * *}}", "`schedule` is .*: '25' is no hour"),
        ("collections: {papers: {source: a, schedule: '@daily', timezone: Mars}}", "`timezone` is 'Mars': no such"),
        ("collections: {papers: {source: a, timezone: UTC}}", "`timezone` without a `schedule`"),
        ("collections: {papers: {source: a, thresholds: {few: -1}}}", "`thresholds.few` is -1"),
        ("collections: {papers: {source: a, thresholds: {fewer: 1}}}", "`thresholds.fewer` is not known"),
        ("collections: {papers: {source: a, exclude: ['[z-a]']}}", "`exclude`: one of the patterns"),
        ("collections: {papers: {source: a, removal_limit: 3}}", "`removal_limit` is 3"),
        ("collections: {a/b: {source: a}}", "collection 'a/b': its name"),
        ("collections: {1: {source: a}}", "collection 1: its name"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_and_collection(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text(text, "utf-8")
    good, mistakes = parse_collections(path)
    assert good == {}
    [[line]] = mistakes.values()
    assert line.startswith(f"{path}: collection ")
    assert "\n" not in line
    assert re.search(said, line)


def test_every_mistake_is_named(tmp_path: Path) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text(
        "collections: {a: {}, b: {source: '', workers: 0, schedule: x, thresholds: {few: -1, non: 1}}, c: {source: d}}",
        "utf-8",
    )
    good, mistakes = parse_collections(path)
    assert {name: len(lines) for name, lines in mistakes.items()} == {"a": 1, "b": 5}
    assert set(good) == {"c"}


@pytest.mark.parametrize(
    "expression", ["0 1 * * *", "*/5 0-6/2 1,15 jan-mar mon,WED", "0 0 * * 7", "59 23 31 12 *", "@weekly"]
)
def test_good_cron_expressions_are_taken(expression: str) -> None:
    from airflow.sdk import CronTriggerTimetable

    assert cron_mistake(expression) == ""
    CronTriggerTimetable(expression, timezone="UTC").validate()


@pytest.mark.parametrize(
    "expression",
    [
        *("", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8"),
        *("*/0 * * * *", "5-1 * * * *", "a * * * *", "1- * * * *", "@midday", "* * * mon *", "1,,2 * * * *"),
    ],
)
def test_bad_cron_expressions_are_refused(expression: str) -> None:
    assert cron_mistake(expression)


def test_the_example_is_good() -> None:
    found, mistakes = parse_collections(ROOT / "collections.example.yaml")
    assert mistakes == {}
    assert Path(found["samples"].source) == ROOT / "samples"
    assert found["samples"].nightly
    assert found["reports"].timezone == "Europe/Berlin"
