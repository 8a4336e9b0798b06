"""Reports and hits for people."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from ingest.export.index import Hit
from ingest.scheduling.discover import Discovered
from ingest.scheduling.report import Report

OUTCOMES = ("converted", "partial", "rejected", "failed", "quarantined", "unchanged", "duplicate")


def describe(found: Discovered) -> str:
    """What a run will do, and why it computes again what has not changed."""
    fresh = found.convert - sum(found.recompute.values())
    parts = [f"{found.discovered} documents: {fresh} new or changed, {found.unchanged} unchanged"]
    parts += [
        f"{n} {what}"
        for n, what in ((found.renamed, "renamed"), (found.duplicate, "duplicates"), (found.gone, "gone"))
        if n
    ]
    lines = [", ".join(parts)]
    for stage, count in sorted(found.recompute.items()):
        lines.append(f"{count} of {found.discovered} to compute again from stage {stage} on")
    lines += [f"  because of {change}" for change in found.why]
    return "\n".join(lines)


def show_report(report: Report) -> None:
    counts = msgspec.to_builtins(report.documents)
    click.echo(f"Run {report.run_id} of {report.collection}, from {report.source}")
    click.echo(f"  {counts['discovered']} documents discovered")
    for outcome in OUTCOMES:
        if counts[outcome]:
            reasons = report.reasons.get(outcome, {})
            why = ", ".join(f"{n} {code}" for code, n in sorted(reasons.items()))
            click.echo(f"    {counts[outcome]:6} {outcome}{f'  ({why})' if why else ''}")
    click.echo(f"  {counts['published']} published, {counts['removed']} removed from the index")
    for why in report.unpublished.values():
        click.echo(f"    not published: {why}")
    click.echo(
        f"  {report.pages.converted} pages in {report.tts_s:.1f} s: {report.effective_pages_per_s:.1f} pages/s "
        f"({report.sustained_pages_per_s:.1f} sustained), {report.cpu_s:.1f} CPU-seconds, "
        f"{report.pages_per_cpu_s:.1f} pages per CPU-second"
    )
    failed = f": {', '.join(report.gate.failed_expectations)}" if report.gate.failed_expectations else ""
    click.echo(f"  gate {report.gate.verdict}{failed}")
    click.echo(f"  {'good' if report.good else 'NOT GOOD: ingest failures says what failed'}")


def show_hits(hits: Sequence[Hit]) -> None:
    if not hits:
        click.echo("nothing found")
    for hit in hits:
        x0, y0, x1, y1 = hit.bbox
        click.echo(click.style(f"{hit.title}", bold=True) + f"  ({hit.collection}: {hit.path})")
        where = f"page {hit.page}, box {x0:.0f} {y0:.0f} {x1:.0f} {y1:.0f}, {hit.label} {hit.ref}"
        click.echo(f"  {where}{f', in {hit.section}' if hit.section else ''}")
        click.echo(f"  {hit.snippet}")
