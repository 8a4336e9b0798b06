"""The steps of a run, one verb each: what the DAGs' tasks do, by hand."""

from __future__ import annotations

import signal
import sys
from typing import Any

import click
import msgspec

from ingest.cli import options
from ingest.cli.show import describe, show_report
from ingest.errors import HandedBack
from ingest.runtime import open_context
from ingest.scheduling import steps
from ingest.scheduling.batch import Result
from ingest.scheduling.local import Done


@click.command()
@options.collection
@options.source
@options.asked
@options.take_over
@click.option("--run-id", help="Name of the run; by default made from the time.")
@options.as_json
def discover(collection: str, take_over: bool, run_id: str | None, json_output: bool, **asked: Any) -> None:
    """Begin a run: list the source, and compare it with the ledger.

    \b
    ingest discover --collection papers --source ./pdfs

    The run keeps the collection to itself until its report, or until it fails.
    """
    with open_context() as context:
        run = steps.begin_asked(context, collection, run_id=run_id, lease=True, take_over=take_over, **asked)
        found = steps.run_discover(context, run)
    if json_output:
        options.print_json({"run_id": run.run_id, **msgspec.to_builtins(found)})
    else:
        click.echo(f"run {run.run_id}\n{describe(found)}")


@click.command()
@options.collection
@options.run_id
@click.option("--workers", type=click.IntRange(min=1), help="Workers that the batches are for.")
@options.as_json
def plan(collection: str, run_id: str | None, workers: int | None, json_output: bool) -> None:
    """Divide what is to be converted into batches.

    \b
    ingest plan --collection papers --json
    """
    with open_context() as context:
        run = steps.find_run(context, collection, run_id)
        made = steps.run_plan(
            context, run, workers=options.worker_count(context.settings, workers or run.options.workers)
        )
    if json_output:
        options.print_json(made)
        return
    for batch in made.batches:
        click.echo(f"{batch.cost_s:8.1f} s  {batch.key}  {batch.name}")


def _told_too_early(*_: object) -> None:
    raise HandedBack("told to end before the batch was begun")


@click.command()
@click.option("--batch", "key", required=True, help="Object key of the batch, as `ingest plan` prints it.")
@click.option("--attempt", type=click.IntRange(min=1), default=1, help="From 2 on, one document at a time.")
@click.option("--forgive", is_flag=True, help="The attempt before was ended from outside: no document is to blame.")
@options.as_json
def worker(key: str, attempt: int, forgive: bool, json_output: bool) -> None:
    """Convert the documents of one batch: what a pod runs.

    \b
    ingest worker --batch runs/papers/20261120T061500Z-3fa9c1/batches/0001.json

    Prints a line per document; with --json, a JSON object per line. The exit status is 0 when every document has its
    outcome, whatever it is, and 75 when the batch as a whole should be tried again. Told to end (SIGTERM), it begins no
    further document, finishes those under way within INGEST_GRACE_S, and hands the rest back (75).
    """
    # the first process of a container never gets a signal that it does not handle; the batch handles it from its start
    signal.signal(signal.SIGTERM, _told_too_early)

    def progress(result: Result) -> None:
        done = Done(result.path, result.outcome or "", result.pages, result.reason)
        if json_output:
            sys.stdout.write(msgspec.json.encode(done).decode() + "\n")
            sys.stdout.flush()
        else:
            click.echo(f"{done.outcome or 'shard':11} {done.path}{f': {done.reason}' if done.reason else ''}")

    with open_context() as context:
        steps.run_worker(context, key, attempt=attempt, forgive=forgive, progress=progress)


@click.command()
@options.collection
@options.run_id
@options.as_json
def merge(collection: str, run_id: str | None, json_output: bool) -> None:
    """Put the shards of long documents together, and collect how every document ended.

    \b
    ingest merge --collection papers
    """
    with open_context() as context:
        merged = steps.run_merge(context, steps.find_run(context, collection, run_id))
    if json_output:
        options.print_json(merged)
    else:
        click.echo(f"{merged.documents} documents, {merged.merged} from shards, {merged.missing} without a result")


@click.command()
@options.collection
@options.run_id
@options.as_json
def gate(collection: str, run_id: str | None, json_output: bool) -> None:
    """Check a run's documents. Exit status 3 if it may not be published.

    \b
    ingest gate --collection papers
    """
    with open_context() as context:
        verdict = steps.run_gate(context, steps.find_run(context, collection, run_id))
    if json_output:
        options.print_json(verdict)
    else:
        click.echo(f"gate {'passed' if verdict.passed else 'FAILED'}, {len(verdict.quarantine)} documents quarantined")
        for finding in [*verdict.failed_expectations, *verdict.warnings]:
            click.echo(f"  {finding.severity}: {finding.description} (observed {finding.observed})")
    sys.exit(0 if verdict.passed else 3)


@click.command()
@options.collection
@options.run_id
@click.option("--rebuild", is_flag=True, help="Write everything anew, into a new generation of the index.")
@options.as_json
def publish(collection: str, run_id: str | None, rebuild: bool, json_output: bool) -> None:
    """Bring the search index to what passed the gate. Exit status 3 if it did not pass.

    \b
    ingest publish --collection papers
    """
    with open_context() as context:
        published = steps.run_publish(context, steps.find_run(context, collection, run_id), rebuild=rebuild)
    if json_output:
        options.print_json(published)
    else:
        click.echo(f"{published.written} written, {published.removed} removed, {published.total} in the index")


@click.command()
@options.collection
@options.run_id
@options.as_json
def report(collection: str, run_id: str | None, json_output: bool) -> None:
    """Make and print the report of a run. Exit status 3 if the run was not good.

    \b
    ingest report --collection papers --json
    """
    with open_context() as context:
        made = steps.run_report(context, steps.find_run(context, collection, run_id))
    if json_output:
        options.print_json(made)
    else:
        show_report(made)
    sys.exit(0 if made.good else 3)
