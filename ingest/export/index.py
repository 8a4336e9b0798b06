"""Search index: what was published, searchable. tantivy embedded, OpenSearch in production."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec


class Record(msgspec.Struct, kw_only=True, frozen=True):
    """One searchable piece of a document: a heading, a paragraph, a table, a caption …"""

    record_id: str
    """`<doc_id>:<n>`, n counts in reading order."""
    ref: str
    """`self_ref` of the item within the document's JSON, e.g. `#/texts/12`."""
    label: str
    """One of the 17 cell labels."""
    text: str
    page: int
    bbox: tuple[float, float, float, float]
    """[x0, y0, x1, y1] in points, origin bottom left, of the item's first part."""
    section: str = ""
    """Headings above, joined by ` > `."""


class IndexedDocument(msgspec.Struct, kw_only=True, frozen=True):
    """A document as it is published."""

    collection: str
    doc_id: str
    path: str
    title: str
    sha256: str
    fingerprint: str
    run_id: str
    records: Sequence[Record]


class Hit(msgspec.Struct, kw_only=True, frozen=True):
    """One search result."""

    score: float
    collection: str
    doc_id: str
    path: str
    title: str
    label: str
    page: int
    bbox: tuple[float, float, float, float]
    section: str
    snippet: str
    """Text around the match; matched words between `**`."""
    ref: str
    sha256: str
    fingerprint: str
    run_id: str


class Index(Protocol):
    """All methods may raise StoreUnavailable; publish raises Conflict while another publish holds the index."""

    def publish(
        self, collection: str, run_id: str, documents: Iterable[IndexedDocument], removed: Iterable[str]
    ) -> None:
        """Replace these documents and drop `removed` (doc_ids): readers see all of it at once, or nothing of it."""
        ...

    def search(
        self, words: str, *, collection: str | None = None, label: str | None = None, limit: int = 10
    ) -> list[Hit]:
        """Best first. A query that cannot be parsed is searched as plain words."""
        ...

    def published(self, collection: str) -> dict[str, tuple[str, str]]:
        """doc_id -> (sha256, fingerprint) of every document that a reader can find."""
        ...

    def close(self) -> None: ...
