"""The first step of a run: what is in the source, what of it is new or changed, what is gone."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from ingest.document.records import DocumentRecord, Outcome, RunRecord, SourceItem, document_id
from ingest.errors import DocumentError, SourceError
from ingest.scheduling.batch import Entry, RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.stores.sources import Source, sha256_of

PROBE_BYTES = 1_000_000
"""A smaller file is not opened to count its pages: few have more than a shard's."""
PROBE_TIMEOUT_S = 20.0


class Discovered(msgspec.Struct, kw_only=True):
    """Counts of documents by what will be done with them."""

    discovered: int = 0
    convert: int = 0
    unchanged: int = 0
    duplicate: int = 0
    rejected: int = 0
    gone: int = 0


async def discover(context: Context, run: RunFile) -> Discovered:
    """Compare source and ledger, write the inventory. Raises SourceError, Conflict if another run holds the lock."""
    ledger = context.ledger
    source = context.open_source(run.source)
    known = {r.doc_id: r for r in ledger.documents(run.collection)}
    entries: list[Entry] = []
    records: list[DocumentRecord] = []
    by_hash: dict[str, str] = {}
    for item in source.list():
        doc_id = document_id(run.collection, item.path)
        record = known.pop(doc_id, None) or DocumentRecord(collection=run.collection, doc_id=doc_id, path=item.path)
        entry = Entry(item=item, doc_id=doc_id)
        try:
            _compare(entry, record, source, run)
        except SourceError as error:
            if error.retry:
                raise
            _end(record, run, Outcome.REJECTED, error.code, str(error))
            entry.action = "rejected"
        first = by_hash.setdefault(entry.sha256, doc_id) if entry.sha256 and entry.action != "rejected" else doc_id
        if first != doc_id:
            entry.action = "duplicate"
            if record.outcome is not Outcome.DUPLICATE or record.duplicate_of != first:
                _end(record, run, Outcome.DUPLICATE, "duplicate", f"has the same bytes as {_path_of(entries, first)}")
                record.duplicate_of = first
        elif entry.action == "unchanged" and record.outcome is Outcome.DUPLICATE:
            entry.action = "convert"  # the document that stood for it is gone
        record.size, record.etag, record.mtime_ms = item.size, item.etag, item.mtime_ms
        record.sha256, record.seen_run, record.updated_ms = entry.sha256, run.run_id, run.started_ms
        if entry.action == "convert":
            record.outcome, record.code, record.reason = None, "", ""
        entries.append(entry)
        records.append(record)
    await _count_pages(context, source, entries)
    ledger.upsert(records)
    RunFiles(context.objects, run.collection, run.run_id).write_lines("inventory.jsonl", entries)
    counts = Discovered(discovered=len(entries), gone=len(known))
    for entry in entries:
        setattr(counts, entry.action, getattr(counts, entry.action) + 1)
    return counts


def start(context: Context, run: RunFile) -> None:
    """Announce the run, and keep what was asked for."""
    RunFiles(context.objects, run.collection, run.run_id).write("run.json", run)
    context.ledger.put_run(
        RunRecord(collection=run.collection, run_id=run.run_id, source=run.source, started_ms=run.started_ms)
    )


def _compare(entry: Entry, record: DocumentRecord, source: Source, run: RunFile) -> None:
    """Decide what is to be done with a document."""
    item = entry.item
    same = (record.size, record.etag, record.mtime_ms) == (item.size, item.etag, item.mtime_ms)
    entry.sha256 = record.sha256 if same and record.sha256 else _hash(source, item)
    if entry.sha256 and entry.sha256 == record.sha256:
        entry.pages, entry.cost_s = record.pages, record.cpu_s
        settled = record.outcome is not None and record.outcome is not Outcome.FAILED
        # what was rejected stays rejected until the document or our versions change; what failed is tried again
        current = record.fingerprint == run.fingerprint or record.outcome is Outcome.DUPLICATE
        if settled and current and not run.options.force:
            entry.action = "unchanged"


def _hash(source: Source, item: SourceItem) -> str:
    """SHA-256 of a local document; "" where it would cost a download (the worker finds it then)."""
    path = source.local_path(item)
    if path is None:
        return ""
    try:
        return sha256_of(path)
    except OSError as error:
        raise SourceError(f"{item.path}: cannot be read: {error.strerror}; check its permissions") from error


def _end(record: DocumentRecord, run: RunFile, outcome: Outcome, code: str, reason: str) -> None:
    record.outcome, record.code, record.reason = outcome, code, reason
    record.changed_run, record.fingerprint, record.result_key = run.run_id, run.fingerprint, ""


def _path_of(entries: Iterable[Entry], doc_id: str) -> str:
    return next(e.item.path for e in entries if e.doc_id == doc_id)


async def _count_pages(context: Context, source: Source, entries: Iterable[Entry]) -> None:
    """Find the number of pages of large local documents, so that the plan can split long ones."""
    wanted = [
        (entry, path)
        for entry in entries
        if entry.action == "convert" and not entry.pages and entry.item.size >= PROBE_BYTES
        if (path := source.local_path(entry.item)) is not None
    ]
    if not wanted:
        return
    async with context.sandbox() as sandbox:
        for entry, path in wanted:
            child = await sandbox.spawn()
            with suppress(DocumentError):  # the worker opens it again and says what is wrong
                meta, _ = await child.call(
                    "open",
                    {"path": str(path), "name": path.name, "max_pages": 1 << 40, "password": None},
                    timeout_s=PROBE_TIMEOUT_S,
                )
                entry.pages = meta["pages"]
            await child.close()
