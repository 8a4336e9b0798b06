"""Ledger: what is known of every document and run. SQLite embedded, MongoDB in production."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from ingest.document.records import DocumentRecord, RunRecord


class Ledger(Protocol):
    """All methods may raise StoreUnavailable. A handful of calls a batch, never one a page or a document."""

    def upsert(self, documents: Iterable[DocumentRecord]) -> None:
        """Write whole rows in bulk; the last write of a (collection, doc_id) wins."""
        ...

    def get(self, collection: str, doc_ids: Iterable[str]) -> dict[str, DocumentRecord]:
        """Rows by doc_id; what is not there is left out."""
        ...

    def documents(self, collection: str, *, seen_run: str | None = None) -> Iterator[DocumentRecord]:
        """Rows of a collection in doc_id order; with `seen_run`, those that this run discovered."""
        ...

    def put_run(self, run: RunRecord) -> None: ...

    def get_run(self, collection: str, run_id: str) -> RunRecord | None: ...

    def runs(self, collection: str, *, limit: int = 50) -> list[RunRecord]:
        """Newest first."""
        ...

    def collections(self) -> list[str]:
        """Names of all collections that have a row or a run."""
        ...

    def lock(self, collection: str, owner: str, *, lease_s: float = 3600) -> AbstractContextManager[None]:
        """Hold the collection's lock; Conflict (names the holder) if another owner has it and its lease is not over.

        The same owner may take it again: the steps of one run are separate processes.
        """
        ...

    def close(self) -> None: ...
