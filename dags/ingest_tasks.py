"""The tasks of an ingestion run: Airflow's side of `ingest.scheduling.steps`.

A task opens the stores, calls one step, and returns an object key; all that is large or long-lived lies in the object
store. What a step needs it finds by the run's name, so any task may be cleared and run again by itself.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from airflow.sdk import BaseOperatorLink, conf, get_current_context, task
from ingest_assets import PUBLISHED, collection_asset
from ingest_retries import RetryWhereItHelps, worker_error

from ingest.config import Settings
from ingest.errors import RunNotGood
from ingest.scheduling.names import run_id_for

if TYPE_CHECKING:
    from ingest.scheduling.batch import RunFile
    from ingest.scheduling.context import Context as Stores


class RunLink(BaseOperatorLink):
    """To the page of the run."""

    name = "Corpus run"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return corpus_url("run", ti_key)


class DataDocsLink(BaseOperatorLink):
    """To what the gate's checks found."""

    name = "Data Docs"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return corpus_url("run/data_docs", ti_key)


def corpus_url(page: str, ti_key: Any) -> str:
    """Address of a page of the Corpus plugin about the run that the task belongs to."""
    base = (conf.get("api", "base_url", fallback="") or "").rstrip("/")
    return f"{base}/corpus/{page}?{urlencode({'dag_id': ti_key.dag_id, 'run_id': ti_key.run_id})}"


LINKS = (RunLink(), DataDocsLink())

STEP: dict[str, Any] = {
    "retries": 3,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(minutes=10),
    "retry_policy": RetryWhereItHelps(),
    "execution_timeout": timedelta(hours=6),
}
"""Of every task that runs a step."""


def step(function: Callable[[], Any], **options: Any) -> Any:
    """The task of one step."""
    made: Any = task(**STEP, **options)(function)()
    made.operator.operator_extra_links = LINKS
    return made


@contextmanager
def opened() -> Iterator[tuple[Stores, RunFile]]:
    """The stores, and the run of the current task. Raises RunError if `discover` has not begun it."""
    from ingest.runtime import open_context
    from ingest.scheduling import steps

    airflow = get_current_context()
    with open_context() as stores:
        yield stores, steps.find_run(stores, airflow["params"]["collection"], run_id_for(airflow["run_id"]))


def discover() -> str:
    """Lists the source and compares it with the ledger: what is new, changed, unchanged, a duplicate.

    Same as `ingest discover`. Returns the key of the inventory.
    """
    from ingest.runtime import open_context
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    airflow = get_current_context()
    params = dict(airflow["params"])
    collection = params.pop("collection")
    with open_context() as stores:
        run = steps.begin_asked(stores, collection, run_id=run_id_for(airflow["run_id"]), lease=True, **params)
        found = steps.run_discover(stores, run)
    print(f"run {run.run_id}: {found.discovered} documents, {found.convert} to convert, {found.gone} gone")
    return RunFiles(stores.objects, run.collection, run.run_id).key("inventory.jsonl")


def plan() -> list[dict[str, Any]]:
    """Divides what is to be converted into batches, costliest first.

    Same as `ingest plan`. Returns key, name and memory of each batch: one mapped task of `convert` each.
    """
    from ingest.scheduling import steps

    with opened() as (stores, run):
        workers = run.options.workers or worker_count(stores.settings)
        made = steps.run_plan(stores, run, workers=workers)
    print(f"{made.documents} documents in {len(made.batches)} batches, about {made.cost_s:.0f} CPU-seconds")
    return [{"key": batch.key, "name": batch.name, "memory_mb": batch.memory_mb} for batch in made.batches]


def merge() -> str:
    """Puts the shards of long documents together, and collects how every document ended.

    Same as `ingest merge`. A document whose batch was lost ends here, as failed. Returns the key of the outcomes.
    """
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    with opened() as (stores, run):
        merged = steps.run_merge(stores, run)
    print(f"{merged.documents} documents, {merged.merged} from shards, {merged.missing} without a result")
    return RunFiles(stores.objects, run.collection, run.run_id).key("outcomes.jsonl")


def gate() -> str:
    """Checks the facts of all documents that a reader would find; fails if they may not be published.

    Same as `ingest gate`. The Data Docs say what was checked and found. Returns the key of the verdict.
    """
    from ingest.errors import GateFailed
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    logging.getLogger("great_expectations").setLevel(logging.WARNING)  # it tells hundreds of lines of itself
    with opened() as (stores, run):
        verdict = steps.run_gate(stores, run)
    print(f"{verdict.checked} documents checked, {len(verdict.quarantine)} in quarantine")
    for finding in (*verdict.failed_expectations, *verdict.warnings):
        print(f"{finding.severity}: {finding.description} (observed {finding.observed})")
    if not verdict.passed:
        names = ", ".join(f.expectation for f in verdict.failed_expectations)
        raise GateFailed(f"{run.collection}: the checks did not pass ({names}); nothing is published")
    return RunFiles(stores.objects, run.collection, run.run_id).key("gate.json")


def publish() -> str:
    """Brings the search index to what passed the gate, all at once, and announces the collection's asset.

    Same as `ingest publish`. Returns the key of what changed.
    """
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    with opened() as (stores, run):
        published = steps.run_publish(stores, run)
    # At each attempt: one that was cut off may have published without having said so.
    extra: dict[str, Any] = {"collection": run.collection, "run_id": run.run_id}
    extra |= {"written": published.written, "removed": published.removed, "total": published.total}
    get_current_context()["outlet_events"][PUBLISHED].add(collection_asset(run.collection), extra=extra)
    print(f"{published.written} written, {published.removed} removed, {published.total} in the index")
    return RunFiles(stores.objects, run.collection, run.run_id).key("publish.json")


def report() -> str:
    """Makes the report of the run, wherever the run stopped; fails if the report says that the run was not good.

    Same as `ingest report`. Returns the key of the report.
    """
    from ingest.cli.show import show_report
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    with opened() as (stores, run):
        made = steps.run_report(stores, run)
    show_report(made)
    if not made.good:
        raise RunNotGood(
            f"{run.collection}: gate {made.gate.verdict}, {made.documents.failed} documents failed, "
            f"{made.documents.published} published"
        )
    return RunFiles(stores.objects, run.collection, run.run_id).key("report.json")


def convert(batches: Any, settings: Settings) -> Any:
    """The mapped task `convert`, one instance per batch, run by whom the settings name."""
    shared = STEP | {
        "task_id": "convert",
        "pool": settings.pool,
        "execution_timeout": timedelta(seconds=settings.batch_timeout_s),
        "doc_md": CONVERT_DOC,
    }
    if settings.runner == "kubernetes":
        from worker_pod_operator import in_pods

        return in_pods(batches, settings, shared)
    return task(**shared, map_index_template="{{ task.op_kwargs['batch']['name'] }}")(in_process).expand(batch=batches)


CONVERT_DOC = """
Converts the documents of one batch: `ingest worker --batch KEY`, in a process of this machine or in a pod.

A document that cannot be converted does not fail the batch: it ends as rejected or failed, with a reason. A batch that
ends without a result is tried again, one document at a time; given up, it leaves its documents as failed.
"""


def in_process(batch: dict[str, Any]) -> str:
    """Run a batch in a process of its own. Returns the key of its result."""
    from ingest.stores import keys

    attempt = get_current_context()["ti"].try_number
    follow([sys.executable, "-m", "ingest", "worker", "--batch", batch["key"], "--attempt", str(attempt)])
    return keys.result_of(batch["key"])


def follow(command: list[str]) -> None:
    """Run a worker and put its lines into the task's log. It ends with the task. Raises what its end means."""
    last: deque[str] = deque(maxlen=1)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as worker:
        assert worker.stdout is not None
        try:
            for line in worker.stdout:
                print(line, end="", flush=True)
                last.append(line.strip())
            status = worker.wait()
        finally:
            if worker.poll() is None:  # the task was ended, or took too long
                worker.terminate()
    if status:
        raise worker_error(status, "".join(last))


def worker_count(settings: Settings) -> int:
    """Workers that a run is planned for where nobody says."""
    if settings.runner == "kubernetes":
        return settings.kubernetes_pods
    return settings.workers or len(os.sched_getaffinity(0))
