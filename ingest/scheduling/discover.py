"""The first step of a run: what is in the source, what of it is new or changed, what is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import takewhile

import msgspec

from ingest.document.records import DocumentRecord, Outcome, RunRecord, SourceItem, document_id
from ingest.errors import DocumentError, SourceError
from ingest.scheduling.batch import Entry, RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.stages import KEPT, Fingerprints, changes
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
    recompute: dict[str, int] = msgspec.field(default_factory=dict)
    """First stage to be run again -> documents, of those whose bytes have not changed."""
    why: list[str] = msgspec.field(default_factory=list)
    """What changed in our versions since these documents were converted."""


async def discover(context: Context, run: RunFile) -> Discovered:
    """Compare source and ledger, write the inventory. Raises SourceError, Conflict if another run holds the lock."""
    source = context.open_source(run.source)
    known = {r.doc_id: r for r in context.ledger.documents(run.collection)}
    entries: list[Entry] = []
    records: list[DocumentRecord] = []
    first_of: dict[str, Entry] = {}
    counts = Discovered()
    converted_by: Counter[str] = Counter()
    for item in source.list():
        doc_id = document_id(run.collection, item.path)
        record = known.pop(doc_id, None) or DocumentRecord(collection=run.collection, doc_id=doc_id, path=item.path)
        entry = Entry(item=item, doc_id=doc_id)
        before = record.changed_run
        try:
            _compare(entry, record, source, run)
        except SourceError as error:
            if error.retry:
                raise
            _end(record, run, Outcome.REJECTED, error.code, str(error))
            entry.action = "rejected"
        else:
            _deduplicate(entry, record, first_of, run)
        if entry.stale:
            counts.recompute[entry.stale] = counts.recompute.get(entry.stale, 0) + 1
            converted_by[before] += 1
        record.size, record.etag, record.mtime_ms = item.size, item.etag, item.mtime_ms
        record.sha256, record.seen_run, record.updated_ms = entry.sha256, run.run_id, run.started_ms
        entries.append(entry)
        records.append(record)
    await _count_pages(context, source, entries)
    context.ledger.upsert(records)
    files = RunFiles(context.objects, run.collection, run.run_id)
    files.write_lines("inventory.jsonl", entries)
    counts.discovered, counts.gone = len(entries), len(known)
    for entry in entries:
        setattr(counts, entry.action, getattr(counts, entry.action) + 1)
    counts.why = _why(context, run, converted_by)
    files.write("discover.json", counts)
    return counts


def _deduplicate(entry: Entry, record: DocumentRecord, first_of: dict[str, Entry], run: RunFile) -> None:
    """Settle a document whose bytes another one of this run has."""
    first = first_of.setdefault(entry.sha256, entry) if entry.sha256 else entry
    if first is not entry:
        entry.action, entry.kept, entry.stale = "duplicate", (), ""
        if record.outcome is not Outcome.DUPLICATE or record.duplicate_of != first.doc_id:
            _end(record, run, Outcome.DUPLICATE, "duplicate", f"has the same bytes as {first.item.path}")
            record.duplicate_of = first.doc_id
    elif entry.action == "unchanged" and record.outcome is Outcome.DUPLICATE:
        entry.action = "convert"  # the document that stood for it is gone
    if entry.action == "convert":
        record.outcome, record.code, record.reason = None, "", ""


def _why(context: Context, run: RunFile, converted_by: Counter[str]) -> list[str]:
    """What changed in our versions since the run that converted most of what is out of date."""
    if not converted_by:
        return []
    ((before, _),) = converted_by.most_common(1)
    old = RunFiles(context.objects, run.collection, before).find("run.json", RunFile)
    return changes(old.versions, run.versions) if old else []


def start(context: Context, run: RunFile) -> None:
    """Announce the run, and keep what was asked for."""
    RunFiles(context.objects, run.collection, run.run_id).write("run.json", run)
    context.ledger.put_run(
        RunRecord(collection=run.collection, run_id=run.run_id, source=run.source, started_ms=run.started_ms)
    )


def _compare(entry: Entry, record: DocumentRecord, source: Source, run: RunFile) -> None:
    """Decide what is to be done with a document, by its bytes and our versions."""
    item = entry.item
    same = (record.size, record.etag, record.mtime_ms) == (item.size, item.etag, item.mtime_ms)
    entry.sha256 = record.sha256 if same and record.sha256 else _hash(source, item)
    if not entry.sha256 or entry.sha256 != record.sha256:
        record.stage_parse = record.stage_layout = record.stage_labels = ""
        return
    entry.pages, entry.cost_s = record.pages, record.cpu_s
    if run.options.force:
        return
    if _is_current(record, run.fingerprints):
        entry.action = "unchanged"
    elif record.outcome in (Outcome.REJECTED, Outcome.FAILED):
        record.stage_parse = record.stage_layout = record.stage_labels = ""
    else:
        entry.kept = kept_stages(record, run.fingerprints)
        entry.stale = (*KEPT, "document")[len(entry.kept)] if record.outcome is not None else ""


def _is_current(record: DocumentRecord, now: Fingerprints) -> bool:
    """The document, whose bytes have not changed, would end the same way again."""
    if record.outcome is None or record.outcome is Outcome.FAILED:
        return False  # what failed for our reasons is tried again
    if record.outcome is Outcome.REJECTED:
        return record.stage_parse == now.parse
    return record.outcome is Outcome.DUPLICATE or record.fingerprint == now.document


def kept_stages(record: DocumentRecord, now: Fingerprints) -> tuple[str, ...]:
    """Stages of the document that need not be run again with these versions."""
    made = {"parse": record.stage_parse, "layout": record.stage_layout, "labels": record.stage_labels}
    return tuple(takewhile(lambda stage: made[stage] == getattr(now, stage), KEPT))


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
    record.changed_run, record.result_key = run.run_id, ""
    record.fingerprint, record.stage_parse = run.fingerprints.document, run.fingerprints.parse


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
