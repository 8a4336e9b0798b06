"""A worker that is told to end: finished documents stay, others are finished or handed back, none is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ingest.document.records import Outcome, document_id
from ingest.errors import HandedBack, StoreUnavailable, exit_status
from ingest.scheduling import steps, worker
from ingest.scheduling.batch import Result
from ingest.scheduling.context import Context
from ingest.stores import keys
from tests.support.pdfs import text_pdf
from tests.support.runs import begin, platform

DOCUMENTS = 4


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for seed in range(DOCUMENTS):
        text_pdf(folder / f"{seed}.pdf", seed=seed)
    return folder


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Context]]:
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(platform(tmp_path / "home", **settings))


def end_after_first(done: list[Result]) -> Callable[[Result], None]:
    """Progress that has the process told to end as soon as one document is done."""

    def progress(result: Result) -> None:
        done.append(result)
        if len(done) == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    return progress


def planned(context: Context, source: Path) -> str:
    (batch,) = steps.run_plan(context, begin(context, source, "run-1"), workers=1).batches
    return batch.key


def test_what_is_not_begun_is_handed_back_and_the_next_attempt_does_it_alone(
    opened: Callable[..., Context], source: Path
) -> None:
    context = opened(in_flight=1, grace_s=60)
    key = planned(context, source)
    done: list[Result] = []
    with pytest.raises(HandedBack, match=r"[12] of 4 documents done") as raised:
        steps.run_worker(context, key, progress=end_after_first(done))
    assert exit_status(raised.value) == 75
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert context.objects.stat(keys.result_of(key)) is None
    results = steps.run_worker(context, key, attempt=2).results
    assert [r.outcome for r in results] == [Outcome.CONVERTED] * DOCUMENTS
    assert [r.path for r in results if r.reused] == [r.path for r in done]


def test_documents_under_way_are_finished_within_the_grace(opened: Callable[..., Context], source: Path) -> None:
    context = opened(in_flight=DOCUMENTS, grace_s=60)
    done: list[Result] = []
    finished = steps.run_worker(context, planned(context, source), progress=end_after_first(done))
    assert [r.outcome for r in finished.results] == [Outcome.CONVERTED] * DOCUMENTS


def test_without_grace_they_are_handed_back_and_nobody_is_blamed(opened: Callable[..., Context], source: Path) -> None:
    context = opened(in_flight=1, grace_s=0)
    key = planned(context, source)
    for attempt in (1, 2, 3):
        with pytest.raises(HandedBack):
            steps.run_worker(context, key, attempt=attempt, progress=end_after_first([]))
    results = steps.run_worker(context, key, attempt=4).results
    assert [r.outcome for r in results] == [Outcome.CONVERTED] * DOCUMENTS


def test_a_document_at_which_a_worker_was_ended_from_outside_is_done_again(
    opened: Callable[..., Context], source: Path
) -> None:
    context = opened()
    key = planned(context, source)
    context.objects.put(keys.suspect(key, document_id("test", "1.pdf")), b"")
    results = steps.run_worker(context, key, attempt=3, forgive=True).results
    assert [r.outcome for r in results] == [Outcome.CONVERTED] * DOCUMENTS
    assert context.objects.stat(keys.suspect(key, document_id("test", "1.pdf"))) is None


def test_a_document_at_which_a_store_failed_is_not_blamed(
    opened: Callable[..., Context], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = opened()
    key = planned(context, source)

    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("busy")

    with monkeypatch.context() as patch, pytest.raises(StoreUnavailable):
        patch.setattr(worker, "store", fail)
        steps.run_worker(context, key, attempt=2)
    results = steps.run_worker(context, key, attempt=3).results
    assert [r.outcome for r in results] == [Outcome.CONVERTED] * DOCUMENTS


def test_the_process_ends_with_the_status_that_means_try_again(opened: Callable[..., Context], source: Path) -> None:
    for seed in range(DOCUMENTS, 24):
        text_pdf(source / f"{seed}.pdf", 8, seed=seed)
    context = opened()
    key = planned(context, source)
    process = subprocess.Popen(
        [sys.executable, "-m", "ingest", "worker", "--batch", key],
        env=os.environ | {"INGEST_HOME": str(context.settings.home), "INGEST_IN_FLIGHT": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert first.startswith("converted")
    assert process.returncode == 75, errors
    assert errors.startswith("ingest: handed-back: batch 0001: told to end with ")


def test_a_process_that_is_told_to_end_while_it_starts_asks_for_another_attempt(
    opened: Callable[..., Context], source: Path
) -> None:
    context = opened()
    key = planned(context, source)
    process = subprocess.Popen(
        [sys.executable, "-m", "ingest", "worker", "--batch", key],
        env=os.environ | {"INGEST_HOME": str(context.settings.home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        while not handles(process.pid, signal.SIGTERM):
            assert process.poll() is None
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 75, errors
    assert errors.startswith("ingest: handed-back: ")


def handles(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for the signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)
