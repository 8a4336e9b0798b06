"""The gate: facts of a run's documents in, verdict out. What does not pass is not published.

A document that breaks a check of its own, or of one of its elements, is quarantined, and only this document; the rest
may be published. The run as a whole is blocked if too many documents are quarantined or failed, or too many of those
audited are faulty, if the table of facts does not agree with the ledger, or if what remains differs too much from the
PDFs or from the last published run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ingest.document.records import Outcome
from ingest.quality import audit, data_docs, suites, tables
from ingest.quality.facts import Facts
from ingest.quality.summary import Summary, changes, summarise
from ingest.quality.thresholds import Thresholds
from ingest.quality.validation import CheckResult, Validator
from ingest.quality.verdict import Finding, Skipped, Verdict

MAX_OFFENDERS = 20
OWN = frozenset({"document", "element"})
"""Levels of checks that a document breaks by itself."""


class GateContext(msgspec.Struct, kw_only=True):
    """What the gate must know besides the facts."""

    collection: str
    run_id: str
    counts: Mapping[Outcome, int]
    """Documents by outcome, from the ledger. `converted` and `partial` are those that facts are given of, whether of
    this run alone or of the whole collection; `quarantined` are those that an earlier run held back."""
    data_docs: Path
    """Folder for this run's Data Docs; made if need be, and what an earlier attempt left there is replaced."""
    released: frozenset[str] = frozenset()
    """doc_ids that an operator released from quarantine: not held back again."""
    sample: audit.Sample | None = None
    """Elements of some of the documents; None: none are audited."""
    previous: Summary | None = None
    """`Verdict.summary` of the last published run."""
    thresholds: Thresholds = Thresholds()


def run_gate(facts: Sequence[Facts], context: GateContext) -> Verdict:
    """Judge the facts of documents that are about to be published.

    Raises ConfigError if Great Expectations is not installed, RunError if it fails, StoreError if Data Docs cannot be
    written.
    """
    started = time.perf_counter()
    verdict = _judge(facts, context)
    verdict.seconds = time.perf_counter() - started
    return verdict


def _judge(facts: Sequence[Facts], context: GateContext) -> Verdict:
    limits = context.thresholds
    verdict = Verdict(
        collection=context.collection,
        run_id=context.run_id,
        passed=True,
        checked=len(facts),
        summary=context.previous,
        thresholds=limits,
    )
    if not facts and tables.run_figures(facts, 0, context.counts).worked_on == 0:
        verdict.skipped.append(Skipped(checks="all", reason="no document was converted or failed in this run"))
        return verdict
    validator = Validator(context.data_docs, context.run_id)
    results: list[CheckResult] = []

    if facts:
        checks, judged = suites.identity_checks(), [row for row in facts if row.doc_id not in context.released]
        if judged:
            checks += suites.document_checks(limits)
        results += validator.run("documents", tables.facts_table(judged or facts), checks, index="doc_id")
    else:
        verdict.skipped.append(Skipped(checks="documents", reason="no document was converted in this run"))
    audited = _audit(validator, context.sample, verdict) if context.sample else []
    results += audited
    verdict.quarantine = _quarantine(results)
    remaining = [row for row in facts if row.doc_id not in verdict.quarantine]

    if remaining:
        checks, shares = suites.publishable_checks(limits), suites.share_checks(limits)
        if len(remaining) >= limits.documents_min:
            checks += shares
        else:
            few = f"{len(remaining)} documents are too few to judge by their share; {limits.documents_min} are needed"
            verdict.skipped.append(Skipped(checks=", ".join(check.name for check in shares), reason=few))
        results += validator.run("publishable", tables.facts_table(remaining), checks, index="doc_id")
    elif facts:
        verdict.skipped.append(Skipped(checks="publishable", reason="every converted document is in quarantine"))

    figures = tables.run_figures(
        facts,
        len(facts) - len(remaining),
        context.counts,
        audited=len(verdict.audited),
        faulty=len(_quarantine(audited)),
    )
    results += validator.run("run", tables.run_table(figures), suites.run_checks(limits, figures))

    summary, reason = _comparable(remaining, context)
    if reason:
        verdict.skipped.append(Skipped(checks="drift", reason=reason))
    elif summary and context.previous:
        moved = tables.drift_table(changes(context.previous, summary))
        results += validator.run("drift", moved, suites.drift_checks(limits), index="name")
    verdict.summary = summary or context.previous

    findings = [_finding(result) for result in results if not result.success]
    verdict.failed_expectations = [finding for finding in findings if finding.severity == "critical"]
    verdict.warnings = [finding for finding in findings if finding.severity == "warning"]
    # what names no document that could be held back holds back everything
    verdict.passed = all(f.level in OWN and f.offenders for f in verdict.failed_expectations)
    verdict.data_docs = data_docs.INDEX
    validator.finish(verdict, {row.doc_id: row.path for row in facts})
    return verdict


def _comparable(facts: Sequence[Facts], context: GateContext) -> tuple[Summary | None, str]:
    """Summary of the run, if it has enough documents, and why it cannot be compared with the last published one."""
    needed, previous = context.thresholds.drift_documents_min, context.previous
    if len(facts) < max(1, needed):
        return None, f"the run has {len(facts)} documents to publish; {needed} are needed"
    summary = summarise(context.run_id, facts)
    if previous is None:
        return summary, "there is no published run to compare with"
    if previous.documents < needed:
        return summary, f"run {previous.run_id} has only {previous.documents} documents; {needed} are needed"
    return summary, ""


def _audit(validator: Validator, sample: audit.Sample, verdict: Verdict) -> list[CheckResult]:
    """Judge the elements of the sample; notes in the verdict what was judged and what could not be."""
    for path, reason in sample.unreadable.items():
        verdict.skipped.append(Skipped(checks=f"elements of {path}", reason=reason))
    verdict.audited, verdict.elements = sample.doc_ids, len(sample.columns["doc_id"])
    if not verdict.elements:
        verdict.skipped.append(Skipped(checks="elements", reason="nothing of this run was chosen for the audit"))
        return []
    return validator.run("elements", sample.columns, audit.element_checks(), index="doc_id", also=("ref", "page"))


def _quarantine(results: Iterable[CheckResult]) -> dict[str, str]:
    """doc_id -> every check that it breaks, with what was found."""
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.check.level in OWN and result.check.severity == "critical":
            for doc_id, value in result.offenders.items():
                reasons.setdefault(doc_id, []).append(f"{result.check.description}: {value} ({result.check.name})")
    return {doc_id: "; ".join(reasons[doc_id]) for doc_id in sorted(reasons)}


def _finding(result: CheckResult) -> Finding:
    return Finding(
        expectation=result.check.name,
        description=result.check.description,
        level=result.check.level,
        severity=result.check.severity,
        observed=result.observed,
        offenders=list(result.offenders)[:MAX_OFFENDERS],
        offenders_total=len(result.offenders),
    )
