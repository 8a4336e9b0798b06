"""Tables: how good on made-up ones, how fast, and on the PDFs of a folder.

python -m benchmarks.tables [--count N]              made-up tables of statistics: found, and read exactly
python -m benchmarks.tables FOLDER --out OUT         tables.json of every PDF below FOLDER, for an outside scorer
                            [--truth-boxes DIR]      … of the boxes that DIR/<stem>.json names, to judge grids alone
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.table_pages import draw
from ingest.document.model import Box, Table
from ingest.document.page import Page
from ingest.errors import DocumentError
from ingest.pipeline.parse import loaded_page, parse_page
from ingest.pipeline.pdfium import open_document
from ingest.pipeline.tables import find_tables, recover


def pages_of(path: Path) -> Iterator[Page]:
    with open_document(path) as document:
        for number in range(1, len(document) + 1):
            with loaded_page(document, number) as address:
                yield parse_page(address, number)


def as_json(table: Table) -> dict[str, Any]:
    return {
        "page": table.page,
        "bbox": [round(v, 2) for v in table.box],
        "cells": [
            {
                "row": c.row,
                "col": c.col,
                "row_span": c.row_span,
                "col_span": c.col_span,
                "bbox": [round(v, 2) for v in c.box] if c.box else None,
                "text": c.text,
            }
            for c in table.cells
        ],
    }


def truth_boxes(path: Path) -> dict[int, list[Box]]:
    """Boxes by page of a truth file: {"tables": [{"regions": [{"page", "bbox_cells"}]}]}."""
    found: dict[int, list[Box]] = {}
    for table in msgspec.json.decode(path.read_bytes())["tables"]:
        for region in table["regions"]:
            x0, y0, x1, y1 = region["bbox_cells"]
            found.setdefault(region["page"], []).append((x0, y0, x1, y1))
    return found


def on_folder(folder: Path, out: Path, truth: Path | None) -> None:
    out.mkdir(parents=True, exist_ok=True)
    pages, tables, spent = 0, 0, 0.0
    for path in sorted(folder.rglob("*.pdf")):
        boxes = truth_boxes(truth / f"{path.stem}.json") if truth else None
        found: list[Table] = []
        try:
            for page in pages_of(path):
                start = time.process_time()
                where = find_tables(page) if boxes is None else boxes.get(page.number, [])
                found += [recover(page, box) for box in where]
                spent += time.process_time() - start
                pages += 1
        except DocumentError as error:
            print(f"{path.name}: {error}")
            continue
        tables += len(found)
        (out / f"{path.stem}.tables.json").write_bytes(msgspec.json.encode({"tables": [as_json(t) for t in found]}))
    print(f"{pages} pages, {tables} tables, {1e3 * spent / max(pages, 1):.2f} CPU ms a page without parsing")


def on_made_up(count: int) -> None:
    """Tables drawn with known cells: how many are found as one, and read as they were drawn."""
    found = structure = detected = 0
    spent = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(count):
            path = Path(folder, f"{seed}.pdf")
            box, cells = draw(seed, path)
            (page,) = pages_of(path)
            structure += read(recover(page, box)) == sorted(cells)
            start = time.process_time()
            tables = [recover(page, b) for b in find_tables(page)]
            spent += time.process_time() - start
            found += len(tables) == 1
            detected += len(tables) == 1 and read(tables[0]) == sorted(cells)
    print(f"{count} tables: {found / count:.3f} found as one, {detected / count:.3f} found and read exactly,")
    print(f"{structure / count:.3f} read exactly in their true box; {1e3 * spent / count:.2f} CPU ms a page")


def read(table: Table) -> list[tuple[int, int, int, int, str]]:
    filled = [c for c in table.cells if c.text]
    return sorted((c.row, c.col, c.row_span, c.col_span, "".join(c.text.split())) for c in filled)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--truth-boxes", type=Path)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    if options.folder is None:
        on_made_up(options.count)
    elif options.out is None:
        parser.error("FOLDER needs --out OUT, where the tables.json files go")
    else:
        on_folder(options.folder, options.out, options.truth_boxes)


if __name__ == "__main__":
    main()
