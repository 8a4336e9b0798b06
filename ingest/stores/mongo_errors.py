"""pymongo's failures as ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bson.errors import BSONError
from pymongo import errors as mongo

from ingest.errors import StoreError, StoreUnavailable

_SHOWN = 300
"""Characters of the server's or driver's message that go into ours; some describe whole clusters."""
_UNAVAILABLE = (mongo.ConnectionFailure, mongo.WaitQueueTimeoutError, mongo.ExecutionTimeout, mongo.WTimeoutError)
# Primary changes, shutdowns, conflicts of writes, time limits: https://www.mongodb.com/docs/manual/reference/error-codes
_TRANSIENT_CODES = frozenset(
    {6, 7, 50, 64, 89, 91, 100, 112, 134, 189, 202, 262, 317, 358, 9001, 10058, 10107, 11600, 11602, 13435, 13436}
)
_DENIED_CODES = frozenset({13, 18, 8000})
_FULL_CODES = frozenset({14031})


@contextmanager
def mapped(where: str) -> Iterator[None]:
    try:
        yield
    except mongo.BulkWriteError as error:
        raise _failed_bulk(error.details or {}, where) from error
    except _UNAVAILABLE as error:
        raise StoreUnavailable(f"the ledger {where} does not answer now: {str(error)[:_SHOWN]}") from error
    except mongo.OperationFailure as error:
        labels = ("RetryableWriteError", "TransientTransactionError")
        raise _refused(error.code, str(error), where, any(map(error.has_error_label, labels))) from error
    except (mongo.PyMongoError, BSONError) as error:
        raise StoreError(f"the ledger {where} failed: {str(error)[:_SHOWN]}") from error
    except OverflowError as error:
        raise StoreError(f"a number is too large for the ledger {where}: {error}") from error


def _failed_bulk(details: Mapping[str, Any], where: str) -> StoreError:
    errors = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
    first = errors[0] if errors else {}
    transient = bool(details.get("writeConcernErrors")) and not details.get("writeErrors")
    message = f"{len(errors)} writes of a batch, the first: {first.get('errmsg', '')}"
    return _refused(first.get("code"), message, where, transient)


def _refused(code: int | None, message: str, where: str, transient: bool) -> StoreError:
    message = message[:_SHOWN]
    if transient or code in _TRANSIENT_CODES:
        return StoreUnavailable(f"the ledger {where} cannot do it now: {message}")
    if code in _DENIED_CODES:
        return StoreError(
            f"the ledger {where} denies access ({message}); check user, password and authSource in INGEST_LEDGER, and "
            "give that user the role readWrite on the database"
        )
    if code in _FULL_CODES:
        return StoreError(f"the disk of the ledger {where} is full; make room and run again")
    return StoreError(f"the ledger {where} refused a call: {message}")
