"""The right to publish a collection to an OpenSearch cluster: a document that only one publisher can make.

It names its holder and a lease, which the holder renews. A holder that died without letting go keeps others out until
its lease is over, or no longer than until somebody on the same machine wants the lock and sees that it is dead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from ingest.errors import Conflict
from ingest.export.opensearch_client import Cluster
from ingest.stores.holds import Hold, new_hold, time_ms

LEASE_S = 600
_RENEW_S = LEASE_S / 5
_KEYWORD = {"type": "keyword", "index": False, "doc_values": False}
BODY = {
    "mappings": {
        "dynamic": "strict",
        "properties": {
            **dict.fromkeys(("hold", "owner", "host"), _KEYWORD),
            "pid": {"type": "long", "index": False},
            "until_ms": {"type": "long", "index": False},
        },
    }
}
"""Of the index that holds the locks."""


class PublishLock:
    """Of one collection."""

    def __init__(self, cluster: Cluster, index: str, name: str) -> None:
        self._cluster = cluster
        self._index = index
        self._path = f"/{index}/_doc/{name}"

    @contextmanager
    def held(self, owner: str) -> Iterator[Callable[[], None]]:
        """Be the only publisher; Conflict if there is one. What is given is to be called often: it renews the lease."""
        if "error" in self._cluster.call("GET", f"/{self._index}", accept=(404,)):
            # 400: somebody else has just made it.
            self._cluster.call("PUT", f"/{self._index}", BODY, accept=(400,))
        hold = self._take(owner)

        def renew() -> None:
            nonlocal hold
            if hold.until_ms - time_ms() < (LEASE_S - _RENEW_S) * 1000:
                hold = self._replace(hold, msgspec.structs.replace(hold, until_ms=time_ms() + LEASE_S * 1000))

        try:
            yield renew
        finally:
            self._let_go(hold)

    def _take(self, owner: str) -> Hold:
        mine = new_hold(owner, LEASE_S)
        self._cluster.call("PUT", self._path, _source(mine), params={"op_type": "create"}, accept=(409,))
        # Whether it was us who made it, perhaps with a request whose answer was lost, is seen by looking.
        found, version = self._look()
        if found is None:
            raise Conflict(f"another publish is writing {self._name()}; run again")
        if found.hold == mine.hold:
            return mine
        if not found.is_over(now := time_ms()):
            raise Conflict(f"another publish is under way: {found.conflict(self._name(), now)}")
        self._cluster.call("PUT", self._path, _source(mine), params=version, accept=(409,))
        return self._expect(mine)

    def _replace(self, old: Hold, new: Hold) -> Hold:
        found, version = self._look()
        if found is None or found.hold != old.hold:
            raise Conflict(f"another publish is writing {self._name()}: our lease was over; run again")
        self._cluster.call("PUT", self._path, _source(new), params=version, accept=(409,))
        return self._expect(new)

    def _expect(self, hold: Hold) -> Hold:
        found, _ = self._look()
        if found != hold:
            raise Conflict(f"another publish is writing {self._name()}; run again")
        return hold

    def _let_go(self, hold: Hold) -> None:
        found, version = self._look()
        if found is not None and found.hold == hold.hold:
            self._cluster.call("DELETE", self._path, params=version, accept=(404, 409))

    def _look(self) -> tuple[Hold | None, dict[str, str]]:
        """The hold, and the parameters by which a write changes it only if nobody else did."""
        answer = self._cluster.call("GET", self._path, accept=(404,))
        if not answer.get("found"):
            return None, {}
        version = {"if_seq_no": str(answer["_seq_no"]), "if_primary_term": str(answer["_primary_term"])}
        return Hold(**answer["_source"]), version

    def _name(self) -> str:
        return f"the search index {self._cluster.where}"


def _source(hold: Hold) -> dict[str, Any]:
    return msgspec.structs.asdict(hold)
