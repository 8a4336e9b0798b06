"""`ingest run`: a whole collection on this machine, without Airflow."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ingest.cli import options
from ingest.cli.show import describe, show_report
from ingest.runtime import open_context
from ingest.scheduling import steps
from ingest.scheduling.batch import Plan
from ingest.scheduling.discover import Discovered
from ingest.scheduling.local import Done
from ingest.scheduling.report import Report


@click.command()
@options.collection
@options.source
@click.option("--workers", type=click.IntRange(min=1), help="Workers at a time; by default one per core.")
@options.asked
@options.take_over
@click.option("--run-id", help="Name of the run; by default made from the time.")
@options.as_json
def run(collection: str, take_over: bool, run_id: str | None, json_output: bool, **asked: Any) -> None:
    """Discover, plan, convert, check and publish a collection.

    \b
    ingest run --collection papers --source ./pdfs

    Only what is new or changed is converted. What is not said here is taken from the collection's entry in
    collections.yaml, its source included. The report is printed, and kept in the object store. Exit status 3 if the
    run was not good: its gate failed, or it stopped.
    """
    console = Console(stderr=True)
    with open_context() as context, _progress(console) as bar:
        begun = steps.begin_asked(context, collection, run_id=run_id, take_over=take_over, **asked)
        counts: Counter[str] = Counter()
        task = bar.add_task("looking at the source", total=None)

        def discovered(found: Discovered) -> None:
            bar.console.print(describe(found), highlight=False, markup=False)

        def planned(plan: Plan) -> None:
            bar.update(task, total=plan.documents, description="converting")

        def done(document: Done) -> None:
            if not document.outcome:
                return
            counts[document.outcome] += 1
            pages[0] += document.pages
            said = ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items()))
            bar.update(task, advance=1, description=f"{pages[0]} pages; {said}")
            if document.reason and document.outcome == "failed":
                bar.console.print(f"[red]failed[/red] {document.reason}", highlight=False)

        pages = [0]
        report = steps.run_all(
            context,
            begun,
            workers=options.worker_count(context.settings, begun.options.workers),
            progress=done,
            log=lambda text: bar.console.print(text, highlight=False, markup=False),
            discovered=discovered,
            planned=planned,
        )
    _print(report, json_output)
    sys.exit(0 if report.good else 3)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def _print(report: Report, json_output: bool) -> None:
    if json_output:
        options.print_json(report)
    else:
        show_report(report)
