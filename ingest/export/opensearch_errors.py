"""opensearch-py's failures as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opensearchpy import exceptions as client

from ingest.errors import Conflict, StoreError, StoreUnavailable

BUSY = frozenset({429, 502, 503, 504})
"""Statuses of a cluster that cannot answer now."""
_SHOWN = 300
"""Characters of the cluster's message that go into ours."""
_FULL = "cluster_block_exception"


@contextmanager
def mapped(where: str) -> Iterator[None]:
    try:
        yield
    except client.SSLError as error:
        raise StoreError(
            f"the certificate of the search index {where} is not trusted ({error.error[:_SHOWN]}); name its CA in "
            "SSL_CERT_FILE"
        ) from error
    except client.ConnectionError as error:
        raise StoreUnavailable(f"the search index {where} does not answer: {str(error.error)[:_SHOWN]}") from error
    except client.TransportError as error:
        raise _answered(error, where) from error
    except client.SerializationError as error:
        raise StoreError(f"the search index {where} gave an answer that cannot be read: {error}") from error


def _answered(error: client.TransportError, where: str) -> StoreError:
    status, kind = error.status_code, str(error.error)
    why = f"{kind}: {reason(error.info)}"[:_SHOWN]
    if kind == _FULL:
        return StoreError(f"the search index {where} takes no writes ({why}); is a disk of the cluster full?")
    if status in BUSY or (isinstance(status, int) and status >= 500):
        return StoreUnavailable(f"the search index {where} cannot do it now: {why}")
    if status == 401:
        return StoreError(f"the search index {where} does not know the user; check user and password in INGEST_INDEX")
    if status == 403:
        return StoreError(f"the search index {where} denies access ({why}); docs/stores.md names the rights it takes")
    if status == 409:
        return Conflict(f"another publish is writing to the search index {where} ({why}); run again")
    return StoreError(f"the search index {where} refused a call: {why}")


def reason(info: Any) -> str:
    """In the words of the cluster, from the body of its error or of a bulk item's."""
    error = info.get("error", info) if isinstance(info, dict) else info
    if not isinstance(error, dict):
        return str(error)
    cause = error.get("caused_by") or {}
    return ": ".join(str(part) for part in (error.get("reason"), cause.get("reason")) if part)
