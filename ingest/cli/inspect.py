"""Verbs that only look: search, status, failures, simulate."""

from __future__ import annotations

from collections import Counter

import click
import msgspec

from ingest.cli import options
from ingest.cli.show import show_hits
from ingest.document.labels import LABELS
from ingest.document.records import DocumentRecord, Outcome
from ingest.runtime import open_context
from ingest.scheduling import simulate as simulation
from ingest.scheduling import steps
from ingest.scheduling.files import RunFiles


@click.command()
@click.argument("words")
@click.option("--collection", "-c", help="Only this collection.")
@click.option("--label", type=click.Choice([str(label) for label in LABELS]), help="Only pieces with this label.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@options.as_json
def search(words: str, collection: str | None, label: str | None, limit: int, json_output: bool) -> None:
    """Find WORDS in what was published: document, page, box and a snippet of each hit.

    \b
    ingest search "error correction" --collection papers --label caption
    """
    with open_context() as context:
        hits = context.index().search(words, collection=collection, label=label, limit=limit)
    if json_output:
        options.print_json(hits)
    else:
        show_hits(hits)


@click.command()
@click.option("--collection", "-c", help="Only this collection.")
@options.as_json
def status(collection: str | None, json_output: bool) -> None:
    """Say how many documents of a collection ended how, and what its last runs were.

    \b
    ingest status --collection papers --json
    """
    with open_context() as context:
        names = [collection] if collection else context.ledger.collections()
        found = []
        for name in names:
            counts: Counter[str] = Counter()
            published = 0
            runs = context.ledger.runs(name, limit=5)
            for record in context.ledger.documents(name):
                if record.gone_run:
                    continue
                counts[record.outcome or "unfinished"] += 1
                published += bool(record.published_run)
            found.append(
                {
                    "collection": name,
                    "documents": dict(counts),
                    "published": published,
                    "runs": runs,
                    "held_by": [f"{hold.describe()} until {hold.until()}" for hold in context.ledger.holders(name)],
                }
            )
    if json_output:
        options.print_json(found[0] if collection else found)
        return
    for row in found:
        click.echo(f"{row['collection']}: {row['published']} published")
        for outcome, count in sorted(dict(row["documents"]).items()):  # type: ignore[call-overload]
            click.echo(f"  {count:6} {outcome}")
        for run in row["runs"]:  # type: ignore[attr-defined]
            click.echo(f"  run {run.run_id}: {run.state}")
        for holder in row["held_by"]:  # type: ignore[attr-defined]
            click.echo(f"  held by run {holder}")


@click.command()
@options.collection
@options.as_json
def failures(collection: str, json_output: bool) -> None:
    """List the documents that were not wholly converted or read, with the reason of each.

    \b
    ingest failures --collection papers
    """
    with open_context() as context:
        found = [r for r in context.ledger.documents(collection) if not _settled(r) and not r.gone_run]
    if json_output:
        names = ("path", "outcome", "code", "reason", "pages", "pages_failed", "attempts")
        options.print_json([{name: getattr(record, name) for name in names} for record in found])
        return
    for record in found:
        reason = record.reason.removeprefix(f"{record.path}: ")
        click.echo(f"{record.outcome or 'unfinished':11} {record.code:16} {record.path}: {reason}")


def _settled(record: DocumentRecord) -> bool:
    return record.outcome is Outcome.DUPLICATE or (record.outcome is Outcome.CONVERTED and not record.code)


@click.command()
@options.collection
@options.run_id
@click.option("--workers", type=click.IntRange(min=1), multiple=True, help="Numbers of workers to project onto.")
@click.option("--start-s", default=3.0, show_default=True, help="Seconds that starting a worker takes.")
@options.as_json
def simulate(collection: str, run_id: str | None, workers: tuple[int, ...], start_s: float, json_output: bool) -> None:
    """Project a run's plan onto numbers of workers: how long would it take, and how busy would they be?

    \b
    ingest simulate --collection papers --workers 8 --workers 64
    """
    with open_context() as context:
        run = steps.find_run(context, collection, run_id)
        costs = [b.cost_s for b in RunFiles(context.objects, collection, run.run_id).plan().batches]
    projections = [simulation.simulate(costs, n, start_s=start_s) for n in workers or (1, 2, 4, 8, 16, 32, 64)]
    if json_output:
        options.print_json([msgspec.to_builtins(p) for p in projections])
        return
    click.echo(f"{'workers':>8} {'time':>10} {'busy':>6}")
    for p in projections:
        click.echo(f"{p.workers:8} {p.seconds:8.0f} s {p.utilisation:6.0%}")
