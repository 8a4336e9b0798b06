"""The tables that are checked, as columns: facts of documents, figures of the run, changes since the last one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from ingest.document.records import Outcome
from ingest.quality.facts import Facts
from ingest.quality.suites import RunFigures
from ingest.quality.summary import Change

Columns = dict[str, list[object]]


def facts_table(facts: Sequence[Facts]) -> Columns:
    """The facts, and what is derived from them."""
    columns: Columns = {name: [getattr(row, name) for row in facts] for name in Facts.__struct_fields__}
    columns["pages_accounted"] = [r.pages_text + r.pages_blank + r.pages_needs_ocr + r.pages_lost for r in facts]
    columns["needs_ocr_share"] = [r.pages_needs_ocr / max(1, r.pages) for r in facts]
    columns["lost_share"] = [r.pages_lost / max(1, r.pages) for r in facts]
    columns["numbers_ok"] = [all(math.isfinite(v) for v in _numbers(r)) for r in facts]
    return columns


def _numbers(row: Facts) -> list[float]:
    return [value for value in msgspec.structs.astuple(row) if isinstance(value, float)]


def run_table(figures: RunFigures) -> Columns:
    """One row."""
    return {name: [value] for name, value in msgspec.structs.asdict(figures).items()}


def drift_table(changes: Sequence[Change]) -> Columns:
    """One row per figure."""
    return {name: [getattr(row, name) for row in changes] for name in Change.__struct_fields__}


def run_figures(
    facts: Sequence[Facts], quarantined: int, counts: Mapping[Outcome, int], *, audited: int = 0, faulty: int = 0
) -> RunFigures:
    """Figures of a run from its facts and from what the ledger counts."""
    converted = counts.get(Outcome.CONVERTED, 0) + counts.get(Outcome.PARTIAL, 0)
    rejected, failed = counts.get(Outcome.REJECTED, 0), counts.get(Outcome.FAILED, 0)
    worked_on = converted + rejected + failed
    pages = max(1, sum(row.pages for row in facts))
    return RunFigures(
        facts_rows=len(facts),
        ledger_rows=converted,
        worked_on=worked_on,
        failed=failed,
        quarantined=quarantined,
        audited=audited,
        faulty=faulty,
        rejected_share=rejected / max(1, worked_on),
        publishable=len(facts) - quarantined + counts.get(Outcome.UNCHANGED, 0),
        needs_ocr_share=sum(row.pages_needs_ocr for row in facts) / pages,
        lost_share=sum(row.pages_lost for row in facts) / pages,
    )
