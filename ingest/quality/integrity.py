"""Whether the structure of a converted document is sound, as flags: reading order, boxes, grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingest.document.model import Box, Document
from ingest.document.page import Page
from ingest.pipeline import validate


def order_ok(document: Document, pages: Sequence[Page]) -> bool:
    """Every cell of every page stands in the reading order once."""
    return not any(validate.cell_problems(document, pages))


def boxes_ok(document: Document) -> bool:
    """Boxes of items, tables and their cells lie on a page that exists, and spans within the text of their item."""
    for item in document.items:
        for part in item.parts:
            start, stop = part.span
            if not 0 <= start <= stop <= len(item.text):
                return False
    sizes = {number: (size.width, size.height) for number, size in enumerate(document.pages, 1)}
    return all(number in sizes and validate.lies_on(box, sizes[number]) for number, box in _placed(document))


def _placed(document: Document) -> Iterator[tuple[int, Box]]:
    for item in document.items:
        for part in item.parts:
            yield part.page, part.box
        if item.table is not None:
            yield item.table.page, item.table.box
            for cell in item.table.cells:
                if cell.box is not None:
                    yield item.table.page, cell.box


def tables_ok(document: Document) -> bool:
    """The cells of every grid lie within it and share no place."""
    return not any(any(validate.table_problems(item.table)) for item in document.items if item.table is not None)
