"""The verb that looks at the stores."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from contextlib import closing

import click

from ingest.cli import options
from ingest.config import Settings, load_settings
from ingest.errors import IngestError, StoreError
from ingest.export.index import open_index
from ingest.stores import keys
from ingest.stores.ledger import open_ledger
from ingest.stores.objects import open_objects
from ingest.stores.uris import redacted

NOBODY = "-"
"""A question about a collection that is not there costs the same, however many documents there are."""


@click.command()
@click.option("--index", is_flag=True, help="The search index, too; workers do without it.")
@options.as_json
def stores(index: bool, json_output: bool) -> None:
    """Say whether the stores can be used from here. Exit status 1 if one cannot.

    \b
    ingest stores --index

    A small object is written, read and deleted; the ledger and the index are asked a question.
    """
    settings = load_settings()
    checks = [("objects", settings.objects_uri, _objects), ("ledger", settings.ledger_uri, _ledger)]
    if index:
        checks.append(("index", settings.index_uri, _index))
    rows = [{"store": name, "uri": redacted(uri), "problem": _problem(check, settings)} for name, uri, check in checks]
    if json_output:
        options.print_json(rows)
    else:
        for row in rows:
            click.echo(f"{row['store']:8} {row['uri']}: {row['problem'] or 'good'}")
    sys.exit(1 if any(row["problem"] for row in rows) else 0)


def _problem(check: Callable[[Settings], None], settings: Settings) -> str:
    try:
        check(settings)
    except IngestError as error:
        return str(error)
    return ""


def _objects(settings: Settings) -> None:
    store = open_objects(settings.objects_uri)
    key, data = keys.probe(secrets.token_hex(8)), secrets.token_bytes(64)
    store.put(key, data)
    try:
        if store.get(key) != data:
            raise StoreError(f"{key} is not read as it was written")
    finally:
        store.delete(key)


def _ledger(settings: Settings) -> None:
    with closing(open_ledger(settings.ledger_uri)) as ledger:
        ledger.runs(NOBODY, limit=1)


def _index(settings: Settings) -> None:
    with closing(open_index(settings.index_uri)) as index:
        index.published(NOBODY)
