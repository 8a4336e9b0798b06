"""The report of a run: what became of every document, how fast, and at what cost.

Time to solution, effective and sustained throughput and serial time are those of Auer et al. 2022, section IV-A.
"""

from __future__ import annotations

import time
from collections import Counter

import msgspec

from ingest.document.records import Outcome, RunState
from ingest.errors import NotFound
from ingest.quality.verdict import Verdict
from ingest.scheduling.batch import BatchResult, Result, RunFile, Usage
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.merge import Merged
from ingest.scheduling.publish import Published
from ingest.stores import keys


class Documents(msgspec.Struct, kw_only=True):
    """Each discovered document has exactly one outcome: the seven add up to `discovered`."""

    discovered: int = 0
    converted: int = 0
    partial: int = 0
    rejected: int = 0
    failed: int = 0
    quarantined: int = 0
    unchanged: int = 0
    duplicate: int = 0
    published: int = 0
    """Written to the index by this run."""
    removed: int = 0
    """Dropped from the index by this run."""


class Pages(msgspec.Struct, kw_only=True):
    """Of the documents that this run converted."""

    converted: int = 0
    failed: int = 0


class Gate(msgspec.Struct, kw_only=True):
    verdict: str = "not-run"
    """passed, failed or not-run."""
    failed_expectations: list[str] = msgspec.field(default_factory=list)
    data_docs: str = ""
    """Object key of the first page of the Data Docs."""


class Report(msgspec.Struct, kw_only=True):
    """`report.json`."""

    run_id: str
    collection: str
    source: str
    good: bool
    """The gate passed, what passed is published, and no document was left without an outcome."""
    documents: Documents
    reasons: dict[str, dict[str, int]]
    """Outcome -> code -> documents, for what was not simply converted."""
    unpublished: dict[str, str] = msgspec.field(default_factory=dict)
    """doc_id -> why, of documents that failed only when they were to be published."""
    pages: Pages
    tts_s: float
    """Time to solution: from the start of the run to the last converted document."""
    effective_pages_per_s: float
    sustained_pages_per_s: float
    """While all workers were busy: until the first one found no more work."""
    serial_s: dict[str, float]
    """Wall-seconds by stage, summed over all documents."""
    cpu_s: float
    """CPU-seconds of all workers and model services for this run."""
    stage_cpu_s: dict[str, float]
    pages_per_cpu_s: float
    gate: Gate
    versions: dict[str, str]
    started_ms: int
    finished_ms: int


def report(context: Context, run: RunFile) -> Report:
    """Write and return the report of a run, wherever it stopped."""
    files = RunFiles(context.objects, run.collection, run.run_id)
    verdict = files.find("gate.json", Verdict)
    published = files.find("publish.json", Published)
    documents, reasons, unfinished = _documents(context, run)
    if published is not None:
        documents.published, documents.removed = published.written, published.removed
    results = _results(files)
    batches = _batches(context, files)
    fresh = [r for r in results if not r.reused and r.outcome in (Outcome.CONVERTED, Outcome.PARTIAL)]
    pages = sum(r.pages - r.pages_failed for r in fresh)
    ends = [r.finished_ms for r in fresh]
    tts_s = (max(ends) - run.started_ms) / 1000 if ends else 0.0
    usage = Usage()
    for batch in batches:
        usage.add(batch.usage)
    merged = files.find("merge.json", Merged)
    if merged is not None:
        usage.add(merged.usage)
    finished_ms = time.time_ns() // 1_000_000
    made = Report(
        run_id=run.run_id,
        collection=run.collection,
        source=run.source,
        good=bool(verdict and verdict.passed and published is not None and not unfinished),
        documents=documents,
        reasons=reasons,
        unpublished=published.unpublished if published is not None else {},
        pages=Pages(converted=pages, failed=sum(r.pages_failed for r in fresh)),
        tts_s=round(tts_s, 3),
        effective_pages_per_s=round(pages / tts_s, 3) if tts_s else 0.0,
        sustained_pages_per_s=round(sustained(fresh, batches, run.started_ms), 3),
        serial_s={k: round(v, 3) for k, v in sorted(usage.stage_s.items())},
        cpu_s=round(usage.cpu_s, 3),
        stage_cpu_s={k: round(v, 3) for k, v in sorted(usage.stage_cpu_s.items())},
        pages_per_cpu_s=round(pages / usage.cpu_s, 3) if usage.cpu_s else 0.0,
        gate=_gate(files, verdict),
        versions=run.versions,
        started_ms=run.started_ms,
        finished_ms=finished_ms,
    )
    files.write("report.json", made)
    record = context.ledger.get_run(run.collection, run.run_id)
    if record is not None:
        record.finished_ms, record.report_key = finished_ms, files.key("report.json")
        if not made.good:
            record.state = RunState.BLOCKED if verdict and not verdict.passed else RunState.FAILED
        context.ledger.put_run(record)
    return made


def _documents(context: Context, run: RunFile) -> tuple[Documents, dict[str, dict[str, int]], int]:
    """(counts, codes by outcome, documents without an outcome), from the ledger."""
    counts: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    unfinished = 0
    for record in context.ledger.documents(run.collection, seen_run=run.run_id):
        outcome = record.run_outcome(run.run_id)
        if outcome is None:
            # the run stopped before this document was done; counted as failed, so that none is missing
            unfinished += 1
            outcome, code = Outcome.FAILED, "not-reached"
        else:
            code = record.code
        counts[outcome.value] += 1
        converted = outcome is Outcome.CONVERTED and not code
        if not converted and outcome not in (Outcome.UNCHANGED, Outcome.DUPLICATE):
            reasons.setdefault(outcome.value, Counter())[code] += 1
    documents = Documents(discovered=sum(counts.values()), **counts)
    return documents, {k: dict(v) for k, v in sorted(reasons.items())}, unfinished


def _results(files: RunFiles) -> list[Result]:
    return list(files.outcomes()) if files.has("outcomes.jsonl") else []


def _batches(context: Context, files: RunFiles) -> list[BatchResult]:
    found: list[BatchResult] = []
    if not files.has("plan.json"):
        return found
    for planned in files.plan().batches:
        try:
            found.append(msgspec.json.decode(context.objects.get(keys.result_of(planned.key)), type=BatchResult))
        except NotFound:
            continue
    return found


def sustained(fresh: list[Result], batches: list[BatchResult], started_ms: int) -> float:
    """Pages per second from the start until the first worker found no more work.

    That is when a batch ended and no other was left to begin: the first end after the last beginning.
    """
    if not batches:
        return 0.0
    last_start = max(b.started_ms for b in batches)
    idle = min(b.finished_ms for b in batches if b.finished_ms >= last_start)
    pages = sum(r.pages - r.pages_failed for r in fresh if r.finished_ms <= idle)
    return pages / max((idle - started_ms) / 1000, 1e-3)


def _gate(files: RunFiles, verdict: Verdict | None) -> Gate:
    if verdict is None:
        return Gate()
    return Gate(
        verdict="passed" if verdict.passed else "failed",
        failed_expectations=[f.expectation for f in verdict.failed_expectations],
        data_docs=files.key(f"data_docs/{verdict.data_docs}") if verdict.data_docs else "",
    )
