"""Object store: named, immutable blobs, in a folder or in S3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol


class ObjectInfo(NamedTuple):
    key: str
    size: int
    etag: str
    mtime_ms: int


class ObjectStore(Protocol):
    """Keys are `/`-separated, without a leading slash. All methods may raise StoreUnavailable."""

    def put(self, key: str, data: bytes, *, if_absent: bool = False) -> bool:
        """Write whole or not at all. With `if_absent`, an existing object wins and False is returned."""
        ...

    def get(self, key: str) -> bytes:
        """Raises NotFound."""
        ...

    def stat(self, key: str) -> ObjectInfo | None:
        """None if there is no such object."""
        ...

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """All objects whose key starts with prefix, in key order."""
        ...

    def delete(self, key: str) -> None:
        """No error if there is no such object."""
        ...

    def download(self, key: str, path: Path) -> None:
        """Into a local file. Raises NotFound."""
        ...
