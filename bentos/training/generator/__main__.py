"""Makes labelled documents:

`python -m bentos.training.generator OUT --documents 600 --seed 7 --engines chromium,latex`."""

from __future__ import annotations

from pathlib import Path

import click

from bentos.training.generator.run import ENGINES, generate, summary


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--documents", default=600, show_default=True, help="Documents in all, shared out over the engines.")
@click.option("--seed", default=7, show_default=True)
@click.option("--engines", default=",".join(ENGINES), show_default=True, help="Programs to set documents with.")
@click.option("--jobs", default=2, show_default=True, help="Processes at a time.")
def main(out: Path, documents: int, seed: int, engines: str, jobs: int) -> None:
    """Writes OUT/<engine>/<name>.pdf and .json; what exists is kept."""
    names = engines.split(",")
    unknown = [n for n in names if n not in ENGINES]
    if unknown:
        raise click.UsageError(f"unknown engines: {', '.join(unknown)}; there are: {', '.join(ENGINES)}")
    share = -(-documents // len(names))
    for name in names:
        generate(out / name, name, share, seed, jobs)
    click.echo(summary(out, names))


if __name__ == "__main__":
    main()
