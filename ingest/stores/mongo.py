"""Ledger in a MongoDB database: the collections `documents`, `runs` and `locks`.

A record is one document of scalars, its `_id` made of the record's key, and every write is one unordered bulk of
upserts. A bulk is no transaction: if the server dies in the midst of one, some of its rows are there; each row is
whole, and the run that wrote them writes them again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import msgspec
from pymongo import ASCENDING, DESCENDING, IndexModel, MongoClient, UpdateOne
from pymongo.errors import ConfigurationError, DuplicateKeyError, InvalidName, InvalidURI

from ingest.document.records import DocumentRecord, RunRecord, RunState
from ingest.errors import ConfigError, StoreUnavailable
from ingest.stores.holds import Hold
from ingest.stores.locks import Change, Locks
from ingest.stores.mongo_errors import mapped
from ingest.stores.scalars import storable
from ingest.stores.uris import redacted

_PAGE = 1000
"""Rows read at a time: no cursor stays open between two pages, however long the reader takes."""
_CONTENDED = 100
"""Times that others may change a lock between our look and our write."""

_FORM = "write mongodb://user:password@host:27017/database"
_INDEXES = {
    "documents": [
        [("collection", ASCENDING), ("doc_id", ASCENDING)],
        [("collection", ASCENDING), ("seen_run", ASCENDING), ("doc_id", ASCENDING)],
    ],
    "runs": [[("collection", ASCENDING), ("started_ms", DESCENDING), ("run_id", DESCENDING)]],
}


class MongoLedger(Locks):
    """Ledger in a database. To be opened anew in a process made by fork."""

    def __init__(self, uri: str) -> None:
        """Connects at the first call. ConfigError for an address that is not valid or names no database."""
        self.where = redacted(uri)
        try:
            self._client: MongoClient[dict[str, Any]] = MongoClient(uri, appname="corpus-ingest")
        except (ConfigurationError, InvalidURI, InvalidName, ValueError) as error:
            # The driver's words may show a part of the password.
            why = str(error) if self.where == uri else "it is not valid; special characters of user and password as %xx"
            raise ConfigError(f"INGEST_LEDGER={self.where!r}: {why}; {_FORM}") from None
        try:
            self._db = self._client.get_default_database()
        except (ConfigurationError, InvalidName) as error:
            self._client.close()
            raise ConfigError(f"INGEST_LEDGER={self.where!r} names no database; {_FORM}") from error
        self._guard = threading.Lock()
        self._indexed = False

    def upsert(self, documents: Iterable[DocumentRecord]) -> None:
        # Of several rows with one key the last: what comes of two writes of one bulk is not defined.
        rows = {_id(document.collection, document.doc_id): document for document in documents}
        self._write("documents", rows)

    def get(self, collection: str, doc_ids: Iterable[str]) -> dict[str, DocumentRecord]:
        found: dict[str, DocumentRecord] = {}
        wanted = [_id(collection, doc_id) for doc_id in doc_ids]
        for start in range(0, len(wanted), _PAGE):
            ids = {"_id": {"$in": wanted[start : start + _PAGE]}}
            for document in self._rows("documents", DocumentRecord, ids):
                found[document.doc_id] = document
        return found

    def documents(self, collection: str, *, seen_run: str | None = None) -> Iterator[DocumentRecord]:
        where = {"collection": storable(collection)} | ({} if seen_run is None else {"seen_run": storable(seen_run)})
        rows = self._rows("documents", DocumentRecord, where, sort=[("doc_id", ASCENDING)], limit=_PAGE)
        while rows:
            yield from rows
            after = {"doc_id": {"$gt": rows[-1].doc_id}}
            rows = (
                self._rows("documents", DocumentRecord, where | after, sort=[("doc_id", ASCENDING)], limit=_PAGE)
                if len(rows) == _PAGE
                else []
            )

    def put_run(self, run: RunRecord) -> None:
        self._write("runs", {_id(run.collection, run.run_id): run})

    def get_run(self, collection: str, run_id: str) -> RunRecord | None:
        rows = self._rows("runs", RunRecord, {"_id": _id(collection, run_id)})
        return rows[0] if rows else None

    def runs(self, collection: str, *, limit: int = 50, state: RunState | None = None) -> list[RunRecord]:
        newest = [("started_ms", DESCENDING), ("run_id", DESCENDING)]
        wanted = {"collection": storable(collection)} | ({"state": state.value} if state else {})
        return self._rows("runs", RunRecord, wanted, sort=newest, limit=limit)

    def collections(self) -> list[str]:
        with self._mapped():
            return sorted({name for kind in _INDEXES for name in self._db[kind].distinct("collection")})

    def close(self) -> None:
        self._client.close()

    def _change_holds(self, collection: str, change: Change) -> None:
        """Replace the holds of a lock, unless somebody else did since we looked: then look again."""
        locks, key = self._db["locks"], {"_id": storable(collection)}
        for _ in range(_CONTENDED):
            with self._mapped():
                found = locks.find_one(key)
                before = msgspec.json.decode(found["holds"], type=list[Hold]) if found else []
                holds = change(before)
                if holds == before:
                    return
                new = {"holds": msgspec.json.encode(holds).decode()}
                if found is None:
                    try:
                        locks.insert_one(key | new | {"version": 1})
                    except DuplicateKeyError:
                        continue
                    return
                version = found["version"]
                if locks.find_one_and_update(key | {"version": version}, {"$set": new | {"version": version + 1}}):
                    return
        raise StoreUnavailable(f"the lock of {collection!r} in the ledger {self.where} is fought over; try again")

    def _write(self, kind: str, rows: dict[str, Any]) -> None:
        if not rows:
            return
        with self._mapped():
            self._ensure_indexes()
            writes = [UpdateOne({"_id": key}, {"$set": _fields(row)}, upsert=True) for key, row in rows.items()]
            self._db[kind].bulk_write(writes, ordered=False)

    def _ensure_indexes(self) -> None:
        """By the first write, so that those who only read need no right to."""
        with self._guard:
            if not self._indexed:
                for kind, indexes in _INDEXES.items():
                    self._db[kind].create_indexes([IndexModel(index) for index in indexes])
                self._indexed = True

    def _rows(
        self,
        kind: str,
        record: type[Any],
        where: dict[str, Any],
        *,
        sort: list[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> list[Any]:
        with self._mapped():
            cursor = self._db[kind].find(where, projection={"_id": False}, sort=sort, limit=limit, batch_size=_PAGE)
            found = list(cursor)
        return [msgspec.convert(row, record) for row in found]

    def _mapped(self) -> AbstractContextManager[None]:
        return mapped(self.where)


def _id(collection: str, name: str) -> str:
    """One string for the two; with the length, different pairs give different strings."""
    collection, name = storable(collection), storable(name)
    return f"{len(collection)}:{collection}:{name}"


def _fields(row: msgspec.Struct) -> dict[str, Any]:
    values = msgspec.structs.asdict(row)
    return {name: storable(value) if isinstance(value, str) else value for name, value in values.items()}
