"""`python -m devstack`: what `make up`, `make down` and `make demo` run."""

from __future__ import annotations

import sys
import time

import click

from devstack import launch
from devstack.demo import DemoFailed, demo, interruptible
from devstack.home import main_home
from devstack.rest import HttpError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Model services and Airflow on this machine, on the loopback interface only."""


@cli.command()
def up() -> None:
    """Start everything, and leave it running."""
    home = main_home()
    lock = home.lock()
    if lock is None:
        state = home.read()
        raise click.ClickException(f"a stack runs at {home.path} already ({state.url if state else 'starting'})")
    click.echo(f"Starting model services and Airflow; logs are in {home.logs}")
    supervisor = launch.start(home, lock, demo=False)
    try:
        state = launch.until_ready(home, supervisor, click.echo)
    except (launch.LaunchError, KeyboardInterrupt):
        launch.end(supervisor, lock)
        raise
    click.echo(f"\nAirflow: {state.url}  (no password; reachable from this machine only)")
    click.echo(f"Corpus:  {state.url}/plugin/corpus\n`make down` stops everything.")


@cli.command()
def down() -> None:
    """Stop what `up` has started."""
    home = main_home()
    if not home.running():
        click.echo(f"Nothing runs at {home.path}")
        return
    started = time.monotonic()
    launch.stop(home)
    click.echo(f"Stopped, after {time.monotonic() - started:.0f} s")


@cli.command()
def status() -> None:
    """Say what runs. Exit status 1 if not everything does."""
    home = main_home()
    state = home.read()
    if state is None or not home.running():
        click.echo(f"Nothing runs at {home.path}" + (f": {state.error}" if state and state.error else ""))
        sys.exit(1)
    click.echo(f"{state.phase}: {state.url} (process {state.pid}, {home.path})")
    for name, part in state.parts.items():
        click.echo(f"  {name:14} {part.state}")
    sys.exit(0 if state.phase == "ready" else 1)


@cli.command("demo")
def run_demo() -> None:
    """Ingest the samples in a stack of its own, show report and search, stop everything. Exit status 0: all good."""
    interruptible()
    demo(click.echo)


def main() -> None:
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (launch.LaunchError, DemoFailed, HttpError) as error:
        click.echo(f"FAILED: {error}", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
