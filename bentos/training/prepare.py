"""Truth folders to arrays: every page parsed, rendered, labelled and painted once, kept in a cache folder."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bentos.training import layout_truth
from bentos.training.truth import label_cells
from ingest.document.page import Page
from ingest.errors import DocumentError
from ingest.evaluation import truth
from ingest.pipeline import parse, pdfium, render

FORMAT = 2


@dataclass(slots=True)
class LabelledPage:
    """A page with all that training needs."""

    page: Page
    raster: NDArray[np.uint8]
    labels: NDArray[np.int8]
    """(cells,) label numbers, MASKED where not known."""
    regions: NDArray[np.uint8]
    """(rows, columns) region numbers of the layout map."""


@dataclass(slots=True)
class LabelledDocument:
    name: str
    collection: str
    """The two folders that it came from: truth/latex, truth/office, generated/chromium …"""
    layout: str
    """What is held out together."""
    pages: list[LabelledPage]


def prepare(pdf: Path) -> LabelledDocument:
    """Parse, render, label and paint one document. Raises DocumentError."""
    document = truth.read(pdf)
    pages = []
    with pdfium.open_document(pdf) as opened:
        for wanted in document.pages:
            with parse.loaded_page(opened, wanted.page) as address:
                page = parse.parse_page(address, wanted.page)
                raster = render.render_page(address, page)
            labels = label_cells(page, wanted.elements)
            pages.append(LabelledPage(page, raster, labels, layout_truth.paint(page, wanted.elements, labels)))
    return LabelledDocument(pdf.stem, f"{pdf.parent.parent.name}/{pdf.parent.name}", layout_of(pdf, document), pages)


def layout_of(pdf: Path, document: truth.TruthDocument) -> str:
    """Name of the document's layout: class or template where the truth says it, else who made it, else itself."""
    if document.meta.layout:
        return f"{pdf.parent.name}:{document.meta.layout}"
    maker, separator, _ = pdf.stem.partition("__")
    return f"{pdf.parent.name}:{maker if separator else pdf.stem}"


def load(roots: Iterable[Path], cache: Path, *, jobs: int = 2) -> Iterator[LabelledDocument]:
    """All documents below the roots, from the cache where they are in it; prints what cannot be used."""
    cache.mkdir(parents=True, exist_ok=True)
    tasks = [(pdf, cache) for root in roots for pdf in truth.list_folder(root)]
    with ProcessPoolExecutor(jobs) as pool:
        for kept in pool.map(_prepare_one, tasks, chunksize=4):
            if kept is not None:
                with kept.open("rb") as file:
                    yield pickle.load(file)


def _prepare_one(task: tuple[Path, Path]) -> Path | None:
    pdf, cache = task
    stat = pdf.stat()
    key = f"{pdf.resolve()}:{stat.st_size}:{stat.st_mtime_ns}:{parse.VERSION}:{FORMAT}"
    kept = cache / f"{sha256(key.encode()).hexdigest()[:24]}.pickle"
    if not kept.exists():
        try:
            labelled = prepare(pdf)
        except DocumentError as error:
            print(f"left out {pdf.name}: {error}")
            return None
        temporary = kept.with_suffix(f".{os.getpid()}.part")
        with temporary.open("wb") as file:
            pickle.dump(labelled, file, protocol=5)
        temporary.rename(kept)
    return kept
