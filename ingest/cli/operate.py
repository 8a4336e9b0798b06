"""Verbs for operators between runs: rollback, release, unlock, show."""

from __future__ import annotations

import click

from ingest.cli import options
from ingest.errors import ConfigError
from ingest.runtime import open_context
from ingest.scheduling import operate


@click.command()
@options.collection
@options.as_json
def rollback(collection: str, json_output: bool) -> None:
    """Bring the search index back to the run that was published before the current one.

    \b
    ingest rollback --collection papers

    The ledger keeps what was converted since; the next run that passes its gate is published as usual.
    """
    with open_context() as context:
        run_id, published = operate.rollback(context, collection)
    if json_output:
        options.print_json({"run_id": run_id, "written": published.written, "removed": published.removed})
    else:
        click.echo(f"back to run {run_id}: {published.written} written, {published.removed} removed")


@click.command()
@options.collection
@click.argument("documents", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All documents in quarantine.")
@options.as_json
def release(collection: str, documents: tuple[str, ...], everything: bool, json_output: bool) -> None:
    """Take DOCUMENTS (paths or ids) out of quarantine; the next publish shows them to readers.

    \b
    ingest release --collection papers 2026/annual-report.pdf
    ingest publish --collection papers
    """
    if everything == bool(documents):
        raise ConfigError("name the documents to release, or say --all")
    with open_context() as context:
        released = operate.release(context, collection, None if everything else documents)
    if json_output:
        options.print_json([record.path for record in released])
    else:
        for record in released:
            click.echo(f"released {record.path}")


@click.command()
@options.collection
@options.as_json
def unlock(collection: str, json_output: bool) -> None:
    """Let other runs have a collection that an abandoned run still holds.

    \b
    ingest unlock --collection papers

    Refused while a process of this machine is at work for a run. The abandoned run cannot go on once another has begun.
    """
    with open_context() as context:
        ended = context.ledger.unlock(collection)
    if json_output:
        options.print_json([{"run_id": hold.owner, "until": hold.until()} for hold in ended])
        return
    for hold in ended:
        click.echo(f"taken from run {hold.describe()}")
    if not ended:
        click.echo(f"nobody holds {collection}")


@click.command()
@options.collection
@click.argument("document")
@click.option("--ref", help="An item of it, as search hits name it: #/texts/12.")
def show(collection: str, document: str, ref: str | None) -> None:
    """Say where DOCUMENT (a path or an id) comes from, as JSON: source, bytes, runs, versions, what is kept of it.

    What readers find is told, also while the ledger has something newer.

    \b
    ingest show --collection papers 2026/annual-report.pdf --ref "#/texts/12"

    With --ref also the item's page, boxes, cells, label and score; `ingest search` names documents and items.
    """
    with open_context() as context:
        options.print_json(operate.trace(context, collection, document, ref))
