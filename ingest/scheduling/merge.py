"""After the batches: shards become documents again, and every document to convert gets the one way it ended."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from ingest.document.records import GOOD, Outcome
from ingest.errors import DocumentError, NotFound, Rejected
from ingest.scheduling import flow
from ingest.scheduling.batch import Batch, BatchResult, Result, RunFile, Task, Usage, apply
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.results import read_stored, store
from ingest.scheduling.stages import KEPT
from ingest.stores import keys


class Merged(msgspec.Struct, kw_only=True):
    """`merge.json`: what the step did."""

    documents: int = 0
    merged: int = 0
    """Documents put together from shards."""
    missing: int = 0
    """Documents whose batch left no result; they failed."""
    usage: Usage = msgspec.field(default_factory=Usage)
    """Of this step alone."""


async def merge(context: Context, run: RunFile, progress: Callable[[Result], None] = lambda _: None) -> Merged:
    """Write `outcomes.jsonl`: one result per document that the plan holds. Every one of them has an outcome."""
    files = RunFiles(context.objects, run.collection, run.run_id)
    outcomes: list[Result] = []
    shards: defaultdict[str, list[tuple[Task, Result]]] = defaultdict(list)
    late: list[Result] = []
    unhashed: set[str] = set()
    merged = Merged()
    for planned in files.plan().batches:
        batch = msgspec.json.decode(context.objects.get(planned.key), type=Batch)
        results = _results(context, planned.key)
        for number, task in enumerate(batch.tasks):
            result = results[number] if results else _missing(task, batch)
            if task.shard:
                shards[task.doc_id].append((task, result))
                continue
            if not task.sha256:
                unhashed.add(task.doc_id)
            if not results:
                late.append(result)
                merged.missing += 1
            outcomes.append(result)
    if shards:
        async with context.tools(run.models) as tools:
            for parts in shards.values():
                parts.sort(key=lambda part: part[0].shard or (0, 0, 0))
                result = await _merge_one(context, tools, run, parts, merged.usage)
                progress(result)
                late.append(result)
                merged.merged += 1
        outcomes += late[-merged.merged :]
    stands_for = _find_doubles(context, run, outcomes, unhashed)
    changed = [r for r in outcomes if r.doc_id in stands_for] + late
    records = context.ledger.get(run.collection, [r.doc_id for r in changed])
    for result in changed:
        apply(records[result.doc_id], result, run)
        records[result.doc_id].duplicate_of = stands_for.get(result.doc_id, "")
    context.ledger.upsert(records.values())
    merged.documents = len(outcomes)
    files.write("merge.json", merged)
    files.write_lines("outcomes.jsonl", outcomes)
    return merged


def _find_doubles(
    context: Context, run: RunFile, outcomes: Sequence[Result], unhashed: Collection[str]
) -> dict[str, str]:
    """Make duplicates of documents whose bytes, read only by a worker, turned out to be those of another.

    doc_id -> doc_id of the document that stands for it.
    """
    if not unhashed:
        return {}
    stands = {
        r.sha256: (r.doc_id, r.path)
        for r in context.ledger.documents(run.collection, seen_run=run.run_id)
        if r.outcome in GOOD and r.doc_id not in unhashed
    }
    found: dict[str, str] = {}
    for result in sorted(outcomes, key=lambda r: r.path):
        if result.outcome not in GOOD or result.doc_id not in unhashed:
            continue
        doc_id, path = stands.setdefault(result.sha256, (result.doc_id, result.path))
        if doc_id != result.doc_id:
            found[result.doc_id] = doc_id
            result.outcome, result.code, result.reason = Outcome.DUPLICATE, "duplicate", f"has the same bytes as {path}"
            result.facts, result.result_key = None, ""
    return found


def _results(context: Context, batch_key: str) -> list[Result] | None:
    try:
        return msgspec.json.decode(context.objects.get(keys.result_of(batch_key)), type=BatchResult).results
    except NotFound:
        return None


def _missing(task: Task, batch: Batch) -> Result:
    """The end of a document whose batch left no result: failed, never forgotten."""
    return Result(
        doc_id=task.doc_id,
        path=task.item.path,
        sha256=task.sha256,
        outcome=Outcome.FAILED,
        code="batch-lost",
        reason=f"{task.item.path}: its batch ({batch.name}) ended without a result, see the batch's log; run again",
        pages=task.pages,
        finished_ms=_now_ms(),
        retry=True,
    )


async def _merge_one(
    context: Context, tools: flow.Tools, run: RunFile, parts: list[tuple[Task, Result]], step: Usage
) -> Result:
    """The result of a document from the results of its shards, in order; `step` is counted up."""
    task = parts[0][0]
    own, usage = Usage(), Usage()
    for _, part in parts:
        usage.add(part.usage)
    shas = {part.sha256 for _, part in parts}
    result = Result(doc_id=task.doc_id, path=task.item.path, sha256=parts[0][1].sha256, pages=task.pages, usage=usage)
    bad = next((part for _, part in parts if part.outcome is not None), None)
    if bad is not None or len(shas) > 1:
        result.outcome = bad.outcome if bad else Outcome.FAILED
        result.code = bad.code if bad else "changed"
        result.reason = bad.reason if bad else f"{task.item.path}: it changed while it was read; run again"
        result.finished_ms, result.retry = _now_ms(), True
        return result
    stored = read_stored(context.objects, result.sha256, run.fingerprints.document)
    if stored is not None and not run.options.force:
        stored.doc_id, stored.path, stored.usage, stored.reused = task.doc_id, task.item.path, usage, True
        stored.finished_ms = _now_ms()
        return stored
    shard_keys = [
        {stage: keys.shard(result.sha256, run.fingerprints.layout, t.shard[0], stage) for stage in ("parse", "layout")}
        for t, _ in parts
        if t.shard
    ]
    shards = [{stage: context.objects.get(key) for stage, key in found.items()} for found in shard_keys]
    job = flow.Job(
        name=Path(task.item.path).name, sha256=result.sha256, versions=run.versions, formats=["docling"], keep=KEPT
    )
    try:
        converted = await flow.merge(tools, job, shards, usage=own)
    except DocumentError as error:
        result.outcome = Outcome.REJECTED if isinstance(error, Rejected) else Outcome.FAILED
        result.code, result.reason, result.retry = error.code, str(error), error.retry
        usage.add(own)
    else:
        usage.add(own)
        await store(context.objects, converted, result, run)
        for found in shard_keys:
            for key in found.values():
                context.objects.delete(key)
    step.add(own)
    result.finished_ms = _now_ms()
    return result


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
