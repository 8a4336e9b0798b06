"""Bring the search index to what the source holds now: all of it at once, and only after the gate."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec

from ingest.document.records import GOOD, DocumentRecord, RunState
from ingest.errors import GateFailed, NotFound, StoreError
from ingest.export.index import IndexedDocument
from ingest.export.records import document_records
from ingest.quality.verdict import Verdict
from ingest.scheduling.batch import RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles


class Published(msgspec.Struct, kw_only=True):
    """`publish.json`: what changed in the index."""

    written: int
    """Documents that are new in the index or were replaced."""
    removed: int
    total: int
    """Documents of the collection in the index afterwards."""


def publish(context: Context, run: RunFile) -> Published:
    """Make the index hold exactly the good documents of this run's inventory, and say so in the ledger.

    What is to be done is the difference between index and ledger, so a publish that was cut off is healed by the
    next one. Raises GateFailed if the run did not pass its gate; nothing is touched then.
    """
    files = RunFiles(context.objects, run.collection, run.run_id)
    verdict = files.read("gate.json", Verdict, "gate")
    if not verdict.passed:
        raise GateFailed(
            f"run {run.run_id} of {run.collection} did not pass its gate "
            f"({', '.join(f.expectation for f in verdict.failed_expectations)}); nothing is published"
        )
    index = context.index()
    there = index.published(run.collection)
    wanted: dict[str, DocumentRecord] = {}
    for record in context.ledger.documents(run.collection, seen_run=run.run_id):
        if record.outcome in GOOD:
            wanted[record.doc_id] = record
    fresh = [r for r in wanted.values() if there.get(r.doc_id) != (r.sha256, r.fingerprint)]
    removed = [doc_id for doc_id in there if doc_id not in wanted]
    if fresh or removed:
        index.publish(run.collection, run.run_id, _documents(context, run, fresh), removed)
    _note(context, run, wanted, {r.doc_id for r in fresh})
    published = Published(written=len(fresh), removed=len(removed), total=len(wanted))
    files.write("publish.json", published)
    record_run = context.ledger.get_run(run.collection, run.run_id)
    if record_run is not None:
        record_run.state = RunState.PUBLISHED
        context.ledger.put_run(record_run)
    return published


def _documents(context: Context, run: RunFile, records: list[DocumentRecord]) -> Iterator[IndexedDocument]:
    for record in records:
        try:
            data = context.objects.get(record.result_key)
        except NotFound as error:
            raise StoreError(
                f"{record.path}: the ledger says that it is converted, but {record.result_key} is not in the object "
                "store; run again with --force"
            ) from error
        yield document_records(
            msgspec.json.decode(data),
            collection=run.collection,
            doc_id=record.doc_id,
            path=record.path,
            sha256=record.sha256,
            fingerprint=record.fingerprint,
            run_id=run.run_id,
        )


def _note(context: Context, run: RunFile, wanted: dict[str, DocumentRecord], fresh: set[str]) -> None:
    """Write into the ledger which documents a reader finds, and since which run."""
    changed = []
    for record in context.ledger.documents(run.collection):
        if record.doc_id in wanted:
            published_run = run.run_id if record.doc_id in fresh else record.published_run or run.run_id
        else:
            published_run = ""
        if record.published_run != published_run:
            record.published_run, record.updated_ms = published_run, time.time_ns() // 1_000_000
            changed.append(record)
    context.ledger.upsert(changed)
