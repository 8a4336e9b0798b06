"""The list of stages: one document from PDF to converted document, as the sandbox's child runs it.

    open → parse (+ render) → [layout network] → layout → [label network] → assemble → validate → write out

The networks are asked by the worker between the calls (`ingest.scheduling.flow`); everything that computes on the
document's own bytes happens here, in the killable process, and cells never leave it. Page by page up to the layout
maps, so that shards of a long document can be made apart and merged (`pack`, `unpack`); from the features on the
document is looked at as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pypdfium2 import PdfDocument

from ingest import features
from ingest.document import docling
from ingest.document.labels import LABEL_INDEX, Label
from ingest.document.model import Document
from ingest.document.page import Page, TextState
from ingest.errors import BrokenPdf, NeedsOcr, NoText, TooLarge, by_code
from ingest.features.geometry import LayoutMap
from ingest.pipeline import assemble, layout, parse, pdfium, reading_order, render, tables, validate
from ingest.pipeline import pages as kept

Spent = dict[str, tuple[float, float]]
"""Stage -> (CPU-seconds, wall-seconds)."""

VERSIONS: dict[str, str] = {
    "pdfium": pdfium.PDFIUM_VERSION,
    "order": reading_order.VERSION,
    "docling": docling.VERSION,
    "parse": parse.VERSION,
    "render": render.VERSION,
    "features": features.VERSION,
    "regions": layout.VERSION,
    "tables": tables.VERSION,
    "assemble": assemble.VERSION,
}
"""Of the stages without a network; those of the networks come from their services."""

_TABLE = LABEL_INDEX[Label.TABLE]


@dataclass(slots=True)
class Conversion:
    """State of one document between the calls. Pages are known by their number, 1-based."""

    begin_page: Callable[[int], None]
    """Called with the number of the page that is worked on, before the work starts."""
    name: str = ""
    count: int = 0
    """Pages of the document."""
    pages: dict[int, Page] = field(default_factory=dict)
    maps: dict[int, LayoutMap | None] = field(default_factory=dict)
    spent: Spent = field(default_factory=dict)
    _orders: dict[int, NDArray[np.intp]] = field(default_factory=dict)
    _labels: dict[int, NDArray[np.uint8]] = field(default_factory=dict)
    _file: ExitStack = field(default_factory=ExitStack)
    _document: PdfDocument | None = None

    def open(self, path: Path, *, name: str, max_pages: int, password: str | None = None) -> int:
        """Number of pages. Raises a Rejected."""
        self.name = name
        self._document = self._file.enter_context(pdfium.open_document(path, password))
        self.count = len(self._document)
        if self.count > max_pages:
            raise TooLarge(f"{name}: {self.count} pages; INGEST_DOCUMENT_MAX_PAGES allows {max_pages}")
        return self.count

    def parse(self, numbers: Sequence[int], *, rasters: bool) -> list[tuple[int, render.Raster]]:
        """Parse these pages, unless they are known already, and return a raster of each with something to see."""
        assert self._document is not None
        found = []
        for number in numbers:
            self.begin_page(number)
            page = self.pages.get(number)
            if page is not None and page.state in (TextState.BLANK, TextState.LOST):
                continue
            try:
                with parse.loaded_page(self._document, number) as address:
                    if page is None:
                        with self.timed("parse"):
                            page = parse.parse_page(address, number)
                    if rasters and page.state is not TextState.BLANK:
                        with self.timed("render"):
                            found.append((number, render.render_page(address, page)))
            except BrokenPdf as error:
                self.lose(number, error.code, str(error))
            else:
                self.pages[number] = page
                self.maps.setdefault(number, None)
        return found

    def lose(self, number: int, code: str, reason: str) -> None:
        """Remember that a page could not be read, and by which error."""
        self.pages[number] = Page(number=number, width=0, height=0, state=TextState.LOST, reason=reason, code=code)
        self.maps[number] = None

    def set_maps(self, maps: Mapping[int, LayoutMap]) -> None:
        self.maps.update(maps)

    def pack(self, stage: str) -> bytes:
        """What is kept of a stage: parse, layout or labels."""
        if stage == "parse":
            return kept.pack_pages([self.pages[n] for n in sorted(self.pages)])
        if stage == "layout":
            return kept.pack_arrays({n: layout_map for n, layout_map in self.maps.items() if layout_map is not None})
        return kept.pack_arrays(self._labels)

    def unpack(self, stage: str, data: bytes) -> None:
        """Take over what was kept of a stage, of all pages or of some. Raises WireError."""
        if stage == "parse":
            for page in kept.unpack_pages(data):
                self.pages[page.number] = page
                self.maps.setdefault(page.number, None)
            self.count = max(self.count, len(self.pages))
        elif stage == "layout":
            self.maps.update(kept.unpack_arrays(data))
        else:
            self.order()
            self._labels.update(kept.unpack_arrays(data))

    def features(self) -> list[tuple[int, features.Features]]:
        """Input of the label network for each page with text, in reading order. Raises NeedsOcr, NoText, BrokenPdf."""
        check_readable(self.name, list(self.pages.values()))
        numbers = self.order()
        with self.timed("features"):
            made = features.document_features(
                [self.pages[n] for n in numbers], [self._orders[n] for n in numbers], [self.maps[n] for n in numbers]
            )
        return list(zip(numbers, made, strict=True))

    def order(self) -> list[int]:
        """Find the reading order of all pages with text; their numbers."""
        numbers = [n for n in sorted(self.pages) if len(self.pages[n].cells)]
        with self.timed("order"):
            for number in numbers:
                if number not in self._orders:
                    self.begin_page(number)
                    self._orders[number] = reading_order.page_order(self.pages[number])
        return numbers

    def set_labels(self, probabilities: Mapping[int, NDArray[np.uint8]]) -> None:
        """Take the label network's answer: (cells in reading order, labels), 0 to 255."""
        self._labels.update(probabilities)

    def assemble(self, *, sha256: str, versions: Mapping[str, str]) -> Document:
        """The whole document. Raises InvalidOutput if it breaks an invariant."""
        numbers = sorted(self.pages)
        parsed = [self.pages[n] for n in numbers]
        labels, scores = [], []
        with self.timed("tables"):
            found_tables, found_pictures = {}, {}
            for number, page in zip(numbers, parsed, strict=True):
                label, score = self._labels_in_content_order(number)
                labels.append(label)
                scores.append(score)
                if page.state in (TextState.LOST, TextState.BLANK):
                    continue
                self.begin_page(number)
                regions = layout.find_regions(page, self.maps[number])
                hints = layout.table_hints(page, regions.tables, label == _TABLE)
                found_tables[number] = [tables.recover(page, box) for box in tables.find_tables(page, hints)]
                found_pictures[number] = regions.pictures
        with self.timed("assemble"):
            document = assemble.assemble(
                parsed,
                labels,
                scores,
                found_tables,
                found_pictures,
                name=self.name,
                sha256=sha256,
                versions=dict(VERSIONS) | dict(versions),
            )
            validate.check(document, parsed)
        return document

    def _labels_in_content_order(self, number: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """(n,) labels and their probabilities, 0..1, of the page's cells."""
        page = self.pages[number]
        label = np.full(len(page.cells), LABEL_INDEX[Label.TEXT], np.uint8)
        score = np.zeros(len(page.cells), np.float32)
        probabilities = self._labels.get(number)
        if probabilities is not None:
            order = self._orders[number]
            label[order] = probabilities.argmax(axis=1)
            score[order] = probabilities.max(axis=1).astype(np.float32) / 255
        return label, score

    def timed(self, stage: str) -> _Timer:
        """Context manager that counts a block as a stage."""
        return _Timer(self.spent, stage)

    def close(self) -> None:
        self._file.close()


class _Timer:
    """Adds the CPU time and the wall time of a block to a stage."""

    def __init__(self, spent: Spent, stage: str) -> None:
        self._spent, self._stage = spent, stage

    def __enter__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def __exit__(self, *_: object) -> None:
        cpu, wall = self._spent.get(self._stage, (0.0, 0.0))
        self._spent[self._stage] = (
            cpu + time.process_time() - self._cpu,
            wall + time.perf_counter() - self._wall,
        )


def check_readable(name: str, parsed: Sequence[Page]) -> None:
    """Raise NeedsOcr, NoText or what cost the first page, for a document none of whose pages has usable text."""
    states = [p.state for p in parsed]
    if TextState.TEXT in states:
        return
    if TextState.NEEDS_OCR in states:
        first = next(p for p in parsed if p.state is TextState.NEEDS_OCR)
        raise NeedsOcr(
            f"{name}: {states.count(TextState.NEEDS_OCR)} of {len(parsed)} pages need OCR and none has usable text "
            f"(page {first.number}: {first.reason})"
        )
    if TextState.LOST in states:
        first = next(p for p in parsed if p.state is TextState.LOST)
        raise by_code(first.code)(f"{name}: no page can be read (page {first.number}: {first.reason})")
    raise NoText(f"{name}: there is nothing to read on its {len(parsed)} page{'s'[: len(parsed) != 1]}")
