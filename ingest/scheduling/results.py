"""What a converted document leaves in the object store: its result, its output, what its stages kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from ingest.document.page import GRAPHICS_CUT
from ingest.document.records import Outcome
from ingest.errors import NotFound
from ingest.scheduling import flow
from ingest.scheduling.batch import Result, RunFile, Task
from ingest.stores import keys
from ingest.stores.objects import ObjectStore

PAGES_NAMED = 20
"""Pages that a reason lists at most."""


def read_kept(objects: ObjectStore, task: Task, run: RunFile) -> dict[str, bytes]:
    """What is kept of the task's stages; without one that is gone, and those after it, which are made again."""
    found: dict[str, bytes] = {}
    for stage in task.kept:
        try:
            found[stage] = objects.get(keys.kept(task.sha256, stage, getattr(run.fingerprints, stage)))
        except NotFound:
            break
    return found


def read_stored(objects: ObjectStore, sha256: str, fingerprint: str) -> Result | None:
    """The result of a converted document that is in the object store."""
    try:
        return msgspec.json.decode(objects.get(keys.result_json(sha256, fingerprint)), type=Result)
    except NotFound:
        return None


async def store(
    objects: ObjectStore, converted: flow.Converted, result: Result, run: RunFile, kept: Iterable[str] = ()
) -> None:
    """Keep a converted document and what its stages left, and fill the result in.

    `kept` are the stages that were kept before. The result is written last, so that whoever finds it finds the rest. If
    another worker has been faster, what it stored is the result.
    """
    result.outcome, result.code, result.reason = judge(converted)
    result.pages = converted.pages
    result.pages_failed = len(converted.lost) + len(converted.needs_ocr)
    result.result_key = keys.document_json(result.sha256, run.fingerprints.document)
    result.kept = (*kept, *converted.kept)
    result.facts = (converted.facts or {}) | {
        "cpu_s": converted.usage.cpu_s,
        "memory_mb": converted.memory_mb,
        "sha256": result.sha256,
    }
    for stage, data in converted.kept.items():
        key = keys.kept(result.sha256, stage, getattr(run.fingerprints, stage))
        await asyncio.to_thread(objects.put, key, data)
    await asyncio.to_thread(objects.put, result.result_key, converted.outputs["docling"])
    stored, key = msgspec.json.encode(result), keys.result_json(result.sha256, run.fingerprints.document)
    if not await asyncio.to_thread(objects.put, key, stored, if_absent=not run.options.force):
        first = await asyncio.to_thread(read_stored, objects, result.sha256, run.fingerprints.document)
        if first is not None:
            adopt(result, first)


def adopt(result: Result, found: Result) -> None:
    """Make a result that of the same bytes and versions that was stored before."""
    for name in ("outcome", "code", "reason", "pages", "pages_failed", "result_key", "facts", "kept"):
        setattr(result, name, getattr(found, name))
    result.reused = True


def judge(converted: flow.Converted) -> tuple[Outcome, str, str]:
    """(outcome, code, reason) of a document that was converted, wholly or in part."""
    parts = []
    found = (converted.lost, "lost"), (converted.needs_ocr, "in need of OCR"), (converted.cut, "with graphics cut")
    for pages, what in found:
        if pages:
            named = "; ".join(f"page {n}: {why}" for n, why in pages[:PAGES_NAMED])
            more = f"; and {len(pages) - PAGES_NAMED} more" if len(pages) > PAGES_NAMED else ""
            parts.append(f"{len(pages)} of {converted.pages} pages {what} ({named}{more})")
    why = "; ".join(parts)
    if converted.lost or converted.needs_ocr:
        return Outcome.PARTIAL, "pages-lost" if converted.lost else "pages-need-ocr", why
    return Outcome.CONVERTED, GRAPHICS_CUT if converted.cut else "", why
