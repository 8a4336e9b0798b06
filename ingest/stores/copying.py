"""Copying a document out of its source, and what is wrong with it told apart from what is wrong with the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import SourceError, SourceUnavailable
from ingest.stores.transient import TRANSIENT

CHUNK = 1 << 20


def copy_chunks(chunks: Iterable[bytes], path: str, into: Path) -> str:
    """Write the document `path` into the file; SHA-256 of it, in hex.

    Errors of the chunks pass; none of them may be an OSError, for that is one of the file.
    """
    digest = hashlib.sha256()
    try:
        with into.open("wb") as copy:
            for chunk in chunks:
                digest.update(chunk)
                copy.write(chunk)
    except OSError as error:
        raise SourceUnavailable(f"document {path} cannot be copied to {into}: {error.strerror}") from error
    return digest.hexdigest()


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Around access to files of the source: OSError as SourceError, or as SourceUnavailable where it may pass."""
    try:
        yield
    except FileNotFoundError as error:
        raise SourceError(f"{what} does not exist (any more)") from error
    except PermissionError as error:
        raise SourceError(f"{what} cannot be read: permission denied; give this user the right to read it") from error
    except OSError as error:
        kind = SourceUnavailable if error.errno in TRANSIENT else SourceError
        raise kind(f"{what} cannot be read: {error.strerror or error}") from error
