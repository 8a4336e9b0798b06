"""What is kept of a document's stages, as compressed bytes: parsed pages, layout maps, label probabilities.

A page shard leaves pages and maps for the merge; a new network starts from what the stages before it left.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from ingest import wire
from ingest.document.page import Cells, Page, TextState
from ingest.errors import WireError

FORMAT = 2
_CELL_ARRAYS = ("boxes", "size", "font", "style", "share", "color", "angle")
_PAGE_ARRAYS = ("rules", "images", "drawings")
_PER_PAGE = len(_CELL_ARRAYS) + len(_PAGE_ARRAYS)


def pack_pages(pages: Sequence[Page]) -> bytes:
    """Bytes of parsed pages."""
    described: list[dict[str, Any]] = []
    arrays: list[NDArray[Any]] = []
    for page in pages:
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
    return _pack({"pages": described}, arrays)


def unpack_pages(data: bytes) -> list[Page]:
    """Inverse of `pack_pages`. Raises WireError."""
    meta, arrays = _unpack(data)
    if len(arrays) != _PER_PAGE * len(meta["pages"]):
        raise WireError(f"stored pages have {len(arrays)} arrays; {_PER_PAGE} a page were expected")
    pages = []
    for k, described in enumerate(meta["pages"]):
        own = arrays[k * _PER_PAGE : (k + 1) * _PER_PAGE]
        width, height, rotation = described["size"]
        pages.append(
            Page(
                number=described["number"],
                width=width,
                height=height,
                rotation=rotation,
                cells=Cells(text=described["text"], **dict(zip(_CELL_ARRAYS, own, strict=False))),
                fonts=described["fonts"],
                state=TextState(described["state"]),
                reason=described["reason"],
                code=described["code"],
                **dict(zip(_PAGE_ARRAYS, own[len(_CELL_ARRAYS) :], strict=True)),
            )
        )
    return pages


def pack_arrays(arrays: Mapping[int, NDArray[Any]]) -> bytes:
    """Bytes of an array per page, by its number: layout maps, label probabilities."""
    numbers = sorted(arrays)
    return _pack({"pages": numbers}, [arrays[n] for n in numbers])


def unpack_arrays(data: bytes) -> dict[int, NDArray[Any]]:
    """Inverse of `pack_arrays`. Raises WireError."""
    meta, arrays = _unpack(data)
    return dict(zip(meta["pages"], arrays, strict=True))


def _pack(meta: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    return zlib.compress(wire.encode({"format": FORMAT, **meta}, arrays), 3)


def _unpack(data: bytes) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    try:
        meta, arrays = wire.decode(zlib.decompress(data))
    except zlib.error as error:
        raise WireError(f"what was kept of a stage cannot be decompressed: {error}") from error
    if meta.get("format") != FORMAT:
        raise WireError(f"what was kept of a stage has format {meta.get('format')!r}; this version reads {FORMAT}")
    return meta, arrays
