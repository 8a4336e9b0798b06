"""Requests to an OpenSearch cluster: address, credentials, patience and one mapping of errors."""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from opensearchpy import ConnectionError as NoConnection
from opensearchpy import OpenSearch, SSLError, Transport, TransportError
from opensearchpy.helpers import streaming_bulk

from ingest.errors import ConfigError
from ingest.export.opensearch_errors import BUSY, mapped
from ingest.stores.uris import redacted

_ATTEMPTS = 6
_FIRST_WAIT_S = 0.5
"""Before a request is repeated; doubled each time, some 10 s in all."""
_BULK_ATTEMPTS = 8
_BULK_WAIT_S, _BULK_LONGEST_S = 1, 30
"""Before rows that a busy cluster turned away are sent again; two minutes in all."""
_TIMEOUT_S = 60
SLOW_S = 600
"""Time limit of requests that may have to work through a whole index."""
_CHUNK_ROWS, _CHUNK_BYTES = 1000, 8 << 20
_PREFIX = re.compile(r"[a-z0-9_]{1,40}")
_FORM = "write https://user:password@host:9200, and after it /prefix for index names that begin otherwise than ingest"


class PatientTransport(Transport):
    """Repeats what a cluster cannot answer now; every request of ours may be sent twice."""

    def perform_request(self, method: str, url: str, *args: Any, **options: Any) -> Any:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return super().perform_request(method, url, *args, **options)
            except TransportError as error:
                if attempt == _ATTEMPTS or not _may_pass(error, url):
                    raise
            time.sleep(_FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.5, 1))
        raise AssertionError


def _may_pass(error: TransportError, url: str) -> bool:
    if isinstance(error, NoConnection):
        return not isinstance(error, SSLError)
    # A bulk that is turned away is repeated by `streaming_bulk`.
    return error.status_code in BUSY and not (error.status_code == 429 and url.endswith("_bulk"))


class Cluster:
    """Any number of threads may use it. To be made anew in a process made by fork."""

    def __init__(self, uri: str) -> None:
        """Connects at the first request. ConfigError for an address that is not valid."""
        self.where = redacted(uri)
        try:
            parts = urlsplit(uri)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        self.prefix = parts.path.strip("/") or "ingest"
        if not parts.hostname or parts.query or not _PREFIX.fullmatch(self.prefix):
            raise ConfigError(f"INGEST_INDEX={self.where!r} is not valid; {_FORM}")
        # It logs every request, and every answer that we ask for and get as a warning, such as "no such index".
        logging.getLogger("opensearch").setLevel(logging.ERROR)
        secure = parts.scheme == "https"
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        self._client = OpenSearch(
            hosts=[{"host": parts.hostname, "port": port or (443 if secure else 9200)}],
            http_auth=login,
            use_ssl=secure,
            http_compress=True,
            timeout=_TIMEOUT_S,
            transport_class=PatientTransport,
            max_retries=0,
            pool_maxsize=16,
        )

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        params: Mapping[str, str] | None = None,
        accept: Iterable[int] = (),
        timeout_s: float = _TIMEOUT_S,
    ) -> dict[str, Any]:
        """The decoded answer; with a status among `accept`, the cluster's error as it came, under "error"."""
        with mapped(self.where):
            answer: dict[str, Any] = self._client.transport.perform_request(
                method, path, params=dict(params or {}), body=body, timeout=timeout_s, ignore=tuple(accept)
            )
        return answer

    def bulk(self, index: str, actions: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Send actions in chunks; (operation, item) of each one that failed. Patient with "too many requests"."""
        results = streaming_bulk(
            self._client,
            actions,
            chunk_size=_CHUNK_ROWS,
            max_chunk_bytes=_CHUNK_BYTES,
            raise_on_error=False,
            max_retries=_BULK_ATTEMPTS,
            initial_backoff=_BULK_WAIT_S,
            max_backoff=_BULK_LONGEST_S,
            yield_ok=False,
            index=index,
        )
        while True:
            with mapped(self.where):
                try:
                    _, failed = next(results)
                except StopIteration:
                    return
            yield next(iter(failed.items()))

    def close(self) -> None:
        self._client.close()
