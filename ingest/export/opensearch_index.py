"""Search index on an OpenSearch cluster (see `ingest.export.opensearch_publish` for how a publish stays whole)."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from ingest.export.index import Hit, IndexedDocument
from ingest.export.opensearch_client import Cluster
from ingest.export.opensearch_lock import PublishLock
from ingest.export.opensearch_publish import Publish, read_state
from ingest.export.opensearch_schema import Names, encode_name, visible
from ingest.export.opensearch_search import MAX_HITS, Search
from ingest.export.query import parse
from ingest.export.text import plain

logger = logging.getLogger(__name__)


class OpenSearchIndex:
    """Index on a cluster. Any number of threads and processes may read; a collection has one writer at a time."""

    def __init__(self, uri: str) -> None:
        """Connects at the first call. ConfigError for an address that is not valid."""
        self._cluster = Cluster(uri)
        self._names = Names(self._cluster.prefix)

    def publish(
        self,
        collection: str,
        run_id: str,
        documents: Iterable[IndexedDocument],
        removed: Iterable[str],
        *,
        rebuild: bool = False,
    ) -> None:
        lock = PublishLock(self._cluster, self._names.locks, encode_name(collection))
        with lock.held(run_id) as renew:
            publish = Publish(self._cluster, self._names, collection, renew)
            count = publish.run(documents, removed, rebuild=rebuild)
        logger.info("run %s: %d documents published to %s", run_id, count, self._cluster.where)

    def search(
        self, words: str, *, collection: str | None = None, label: str | None = None, limit: int = 10
    ) -> list[Hit]:
        """At most 10,000 hits, the cluster's own limit."""
        query = parse(plain(words))
        if query is None or limit < 1:
            return []
        search = Search(query, label, limit)
        alias = self._names.all_aliases if collection is None else self._names.alias(collection)
        # Scores of several shards are comparable only with the word counts of all of them.
        params = {"ignore_unavailable": "true", "allow_no_indices": "true", "search_type": "dfs_query_then_fetch"}
        found = self._cluster.call("POST", f"/{alias}/_search", search.body, params=params)
        return [search.hit(hit) for hit in found["hits"]["hits"]]

    def published(self, collection: str) -> dict[str, tuple[str, str]]:
        state = read_state(self._cluster, self._names, collection)
        rows: dict[str, tuple[str, str]] = {}
        if state is None:
            return rows
        # Of one publication, though another may be made meanwhile: its rows stay until the next but one.
        body = {
            "size": MAX_HITS,
            "query": {"bool": {"filter": [{"term": {"kind": "document"}}, visible(state.publication)]}},
            "sort": [{"doc_id": "asc"}],
            "_source": ["doc_id", "sha256", "fingerprint"],
        }
        while found := self._cluster.call("POST", f"/{state.generation}/_search", body)["hits"]["hits"]:
            for row in (hit["_source"] for hit in found):
                rows[row["doc_id"]] = (row["sha256"], row["fingerprint"])
            body["search_after"] = found[-1]["sort"]
        return rows

    def close(self) -> None:
        self._cluster.close()
