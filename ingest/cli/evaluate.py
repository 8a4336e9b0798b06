"""`ingest evaluate`: how good the configured networks are, on documents whose structure is known."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from ingest.cli import options
from ingest.config import load_settings
from ingest.document.labels import LABELS
from ingest.errors import DocumentError, SourceError
from ingest.evaluation import truth
from ingest.evaluation.labels import WEIGHTINGS, Report, Scores, Tally, report, score_document
from ingest.runtime import open_tools, versions
from ingest.scheduling import flow
from ingest.scheduling.batch import Usage
from ingest.stores.sources import sha256_of


@click.group()
def evaluate() -> None:
    """Measure the results against ground truth.

    \b
    ingest evaluate labels --truth ./truth
    """


@evaluate.command()
@click.option(
    "--truth",
    "folder",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of PDFs, each with its truth as <stem>.json beside it.",
)
@options.as_json
def labels(folder: Path, json_output: bool) -> None:
    """Convert the documents of a truth folder, and score the labels of their cells.

    \b
    ingest evaluate labels --truth ./truth --json

    The networks run in this process unless INGEST_LAYOUT_URL and INGEST_LABELS_URL name services. Documents are scored
    by the folder they lie in, and all together: by characters, by elements of the truth, and by regions. One that
    cannot be converted counts as missed, and is named.
    """
    pdfs = truth.list_folder(folder)
    if not pdfs:
        raise SourceError(f"{folder}: no PDF with a truth file (<stem>.json) beside it")
    known, tallies = asyncio.run(_score_all(pdfs))
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    reports = {name: report(tally) for name, tally in sorted(tallies.items())} | {"all": report(total)}
    if json_output:
        options.print_json({"model": known, "collections": reports})
    else:
        _show(known, reports)


async def _score_all(pdfs: list[Path]) -> tuple[str, dict[str, Tally]]:
    """(version of the label network, folder -> what was counted in it)."""
    settings = load_settings()
    known = await versions(settings)
    queue = iter(pdfs)
    tallies: dict[str, Tally] = {}

    async def take(tools: flow.Tools) -> None:
        for pdf in queue:
            cells = await _cells(tools, pdf, known)
            tally = await asyncio.to_thread(score_document, pdf.name, truth.read(pdf), cells)
            tallies.setdefault(pdf.parent.name, Tally()).add(tally)

    async with open_tools(settings) as tools:
        await asyncio.gather(*(take(tools) for _ in range(min(settings.in_flight, len(pdfs)))))
    return known["labels"], tallies


async def _cells(tools: flow.Tools, pdf: Path, known: dict[str, str]) -> bytes | None:
    """The document as `--to cells`; None, and a line on standard error, where it cannot be converted."""
    sha256 = await asyncio.to_thread(sha256_of, pdf)
    job = flow.Job(name=pdf.name, sha256=sha256, versions=known, formats=["cells"])
    try:
        converted = await flow.convert(tools, job, pdf, usage=Usage())
    except DocumentError as error:
        click.echo(f"{error.code}: {error}", err=True)
        return None
    return converted.outputs["cells"]


def _show(model: str, reports: dict[str, Report]) -> None:
    click.echo(f"{model}: weighted F1 / macro F1")
    click.echo(f"{'':20} {'pages':>6} " + " ".join(f"{name:>15}" for name in WEIGHTINGS))
    for name, made in reports.items():
        cells = [f"{s.weighted_f1:7.3f} / {s.macro_f1:.3f}" for s in _weightings(made)]
        click.echo(f"{name:20} {made.pages:6} " + " ".join(f"{cell:>15}" for cell in cells))
    total = reports["all"]
    click.echo(f"\n{'F1 by label':20} {'':6} " + " ".join(f"{name:>15}" for name in WEIGHTINGS))
    for label in LABELS:
        found = [s.labels.get(str(label)) for s in _weightings(total)]
        if any(found):
            cells = [f"{f.f1:.3f} ({f.support:.0f})" if f else "-" for f in found]
            click.echo(f"{label:20} {'':6} " + " ".join(f"{cell:>15}" for cell in cells))
    click.echo(f"\nmissed {total.elements.missed:.1%} of the elements, {len(total.missing)} documents not converted")


def _weightings(made: Report) -> list[Scores]:
    return [made.characters, made.elements, made.regions]
