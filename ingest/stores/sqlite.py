"""Ledger in one SQLite file, in WAL mode: many readers and one writer at a time, in any number of processes.

Every write is one transaction that is on the disk when the method returns. A field that a record type gained since the
file was made becomes a column when the file is next opened.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ingest.document.records import DocumentRecord, RunRecord, RunState
from ingest.errors import StoreError, StoreUnavailable
from ingest.stores.holds import Hold
from ingest.stores.locks import Change, Locks
from ingest.stores.sqlite_table import Table

SCHEMA_VERSION = 1
_BUSY_S = 60
"""How long a call waits for another process's transaction before it gives up with StoreUnavailable."""
_PAGE = 1000
"""Rows read at a time; between two pages the file is free for others."""

_DOCUMENTS = Table("documents", DocumentRecord, ("collection", "doc_id"))
_RUNS = Table("runs", RunRecord, ("collection", "run_id"))
_LOCKS = (
    "CREATE TABLE IF NOT EXISTS locks (hold TEXT PRIMARY KEY, collection TEXT NOT NULL, owner TEXT NOT NULL, "
    "host TEXT NOT NULL, pid INTEGER NOT NULL, until_ms INTEGER NOT NULL)"
)


class SqliteLedger(Locks):
    """Ledger in a local file. To be opened anew in a process made by fork."""

    def __init__(self, path: Path) -> None:
        """The file and its folder are made if need be."""
        self.path = path
        self._guard = threading.RLock()
        with self._mapped():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def upsert(self, documents: Iterable[DocumentRecord]) -> None:
        rows = [_DOCUMENTS.encode(document) for document in documents]
        with self._writing() as db:
            db.executemany(_DOCUMENTS.upsert, rows)

    def get(self, collection: str, doc_ids: Iterable[str]) -> dict[str, DocumentRecord]:
        found: dict[str, DocumentRecord] = {}
        wanted = list(doc_ids)
        for start in range(0, len(wanted), _PAGE):
            ids = wanted[start : start + _PAGE]
            where = f"WHERE collection = ? AND doc_id IN ({', '.join('?' * len(ids))})"
            for row in self._rows(f"{_DOCUMENTS.select} {where}", (collection, *ids)):
                document = _DOCUMENTS.decode(row)
                found[document.doc_id] = document
        return found

    def documents(self, collection: str, *, seen_run: str | None = None) -> Iterator[DocumentRecord]:
        after = ""
        seen = "" if seen_run is None else "AND seen_run = ?"
        statement = f"{_DOCUMENTS.select} WHERE collection = ? AND doc_id > ? {seen} ORDER BY doc_id LIMIT {_PAGE}"
        while True:
            rows = self._rows(statement, (collection, after, *(() if seen_run is None else (seen_run,))))
            for row in rows:
                document = _DOCUMENTS.decode(row)
                after = document.doc_id
                yield document
            if len(rows) < _PAGE:
                return

    def put_run(self, run: RunRecord) -> None:
        with self._writing() as db:
            db.execute(_RUNS.upsert, _RUNS.encode(run))

    def get_run(self, collection: str, run_id: str) -> RunRecord | None:
        rows = self._rows(f"{_RUNS.select} WHERE collection = ? AND run_id = ?", (collection, run_id))
        return _RUNS.decode(rows[0]) if rows else None

    def runs(self, collection: str, *, limit: int = 50, state: RunState | None = None) -> list[RunRecord]:
        newest = "WHERE collection = ? AND state = coalesce(?, state) ORDER BY started_ms DESC, run_id DESC LIMIT ?"
        asked = (collection, state and state.value, limit)
        return [_RUNS.decode(row) for row in self._rows(f"{_RUNS.select} {newest}", asked)]

    def collections(self) -> list[str]:
        names: list[str] = []
        after = ""
        # A step per collection instead of a pass over all rows.
        statement = (
            "SELECT min(name) FROM (SELECT min(collection) AS name FROM documents WHERE collection > ?1 "
            "UNION ALL SELECT min(collection) FROM runs WHERE collection > ?1)"
        )
        while (name := self._rows(statement, (after,))[0][0]) is not None:
            names.append(name)
            after = name
        return names

    def _change_holds(self, collection: str, change: Change) -> None:
        with self._writing() as db:
            held = "SELECT hold, owner, host, pid, until_ms FROM locks WHERE collection = ?"
            before = [Hold(*row) for row in db.execute(held, (collection,)).fetchall()]
            after = change(before)
            db.executemany("DELETE FROM locks WHERE hold = ?", [(h.hold,) for h in before if h not in after])
            db.executemany(
                "INSERT INTO locks (hold, collection, owner, host, pid, until_ms) VALUES (?, ?, ?, ?, ?, ?)",
                [(h.hold, collection, h.owner, h.host, h.pid, h.until_ms) for h in after if h not in before],
            )

    def close(self) -> None:
        with self._guard, self._mapped():
            self._db.close()

    def _prepare(self) -> None:
        db = self._db
        # Checked first: setting the mode needs the file for oneself, and it stays set.
        if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        version = self._version()
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"the ledger {self.path} has schema version {version}, this program knows {SCHEMA_VERSION}: "
                "it was written by a newer version; upgrade, or use another ledger"
            )
        if version == SCHEMA_VERSION and not self._missing_columns():
            return
        with self._writing():
            for statement in (_DOCUMENTS.create, _RUNS.create, _LOCKS, *self._missing_columns()):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _missing_columns(self) -> list[str]:
        """Statements that add the columns of fields that are younger than the tables; none for a table to be made."""
        statements: list[str] = []
        for table in (_DOCUMENTS, _RUNS):
            have = {row[1] for row in self._db.execute(f"PRAGMA table_info({table.name})")}
            new = [column for name, column in table.columns.items() if have and name not in have]
            statements += [f"ALTER TABLE {table.name} ADD COLUMN {column}" for column in new]
        return statements

    def _rows(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._guard, self._mapped():
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all that was executed within is kept, or nothing."""
        with self._guard, self._mapped():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _store_error(error, self.path) from error
        except OSError as error:
            raise StoreError(f"cannot open the ledger {self.path}: {error.strerror or error}") from error
        except OverflowError as error:
            raise StoreError(f"a number is too large for the ledger {self.path}: {error}") from error


def _store_error(error: sqlite3.Error, path: Path) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreUnavailable(f"the ledger {path} was locked by another process for {_BUSY_S} s; run again")
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_PROTOCOL:
            return StoreUnavailable(f"the ledger {path} cannot be read or written now: {error}")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreError(
                f"the ledger {path} is damaged or is no SQLite file ({error}); restore it from a backup, "
                "or move it and its -wal and -shm files away and run the collections again"
            )
        case sqlite3.SQLITE_FULL:
            return StoreError(f"the disk of the ledger {path} is full; make room and run again")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreError(
                f"the ledger {path} cannot be opened for writing ({error}); "
                "give this user the right to write the file and its folder"
            )
    return StoreError(f"the ledger {path} refused a call: {error}")
