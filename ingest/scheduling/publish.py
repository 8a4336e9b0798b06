"""Bring the search index to what the source holds now: all of it at once, and only after the gate."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import msgspec

from ingest.document.records import GOOD, DocumentRecord, Outcome, RunRecord, RunState
from ingest.errors import GateFailed, InvalidOutput, RunError, Unindexable
from ingest.export.index import IndexedDocument
from ingest.export.records import document_records
from ingest.quality.verdict import Verdict
from ingest.scheduling.batch import RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles, read_converted


class Published(msgspec.Struct, kw_only=True):
    """`publish.json`: what changed in the index."""

    written: int
    """Documents that are new in the index or were replaced."""
    removed: int
    total: int
    """Documents of the collection in the index afterwards."""
    unpublished: dict[str, str] = msgspec.field(default_factory=dict)
    """doc_id -> why, of converted documents that could not be read back: each costs itself alone."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `published.jsonl`: a document that readers find when this run is the published one."""

    doc_id: str
    path: str
    sha256: str
    fingerprint: str
    result_key: str


def published_runs(context: Context, collection: str) -> list[RunRecord]:
    """The last runs that were published and not taken back, newest first; what readers find is the first's."""
    return context.ledger.runs(collection, state=RunState.PUBLISHED)


def listed(record: DocumentRecord) -> Listed:
    """A document as its row has it."""
    return Listed(
        doc_id=record.doc_id,
        path=record.path,
        sha256=record.sha256,
        fingerprint=record.fingerprint,
        result_key=record.result_key,
    )


def publish(context: Context, run: RunFile, *, rebuild: bool = False) -> Published:
    """Make the index hold exactly the good documents of this run's inventory, and say so in the ledger.

    What is to be done is the difference between index and ledger, so a publish that was cut off is healed by the
    next one. With `rebuild`, everything is written into a new generation that then takes the old one's place. Raises
    GateFailed if the run did not pass its gate; nothing is touched then.
    """
    files = RunFiles(context.objects, run.collection, run.run_id)
    verdict = files.read("gate.json", Verdict, "gate")
    if not verdict.passed:
        raise GateFailed(
            f"run {run.run_id} of {run.collection} did not pass its gate "
            f"({', '.join(f.expectation for f in verdict.failed_expectations)}); nothing is published"
        )
    records = context.ledger.documents(run.collection, seen_run=run.run_id)
    good = [listed(record) for record in records if record.outcome in GOOD]
    published = _bring_to(context, run.collection, run.run_id, good, rebuild=rebuild)
    _fail(context, run, published.unpublished)
    files.write_lines("published.jsonl", [d for d in good if d.doc_id not in published.unpublished])
    before = files.find("publish.json", Published)
    if before is not None:
        published.unpublished = before.unpublished | published.unpublished
    files.write("publish.json", published)
    _set_state(context, run.collection, run.run_id, RunState.PUBLISHED)
    return published


def rollback(context: Context, collection: str) -> tuple[str, Published]:
    """Bring the index back to the run that was published before the current one; (that run, what changed).

    Raises RunError if there is none.
    """
    runs = published_runs(context, collection)
    if len(runs) < 2:
        raise RunError(f"collection {collection!r} has {len(runs)} published run(s); there is none to go back to")
    current, before = runs[0].run_id, runs[1].run_id
    files = RunFiles(context.objects, collection, before)
    good = list(files.read_lines("published.jsonl", Listed, "publish"))
    published = _bring_to(context, collection, before, good)
    _set_state(context, collection, current, RunState.ROLLED_BACK)
    return before, published


def _bring_to(
    context: Context, collection: str, run_id: str, good: Sequence[Listed], *, rebuild: bool = False
) -> Published:
    """Make readers find exactly the documents given, less those that cannot be read: all of the difference at once."""
    index = context.index()
    there = {} if rebuild else index.published(collection)
    wanted = {document.doc_id for document in good}
    fresh = [d for d in good if there.get(d.doc_id) != (d.sha256, d.fingerprint)]
    removed = [doc_id for doc_id in there if doc_id not in wanted]
    if fresh or removed or rebuild:
        invalid: dict[str, str] = {}
        documents = _readable(context, collection, run_id, fresh, invalid)
        try:
            index.publish(collection, run_id, documents, removed, rebuild=rebuild)
        except InvalidOutput as error:
            # nothing has been published yet: their older versions, if any, have to go in the same moment
            if isinstance(error, Unindexable):
                invalid |= error.documents
            rest = [d for d in good if d.doc_id not in invalid]
            published = _bring_to(context, collection, run_id, rest, rebuild=rebuild)
            published.unpublished |= invalid
            return published
    _note(context, collection, run_id, wanted, {d.doc_id for d in fresh})
    return Published(written=len(fresh), removed=len(removed), total=len(good))


def _readable(
    context: Context, collection: str, run_id: str, fresh: Sequence[Listed], invalid: dict[str, str]
) -> Iterator[IndexedDocument]:
    """The documents, as long as all can be read; notes the others in `invalid` and raises InvalidOutput at the end."""
    for document in fresh:
        try:
            read = _read(context, collection, run_id, document)
        except InvalidOutput as error:
            invalid[document.doc_id] = str(error)
            continue
        if not invalid:
            yield read
    if invalid:
        raise InvalidOutput("; ".join(invalid.values()))


def _read(context: Context, collection: str, run_id: str, document: Listed) -> IndexedDocument:
    data = read_converted(context.objects, document.path, document.result_key)
    try:
        docling = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise InvalidOutput(
            f"{document.path}: {document.result_key} is damaged ({error}); run again with --force"
        ) from error
    return document_records(
        docling,
        collection=collection,
        doc_id=document.doc_id,
        path=document.path,
        sha256=document.sha256,
        fingerprint=document.fingerprint,
        run_id=run_id,
    )


def _fail(context: Context, run: RunFile, unpublished: dict[str, str]) -> None:
    """The documents' outcome in this run, after all."""
    failed = context.ledger.get(run.collection, unpublished)
    for doc_id, record in failed.items():
        record.outcome, record.code, record.reason = Outcome.FAILED, InvalidOutput.code, unpublished[doc_id]
        record.changed_run, record.updated_ms = run.run_id, time.time_ns() // 1_000_000
    context.ledger.upsert(failed.values())


def _note(context: Context, collection: str, run_id: str, wanted: set[str], fresh: set[str]) -> None:
    """Write into the ledger which documents a reader finds, and since which run."""
    changed = []
    for record in context.ledger.documents(collection):
        if record.doc_id in wanted:
            published_run = run_id if record.doc_id in fresh else record.published_run or run_id
        else:
            published_run = ""
        if record.published_run != published_run:
            record.published_run, record.updated_ms = published_run, time.time_ns() // 1_000_000
            changed.append(record)
    context.ledger.upsert(changed)


def _set_state(context: Context, collection: str, run_id: str, state: RunState) -> None:
    record = context.ledger.get_run(collection, run_id)
    if record is not None:
        record.state = state
        context.ledger.put_run(record)
