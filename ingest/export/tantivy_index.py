"""Search index in local folders, with tantivy (BM25): one index per collection, one commit per publish.

The layout's version is part of the path: a program that knows another layout finds nothing published and publishes all
anew, beside the old index.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from heapq import nsmallest
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import tantivy

from ingest.errors import Conflict, StoreError
from ingest.export.generations import Generations
from ingest.export.index import Hit, IndexedDocument
from ingest.export.snippets import Span, snippet
from ingest.export.tantivy_schema import (
    LAYOUT,
    SCHEMA,
    UNSPACED,
    WEIGHTS,
    DocumentDetails,
    decode_document,
    decode_record,
    plain,
    register_tokenizers,
    to_index,
)

logger = logging.getLogger(__name__)

_HEAP = 64_000_000
"""Bytes that a writer collects before it puts a segment on the disk."""
_SYNTAX = re.compile(r"""[+^`:{}"'\[\]()<>=~!\\*?/&|-]""")
_WHOLE = 1_000_000
"""Characters that the matches are looked for in: the whole text of a record."""
_UNSAFE = re.compile(r"[%/\x00-\x1f\x7f]|^\.")


class TantivyIndex:
    """Index below a folder. Any number of threads and processes may read; a collection has one writer at a time."""

    def __init__(self, root: Path) -> None:
        """The folder is made by the first publish."""
        self.root = root / LAYOUT
        self._guard = threading.Lock()
        self._opened: dict[Path, Any] = {}

    def publish(
        self,
        collection: str,
        run_id: str,
        documents: Iterable[IndexedDocument],
        removed: Iterable[str],
        *,
        rebuild: bool = False,
    ) -> None:
        generations = self._generations(collection)
        with ExitStack() as stack:
            with _mapped(generations.folder):
                stack.enter_context(generations.writing())
                current = generations.current()
                folder = generations.begin() if rebuild or current is None else current
            count = _write(folder, documents, removed)
            if folder != current:
                with _mapped(generations.folder):
                    generations.switch(folder)
        logger.info("run %s: %d documents published to %s", run_id, count, generations.folder)

    def search(
        self, words: str, *, collection: str | None = None, label: str | None = None, limit: int = 10
    ) -> list[Hit]:
        names = self._collections() if collection is None else [collection]
        found: list[tuple[float, str, int, int, _Search, Any]] = []
        for name in names:
            index = self._reader(name)
            if index is not None and limit > 0:
                search = _Search(name, self._generations(name).folder, index, plain(words), label)
                for score, address in search.best(limit):
                    found.append((-score, name, address.segment_ord, address.doc, search, address))
        best = nsmallest(limit, found, key=lambda match: match[:4])
        return [search.hit(-score, address) for score, *_, search, address in best]

    def published(self, collection: str) -> dict[str, tuple[str, str]]:
        index = self._reader(collection)
        if index is None:
            return {}
        with _mapped(self._generations(collection).folder):
            searcher = index.searcher()
            query = tantivy.Query.term_query(SCHEMA, "kind", "document")
            found = searcher.search(query, max(1, searcher.num_docs), count=False).hits
            rows = [decode_document(searcher.doc(address)["details"][0]) for _, address in found]
        return {row.doc_id: (row.sha256, row.fingerprint) for row in rows}

    def close(self) -> None:
        with self._guard:
            self._opened.clear()

    def _generations(self, collection: str) -> Generations:
        if not collection:
            raise StoreError("a collection of the index must have a name")
        return Generations(self.root / _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", collection))

    def _collections(self) -> list[str]:
        with _mapped(self.root):
            return sorted(unquote(folder.name) for folder in self.root.glob("*") if (folder / "current").exists())

    def _reader(self, collection: str) -> Any:
        """The collection's index as it was last published; None if it never was."""
        generations = self._generations(collection)
        with _mapped(generations.folder), self._guard:
            folder = generations.current()
            if folder is None:
                return None
            index = self._opened.get(folder)
            if index is None:
                for old in [path for path in self._opened if path.parent == folder.parent]:
                    del self._opened[old]
                index = self._opened[folder] = _open(folder)
            else:
                index.reload()
            return index


class _Search:
    """One query over one collection, at one state of its index."""

    def __init__(self, collection: str, folder: Path, index: Any, words: str, label: str | None) -> None:
        self._collection = collection
        self._folder = folder
        with _mapped(folder):
            self._searcher = index.searcher()
            self._words = _parse(index, words)
            runs = sorted(UNSPACED.findall(words), key=len, reverse=True)
            self._runs = re.compile("|".join(runs)) if runs else None
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
        with _mapped(self._folder):
            return list(self._searcher.search(self._query, limit, count=False).hits)

    def hit(self, score: float, address: Any) -> Hit:
        with _mapped(self._folder):
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
        if self._runs is not None:
            # tantivy shows each character of the phrase, wherever it stands.
            spans = [span for span in spans if not UNSPACED.match(text, span[0])]
            spans += [run.span() for run in self._runs.finditer(text)]
        return snippet(text, spans)


def _characters(text: str, spans: list[Span]) -> list[Span]:
    """Spans in bytes of UTF-8 as spans in characters."""
    if text.isascii():
        return spans
    data = text.encode()
    return [(len(data[:start].decode()), len(data[:stop].decode())) for start, stop in spans]


def _parse(index: Any, words: str) -> Any:
    """A query in tantivy's language ("a phrase", AND, OR, -without); what is none is searched for any of its words."""
    try:
        return index.parse_query(words, list(WEIGHTS), WEIGHTS)
    except ValueError:
        simple = " ".join(_SYNTAX.sub(" ", words).lower().split())
        return index.parse_query(simple, list(WEIGHTS), WEIGHTS)


def _open(folder: Path) -> Any:
    index = tantivy.Index.open(str(folder))
    register_tokenizers(index)
    # No thread that watches for commits: each search looks by itself.
    index.config_reader("manual", 0)
    index.reload()
    return index


def _write(folder: Path, documents: Iterable[IndexedDocument], removed: Iterable[str]) -> int:
    """All in one commit, or nothing. Returns how many documents."""
    with _mapped(folder):
        index = tantivy.Index(SCHEMA, str(folder))
        register_tokenizers(index)
        writer = index.writer(_HEAP, 1)
    count = 0
    try:
        for doc_id in removed:
            with _mapped(folder):
                writer.delete_documents_by_term("doc_id", doc_id)
        for document in documents:
            with _mapped(folder):
                writer.delete_documents_by_term("doc_id", document.doc_id)
                for row in to_index(document):
                    writer.add_document(row)
            count += 1
        with _mapped(folder):
            writer.commit()
    except BaseException:
        writer.rollback()
        raise
    finally:
        # Ends the writer, which else holds its lock as long as anything, such as a traceback, refers to it.
        writer.wait_merging_threads()
    return count


@contextmanager
def _mapped(where: Path) -> Iterator[None]:
    """tantivy raises ValueError whatever the trouble is, and panics over some damaged files."""
    try:
        yield
    except ValueError as error:
        what = str(error)
        if "LockBusy" in what:
            raise Conflict(f"another publish is writing the search index {where}; wait for it to end") from error
        if any(sign in what for sign in ("orrupt", "FileDoesNotExist", "Failed to open")):
            raise _damaged(where, what) from error
        raise StoreError(f"the search index {where} refused a call: {what}") from error
    except OSError as error:
        raise StoreError(f"the search index {where} cannot be read or written: {error.strerror or error}") from error
    except BaseException as error:
        # The class of a panic cannot be imported, and is no Exception.
        if type(error).__name__ == "PanicException":
            raise _damaged(where, str(error)) from error
        raise


def _damaged(where: Path, what: str) -> StoreError:
    return StoreError(
        f"the search index {where} is damaged ({what}); delete this folder, and the next run publishes it anew"
    )
