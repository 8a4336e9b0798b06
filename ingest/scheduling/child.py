"""What the sandbox's child offers the worker: `Conversion` with messages for arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ingest.document import cells_json, docling, render
from ingest.document.model import Document
from ingest.document.page import GRAPHICS_CUT, TextState
from ingest.pipeline.convert import Conversion
from ingest.quality.facts import document_facts

Answer = tuple[dict[str, Any], list[NDArray[Any]]]

FORMATS: dict[str, Callable[[Document], bytes]] = {
    "docling": docling.export,
    "md": lambda document: render.to_markdown(document).encode(),
    "html": lambda document: render.to_html(document).encode(),
    "cells": cells_json.export_cells,
    "tables": cells_json.export_tables,
}
"""Output formats by name, and what writes each."""


class Child:
    """Each method takes and returns `(meta, arrays)`; bytes travel as arrays of uint8."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self._conversion = Conversion(progress)

    def open(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """path, name, max_pages, password → pages"""
        count = self._conversion.open(
            Path(meta["path"]), name=meta["name"], max_pages=meta["max_pages"], password=meta["password"]
        )
        return {"pages": count}, []

    def parse(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """pages, rasters → pages; a raster of each. Pages that are known already are rendered only."""
        found = self._conversion.parse(meta["pages"], rasters=meta["rasters"])
        return {"pages": [number for number, _ in found]}, [raster for _, raster in found]

    def lose(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """pages: [number, code, reason] of each page that could not be read"""
        for number, code, reason in meta["pages"]:
            self._conversion.lose(number, code, reason)
        return {}, []

    def set_maps(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """pages; the layout network's map of each"""
        self._conversion.set_maps(dict(zip(meta["pages"], arrays, strict=True)))
        return {}, []

    def pack(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """stages → spent; what is to be kept of each"""
        with self._conversion.timed("write"):
            packed = [np.frombuffer(self._conversion.pack(stage), np.uint8) for stage in meta["stages"]]
        return {"spent": self._conversion.spent}, packed

    def unpack(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """name, stages → pages; what was kept of each stage"""
        conversion = self._conversion
        conversion.name = meta["name"]
        for stage, array in zip(meta["stages"], arrays, strict=True):
            conversion.unpack(stage, array.tobytes())
        return {"pages": conversion.count}, []

    def features(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """→ pages; the features of each"""
        found = self._conversion.features()
        return {"pages": [number for number, _ in found]}, [array for _, array in found]

    def set_labels(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """pages; the label network's probabilities of each"""
        self._conversion.set_labels(dict(zip(meta["pages"], arrays, strict=True)))
        return {}, []

    def finish(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        """sha256, versions, formats, stages → facts, spent, what is wrong with which pages; the document in each
        format, and what is to be kept of each stage"""
        conversion = self._conversion
        document = conversion.assemble(sha256=meta["sha256"], versions=meta["versions"])
        with conversion.timed("write"):
            written = [FORMATS[name](document) for name in meta["formats"]]
            written += [conversion.pack(stage) for stage in meta["stages"]]
        with conversion.timed("facts"):
            pages = [conversion.pages[n] for n in sorted(conversion.pages)]
            facts = msgspec.to_builtins(document_facts(pages, document, source_pages=conversion.count))
        wrong = {
            state: [[p.number, p.reason] for p in pages if p.state is state]
            for state in (TextState.LOST, TextState.NEEDS_OCR)
        }
        return {
            "facts": facts,
            "spent": conversion.spent,
            "lost": wrong[TextState.LOST],
            "needs_ocr": wrong[TextState.NEEDS_OCR],
            "cut": [[p.number, p.reason] for p in pages if p.code == GRAPHICS_CUT],
        }, [np.frombuffer(data, np.uint8) for data in written]
