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


def print_json(value: object) -> None:
    """Indented, one object, on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=1).decode())


def worker_count(settings: Settings, asked: int | None) -> int:
    """Workers at a time: as asked, as set, or one per core that this process may use."""
    return asked or settings.workers or len(os.sched_getaffinity(0))
