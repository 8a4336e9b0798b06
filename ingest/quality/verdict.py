"""What the gate says: kept as `gate.json` of a run, and shown in its report."""

from __future__ import annotations

import msgspec

from ingest.quality.checks import Level, Severity
from ingest.quality.summary import Summary
from ingest.quality.thresholds import Thresholds


class Finding(msgspec.Struct, kw_only=True):
    """An expectation that was not met."""

    expectation: str
    description: str
    level: Level
    severity: Severity
    observed: str
    offenders: list[str]
    """doc_ids, or names of what drifted; the first 20."""
    offenders_total: int


class Skipped(msgspec.Struct, kw_only=True):
    """Checks that were not made, and why."""

    checks: str
    reason: str


class Verdict(msgspec.Struct, kw_only=True):
    """What the gate found."""

    collection: str
    run_id: str
    passed: bool
    """The run may be published, without the documents in quarantine."""
    failed_expectations: list[Finding] = []
    """Severity critical. Those of level `document` alone do not block the run."""
    warnings: list[Finding] = []
    skipped: list[Skipped] = []
    quarantine: dict[str, str] = {}
    """doc_id -> why the document must not be published."""
    checked: int
    """Documents."""
    audited: list[str] = []
    """doc_ids of those whose elements were checked one by one."""
    elements: int = 0
    """That they have."""
    data_docs: str = ""
    """First page, relative to the folder given; empty if there was nothing to check."""
    summary: Summary | None
    """To compare the next run with: of this run's documents without quarantine, or of an earlier run if those are too
    few. None: there never were enough."""
    thresholds: Thresholds
    seconds: float = 0.0
