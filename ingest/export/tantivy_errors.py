"""tantivy's failures as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import Conflict, StoreError


@contextmanager
def mapped(where: Path) -> Iterator[None]:
    """tantivy raises ValueError whatever the trouble is, and panics over some damaged files."""
    try:
        yield
    except ValueError as error:
        what = str(error)
        if "LockBusy" in what:
            raise Conflict(f"another publish is writing the search index {where}; wait for it to end") from error
        if any(sign in what for sign in ("orrupt", "FileDoesNotExist", "Failed to open")):
            raise _damaged(where, what) from error
        if "writer was killed" in what or "os error" in what:
            raise StoreError(f"the search index {where} cannot be written ({what}); is the disk full?") from error
        raise StoreError(f"the search index {where} refused a call: {what}") from error
    except OSError as error:
        raise StoreError(f"the search index {where} cannot be read or written: {error.strerror or error}") from error
    except BaseException as error:
        # The class of a panic cannot be imported, and is no Exception.
        if type(error).__name__ == "PanicException":
            raise _damaged(where, str(error)) from error
        raise


def _damaged(where: Path, what: str) -> StoreError:
    return StoreError(
        f"the search index {where} is damaged ({what}); delete this folder, and the next run publishes it anew"
    )
