"""The steps of a run, one function each: what the command line's verbs and the DAGs' tasks call.

Every step reads what the one before it wrote into the object store, and may be run again at any time: it gives the
same result, or finds that there is nothing left to do.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

from ingest.errors import ConfigError, RunError
from ingest.quality.verdict import Verdict
from ingest.scheduling import check, choose, discover, exclusive, local, merge, plan, publish, report, worker
from ingest.scheduling.batch import BatchResult, Plan, Result, RunFile, RunOptions
from ingest.scheduling.collections import asked_for
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.names import COLLECTION, RUN_ID
from ingest.scheduling.stages import fingerprints


def new_run_id() -> str:
    """Sortable by time, e.g. `20261120T061500Z-3fa9c1`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + secrets.token_hex(3)


def begin(
    context: Context,
    collection: str,
    source: str,
    *,
    run_id: str | None = None,
    options: RunOptions | None = None,
    lease: bool = False,
    take_over: bool = False,
) -> RunFile:
    """Fix what the run works with. A run that has begun already keeps what it began with.

    With `lease`, where each step is to be a process of its own, the run has the collection until its report. With
    `take_over`, what an abandoned run holds is this run's. Raises Conflict while another run has the collection.
    """
    _check_name("collection", collection, COLLECTION)
    run_id = run_id or new_run_id()
    _check_name("run id", run_id, RUN_ID)
    context.open_source(source)  # raises for a source that is not there, before anything is written
    if take_over:
        context.ledger.unlock(collection)
    with context.ledger.lock(collection, run_id):
        run = RunFiles(context.objects, collection, run_id).find("run.json", RunFile)
        if run is None:
            models = choose.models(context.settings, options.models if options else ())
            versions = asyncio.run(context.versions(models))
            choose.check(context.settings, options.models if options else (), versions)
            run = RunFile(
                collection=collection,
                run_id=run_id,
                source=source,
                options=options or RunOptions(),
                versions=versions,
                fingerprints=fingerprints(versions),
                started_ms=time.time_ns() // 1_000_000,
                models=models,
            )
            discover.start(context, run)
        if lease:
            context.ledger.lease(collection, run_id, lease_s=context.settings.lease_s)
    return run


def begin_asked(
    context: Context,
    collection: str,
    *,
    run_id: str | None = None,
    lease: bool = False,
    take_over: bool = False,
    **asked: Any,
) -> RunFile:
    """`begin` a run with what is asked, and for the rest with what `collections.yaml` says: see `asked_for`."""
    source, options = asked_for(context.settings, collection, **asked)
    return begin(context, collection, source, run_id=run_id, options=options, lease=lease, take_over=take_over)


def find_run(context: Context, collection: str, run_id: str | None) -> RunFile:
    """The run with this id, or the collection's latest. Raises RunError if there is none."""
    if run_id is None:
        runs = context.ledger.runs(collection, limit=1)
        if not runs:
            raise RunError(f"collection {collection!r} has no run; start one with `ingest run` or `ingest discover`")
        run_id = runs[0].run_id
    found = RunFiles(context.objects, collection, run_id).find("run.json", RunFile)
    if found is None:
        raise RunError(f"collection {collection!r} has no run {run_id!r}; `ingest status` lists its runs")
    return found


def run_discover(context: Context, run: RunFile) -> discover.Discovered:
    try:
        with exclusive.step(context, run):
            return asyncio.run(discover.discover(context, run))
    except BaseException:
        exclusive.let_go(context, run)
        raise


def run_plan(context: Context, run: RunFile, *, workers: int) -> Plan:
    with exclusive.step(context, run):
        return plan.plan(context, run, workers=workers)


def run_worker(
    context: Context,
    key: str,
    *,
    attempt: int = 1,
    forgive: bool = False,
    progress: Callable[[Result], None] = lambda _: None,
) -> BatchResult:
    return asyncio.run(worker.run_batch(context, key, attempt=attempt, forgive=forgive, progress=progress))


def run_merge(context: Context, run: RunFile, progress: Callable[[Result], None] = lambda _: None) -> merge.Merged:
    with exclusive.step(context, run):
        return asyncio.run(merge.merge(context, run, progress))


def run_gate(context: Context, run: RunFile) -> Verdict:
    with exclusive.step(context, run):
        return check.check(context, run)


def run_publish(context: Context, run: RunFile, *, rebuild: bool = False) -> publish.Published:
    with exclusive.step(context, run):
        return publish.publish(context, run, rebuild=rebuild)


def run_report(context: Context, run: RunFile) -> report.Report:
    """The last step, wherever the run stopped: other runs may have the collection from here on."""
    try:
        if not exclusive.is_current(context, run):
            made = RunFiles(context.objects, run.collection, run.run_id).find("report.json", report.Report)
            if made is not None:
                return made  # the documents' rows do not tell any more how this run ended
        return report.report(context, run)
    finally:
        exclusive.let_go(context, run)


def run_all(
    context: Context,
    run: RunFile,
    *,
    workers: int,
    progress: Callable[[local.Done], None],
    log: Callable[[str], None],
    discovered: Callable[[discover.Discovered], None] = lambda _: None,
    planned: Callable[[Plan], None] = lambda _: None,
) -> report.Report:
    """The whole run on this machine: the DAG without Airflow. What fails is in the report, which is always made."""
    with context.ledger.lock(run.collection, run.run_id):
        try:
            discovered(run_discover(context, run))
            made = run_plan(context, run, workers=workers)
            planned(made)
            asyncio.run(local.run_batches(made.batches, workers=workers, progress=progress, log=log))
            run_merge(context, run)
            if run_gate(context, run).passed:
                run_publish(context, run)
        finally:
            result = run_report(context, run)
    return result


def _check_name(what: str, name: str, pattern: re.Pattern[str]) -> None:
    if not pattern.fullmatch(name):
        raise ConfigError(f"{what} {name!r}: letters, digits, dot, hyphen and underscore only, and not a dot first")
