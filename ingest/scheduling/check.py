"""The gate's step: facts of all documents that a reader would find, and elements of some that are new, checked.

What fails is held back.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ingest.document.records import GOOD, DocumentRecord, Outcome
from ingest.errors import StoreError
from ingest.quality import audit, gate
from ingest.quality.facts import Facts
from ingest.quality.thresholds import thresholds
from ingest.quality.verdict import Verdict
from ingest.scheduling.batch import RunFile
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles, read_converted
from ingest.scheduling.publish import published_runs
from ingest.scheduling.results import read_stored


def check(context: Context, run: RunFile) -> Verdict:
    """Write `facts.jsonl`, `gate.json` and the Data Docs; quarantine in the ledger what breaks a check of its own.

    Raises StoreError if a document's result is gone from the object store, RunError if the checks cannot run.
    """
    files = RunFiles(context.objects, run.collection, run.run_id)
    records = list(context.ledger.documents(run.collection, seen_run=run.run_id))
    outcomes = {r.doc_id: r for r in files.outcomes()}
    for record in records:
        if record.outcome is Outcome.QUARANTINED and record.changed_run == run.run_id and record.doc_id in outcomes:
            # by an earlier attempt at this step: checked again
            result = outcomes[record.doc_id]
            record.outcome, record.code, record.reason = result.outcome, result.code, result.reason
    previous = last_published(context, run)
    fresh = {doc_id: result.facts for doc_id, result in outcomes.items() if result.facts is not None}
    facts = list(_facts(context, records, fresh, previous))
    files.write_lines("facts.jsonl", facts)
    counts = Counter(outcome for r in records if (outcome := r.outcome) is not None)
    before = previous.find("gate.json", Verdict) if previous else None
    released = frozenset(r.doc_id for r in records if r.released and r.released == r.fingerprint)
    limits = thresholds(run.options.strictness, run.options.thresholds)
    keys = {
        r.doc_id: r.result_key
        for r in records
        if r.changed_run == run.run_id and r.outcome in GOOD and r.doc_id not in released
    }
    sample = audit.take(
        [row for row in facts if row.doc_id in keys],
        limits.audit_documents,
        run.fingerprints.document,
        lambda row: read_converted(context.objects, row.path, keys[row.doc_id]),
    )
    with tempfile.TemporaryDirectory(prefix="ingest-") as folder:
        docs = Path(folder)
        verdict = gate.run_gate(
            facts,
            gate.GateContext(
                collection=run.collection,
                run_id=run.run_id,
                counts=counts,
                data_docs=docs,
                released=released,
                sample=sample,
                previous=before.summary if before else None,
                thresholds=limits,
            ),
        )
        for path in sorted(docs.rglob("*")):
            if path.is_file():
                context.objects.put(files.key(f"data_docs/{path.relative_to(docs).as_posix()}"), path.read_bytes())
    _quarantine(run, records, verdict)
    context.ledger.upsert([r for r in records if r.changed_run == run.run_id])
    files.write("gate.json", verdict)
    return verdict


def last_published(context: Context, run: RunFile) -> RunFiles | None:
    """Files of the collection's last published run before this one."""
    for record in published_runs(context, run.collection):
        if record.run_id != run.run_id:
            return RunFiles(context.objects, run.collection, record.run_id)
    return None


def _facts(
    context: Context, records: list[DocumentRecord], fresh: dict[str, dict[str, Any]], previous: RunFiles | None
) -> Iterator[Facts]:
    """Rows of all good documents: of this run's from its outcomes, of the others from the run that published last."""
    known: dict[str, Facts] = {}
    if previous is not None and previous.has("facts.jsonl"):
        known = {row.doc_id: row for row in previous.read_lines("facts.jsonl", Facts, "gate")}
    for record in records:
        if record.outcome not in GOOD:
            continue
        row = known.get(record.doc_id)
        if record.doc_id in fresh:
            row = msgspec.convert(fresh[record.doc_id], Facts)
        elif row is None or row.sha256 != record.sha256:
            stored = read_stored(context.objects, record.sha256, record.fingerprint)
            if stored is None or stored.facts is None:
                raise StoreError(
                    f"{record.path}: the ledger says that it is converted, but its result is not in the object store; "
                    "run again with --force"
                )
            row = msgspec.convert(stored.facts, Facts)
        row.doc_id, row.path = record.doc_id, record.path
        yield row


def _quarantine(run: RunFile, records: list[DocumentRecord], verdict: Verdict) -> None:
    for record in records:
        if record.doc_id not in verdict.quarantine:
            continue
        record.outcome, record.code = Outcome.QUARANTINED, "quarantined"
        record.reason = verdict.quarantine[record.doc_id]
        record.changed_run, record.updated_ms = run.run_id, time.time_ns() // 1_000_000
