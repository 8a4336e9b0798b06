"""What is stored in an OpenSearch index and how text becomes words: the same as in the embedded index.

Each record is one row, and each published document one more, which says how many records it has. A row is visible from
the publication `first` on, and until the publication `gone`, if it has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ingest.errors import StoreError
from ingest.export.index import IndexedDocument
from ingest.export.text import HEADINGS, LONGEST_WORD, UNSPACED_CLASS, plain

LAYOUT = "v1"
"""To be changed with anything below that an existing index would not fit."""
WEIGHTS = {"text": 1.0, "text.stem": 0.5, "heading": 0.7}
"""Of the fields that a query's words are searched in: as written, by English stem, and once more in headings."""

# In Java's language of regular expressions, where `&&` narrows a class.
_WORD = f"[{UNSPACED_CLASS}]\\p{{M}}*|[\\p{{L}}\\p{{M}}\\p{{N}}&&[^{UNSPACED_CLASS}]]+"
_FOLDED = ["not_too_long", "lowercase", "asciifolding"]
_KEYWORD, _LONG, _INTEGER = {"type": "keyword"}, {"type": "long"}, {"type": "integer"}
_SHOWN = {"type": "keyword", "index": False, "doc_values": False}
_STEMS = {"type": "text", "analyzer": "stems"}

BODY = {
    "settings": {
        # Rows appear when a publish says so, and become visible with its last step: no other refresh is needed.
        "index": {"refresh_interval": "-1"},
        "analysis": {
            "tokenizer": {"words": {"type": "pattern", "pattern": _WORD, "group": 0}},
            "filter": {
                "not_too_long": {"type": "length", "max": LONGEST_WORD},
                "english": {"type": "stemmer", "language": "porter2"},
            },
            "analyzer": {
                "words": {"type": "custom", "tokenizer": "words", "filter": _FOLDED},
                "stems": {"type": "custom", "tokenizer": "words", "filter": [*_FOLDED, "english"]},
            },
        },
    },
    "mappings": {
        "dynamic": "strict",
        "properties": {
            **dict.fromkeys(("kind", "collection", "doc_id", "label"), _KEYWORD),
            **dict.fromkeys(("first", "gone"), _LONG),
            **dict.fromkeys(("position", "records", "page"), _INTEGER),
            "text": {"type": "text", "analyzer": "words", "fields": {"stem": _STEMS}},
            "heading": _STEMS,
            "section": _STEMS,
            "bbox": {"type": "double", "index": False, "doc_values": False},
            **dict.fromkeys(("ref", "path", "title", "sha256", "fingerprint", "run_id"), _SHOWN),
        },
    },
}
"""Of a generation. Numbers of shards and replicas are the cluster's, by its defaults or an index template."""


class Names:
    """Of a collection's indexes and alias. No index has a name that the aliases' wildcard matches."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.locks = f"{prefix}.{LAYOUT}.locks"
        self.all_aliases = f"{prefix}-{LAYOUT}-*"

    def alias(self, collection: str) -> str:
        return f"{self._prefix}-{LAYOUT}-{encode_name(collection)}"

    def generation(self, collection: str, number: int | str) -> str:
        shown = f"{number:06d}" if isinstance(number, int) else number
        return f"{self._prefix}.{LAYOUT}.{encode_name(collection)}.g{shown}"


def encode_name(collection: str) -> str:
    """For names of indexes: lower-case letters, digits and hyphens as they are, each other byte as `_` and two digits.

    StoreError for a name that is empty or too long.
    """
    if not collection:
        raise StoreError("a collection of the index must have a name")
    kept = "abcdefghijklmnopqrstuvwxyz0123456789-"
    data = plain(collection).encode()
    name = "".join(chr(byte) if chr(byte) in kept else f"_{byte:02x}" for byte in data)
    if len(name) > 180:
        raise StoreError(f"the collection's name {collection[:50]!r}… is too long for an index of OpenSearch")
    return name


class RowId(NamedTuple):
    doc_id: str
    first: int
    position: int
    """0: the document itself; its records from 1 on."""

    def __str__(self) -> str:
        return f"{self.doc_id}:{self.first}:{self.position}"


def parse_id(text: str) -> RowId:
    doc_id, first, position = text.rsplit(":", 2)
    return RowId(doc_id, int(first), int(position))


def rows(document: IndexedDocument, first: int) -> Iterator[tuple[RowId, dict[str, Any]]]:
    """The rows of a published document, visible from publication `first` on."""
    shared = {
        "collection": plain(document.collection),
        "doc_id": document.doc_id,
        "path": plain(document.path),
        "title": plain(document.title),
        "sha256": document.sha256,
        "fingerprint": document.fingerprint,
        "run_id": document.run_id,
        "first": first,
    }
    yield RowId(document.doc_id, first, 0), {"kind": "document", "records": len(document.records), **shared}
    for position, record in enumerate(document.records, start=1):
        text = plain(record.text)
        row = {
            "kind": "record",
            "position": position,
            "label": record.label,
            "text": text,
            "section": plain(record.section),
            "page": record.page,
            "bbox": record.bbox,
            "ref": record.ref,
            **shared,
        }
        if record.label in HEADINGS:
            row["heading"] = text
        yield RowId(document.doc_id, first, position), row


def visible(publication: int) -> dict[str, Any]:
    """Query for the rows that a reader sees once this publication is made; the filter of a collection's alias."""
    return {
        "bool": {
            "filter": [{"range": {"first": {"lte": publication}}}],
            "must_not": [{"range": {"gone": {"lte": publication}}}],
        }
    }


def publication_of(alias_filter: dict[str, Any]) -> int:
    """Back from `visible`."""
    return int(alias_filter["bool"]["filter"][0]["range"]["first"]["lte"])
