"""`--to cells` and `--to tables`: flat JSON to inspect and to score. Boxes in points, bottom left, unrotated frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ingest.document.labels import Label
from ingest.document.model import Box, Document, Item, Part

_Node = dict[str, Any]


def export_cells(document: Document) -> bytes:
    """Every cell of every page with its label and its place in the page's reading order, from 0.

    A picture is a cell without text that stands before the text in it.
    """
    pages: list[_Node] = [
        {"page": number, "width": round(size.width, 2), "height": round(size.height, 2), "cells": []}
        for number, size in enumerate(document.pages, start=1)
    ]
    for item in document.items:
        for part in item.parts:
            cells = pages[part.page - 1]["cells"]
            for box, text, label in _cells(item, part):
                cells.append(
                    {"bbox": _rounded(box), "text": text, "label": label, "score": item.score, "order": len(cells)}
                )
    return msgspec.json.encode({"file": document.name, "pages": pages})


def export_tables(document: Document) -> bytes:
    """The grid of every table. A cell without text, which has no box, is left out."""
    tables = [
        {
            "page": table.page,
            "bbox": _rounded(table.box),
            "cells": [
                {
                    "row": cell.row,
                    "col": cell.col,
                    "row_span": cell.row_span,
                    "col_span": cell.col_span,
                    "bbox": _rounded(cell.box),
                    "text": cell.text,
                }
                for cell in table.cells
                if cell.box is not None
            ],
        }
        for item in document.items
        if (table := item.table) is not None
    ]
    return msgspec.json.encode({"file": document.name, "tables": tables})


def _cells(item: Item, part: Part) -> Iterator[tuple[Box, str, str]]:
    """Box, text and label of what a part consists of."""
    if item.label is Label.PICTURE:
        yield part.box, "", item.label.value
    for k, (box, text) in enumerate(zip(part.cells, part.texts, strict=True)):
        label = Label.LIST_IDENTIFIER if k < part.marker_cells else item.label
        yield box, text, label.value


def _rounded(box: Box) -> list[float]:
    return [round(v, 2) for v in box]
