"""Tables: where they are on a page, and their grids."""

from ingest.pipeline.tables.detect import find_tables
from ingest.pipeline.tables.recover import recover

VERSION = "tables-1"
"""Raise whenever the same page gives other tables."""

__all__ = ["VERSION", "find_tables", "recover"]
