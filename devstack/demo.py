"""The demo: one run of the collection DAG on the samples, its report, one search, and whether all was as expected."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from devstack import launch
from devstack.home import ROOT, Home, demo_home
from devstack.rest import Airflow, HttpError
from ingest.cli.show import show_hits, show_report
from ingest.config import load_settings
from ingest.document.records import DocumentRecord
from ingest.export.index import Hit
from ingest.runtime import open_context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.report import Report
from ingest.stores.ledger import Ledger

SAMPLES = ROOT / "samples"
COLLECTION = "samples"
DAG = "ingest_collection"
RUN_TIMEOUT_S = 480.0


class DemoFailed(Exception):
    """The stack works, the run does not."""


def demo(say: Callable[[str], None]) -> None:
    """All of it, start and stop included. Raises DemoFailed, launch.LaunchError, KeyboardInterrupt."""
    home, lock = demo_home()
    say(f"Starting model services and Airflow; logs are in {home.logs}")
    started = time.monotonic()
    supervisor = launch.start(home, lock, demo=True)
    try:
        state = launch.until_ready(home, supervisor, say)
        say(f"Airflow is at {state.url} while the demo runs\n")
        run_id = time.strftime("demo-%Y%m%dT%H%M%SZ", time.gmtime())
        final = run(Airflow(state.url), home, run_id, say)
        judge(home, run_id, final, say)
    finally:
        say("Stopping everything")
        launch.end(supervisor, lock)
    say(f"Good, after {time.monotonic() - started:.0f} s. What it made is in {home.path}")


def run(airflow: Airflow, home: Home, run_id: str, say: Callable[[str], None]) -> str:
    """Trigger the DAG and follow it to its end; its state. Raises LaunchError if the stack does not last that long."""
    say(f"Triggering {DAG}: collection {COLLECTION}, source {SAMPLES}")
    started = time.monotonic()
    triggered, said = False, ""
    with open_context(load_settings(home=home.path)) as context:
        while time.monotonic() - started < RUN_TIMEOUT_S:
            launch.check(home)
            try:
                if not triggered:
                    airflow.trigger(DAG, run_id, {"collection": COLLECTION, "source": str(SAMPLES)})
                    triggered = True
                state = airflow.run_state(DAG, run_id)
                line = progress(airflow.task_states(DAG, run_id), context.ledger)
            except HttpError as error:
                if not error.passing:
                    raise
                continue
            if line != said:
                said = line
                say(f"{time.monotonic() - started:5.1f} s  {line}")
            if state in ("success", "failed"):
                return state
            time.sleep(0.5)
    raise DemoFailed(f"the run is not over after {RUN_TIMEOUT_S:.0f} s")


def progress(tasks: list[tuple[str, str]], ledger: Ledger) -> str:
    """The run in one line: tasks by state, documents by outcome."""
    states = Counter(state for _, state in tasks if state)
    active = sorted({name for name, state in tasks if state == "running"})
    records = list(ledger.documents(COLLECTION))
    outcomes = Counter(str(record.outcome) for record in records if record.outcome)
    words = [f"{states['success']} of {len(tasks)} tasks done"]
    words += [f"{count} {state}" for state, count in sorted(states.items()) if state in ("failed", "upstream_failed")]
    words += [f"running: {', '.join(active)}"] if active else []
    if records:
        words.append(f"{sum(outcomes.values())} of {len(records)} documents done")
    return "; ".join(words)


def judge(home: Home, run_id: str, state: str, say: Callable[[str], None]) -> None:
    """Print report and search. Raises DemoFailed unless everything is as the samples' list says."""
    expected = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
    words, path, page = sample_search(expected)
    with open_context(load_settings(home=home.path)) as context:
        report = RunFiles(context.objects, COLLECTION, run_id).find("report.json", Report)
        if report is None:
            raise DemoFailed(f"the run ended as {state} and left no report; see {home.logs}")
        say("")
        show_report(report)
        hits = context.index().search(words, collection=COLLECTION, limit=3)
        say(f"\nSearch for “{words}”:\n")
        show_hits(hits)
        say("")
        records = list(context.ledger.documents(COLLECTION))
    problems = [] if state == "success" else [f"the DAG's run ended as {state}"]
    problems += [] if report.good else ["the report says that the run was not good"]
    problems += outcome_problems(expected, records) + search_problems(hits, path, page)
    if problems:
        raise DemoFailed("; ".join(problems))


def sample_search(expected: dict[str, Any]) -> tuple[str, str, int]:
    """(words, document, page) of a search that must find something."""
    path, entry = next((p, e) for p, e in expected.items() if "search" in e)
    return entry["search"]["phrase"], path, entry["search"]["page"]


def outcome_problems(expected: dict[str, Any], records: list[DocumentRecord]) -> list[str]:
    """Where documents did not end as the list says: outcome, and reason of a rejection."""
    ended = {r.path: (str(r.outcome), r.code if r.outcome == "rejected" else "") for r in records}
    wanted = {path: (entry["outcome"], entry.get("code", "")) for path, entry in expected.items()}
    return [
        f"{path} ended as {ended.get(path, 'missing')}, expected {wanted.get(path, 'nothing')}"
        for path in sorted(ended.keys() | wanted.keys())
        if ended.get(path) != wanted.get(path)
    ]


def search_problems(hits: list[Hit], path: str, page: int) -> list[str]:
    if any((hit.path, hit.page) == (path, page) for hit in hits):
        return []
    return [f"the search does not find page {page} of {path}"]


def interruptible() -> None:
    """Have SIGTERM and the closing of the terminal end the demo as ctrl-C does."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, interrupt)
