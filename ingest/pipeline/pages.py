"""Parsed pages as compressed bytes: what a page shard leaves for the merge, and what re-labelling starts from."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest import wire
from ingest.document.page import Cells, Page, TextState
from ingest.errors import WireError
from ingest.features.geometry import LayoutMap

FORMAT = 1
_CELL_ARRAYS = ("boxes", "size", "font", "style", "share", "color", "angle")
_PAGE_ARRAYS = ("rules", "images", "drawings")
_PER_PAGE = len(_CELL_ARRAYS) + len(_PAGE_ARRAYS) + 1
_NO_MAP = np.zeros((0, 0, 0), np.uint8)


def pack(pages: Sequence[Page], maps: Sequence[LayoutMap | None]) -> bytes:
    """Bytes of pages and their layout maps."""
    described: list[dict[str, Any]] = []
    arrays: list[NDArray[Any]] = []
    for page, layout in zip(pages, maps, strict=True):
        described.append(
            {
                "number": page.number,
                "size": (page.width, page.height, page.rotation),
                "fonts": page.fonts,
                "text": page.cells.text,
                "state": str(page.state),
                "reason": page.reason,
                "code": page.code,
            }
        )
        arrays += [getattr(page.cells, name) for name in _CELL_ARRAYS]
        arrays += [getattr(page, name) for name in _PAGE_ARRAYS]
        arrays.append(_NO_MAP if layout is None else layout)
    return zlib.compress(wire.encode({"format": FORMAT, "pages": described}, arrays), 3)


def unpack(data: bytes | memoryview) -> tuple[list[Page], list[LayoutMap | None]]:
    """Inverse of `pack`. Raises WireError."""
    try:
        meta, arrays = wire.decode(zlib.decompress(data))
    except zlib.error as error:
        raise WireError(f"stored pages cannot be decompressed: {error}") from error
    if meta.get("format") != FORMAT or len(arrays) != _PER_PAGE * len(meta["pages"]):
        raise WireError(f"stored pages have format {meta.get('format')!r}; this version reads {FORMAT}")
    pages: list[Page] = []
    maps: list[LayoutMap | None] = []
    for k, described in enumerate(meta["pages"]):
        own = arrays[k * _PER_PAGE : (k + 1) * _PER_PAGE]
        cells = dict(zip(_CELL_ARRAYS, own, strict=False))
        width, height, rotation = described["size"]
        pages.append(
            Page(
                number=described["number"],
                width=width,
                height=height,
                rotation=rotation,
                cells=Cells(text=described["text"], **cells),
                fonts=described["fonts"],
                state=TextState(described["state"]),
                reason=described["reason"],
                code=described["code"],
                **dict(zip(_PAGE_ARRAYS, own[len(_CELL_ARRAYS) :], strict=False)),
            )
        )
        maps.append(own[-1] if own[-1].size else None)
    return pages, maps
