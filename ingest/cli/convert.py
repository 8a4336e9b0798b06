"""`ingest convert`: files at once, without collection, ledger or server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ingest.config import load_settings
from ingest.errors import ConfigError, DocumentError, SourceError
from ingest.runtime import open_tools, versions
from ingest.scheduling import flow
from ingest.scheduling.batch import Usage
from ingest.scheduling.results import judge
from ingest.stores.sources import sha256_of

SUFFIXES = {"docling": ".json", "md": ".md", "html": ".html", "cells": ".cells.json", "tables": ".tables.json"}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--to", "formats", default="docling", show_default=True, help=f"Comma-separated: {', '.join(SUFFIXES)}.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=".", help="Folder to write into.")
@click.option("--password", help="For encrypted documents.")
def convert(files: tuple[Path, ...], formats: str, out: Path, password: str | None) -> None:
    """Convert FILES (PDFs, or folders of them) and write each as <stem>.<format>.

    \b
    ingest convert paper.pdf --to md,docling --out converted/

    The networks run in this process unless INGEST_LAYOUT_URL and INGEST_LABELS_URL name services. A document that
    cannot be converted is named on standard error with the reason, and the others go on; the exit status is then 1.
    """
    wanted = [name.strip() for name in formats.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in SUFFIXES]
    if unknown or not wanted:
        raise ConfigError(f"--to {formats}: unknown format {', '.join(unknown)}; known are {', '.join(SUFFIXES)}")
    failed = asyncio.run(_convert_all(_targets(files, out), wanted, password))
    sys.exit(1 if failed else 0)


def _targets(files: Sequence[Path], out: Path) -> dict[Path, Path]:
    """PDF -> path of its output without suffix. Below a folder that was named, its own folders are kept.

    Raises ConfigError if two documents would be written to the same place.
    """
    targets: dict[Path, Path] = {}
    taken: dict[Path, Path] = {}
    for file in files:
        pdfs = sorted(p for p in file.rglob("*") if p.suffix.lower() == ".pdf" and p.is_file())
        for path in pdfs if file.is_dir() else [file]:
            target = out / (path.relative_to(file) if file.is_dir() else Path(path.name)).with_suffix("")
            other = taken.setdefault(target, path)
            if other != path:
                raise ConfigError(f"{other} and {path} would both be written as {target}; use two --out folders")
            targets[path] = target
    return targets


async def _convert_all(targets: dict[Path, Path], formats: list[str], password: str | None) -> int:
    """Number of documents that were not converted."""
    settings = load_settings()
    known = await versions(settings)
    queue = iter(targets.items())
    failed = 0

    async def take(tools: flow.Tools) -> None:
        nonlocal failed
        for path, target in queue:
            try:
                await _convert_one(tools, path, target, formats, known, password)
            except (DocumentError, SourceError) as error:
                failed += 1
                click.echo(f"{error.code}: {error}", err=True)

    async with open_tools(settings) as tools:
        await asyncio.gather(*(take(tools) for _ in range(min(settings.in_flight, len(targets)))))
    return failed


async def _convert_one(
    tools: flow.Tools, path: Path, target: Path, formats: list[str], known: dict[str, str], password: str | None
) -> None:
    try:
        sha256 = await asyncio.to_thread(sha256_of, path)
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be read: {error.strerror}") from error
    job = flow.Job(name=path.name, sha256=sha256, versions=known, formats=formats, password=password)
    converted = await flow.convert(tools, job, path, usage=Usage())
    target.parent.mkdir(parents=True, exist_ok=True)
    for name, data in converted.outputs.items():
        target.with_name(target.name + SUFFIXES[name]).write_bytes(data)
    _, code, reason = judge(converted)
    if reason:
        click.echo(f"{code}: {path.name}: {reason}", err=True)
