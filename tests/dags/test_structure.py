"""The DAG files as Airflow reads them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.airflow_home import ROOT

Bag = Callable[..., Any]
RUNNERS = ("local", "kubernetes")
HEAVY = ("torch", "great_expectations", "pandas", "numpy", "pypdfium2", "airflow.providers.cncf")


@pytest.mark.parametrize("runner", RUNNERS)
def test_all_dags_can_be_read_with_either_runner(bag: Bag, runner: str) -> None:
    read = bag(INGEST_RUNNER=runner)
    assert read.import_errors == {}
    assert set(read.dags) == {"ingest_collection", "ingest_nightly"}


@pytest.mark.parametrize("runner", RUNNERS)
def test_steps_follow_one_another(bag: Bag, runner: str) -> None:
    dag = bag(INGEST_RUNNER=runner).dags["ingest_collection"]
    upstream = {task.task_id: set(task.upstream_task_ids) for task in dag.tasks}
    assert upstream.pop("good") == set(upstream) - {"batches_done"}
    assert upstream == {
        "discover": set(),
        "plan": {"discover"},
        "convert": {"plan"},
        "batches_done": {"convert"},
        "merge": {"plan", "batches_done"},
        "gate": {"merge"},
        "publish": {"gate"},
        "report": {"publish"},
    }


def test_the_only_leaf_is_red_whenever_anything_is(bag: Bag) -> None:
    """A leaf that runs after failures would make the run green."""
    for dag in bag().dags.values():
        for leaf in dag.leaves:
            assert leaf.trigger_rule in ("none_failed", "all_success")


@pytest.mark.parametrize("runner", RUNNERS)
def test_every_task_is_explained_and_bounded_in_time(bag: Bag, runner: str) -> None:
    dag = bag(INGEST_RUNNER=runner).dags["ingest_collection"]
    assert dag.doc_md
    for task in dag.tasks:
        if task.task_id == "batches_done":
            continue
        assert task.doc_md, task.task_id
        if task.task_id != "good":
            assert task.execution_timeout, task.task_id


@pytest.mark.parametrize("runner", RUNNERS)
def test_batches_run_in_the_pool_of_the_settings(bag: Bag, runner: str) -> None:
    dag = bag(INGEST_RUNNER=runner, INGEST_POOL="presses").dags["ingest_collection"]
    assert {task.task_id: task.pool for task in dag.tasks}["convert"] == "presses"
    assert {task.pool for task in dag.tasks if task.task_id != "convert"} == {"default_pool"}


def test_a_wrong_setting_is_an_import_error_that_names_it(bag: Bag) -> None:
    errors = bag(INGEST_RUNNER="teleport").import_errors
    assert "INGEST_RUNNER='teleport'" in "".join(errors.values())


@pytest.mark.parametrize(
    ("conf", "mistake"),
    [
        ({"source": "/data"}, "collection"),
        ({"collection": "papers", "take_over": 1}, "take_over"),
        ({"collection": "../etc", "source": "/data"}, "collection"),
        ({"collection": "a/b", "source": "/data"}, "collection"),
        ({"collection": "papers", "source": ""}, "source"),
        ({"collection": "papers", "source": "/data", "workers": 0}, "workers"),
        ({"collection": "papers", "source": "/data", "strictness": "very"}, "strictness"),
        ({"collection": "papers", "source": "/data", "force": "perhaps"}, "force"),
        ({"collection": "papers", "source": "/data", "models": "large"}, "models"),
    ],
)
def test_wrong_parameters_are_refused(bag: Bag, conf: dict[str, Any], mistake: str) -> None:
    from airflow.sdk.exceptions import ParamValidationError

    params = bag().dags["ingest_collection"].params
    with pytest.raises(ParamValidationError, match=mistake):
        for name, value in conf.items():
            params[name] = value
        params.validate()


def test_parameters_of_a_good_form_are_taken(bag: Bag) -> None:
    params = bag().dags["ingest_collection"].params
    params["collection"], params["source"], params["workers"] = "papers-2.0", "/data/pdfs", 8
    assert params.validate() == {
        "collection": "papers-2.0",
        "source": "/data/pdfs",
        "workers": 8,
        "ocr": False,
        "force": False,
        "strictness": None,
        "models": [],
        "accept_removals": False,
        "take_over": False,
    }


def test_reading_the_dag_files_is_cheap() -> None:
    """The DAG processor reads them every half minute. Airflow itself costs what it costs, whoever imports it."""
    script = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "dags")!r})
import airflow.sdk, airflow.providers.standard.operators.trigger_dagrun, airflow.providers.standard.operators.empty
from airflow.sdk import DAG, Param, CronTriggerTimetable, task, BaseOperatorLink, RetryPolicy, conf
before, started = set(sys.modules), time.process_time()
import ingest_collection, ingest_nightly
print(time.process_time() - started)
heavy = {HEAVY!r}
print([m for m in sorted(set(sys.modules) - before) if m.startswith(heavy)])
"""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd="/")
    seconds, heavy = done.stdout.splitlines()[-2:]
    assert heavy == "[]"
    assert float(seconds) < 3, f"{seconds} s of CPU; with Airflow {time.monotonic() - started:.1f} s"
