"""`python -m ingest` is `ingest`."""

from ingest.cli import main

main()
