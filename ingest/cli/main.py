"""`ingest`: the group of all verbs, and the one place where an error becomes an exit status."""

from __future__ import annotations

import sys

import click

from ingest.cli import convert, evaluate, inspect, models, operate, run, steps, stores
from ingest.errors import IngestError, exit_status


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="corpus-ingest")
def cli() -> None:
    """Turn collections of PDFs into structured, checked, searchable data.

    \b
    ingest convert paper.pdf --to md                     one file, at once
    ingest run --collection papers --source ./pdfs       a whole collection
    ingest search "quantum error correction"             what was published

    \b
    Exit status: 0 good, 1 failed, 2 wrong use, 3 the run was not good, 75 failed for now (a retry can help),
    130 interrupted. Settings are INGEST_* environment variables (docs/settings.md).
    """


for command in (
    convert.convert,
    run.run,
    steps.discover,
    steps.plan,
    steps.worker,
    steps.merge,
    steps.gate,
    steps.publish,
    steps.report,
    inspect.search,
    inspect.status,
    inspect.failures,
    inspect.simulate,
    models.models,
    stores.stores,
    operate.rollback,
    operate.release,
    operate.unlock,
    operate.show,
    evaluate.evaluate,
):
    cli.add_command(command)


def main() -> None:
    """Entry point. Errors of the platform end in one line on standard error; others are bugs and show their trace."""
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except IngestError as error:
        click.echo(f"ingest: {error.code}: {error}", err=True)
        sys.exit(exit_status(error))
