"""Ledger: what is known of every document and run. SQLite embedded, MongoDB in production."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from ingest.document.records import DocumentRecord, RunRecord, RunState
from ingest.errors import ConfigError
from ingest.stores.holds import Hold
from ingest.stores.locks import PROCESS_LEASE_S
from ingest.stores.uris import absolute_path, extra, redacted, scheme_of


class Ledger(Protocol):
    """All methods may raise StoreUnavailable. A handful of calls a batch, never one a page or a document.

    What a method has written when it returns outlives the process. Threads may share a ledger.
    """

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

    def runs(self, collection: str, *, limit: int = 50, state: RunState | None = None) -> list[RunRecord]:
        """Newest first; those in a state alone, if it is given."""
        ...

    def collections(self) -> list[str]:
        """Names of all collections that have a row or a run."""
        ...

    def lock(self, collection: str, owner: str, *, lease_s: float = PROCESS_LEASE_S) -> AbstractContextManager[None]:
        """Hold the collection's lock; Conflict (names the holder and the cure) if another owner has it.

        The same owner may take it again: the steps of one run are separate processes. The hold is renewed as long as
        this process lives; one that died without letting go holds it for `lease_s` at most, or no longer where the
        store can tell that it is dead.
        """
        ...

    def lease(self, collection: str, owner: str, *, lease_s: float) -> None:
        """Keep the lock for an owner, or for longer, with no process that holds it: from step to step of a run.

        Conflict as for `lock`.
        """
        ...

    def extend_lease(self, collection: str, owner: str, *, lease_s: float) -> None:
        """Keep the owner's lease for longer, from now on; nothing if it has none."""
        ...

    def end_lease(self, collection: str, owner: str) -> None:
        """Let go of the owner's lease, if there is one."""
        ...

    def unlock(self, collection: str) -> list[Hold]:
        """End all holds, whoever has them, and say which; Conflict if a process of this machine is seen to be at work.

        Whether one of another machine still is cannot be seen from here: its hold is ended like a lease.
        """
        ...

    def holders(self, collection: str) -> list[Hold]:
        """Holds of the lock that are not over."""
        ...

    def close(self) -> None: ...


def open_ledger(uri: str) -> Ledger:
    """Ledger at `sqlite:///absolute/path`, made if need be, or at `mongodb://host/database`. ConfigError otherwise."""
    scheme = scheme_of(uri)
    if scheme == "sqlite":
        from ingest.stores.sqlite import SqliteLedger

        return SqliteLedger(absolute_path(uri))
    if scheme in ("mongodb", "mongodb+srv"):
        with extra("stores", "pymongo"):
            from ingest.stores.mongo import MongoLedger

        return MongoLedger(uri)
    raise ConfigError(
        f"INGEST_LEDGER={redacted(uri)!r} is no ledger's address; write sqlite:///absolute/path or "
        "mongodb://host/database"
    )
