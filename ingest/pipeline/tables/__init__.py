"""Tables: where they are on a page, and their grids."""

from ingest.pipeline.tables.detect import find_tables
from ingest.pipeline.tables.recover import recover

__all__ = ["find_tables", "recover"]
