"""`ingest convert`: files at once, without collection, ledger or server."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from ingest.config import load_settings
from ingest.errors import ConfigError, DocumentError, SourceError
from ingest.runtime import open_tools, versions
from ingest.scheduling import flow
from ingest.scheduling.batch import Usage
from ingest.scheduling.worker import judge
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
    paths = [p for file in files for p in _pdfs(file)]
    out.mkdir(parents=True, exist_ok=True)
    failed = asyncio.run(_convert_all(paths, wanted, out, password))
    sys.exit(1 if failed else 0)


def _pdfs(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(p for p in path.rglob("*") if p.suffix.lower() == ".pdf" and p.is_file())
    return [path]


async def _convert_all(paths: list[Path], formats: list[str], out: Path, password: str | None) -> int:
    """Number of documents that were not converted."""
    settings = load_settings()
    known = await versions(settings)
    queue = iter(paths)
    failed = 0

    async def take(tools: flow.Tools) -> None:
        nonlocal failed
        for path in queue:
            try:
                await _convert_one(tools, path, formats, out, known, password)
            except (DocumentError, SourceError) as error:
                failed += 1
                click.echo(f"{error.code}: {error}", err=True)

    async with open_tools(settings) as tools:
        await asyncio.gather(*(take(tools) for _ in range(min(settings.in_flight, len(paths)))))
    return failed


async def _convert_one(
    tools: flow.Tools, path: Path, formats: list[str], out: Path, known: dict[str, str], password: str | None
) -> None:
    try:
        sha256 = await asyncio.to_thread(sha256_of, path)
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be read: {error.strerror}") from error
    converted = await flow.convert(
        tools,
        path,
        name=path.name,
        sha256=sha256,
        versions=known,
        formats=formats,
        password=password,
        usage=Usage(),
    )
    for name, data in converted.outputs.items():
        (out / (path.stem + SUFFIXES[name])).write_bytes(data)
    _, code, reason = judge(converted)
    if reason:
        click.echo(f"{code}: {path.name}: {reason}", err=True)
