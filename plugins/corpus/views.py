"""What the pages show, read from ledger and object store. Also what the JSON endpoints answer."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from typing import Any

import msgspec

from ingest.document.records import DocumentRecord, Outcome, RunRecord, RunState
from ingest.quality.verdict import Verdict
from ingest.runtime import open_context
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.report import Report
from ingest.stores import keys

OUTCOMES = (*(str(outcome) for outcome in Outcome), "unfinished")
PROBLEMS = (Outcome.FAILED, Outcome.QUARANTINED, Outcome.PARTIAL, Outcome.CONVERTED, Outcome.REJECTED)
"""Outcomes whose documents are listed with their reasons, if they have one, worst first."""
MAX_PROBLEMS = 200
RUNS_SHOWN = 10

STEPS = {
    "discover": "inventory.jsonl",
    "plan": "plan.json",
    "convert": "",
    "merge": "outcomes.jsonl",
    "facts and gate": "gate.json",
    "publish": "publish.json",
    "report": "report.json",
}
"""Steps of a run, and the file that each leaves when it is done."""


class Step(msgspec.Struct, kw_only=True):
    name: str
    state: str
    """done, active, failed or open."""


class Problem(msgspec.Struct, kw_only=True):
    """A document that was not simply converted."""

    path: str
    outcome: str
    code: str
    reason: str


class Run(msgspec.Struct, kw_only=True):
    """A run, in a line."""

    run_id: str
    source: str
    state: str
    """running, published, blocked or failed."""
    started_ms: int
    finished_ms: int


class Progress(msgspec.Struct, kw_only=True):
    """How far a run is."""

    steps: list[Step]
    documents: dict[str, int]
    """Outcome -> documents; `unfinished` are those that have none yet."""
    done: int
    total: int
    batches_done: int
    batches: int


class RunPage(msgspec.Struct, kw_only=True):
    """A run at length."""

    collection: str
    run: Run
    progress: Progress
    report: Report | None
    gate: Verdict | None
    problems: list[Problem]
    problems_total: int


class Collection(msgspec.Struct, kw_only=True):
    """A collection, in a line."""

    name: str
    documents: dict[str, int]
    """Outcome -> documents of the latest run's inventory, by how each ended last."""
    total: int
    published: int
    runs: list[Run]
    """Newest first."""


class Cache:
    """Keeps an answer for a while that grows with what it cost: pages that refresh themselves, in however many
    browsers, take at most a twentieth of the time of a process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._locks: defaultdict[Hashable, threading.Lock] = defaultdict(threading.Lock)
        self._kept: dict[Hashable, tuple[float, Any]] = {}

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self._guard:
            lock = self._locks[key]
        with lock:
            until, value = self._kept.get(key, (0.0, None))
            started = self._clock()
            if started < until:
                return value
            value = make()
            now = self._clock()
            self._kept[key] = (now + max(0.5, 20 * (now - started)), value)
            return value


_cache = Cache()


def collections() -> list[Collection]:
    """All collections. Raises IngestError."""

    def make() -> list[Collection]:
        with open_context() as context:
            return [_collection(context, name) for name in context.ledger.collections()]

    found: list[Collection] = _cache.get("collections", make)
    return found


def collection(name: str) -> Collection | None:
    """One of them; None if there is no such collection."""
    return next((c for c in collections() if c.name == name), None)


def run_page(name: str, run_id: str) -> RunPage | None:
    """None if there is no such run. Raises IngestError."""

    def make() -> RunPage | None:
        with open_context() as context:
            record = context.ledger.get_run(name, run_id)
            return None if record is None else _run_page(context, record)

    found: RunPage | None = _cache.get((name, run_id), make)
    return found


def find_run(run_id: str) -> str | None:
    """The collection that has a run of this id."""
    with open_context() as context:
        for name in context.ledger.collections():
            if context.ledger.get_run(name, run_id) is not None:
                return name
    return None


def _collection(context: Context, name: str) -> Collection:
    runs = context.ledger.runs(name, limit=RUNS_SHOWN)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    published = 0
    for record in context.ledger.documents(name):
        counts[record.seen_run][str(record.outcome or "unfinished")] += 1
        published += bool(record.published_run)
    # a run that has only begun has no documents yet
    latest = next((counts[run.run_id] for run in runs if counts[run.run_id]), Counter[str]())
    return Collection(
        name=name,
        documents=_ordered(latest),
        total=latest.total(),
        published=published,
        runs=[_run(record) for record in runs],
    )


def _run_page(context: Context, record: RunRecord) -> RunPage:
    files = RunFiles(context.objects, record.collection, record.run_id)
    report = files.find("report.json", Report) if record.state is not RunState.RUNNING else None
    verdict = files.find("gate.json", Verdict)
    seen = list(context.ledger.documents(record.collection, seen_run=record.run_id))
    problems = _problems(seen, record.run_id)
    return RunPage(
        collection=record.collection,
        run=_run(record),
        progress=_progress(context, files, record, seen, report, verdict),
        report=report,
        gate=verdict,
        problems=problems[:MAX_PROBLEMS],
        problems_total=len(problems),
    )


def _progress(
    context: Context,
    files: RunFiles,
    record: RunRecord,
    seen: list[DocumentRecord],
    report: Report | None,
    verdict: Verdict | None,
) -> Progress:
    if report is not None:  # later runs have moved the ledger's rows on
        counts = Counter({name: getattr(report.documents, name) for name in OUTCOMES if name != "unfinished"})
    else:
        counts = Counter(str(r.run_outcome(record.run_id) or "unfinished") for r in seen)
    folder = keys.run_folder(record.collection, record.run_id)
    batches = len(files.plan().batches) if files.has("plan.json") else 0
    batches_done = sum(1 for _ in context.objects.list(f"{folder}/results/"))
    done = {name: files.has(file) for name, file in STEPS.items() if file}
    done["convert"] = done["merge"] or (done["plan"] and batches_done == batches)
    steps: list[Step] = []
    active = record.state is RunState.RUNNING
    for name in STEPS:
        state = "done" if done[name] else "active" if active else "open"
        active = active and done[name]
        if name == "facts and gate" and verdict is not None and not verdict.passed:
            state = "failed"
        steps.append(Step(name=name, state=state))
    return Progress(
        steps=steps,
        documents=_ordered(counts),
        done=counts.total() - counts["unfinished"],
        total=counts.total(),
        batches_done=batches_done,
        batches=batches,
    )


def _problems(seen: list[DocumentRecord], run_id: str) -> list[Problem]:
    rank = {outcome: number for number, outcome in enumerate(PROBLEMS)}
    found = [r for r in seen if r.outcome in rank and r.code and r.changed_run == run_id]
    found.sort(key=lambda r: (rank[r.outcome or Outcome.FAILED], r.path))
    return [Problem(path=r.path, outcome=str(r.outcome), code=r.code, reason=r.reason) for r in found]


def _run(record: RunRecord) -> Run:
    return Run(
        run_id=record.run_id,
        source=record.source,
        state=str(record.state),
        started_ms=record.started_ms,
        finished_ms=record.finished_ms,
    )


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in OUTCOMES if counts[name]}
