"""Options and output that several verbs share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from ingest.config import Settings

F = TypeVar("F", bound=Callable[..., Any])

collection: Callable[[F], F] = click.option("--collection", "-c", required=True, help="Name of the collection.")
run_id: Callable[[F], F] = click.option("--run-id", help="The run; by default the collection's latest.")
as_json: Callable[[F], F] = click.option("--json", "json_output", is_flag=True, help="Print JSON for scripts.")
take_over: Callable[[F], F] = click.option(
    "--take-over", is_flag=True, help="Take the collection from an abandoned run that still holds it."
)


def source(function: F) -> F:
    """Where the documents come from, and which of them are wanted."""
    for option in (
        click.option(
            "--exclude", multiple=True, help="Glob pattern of documents that are not wanted; may be repeated."
        ),
        click.option(
            "--include", multiple=True, help="Glob pattern of wanted documents; by default PDFs, or all URLs."
        ),
        click.option(
            "--source",
            help="Folder, .zip, .tar or .tar.gz of PDFs, s3://bucket/prefix, or URLs in a text file: "
            "urls:///path/list.txt or https://host/list.txt; by default as collections.yaml says.",
        ),
    ):
        function = option(function)
    return function


def asked(function: F) -> F:
    """What may be asked of a run."""
    function = click.option(
        "--strictness",
        type=click.Choice(["lenient", "normal", "strict"]),
        help="Of the gate; by default as collections.yaml says, else normal.",
    )(function)
    function = click.option(
        "--model",
        "models",
        multiple=True,
        help="Model service (INGEST_MODELS) that runs instead of the usual one; may be repeated; by default as "
        "collections.yaml says.",
    )(function)
    function = click.option(
        "--accept-removals", is_flag=True, help="Go on, however many documents are gone from the source."
    )(function)
    return click.option("--force", is_flag=True, help="Convert again what has not changed.")(function)


def print_json(value: object) -> None:
    """Indented, one object, on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=1).decode())


def worker_count(settings: Settings, asked: int | None) -> int:
    """Workers at a time: as asked, as set, or one per core that this process may use."""
    return asked or settings.workers or len(os.sched_getaffinity(0))
