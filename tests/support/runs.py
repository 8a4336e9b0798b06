"""A platform in a temporary folder, and a whole run of it in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.config import Settings
from ingest.document.records import DocumentRecord
from ingest.runtime import open_context
from ingest.scheduling import steps
from ingest.scheduling.batch import RunFile, RunOptions
from ingest.scheduling.context import Context
from ingest.scheduling.report import Report


@contextmanager
def platform(home: Path, **settings: object) -> Iterator[Context]:
    """Stores and networks with their defaults, all below `home`."""
    made = Settings(home=home, **settings)  # type: ignore[arg-type]
    with open_context(made) as context:
        yield context


def rows(context: Context) -> dict[str, DocumentRecord]:
    """The ledger's rows of the collection `test`, by path."""
    return {record.path: record for record in context.ledger.documents("test")}


def begin(
    context: Context, source: Path | str, run_id: str, *, force: bool = False, strictness: str = "lenient"
) -> RunFile:
    """A run of the collection `test`, begun and discovered."""
    run = steps.begin(
        context, "test", str(source), run_id=run_id, options=RunOptions(force=force, strictness=strictness)
    )
    steps.run_discover(context, run)
    return run


def finish(context: Context, run: RunFile, *, workers: int = 1) -> Report:
    """The rest of a run: every step in order, the batches in this process."""
    for batch in steps.run_plan(context, run, workers=workers).batches:
        steps.run_worker(context, batch.key)
    steps.run_merge(context, run)
    if steps.run_gate(context, run).passed:
        steps.run_publish(context, run)
    return steps.run_report(context, run)


def whole_run(context: Context, source: Path | str, run_id: str, *, force: bool = False) -> Report:
    return finish(context, begin(context, source, run_id, force=force))
