"""What is stored in a tantivy index and how text becomes words.

Each record is one document of the index; each published document has one more, which holds what its records share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import tantivy

from ingest.export.index import IndexedDocument, Record
from ingest.export.text import HEADINGS, LONGEST_WORD, UNSPACED_CLASS, plain

LAYOUT = "v1"
"""To be changed with anything below that an existing index would not fit."""
WEIGHTS = {"text": 1.0, "stem": 0.5, "heading": 0.7}
"""Of the fields that a query's words are searched in: as written, by English stem, and once more in headings."""

_WORD = rf"[{UNSPACED_CLASS}]\p{{M}}*|[\p{{L}}\p{{M}}\p{{N}}--[{UNSPACED_CLASS}]]+"


class DocumentDetails(msgspec.Struct, array_like=True):
    """What is stored with a document."""

    doc_id: str
    path: str
    title: str
    sha256: str
    fingerprint: str
    run_id: str


class RecordDetails(msgspec.Struct, array_like=True):
    """What is stored with a record, beside its text."""

    doc_id: str
    ref: str
    label: str
    page: int
    bbox: tuple[float, float, float, float]
    section: str


encode_details = msgspec.json.Encoder().encode
decode_document = msgspec.json.Decoder(DocumentDetails).decode
decode_record = msgspec.json.Decoder(RecordDetails).decode


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for name in ("kind", "doc_id", "label"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", stored=True, tokenizer_name="words")
    for name in ("stem", "heading", "section"):
        builder.add_text_field(name, tokenizer_name="stems")
    builder.add_bytes_field("details", stored=True)
    return builder.build()


SCHEMA = _schema()


def register_tokenizers(index: Any) -> None:
    """To be done with every opened index. Lower case, without accents; English stems leave other languages findable,
    as words of text and query are cut alike."""

    def words() -> Any:
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_WORD))
        for step in (
            tantivy.Filter.remove_long(LONGEST_WORD),
            tantivy.Filter.lowercase(),
            tantivy.Filter.ascii_fold(),
        ):
            builder = builder.filter(step)
        return builder

    index.register_tokenizer("words", words().build())
    index.register_tokenizer("stems", words().filter(tantivy.Filter.stemmer("english")).build())


def to_index(document: IndexedDocument) -> Iterator[Any]:
    """The tantivy documents of a published document."""
    doc_id = document.doc_id
    details = DocumentDetails(
        doc_id=doc_id,
        path=plain(document.path),
        title=plain(document.title),
        sha256=document.sha256,
        fingerprint=document.fingerprint,
        run_id=document.run_id,
    )
    yield _tantivy_document({"kind": "document", "doc_id": doc_id, "details": encode_details(details)})
    for record in document.records:
        yield _tantivy_document(_fields(doc_id, record))


def _fields(doc_id: str, record: Record) -> dict[str, Any]:
    text, section = plain(record.text), plain(record.section)
    details = RecordDetails(
        doc_id=doc_id, ref=record.ref, label=record.label, page=record.page, bbox=record.bbox, section=section
    )
    fields = {
        "doc_id": doc_id,
        "label": record.label,
        "text": text,
        "stem": text,
        "section": section,
        "details": encode_details(details),
    }
    if record.label in HEADINGS:
        fields["heading"] = text
    return fields


def _tantivy_document(fields: dict[str, Any]) -> Any:
    return tantivy.Document.from_dict(fields, SCHEMA)
