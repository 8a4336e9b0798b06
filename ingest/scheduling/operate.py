"""What an operator does by hand between runs: go back to an earlier run, release documents, look up a document."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import msgspec

from ingest.document.records import DocumentRecord, Outcome, document_id
from ingest.errors import ConfigError, NotFound
from ingest.scheduling import publish
from ingest.scheduling.batch import RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles, read_converted
from ingest.scheduling.results import read_stored
from ingest.scheduling.stages import KEPT
from ingest.stores import keys


def rollback(context: Context, collection: str) -> tuple[str, publish.Published]:
    """See `publish.rollback`; Conflict while a run of the collection is under way."""
    with context.ledger.lock(collection, f"rollback-{time.time_ns()}"):
        return publish.rollback(context, collection)


def release(context: Context, collection: str, documents: Iterable[str] | None) -> list[DocumentRecord]:
    """Take documents (paths or ids; None: all) out of quarantine, as long as their versions stay the same.

    They are published by the next publish. Raises ConfigError for a document that is not in quarantine.
    """
    with context.ledger.lock(collection, f"release-{time.time_ns()}"):
        held = [r for r in context.ledger.documents(collection) if r.outcome is Outcome.QUARANTINED and not r.gone_run]
        if documents is not None:
            by_name = {r.path: r for r in held} | {r.doc_id: r for r in held}
            unknown = [name for name in documents if name not in by_name]
            if unknown:
                raise ConfigError(f"not in quarantine in {collection!r}: {', '.join(unknown)}")
            held = [by_name[name] for name in documents]
        for record in held:
            result = read_stored(context.objects, record.sha256, record.fingerprint)
            if result is None or result.outcome is None:
                raise NotFound(f"{record.path}: its result is not in the object store; run again with --force")
            record.outcome, record.code, record.reason = result.outcome, result.code, result.reason
            record.released, record.updated_ms = record.fingerprint, time.time_ns() // 1_000_000
        context.ledger.upsert(held)
    return held


def trace(context: Context, collection: str, document: str, ref: str | None = None) -> dict[str, Any]:
    """Where a document, or one item of it, comes from: source, bytes, run, versions; page, boxes, cells, label, score.

    `document` is a path or a doc_id, `ref` an item's `self_ref` as search hits give it. Told is of what readers find,
    which may be older than what the ledger has; of a document that they do not find, of what the ledger has. Raises
    NotFound.
    """
    found = context.ledger.get(collection, [document, document_id(collection, document)])
    if not found:
        raise NotFound(
            f"collection {collection!r} has no document {document!r}; `ingest search` and `failures` name them"
        )
    (record,) = found.values()
    shown = _shown(context, record)
    older = shown is not None and (shown.sha256, shown.fingerprint) != (record.sha256, record.fingerprint)
    key = shown.result_key if shown else record.result_key
    converted = msgspec.json.decode(read_converted(context.objects, record.path, key)) if key else {}
    run_id = record.published_run if older else record.changed_run
    run = RunFiles(context.objects, collection, run_id).find("run.json", RunFile)
    versions = (converted.get("body", {}).get("meta") or {}).get("ingest__versions")
    told: dict[str, Any] = {
        "document": msgspec.to_builtins(record),
        "published": {"run_id": record.published_run, **msgspec.to_builtins(shown)} if shown else None,
        "source": run.source if run else "",
        "converted_by": {"run_id": run_id, "versions": versions or (run.versions if run else {})},
        "kept": {
            stage: keys.kept(record.sha256, stage, made)
            for stage, made in zip(KEPT, (record.stage_parse, record.stage_layout, record.stage_labels), strict=True)
            if made and record.result_key and not older
        },
    }
    if ref is not None:
        told["item"] = _item(converted, record.path, ref)
    return told


def _shown(context: Context, record: DocumentRecord) -> publish.Listed | None:
    """What readers find of a document: not what its row tells of where that is newer, or its run was taken back."""
    if not record.published_run:
        return None
    if record.published_run == record.changed_run:
        return publish.listed(record)
    for run in publish.published_runs(context, record.collection)[:1]:
        files = RunFiles(context.objects, record.collection, run.run_id)
        for line in files.read_lines("published.jsonl", publish.Listed, "publish"):
            if line.doc_id == record.doc_id:
                return line
    return None


def _item(converted: dict[str, Any], path: str, ref: str) -> dict[str, Any]:
    kind, _, number = ref.removeprefix("#/").partition("/")
    items = converted.get(kind, [])
    if not number.isdigit() or int(number) >= len(items):
        raise NotFound(f"{path} has no item {ref!r}")
    item: dict[str, Any] = items[int(number)]
    meta = item.get("meta") or {}
    return {
        "ref": ref,
        "text": item.get("text", ""),
        "places": [{"page": p["page_no"], "box": p["bbox"]} for p in item.get("prov", [])],
        **({"table": item["data"]} if "data" in item else {}),
        **{name.removeprefix("ingest__"): value for name, value in meta.items() if name.startswith("ingest__")},
    }
