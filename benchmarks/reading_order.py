"""Reading order: how good on made-up layouts, how fast, and on the PDFs of a folder.

python -m benchmarks.reading_order                          generated layouts, content order shuffled
python -m benchmarks.reading_order FOLDER --out OUT         cells.json of every PDF below FOLDER, for an outside scorer
                                   [--shuffle] [--content]  … with the cells shuffled first; … in content order
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ingest.document.geometry import Boxes
from ingest.document.page import Cells, Page
from ingest.errors import DocumentError
from ingest.pipeline.parse import loaded_page, parse_page
from ingest.pipeline.pdfium import open_document
from ingest.pipeline.reading_order import page_order, reading_order

WIDTH, HEIGHT, LINE = 612.0, 792.0, 10.0

_Boxes = list[tuple[float, float, float, float]]


def column(rng: random.Random, x0: float, x1: float, top: float, bottom: float) -> _Boxes:
    """Paragraphs of justified lines."""
    out: _Boxes = []
    y = top - rng.uniform(0, 4)
    while y - LINE > bottom:
        length = rng.randint(2, 9)
        for k in range(length):
            if y - LINE <= bottom:
                break
            left = x0 + (12 if k == 0 else 0)
            right = x1 if k < length - 1 else left + rng.uniform(0.2, 0.95) * (x1 - left)
            out.append((left, y - LINE, right, y))
            y -= 1.2 * LINE
        y -= rng.choice((0.0, 0.0, 6.0))
    return out


def page_of_columns(rng: random.Random, count: int) -> _Boxes:
    """Running head, title or float across, columns, a second block of columns now and then, a page number."""
    gap = rng.uniform(12, 24)
    width = (WIDTH - 100 - gap * (count - 1)) / count
    edges = [(50 + k * (width + gap), 50 + k * (width + gap) + width) for k in range(count)]
    out: _Boxes = [(50, 760, 160, 770), (480, 760, 562, 770)] if rng.random() < 0.7 else []
    top = 740.0
    if rng.random() < 0.5:
        out.append((120, top - 20, 490, top))
        top -= 44
    middle = rng.uniform(300, 500) if rng.random() < 0.4 else None
    for high, low in [(top, 60.0)] if middle is None else [(top, middle + 30), (middle - 10, 60.0)]:
        for x0, x1 in edges:
            out += column(rng, x0, x1, high, low)
        if middle is not None and high == top:
            out.append((70, middle + 2, 540, middle + 14))
    return [*out, (300, 30, 312, 40)]


def page_of_table(rng: random.Random) -> _Boxes:
    """Text, a table read by rows, text."""
    out = column(rng, 60, 550, 740, 520)
    columns = rng.randint(3, 7)
    step = 490 / columns
    for row in range(rng.randint(4, 18)):
        for k in range(columns):
            y = 500 - 13 * row
            out.append((60 + k * step, y - LINE, 60 + k * step + rng.uniform(0.2, 0.6) * step, y))
    return out + column(rng, 60, 550, out[-1][1] - 12, 60)


KINDS: dict[str, Callable[[random.Random], _Boxes]] = {
    "one column": lambda rng: page_of_columns(rng, 1),
    "two columns": lambda rng: page_of_columns(rng, 2),
    "three columns": lambda rng: page_of_columns(rng, 3),
    "table": page_of_table,
}


def tau(order: Boxes | list[int]) -> float:
    """Kendall's tau of a permutation against 0, 1, 2 …"""
    ranks = np.asarray(order)
    good = sum(int((ranks[i + 1 :] > ranks[i]).sum()) for i in range(len(ranks) - 1))
    pairs = len(ranks) * (len(ranks) - 1) / 2
    return float(2 * good / pairs - 1) if pairs else 1.0


def generated(pages: int) -> None:
    print(f"{'layout':<16}{'cells':>8}{'tau':>9}{'perfect':>9}{'CPU ms':>9}")
    for name, make in KINDS.items():
        taus, cells, spent = [], 0, 0.0
        for seed in range(pages):
            rng = random.Random(seed)
            boxes = np.array(make(rng), np.float32)
            content = np.array(rng.sample(range(len(boxes)), len(boxes)))
            begin = time.process_time()
            order = reading_order(boxes[content], WIDTH, HEIGHT)
            spent += time.process_time() - begin
            taus.append(tau(content[order].tolist()))
            cells += len(boxes)
        perfect = np.mean(np.array(taus) == 1)
        print(f"{name:<16}{cells / pages:>8.0f}{np.mean(taus):>9.4f}{perfect:>9.3f}{1e3 * spent / pages:>9.2f}")


def shuffled(page: Page, rng: np.random.Generator) -> None:
    """Put the page's cells in any order."""
    order = rng.permutation(len(page.cells))
    cells = page.cells
    arrays = {name: getattr(cells, name)[order] for name in Cells.__slots__ if name != "text"}
    page.cells = Cells(text=[cells.text[i] for i in order], **arrays)


def read(path: Path, *, shuffle: bool, content: bool) -> tuple[dict[str, Any], float, float]:
    """cells.json of a PDF, CPU-seconds spent on order, and the most that a page took."""
    rng = np.random.default_rng(0)
    pages, spent, worst = [], 0.0, 0.0
    with open_document(path) as document:
        for number in range(1, len(document) + 1):
            with loaded_page(document, number) as address:
                page = parse_page(address, number)
            if shuffle:
                shuffled(page, rng)
            begin = time.process_time()
            order = np.arange(len(page.cells)) if content else page_order(page)
            took = time.process_time() - begin
            spent, worst = spent + took, max(worst, took)
            rank = np.empty(len(order), np.intp)
            rank[order] = np.arange(len(order))
            cells = zip(page.cells.boxes.tolist(), page.cells.text, rank.tolist(), strict=True)
            pages.append(
                {
                    "page": number,
                    "width": page.width,
                    "height": page.height,
                    "cells": [{"bbox": b, "text": t, "label": "text", "order": r} for b, t, r in cells],
                }
            )
    return {"file": path.name, "pages": pages}, spent, worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, default=Path("reading_order"))
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--content", action="store_true")
    parser.add_argument("--pages", type=int, default=200, help="generated pages per layout")
    options = parser.parse_args()
    if options.folder is None:
        generated(options.pages)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    pages = spent = worst = 0.0
    for path in sorted(options.folder.rglob("*.pdf")):
        try:
            made, took, most = read(path, shuffle=options.shuffle, content=options.content)
        except DocumentError as error:
            print(f"left out: {error}")
            continue
        (options.out / f"{path.stem}.cells.json").write_bytes(msgspec.json.encode(made))
        pages, spent, worst = pages + len(made["pages"]), spent + took, max(worst, most)
    print(f"{pages:.0f} pages, {1e3 * spent / max(pages, 1):.2f} CPU ms a page, at most {1e3 * worst:.1f}")


if __name__ == "__main__":
    main()
