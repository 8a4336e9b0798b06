"""Search index: what was published, searchable. tantivy embedded, OpenSearch in production."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from ingest.errors import ConfigError
from ingest.stores.uris import absolute_path, extra, redacted, scheme_of


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
    """1-based, of the part in which the text begins; 0 for an item without a place."""
    bbox: tuple[float, float, float, float]
    """[x0, y0, x1, y1] in points, origin bottom left, of the item's part in which the text begins."""
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
        self,
        collection: str,
        run_id: str,
        documents: Iterable[IndexedDocument],
        removed: Iterable[str],
        *,
        rebuild: bool = False,
    ) -> None:
        """Drop `removed` (doc_ids) and replace or add `documents`: readers see all of it at once, or nothing of it.

        The documents are taken one at a time. With `rebuild` they are all that the collection has afterwards. Raises
        Unindexable for documents without which it would have gone well.
        """
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


def open_index(uri: str) -> Index:
    """Index at `tantivy:///absolute/path` or on the cluster at `https://host:9200`, made by the first publish.

    ConfigError for another address.
    """
    scheme = scheme_of(uri)
    if scheme == "tantivy":
        from ingest.export.tantivy_index import TantivyIndex

        return TantivyIndex(absolute_path(uri))
    if scheme in ("http", "https"):
        with extra("stores", "opensearch-py"):
            from ingest.export.opensearch_index import OpenSearchIndex

        return OpenSearchIndex(uri)
    raise ConfigError(
        f"INGEST_INDEX={redacted(uri)!r} is no index's address; write tantivy:///absolute/path or https://host:9200"
    )
