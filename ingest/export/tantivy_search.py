"""One query over a tantivy index."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import tantivy

from ingest.export.index import Hit
from ingest.export.query import Node, Phrase, parse
from ingest.export.snippets import Span, only_whole_runs, snippet, unspaced_runs
from ingest.export.tantivy_errors import mapped
from ingest.export.tantivy_schema import SCHEMA, WEIGHTS, DocumentDetails, decode_document, decode_record

_QUOTING = re.compile(r"""["\\]""")
_WHOLE = 1_000_000
"""Characters that the matches are looked for in: the whole text of a record."""


class Search:
    """One query over one collection, at one state of its index."""

    def __init__(self, collection: str, folder: Path, index: Any, words: str, label: str | None) -> None:
        self._collection = collection
        self._folder = folder
        with mapped(folder):
            self._searcher = index.searcher()
            node = parse(words)
            self._words = tantivy.Query.empty_query() if node is None else _query(index, node)
            self._runs = unspaced_runs(words)
            if label is None:
                # Not the rows of whole documents.
                narrow = (tantivy.Occur.MustNot, tantivy.Query.term_query(SCHEMA, "kind", "document"))
            else:
                same = tantivy.Query.term_query(SCHEMA, "label", label)
                narrow = (tantivy.Occur.Must, tantivy.Query.const_score_query(same, 0.0))
            self._query = tantivy.Query.boolean_query([(tantivy.Occur.Must, self._words), narrow])
            self._generator = tantivy.SnippetGenerator.create(self._searcher, self._words, SCHEMA, "stem")
            self._generator.set_max_num_chars(_WHOLE)

    def best(self, limit: int) -> list[tuple[float, Any]]:
        """Scores and addresses of the best matches."""
        with mapped(self._folder):
            return list(self._searcher.search(self._query, limit, count=False).hits)

    def hit(self, score: float, address: Any) -> Hit:
        with mapped(self._folder):
            stored = self._searcher.doc(address)
            record = decode_record(stored["details"][0])
            document = self._document(record.doc_id)
            shown = self._snippet(stored["text"][0])
        return Hit(
            score=score,
            collection=self._collection,
            doc_id=record.doc_id,
            path=document.path,
            title=document.title,
            label=record.label,
            page=record.page,
            bbox=record.bbox,
            section=record.section,
            snippet=shown,
            ref=record.ref,
            sha256=document.sha256,
            fingerprint=document.fingerprint,
            run_id=document.run_id,
        )

    def _document(self, doc_id: str) -> DocumentDetails:
        terms = (("doc_id", doc_id), ("kind", "document"))
        must = [(tantivy.Occur.Must, tantivy.Query.term_query(SCHEMA, *term)) for term in terms]
        ((_, address),) = self._searcher.search(tantivy.Query.boolean_query(must), 1, count=False).hits
        return decode_document(self._searcher.doc(address)["details"][0])

    def _snippet(self, text: str) -> str:
        # The stems' field is not stored: it is made of the text once more, to see which words match.
        found = self._generator.snippet_from_doc(tantivy.Document.from_dict({"stem": text}, SCHEMA))
        spans = _characters(text, [(span.start, span.end) for span in found.highlighted()])
        return snippet(text, only_whole_runs(text, spans, self._runs))


def _characters(text: str, spans: list[Span]) -> list[Span]:
    """Spans in bytes of UTF-8 as spans in characters."""
    if text.isascii():
        return spans
    data = text.encode()
    return [(len(data[:start].decode()), len(data[:stop].decode())) for start, stop in spans]


def _query(index: Any, node: Node) -> Any:
    """With the scores of all fields added."""
    if isinstance(node, Phrase):
        return index.parse_query(f'"{_QUOTING.sub(" ", node.text)}"', list(WEIGHTS), WEIGHTS)
    clauses = [(tantivy.Occur.Must, part) for part in node.must]
    clauses += [(tantivy.Occur.Should, part) for part in node.should]
    clauses += [(tantivy.Occur.MustNot, part) for part in node.must_not]
    return tantivy.Query.boolean_query([(occur, _query(index, part)) for occur, part in clauses])
