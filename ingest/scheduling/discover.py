"""The first step of a run: what is in the source, what of it is new or changed, what is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import NamedTuple

import msgspec

from ingest.document.records import SHA256, DocumentRecord, Outcome, RunRecord, SourceItem, document_id
from ingest.errors import DocumentError, RunError, SourceError
from ingest.scheduling import exclusive
from ingest.scheduling.batch import Entry, RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.stages import KEPT, Fingerprints, changes
from ingest.stores.sources import Source, sha256_of

PROBE_BYTES = 1_000_000
"""A smaller file is not opened to count its pages: few have more than a shard's."""
PROBE_TIMEOUT_S = 20.0
FEW_REMOVALS = 5
"""So many documents may always go, whatever share of a small collection they are."""


class Discovered(msgspec.Struct, kw_only=True):
    """Counts of documents by what will be done with them."""

    discovered: int = 0
    convert: int = 0
    unchanged: int = 0
    duplicate: int = 0
    rejected: int = 0
    renamed: int = 0
    """Of the unchanged ones: known under another name until now."""
    gone: int = 0
    recompute: dict[str, int] = msgspec.field(default_factory=dict)
    """First stage to be run again -> documents, of those whose bytes have not changed."""
    why: list[str] = msgspec.field(default_factory=list)
    """What changed in our versions since these documents were converted."""


async def discover(context: Context, run: RunFile) -> Discovered:
    """Compare source and ledger, write the inventory.

    Raises SourceError if the source cannot be listed, RunError if more would be removed than the operator allows.
    """
    patterns = {"include": run.options.include, "exclude": run.options.exclude}
    source = context.open_source(run.source, **{name: given for name, given in patterns.items() if given})
    items = list(source.list())
    here = {document_id(run.collection, item.path): item for item in items}
    known = {r.doc_id: r for r in context.ledger.documents(run.collection)}
    gone = [r for r in known.values() if r.doc_id not in here and not r.gone_run]
    _check_removals(context, run, known.values(), gone)
    memory = _Memory(known.values(), gone, here, run.fingerprints)
    entries: list[Entry] = []
    records: list[DocumentRecord] = []
    first_of: dict[str, Entry] = {}
    counts = Discovered(gone=len(gone))
    converted_by: Counter[str] = Counter()
    for item in items:
        entry = Entry(item=item, doc_id=document_id(run.collection, item.path))
        record = known.get(entry.doc_id) or DocumentRecord(
            collection=run.collection, doc_id=entry.doc_id, path=item.path
        )
        before = record.changed_run
        try:
            entry.sha256 = _hash(source, item, record, memory)
        except SourceError as error:
            if error.retry:
                raise
            _end(record, run, Outcome.REJECTED, error.code, str(error))
            entry.action = "rejected"
        else:
            if not record.sha256 and (old := memory.gone.get(entry.sha256)) is not None:
                record = _renamed(old, record)
                counts.renamed += 1
            _compare(entry, record, run, memory)
            _deduplicate(entry, record, first_of, run)
        if entry.stale:
            counts.recompute[entry.stale] = counts.recompute.get(entry.stale, 0) + 1
            converted_by[before] += 1
        if item.reachable:
            for name in ("size", "etag", "mtime_ms", "content_tag"):
                setattr(record, name, getattr(item, name))
        record.sha256, record.seen_run, record.gone_run = entry.sha256, run.run_id, ""
        record.updated_ms = run.started_ms
        entries.append(entry)
        records.append(record)
    for record in gone:
        record.gone_run, record.updated_ms = run.run_id, run.started_ms
    await _count_pages(context, source, entries)
    exclusive.list_documents(context, run)
    context.ledger.upsert([*records, *gone])
    files = RunFiles(context.objects, run.collection, run.run_id)
    files.write_lines("inventory.jsonl", entries)
    counts.discovered = len(entries)
    for entry in entries:
        setattr(counts, entry.action, getattr(counts, entry.action) + 1)
    counts.why = _why(context, run, converted_by)
    files.write("discover.json", counts)
    return counts


def _check_removals(
    context: Context, run: RunFile, known: Iterable[DocumentRecord], gone: Sequence[DocumentRecord]
) -> None:
    """Stop a run that would empty the index: more often a source is not mounted than its documents are deleted."""
    published = sum(bool(r.published_run) for r in known)
    removed = sum(bool(r.published_run) for r in gone)
    limit = context.settings.removal_limit if run.options.removal_limit is None else run.options.removal_limit
    if removed > max(FEW_REMOVALS, limit * published) and not run.options.accept_removals:
        raise RunError(
            f"{removed} of the {published} published documents of {run.collection!r} are gone from {run.source}; "
            f"the removal limit allows {limit:.0%}. If they were meant to go, run again with --accept-removals"
        )


class Made(NamedTuple):
    """What there is of bytes that were converted before."""

    kept: tuple[str, ...]
    """Stages that need not be run again."""
    pages: int
    cpu_s: float


class _Memory:
    """What the ledger knows of bytes, whatever the name that they had."""

    def __init__(
        self,
        known: Iterable[DocumentRecord],
        gone: Iterable[DocumentRecord],
        here: Mapping[str, SourceItem],
        now: Fingerprints,
    ) -> None:
        # Not from a document that has another tag now: it may have been replaced before its bytes were read.
        self.by_tag = {
            (r.content_tag, r.size): r.sha256
            for r in known
            if r.content_tag and r.sha256 and (r.doc_id not in here or here[r.doc_id].content_tag == r.content_tag)
        }
        self.made: dict[str, Made] = {}
        for r in known:
            if r.sha256 and r.outcome not in (Outcome.REJECTED, Outcome.FAILED, Outcome.DUPLICATE):
                made = Made(kept_stages(r, now), r.pages, r.cpu_s)
                if r.sha256 not in self.made or len(made.kept) > len(self.made[r.sha256].kept):
                    self.made[r.sha256] = made
        self.gone = {r.sha256: r for r in gone if r.sha256 and r.outcome is not Outcome.DUPLICATE}


def _renamed(old: DocumentRecord, new: DocumentRecord) -> DocumentRecord:
    """The row of a document that has a new name and was, with the same bytes, known by another that is gone."""
    return msgspec.structs.replace(
        old, doc_id=new.doc_id, path=new.path, published_run="", gone_run="", attempts=0, seen_run=""
    )


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


def _compare(entry: Entry, record: DocumentRecord, run: RunFile, memory: _Memory) -> None:
    """Decide what is to be done with a document, by its bytes and our versions."""
    made = memory.made.get(entry.sha256)
    if made is not None:  # under this name or another
        entry.pages, entry.cost_s = made.pages, made.cpu_s
        if not run.options.force:
            entry.kept = made.kept
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
    elif record.outcome is not None:
        entry.stale = (*KEPT, "document")[len(entry.kept)]


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


def _hash(source: Source, item: SourceItem, record: DocumentRecord, memory: _Memory) -> str:
    """SHA-256 of a document; "" where finding it would cost a download (the worker finds it then)."""
    same = (record.size, record.etag, record.mtime_ms) == (item.size, item.etag, item.mtime_ms)
    if same and record.sha256:
        return record.sha256
    if not item.reachable and record.sha256:
        return record.sha256  # it stays as it was until its server answers again
    if item.content_tag.startswith(SHA256):
        return item.content_tag.removeprefix(SHA256)
    path = source.local_path(item)
    if path is None:
        return memory.by_tag.get((item.content_tag, item.size), "") if item.content_tag else ""
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
