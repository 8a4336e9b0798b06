"""Object store: named, immutable blobs, in a folder or in S3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ingest.errors import ConfigError, StoreError
from ingest.stores.uris import extra, local_folder, redacted, scheme_of

RESERVED = ".tmp"
"""No key begins with this part: half-written objects lie there."""


class ObjectInfo(NamedTuple):
    key: str
    size: int
    etag: str
    mtime_ms: int


class ObjectStore(Protocol):
    """Keys are `/`-separated, without a leading slash (see `check_key`). All methods may raise StoreUnavailable."""

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
        """All objects whose key starts with prefix, in key order (by code point)."""
        ...

    def delete(self, key: str) -> None:
        """No error if there is no such object."""
        ...


def check_key(key: str) -> str:
    """The key, or StoreError for one that not every store could hold or that would leave the store's folder."""
    parts = key.split("/")
    if not key or "" in parts:
        problem = "it is empty or has an empty part"
    elif "." in parts or ".." in parts:
        problem = "a part is '.' or '..'"
    elif parts[0] == RESERVED:
        problem = f"{RESERVED}/ is reserved"
    elif any(c < " " or c == "\x7f" for c in key):
        problem = "it has a control character"
    else:
        try:
            sizes = [len(part.encode()) for part in parts]
        except UnicodeEncodeError:
            problem = "it is not valid Unicode"
        else:
            if max(sizes) <= 255 and sum(sizes) + len(sizes) - 1 <= 1024:
                return key
            problem = "it is longer than 1024 bytes, or a part is longer than 255"
    raise StoreError(f"{key[:200]!r} cannot be the key of an object: {problem}")


def open_objects(uri: str) -> ObjectStore:
    """Object store at a folder (a path or `file://`) or at `s3://bucket/prefix`. ConfigError for another address."""
    scheme = scheme_of(uri)
    if scheme in ("", "file"):
        from ingest.stores.folder import FolderObjects

        return FolderObjects(local_folder(uri))
    if scheme == "s3":
        with extra("stores", "boto3"):
            from ingest.stores.s3_objects import S3Objects

        return S3Objects(uri)
    raise ConfigError(
        f"INGEST_OBJECTS={redacted(uri)!r}: unknown scheme {scheme!r}; name a folder, or s3://bucket/prefix"
    )
