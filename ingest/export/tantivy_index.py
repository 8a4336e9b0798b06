"""Search index in local folders, with tantivy (BM25): one index per collection, one commit per publish.

The layout's version is part of the path: a program that knows another layout finds nothing published and publishes all
anew, beside the old index.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from heapq import nsmallest
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import tantivy

from ingest.errors import StoreError
from ingest.export.generations import Generations
from ingest.export.index import Hit, IndexedDocument
from ingest.export.tantivy_errors import mapped
from ingest.export.tantivy_schema import LAYOUT, SCHEMA, decode_document, register_tokenizers, to_index
from ingest.export.tantivy_search import Search
from ingest.export.text import plain

logger = logging.getLogger(__name__)

_HEAP = 64_000_000
"""Bytes that a writer collects before it puts a segment on the disk."""
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
            with mapped(generations.folder):
                stack.enter_context(generations.writing())
                current = generations.current()
                folder = generations.begin() if rebuild or current is None else current
            count = _write(folder, documents, removed)
            if folder != current:
                with mapped(generations.folder):
                    generations.switch(folder)
        logger.info("run %s: %d documents published to %s", run_id, count, generations.folder)

    def search(
        self, words: str, *, collection: str | None = None, label: str | None = None, limit: int = 10
    ) -> list[Hit]:
        names = self._collections() if collection is None else [collection]
        found: list[tuple[float, str, int, int, Search, Any]] = []
        for name in names:
            index = self._reader(name)
            if index is not None and limit > 0:
                search = Search(name, self._generations(name).folder, index, plain(words), label)
                for score, address in search.best(limit):
                    found.append((-score, name, address.segment_ord, address.doc, search, address))
        best = nsmallest(limit, found, key=lambda match: match[:4])
        return [search.hit(-score, address) for score, *_, search, address in best]

    def published(self, collection: str) -> dict[str, tuple[str, str]]:
        index = self._reader(collection)
        if index is None:
            return {}
        with mapped(self._generations(collection).folder):
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
        with mapped(self.root):
            return sorted(unquote(folder.name) for folder in self.root.glob("*") if (folder / "current").exists())

    def _reader(self, collection: str) -> Any:
        """The collection's index as it was last published; None if it never was."""
        generations = self._generations(collection)
        with mapped(generations.folder), self._guard:
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


def _open(folder: Path) -> Any:
    index = tantivy.Index.open(str(folder))
    register_tokenizers(index)
    # No thread that watches for commits: each search looks by itself.
    index.config_reader("manual", 0)
    index.reload()
    return index


def _write(folder: Path, documents: Iterable[IndexedDocument], removed: Iterable[str]) -> int:
    """All in one commit, or nothing. Returns how many documents."""
    with mapped(folder):
        index = tantivy.Index(SCHEMA, str(folder))
        register_tokenizers(index)
        writer = index.writer(_HEAP, 1)
    count = 0
    try:
        for doc_id in removed:
            with mapped(folder):
                writer.delete_documents_by_term("doc_id", doc_id)
        for document in documents:
            with mapped(folder):
                writer.delete_documents_by_term("doc_id", document.doc_id)
                for row in to_index(document):
                    writer.add_document(row)
            count += 1
        with mapped(folder):
            writer.commit()
    except BaseException:
        with mapped(folder):
            writer.rollback()
        raise
    finally:
        # Ends the writer, which else holds its lock as long as anything, such as a traceback, refers to it.
        with mapped(folder):
            writer.wait_merging_threads()
    return count
