"""What the tasks do with the processes and errors of their steps."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import Crashed, NotFound, RunError, SourceUnavailable, StoreUnavailable, by_code
from ingest.scheduling.names import RUN_ID, run_id_for


@pytest.fixture(scope="module")
def tasks() -> Any:
    import ingest_tasks

    return ingest_tasks


@pytest.fixture(scope="module")
def retries() -> Any:
    import ingest_retries

    return ingest_retries


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (StoreUnavailable("busy"), True),
        (SourceUnavailable("throttled"), True),
        (Crashed("gone"), True),
        (NotFound("no such key"), False),
        (RunError("no plan"), False),
        (ValueError("a bug"), False),
    ],
)
def test_only_what_a_retry_can_help_is_retried(retries: Any, error: Exception, again: bool) -> None:
    decision = retries.RetryWhereItHelps().evaluate(error, 1, 3)
    assert decision.action.value == ("retry" if again else "fail")
    assert decision.reason


def test_what_a_worker_says_last_is_the_error_it_means(retries: Any) -> None:
    error = retries.worker_error(75, "ingest: service-unavailable: http://x/predict: no connection")
    assert type(error) is by_code("service-unavailable")
    assert str(error) == "http://x/predict: no connection"
    assert error.retry


def test_a_worker_that_died_may_be_tried_again_and_one_called_wrongly_not(retries: Any) -> None:
    assert retries.worker_error(-9, "converted  a.pdf").retry
    assert retries.worker_error(1, "ValueError: a bug").retry
    assert not retries.worker_error(2, "Error: No such option: --batsh").retry


def test_a_workers_lines_are_the_tasks_lines(tasks: Any, capfd: pytest.CaptureFixture[str]) -> None:
    tasks.follow([sys.executable, "-c", "import sys; print('one'); print('two', file=sys.stderr)"])
    assert sorted(capfd.readouterr().out.split()) == ["one", "two"]


@pytest.fixture
def alarm() -> Iterator[None]:
    """What Airflow's execution timeout does: an exception out of a signal, wherever the task is."""

    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_worker_ends_with_its_task(tasks: Any, alarm: None, capfd: pytest.CaptureFixture[str]) -> None:
    script = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    with pytest.raises(TimeoutError):
        tasks.follow([sys.executable, "-c", script])
    assert time.monotonic() - started < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int(capfd.readouterr().out), 0)


@given(st.text(max_size=300))
def test_any_name_of_a_run_becomes_a_run_id(name: str) -> None:
    assert RUN_ID.fullmatch(run_id_for(name))
    assert run_id_for(name) == run_id_for(name)


def test_names_of_runs_that_differ_stay_apart() -> None:
    names = ["manual__2026-11-20T06:15:00+00:00", "manual__2026-11-20T06-15-00+00:00", "a b", "a:b", "é", "ü", "", " "]
    assert len({run_id_for(name) for name in names}) == len(names)
    assert run_id_for("demo-20261120T061500Z") == "demo-20261120T061500Z"
    assert run_id_for("manual__2026-11-20T06:15:00+00:00").startswith("manual__2026-11-20T06-15-00+00-00-")
