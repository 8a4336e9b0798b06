"""What is stored in a tantivy index and how text becomes words.

Each record is one document of the index; each published document has one more, which holds what its records share.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import msgspec
import tantivy

from ingest.document.labels import Label
from ingest.export.index import IndexedDocument, Record

LAYOUT = "v1"
"""To be changed with anything below that an existing index would not fit."""
WEIGHTS = {"text": 1.0, "stem": 0.5, "heading": 0.7}
"""Of the fields that a query's words are searched in: as written, by English stem, and once more in headings."""

_HEADINGS = frozenset({Label.TITLE, Label.SUBTITLE_1, Label.SUBTITLE_2})
# Han, Hangul, Hiragana and Katakana with their marks, Thai, Lao, Khmer, Myanmar.
_UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u30ff\u3105-\u318e\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc\U00020000-\U000323af\u1100-\u11ff"
    "\u0e01-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1780-\u17d3\u17dc-\u17dd\u1000-\u103f\u1050-\u108f\uaa60-\uaa7f"
)
UNSPACED = re.compile(f"[{_UNSPACED}]+")
"""A run of a script that is written without spaces between words, or that joins endings to them."""
_WORD = rf"[{_UNSPACED}]\p{{M}}*|[\p{{L}}\p{{M}}\p{{N}}--[{_UNSPACED}]]+"
"""A character of such a run, with its marks, or a word of another script. Several characters in a query are searched
as a phrase, so that words of any length are found wherever they stand."""
_LONGEST_WORD = 80


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
            tantivy.Filter.remove_long(_LONGEST_WORD),
            tantivy.Filter.lowercase(),
            tantivy.Filter.ascii_fold(),
        ):
            builder = builder.filter(step)
        return builder

    index.register_tokenizer("words", words().build())
    index.register_tokenizer("stems", words().filter(tantivy.Filter.stemmer("english")).build())


def plain(text: str) -> str:
    """Accents composed with their letters, as folding expects them; no lone surrogates."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())


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
    if record.label in _HEADINGS:
        fields["heading"] = text
    return fields


def _tantivy_document(fields: dict[str, Any]) -> Any:
    return tantivy.Document.from_dict(fields, SCHEMA)
