"""One run of a collection at a time: what a step asks for before it touches what runs share.

A step holds the collection's lock as a process. `discover` takes a lease as well, which keeps other runs out until the
report, over all the steps between, wherever they run; each of them prolongs it. A run that cannot go on lets go of it.
Since a lease can be taken over, a step looks besides whether the documents' rows still speak of its run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ingest.document.records import RunState
from ingest.errors import IngestError, RunError
from ingest.scheduling.batch import RunFile
from ingest.scheduling.context import Context
from ingest.stores.holds import time_ms


@contextmanager
def step(context: Context, run: RunFile) -> Iterator[None]:
    """For a step of the run. Raises Conflict while another run has the collection, RunError if one has had it since."""
    with context.ledger.lock(run.collection, run.run_id):
        prolong(context, run)
        check_current(context, run)
        try:
            yield
        except IngestError as error:
            if not error.retry:
                let_go(context, run)
            raise


def prolong(context: Context, run: RunFile) -> None:
    """Keep the collection for longer, if the run has it."""
    context.ledger.extend_lease(run.collection, run.run_id, lease_s=context.settings.lease_s)


def let_go(context: Context, run: RunFile) -> None:
    context.ledger.end_lease(run.collection, run.run_id)


def list_documents(context: Context, run: RunFile) -> None:
    """Say that the documents' rows speak of this run from now on, and that runs which never ended have failed."""
    runs = context.ledger.runs(run.collection)
    for record in runs:
        if record.run_id == run.run_id and not record.listed_ms:
            # later than all before, whatever the clocks of other machines say
            record.listed_ms = max(time_ms(), *(other.listed_ms + 1 for other in runs))
            context.ledger.put_run(record)
        elif record.run_id != run.run_id and record.state is RunState.RUNNING:
            record.state = RunState.FAILED
            context.ledger.put_run(record)


def is_current(context: Context, run: RunFile) -> bool:
    """Whether no later run has listed the source: then the documents' rows would be that run's."""
    listed = {record.run_id: record.listed_ms for record in context.ledger.runs(run.collection)}
    mine = listed.get(run.run_id, 0)
    return not mine or mine == max(listed.values())


def check_current(context: Context, run: RunFile) -> None:
    """Raises RunError if the run's plan is out of date."""
    if not is_current(context, run):
        raise RunError(
            f"run {run.run_id} of {run.collection!r} cannot go on: another run has listed the source since; "
            "start a new run"
        )
