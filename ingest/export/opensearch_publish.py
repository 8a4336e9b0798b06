"""One publish to an OpenSearch cluster: rows are written out of sight, and one request makes them visible.

A collection has an alias, which readers search, on one index, its generation. The alias has a filter: rows that the
current publication shows. A publish writes its new rows with the number of the next publication, notes that number as
the end of the rows that they replace, and then puts the alias onto it: one change of the cluster's state. A rebuild
does the same with a new index.

What a publish that broke off has left behind carries a number beyond the current one; the next publish removes it.
Rows that the current publication has replaced stay until the next one, for readers who are in the midst of a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from ingest.errors import Conflict, StoreError, StoreUnavailable, Unindexable
from ingest.export.index import IndexedDocument
from ingest.export.opensearch_client import SLOW_S, Cluster
from ingest.export.opensearch_errors import BUSY, reason
from ingest.export.opensearch_schema import BODY, Names, RowId, parse_id, publication_of, rows, visible

_PAGE = 1000
"""Documents looked up, or rows mended, at a time."""
_DELETED = 50_000
"""Rows removed by one request at most."""
_FEW = 5
"""Documents that are refused for what they are; many at a time are refused for what the index is."""
_NAMED = 10
"""Documents that an error names at most."""


class State(NamedTuple):
    """What readers of a collection see."""

    generation: str
    """Name of the index."""
    publication: int


def read_state(cluster: Cluster, names: Names, collection: str) -> State | None:
    """None before the first publish."""
    alias = names.alias(collection)
    found = cluster.call("GET", f"/_alias/{alias}", accept=(404,))
    if "error" in found:
        return None
    if len(found) != 1:
        raise StoreError(f"the alias {alias} of {cluster.where} is on {len(found)} indexes; it must be on one")
    ((index, about),) = found.items()
    return State(index, publication_of(about["aliases"][alias]["filter"]))


class Publish:
    """To be used within the collection's lock, whose lease `renew` renews."""

    def __init__(self, cluster: Cluster, names: Names, collection: str, renew: Callable[[], None]) -> None:
        self._cluster = cluster
        self._names = names
        self._collection = collection
        self._renew = renew
        self._state = read_state(cluster, names, collection)
        self._number = self._state.publication + 1 if self._state else 1
        self._written: dict[str, tuple[int, str]] = {}
        """doc_id -> (records, path) of the documents of this publish."""

    def run(self, documents: Iterable[IndexedDocument], removed: Iterable[str], *, rebuild: bool) -> int:
        """How many documents were written. Readers see nothing of it before it returns, or after it fails."""
        state = self._state
        self._drop_generations()
        if state is None or rebuild:
            index = self._names.generation(self._collection, _number(state.generation) + 1 if state else 1)
            self._cluster.call("PUT", f"/{index}", BODY)
            self._write(index, documents)
        else:
            index = state.generation
            self._mend(state)
            self._write(index, documents)
            self._end_rows(state, [*self._written, *(doc_id for doc_id in removed if doc_id not in self._written)])
        self._refresh(index)
        self._renew()
        self._show(index)
        return len(self._written)

    def _show(self, index: str) -> None:
        alias = self._names.alias(self._collection)
        actions: list[dict[str, Any]] = [
            {"add": {"index": index, "alias": alias, "filter": visible(self._number)}},
        ]
        if self._state is not None and self._state.generation != index:
            actions.insert(0, {"remove": {"index": self._state.generation, "alias": alias}})
        if not self._cluster.call("POST", "/_aliases", {"actions": actions})["acknowledged"]:
            raise StoreUnavailable(f"not all nodes of {self._cluster.where} know the new publication yet; run again")

    def _drop_generations(self) -> None:
        """Remove what a rebuild that broke off has left, and all but the generation before the current one."""
        pattern = self._names.generation(self._collection, "*")
        current = _number(self._state.generation) if self._state else 0
        for index in self._cluster.call("GET", f"/{pattern}", params={"allow_no_indices": "true"}):
            if _number(index) not in (current, current - 1):
                self._cluster.call("DELETE", f"/{index}", accept=(404,))

    def _mend(self, state: State) -> None:
        """Undo what a publish that broke off has done, and remove the rows that nobody can see any more."""
        self._refresh(state.generation)
        old = {"range": {"gone": {"lt": state.publication}}}
        unborn = {"range": {"first": {"gt": state.publication}}}
        query = {"query": {"bool": {"should": [old, unborn]}}}
        path = f"/{state.generation}/_delete_by_query"
        params = {"max_docs": str(_DELETED), "conflicts": "proceed", "refresh": "true"}
        while self._cluster.call("POST", path, query, params=params, timeout_s=SLOW_S)["deleted"] == _DELETED:
            self._renew()
        ended = {"size": _PAGE, "query": {"range": {"gone": {"gt": state.publication}}}, "_source": False}
        while found := self._cluster.call("POST", f"/{state.generation}/_search", ended)["hits"]["hits"]:
            self._renew()
            self._send(state.generation, (_update(row["_id"], None) for row in found))
            self._refresh(state.generation)

    def _write(self, index: str, documents: Iterable[IndexedDocument]) -> None:
        self._send(index, self._actions(documents))

    def _actions(self, documents: Iterable[IndexedDocument]) -> Iterator[dict[str, Any]]:
        for document in documents:
            self._renew()
            for row_id, row in rows(document, self._number):
                yield {"_op_type": "index", "_id": str(row_id), "_source": row}
            before, _ = self._written.get(document.doc_id, (0, ""))
            for position in range(len(document.records) + 1, before + 1):  # given twice: the last one counts
                yield {"_op_type": "delete", "_id": str(RowId(document.doc_id, self._number, position))}
            self._written[document.doc_id] = (len(document.records), document.path)

    def _end_rows(self, state: State, doc_ids: Iterable[str]) -> None:
        """Note that the visible rows of these documents end with this publish."""
        pending = iter(doc_ids)
        while chunk := list(islice(pending, _PAGE)):
            self._renew()
            wanted = {"bool": {"filter": [{"term": {"kind": "document"}}, {"terms": {"doc_id": chunk}}]}}
            query = {"bool": {"filter": [wanted, visible(state.publication)]}}
            body = {"size": _PAGE, "query": query, "_source": ["records"]}
            found = self._cluster.call("POST", f"/{state.generation}/_search", body)["hits"]["hits"]
            self._send(state.generation, (_update(row_id, self._number) for row in found for row_id in _all_rows(row)))

    def _send(self, index: str, actions: Iterable[dict[str, Any]]) -> None:
        """All of them, then an error that names the documents of those that the cluster did not take."""
        failed: dict[str, dict[str, Any]] = {}
        for operation, item in self._cluster.bulk(index, actions):
            if item["status"] != 404 or operation == "index":  # else what is to be changed is gone
                failed.setdefault(parse_id(item["_id"]).doc_id, item)
        if not failed:
            return
        named = "; ".join(
            f"{self._path(doc_id)} ({item['error'].get('type', '')}: {reason(item['error'])})"
            for doc_id, item in islice(failed.items(), _NAMED)
        )
        more = f"; and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        statuses = {item["status"] for item in failed.values()}
        if statuses == {400} and len(failed) <= max(_FEW, len(self._written) // 2):
            why = "the search index does not take it"
            told = {
                doc_id: f"{self._path(doc_id)}: {why} ({item['error'].get('type', '')}: {reason(item['error'])})"
                for doc_id, item in failed.items()
            }
            raise Unindexable("; ".join(islice(told.values(), _NAMED)), told)
        message = (
            f"the search index {self._cluster.where} did not take {len(failed)} documents, and nothing was published"
        )
        if statuses <= BUSY | {500}:
            raise StoreUnavailable(f"{message}: it is too busy, or a part of it is away: {named}{more}")
        if statuses == {409}:
            raise Conflict(f"{message}: another publish is writing there: {named}{more}")
        raise StoreError(f"{message}: {named}{more}")

    def _path(self, doc_id: str) -> str:
        return self._written.get(doc_id, (0, doc_id))[1]

    def _refresh(self, index: str) -> None:
        self._cluster.call("POST", f"/{index}/_refresh", timeout_s=SLOW_S)


def _number(generation: str) -> int:
    return int(generation.rpartition(".g")[2])


def _update(row_id: str, gone: int | None) -> dict[str, Any]:
    return {"_op_type": "update", "_id": row_id, "doc": {"gone": gone}}


def _all_rows(found: dict[str, Any]) -> Iterator[str]:
    """Ids of a document's rows, from its own row."""
    own = parse_id(found["_id"])
    for position in range(found["_source"]["records"] + 1):
        yield str(own._replace(position=position))
