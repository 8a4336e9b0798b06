"""The command line: the same verbs as the DAGs' tasks, and conversion of single files."""

from ingest.cli.main import main

__all__ = ["main"]
