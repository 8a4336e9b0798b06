"""The verb that looks at model services."""

from __future__ import annotations

import asyncio
import sys

import click

from ingest.cli import options
from ingest.config import load_settings
from ingest.errors import ServiceError, WrongVersion
from ingest.runtime import manifests
from ingest.scheduling import choose


@click.command()
@options.as_json
def models(json_output: bool) -> None:
    """Say which model services there are, and whether each fits. Exit status 1 if one does not, or does not answer.

    \b
    ingest models --json

    The usual ones come first, then those that collections may choose (setting INGEST_MODELS).
    """
    settings = load_settings()
    rows: list[dict[str, str]] = []
    for name in ("", *settings.models):
        chosen = choose.models(settings, [name] if name else [])
        stages = tuple(chosen) or ("layout", "labels")
        try:
            found = asyncio.run(manifests(settings, chosen, stages))
            choose.check(settings, [name] if name else [], {stage: info.version for stage, info in found.items()})
            infos = {stage: (info.version, info.takes, "") for stage, info in found.items()}
        except (ServiceError, WrongVersion) as error:
            infos = {stage: ("", "", str(error)) for stage in stages}
        for stage, (version, takes, problem) in infos.items():
            url = chosen.get(stage) or getattr(settings, f"{stage}_url") or "in this process"
            rows.append(
                {"name": name, "stage": stage, "url": url, "version": version, "takes": takes, "problem": problem}
            )
    if json_output:
        options.print_json(rows)
    else:
        for row in rows:
            end = row["problem"] or f"{row['version']}, takes {row['takes']}"
            click.echo(f"{row['name'] or 'usual':16} {row['stage']:8} {row['url']}: {end}")
    sys.exit(1 if any(row["problem"] for row in rows) else 0)
