"""Where a collection's documents come from: a folder; later a prefix on S3, an archive, a list of URLs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from ingest.document.records import SourceItem
from ingest.errors import ConfigError
from ingest.stores.uris import local_folder, scheme_of

PDF = ("*.pdf",)
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")


class Source(Protocol):
    """Lists documents and hands out their bytes. Listing reads no document."""

    def list(self) -> Iterator[SourceItem]:
        """All documents, in order of their paths. Raises SourceError if the list would not be complete."""
        ...

    def local_path(self, item: SourceItem) -> Path | None:
        """The file itself, where the source is local and no copy is needed. Not to be written to."""
        ...

    def fetch(self, item: SourceItem, into: Path) -> str:
        """Copy the document's bytes into the file `into`; SHA-256 of them, in hex.

        Raises SourceError (for this document alone) if it cannot be read, SourceUnavailable if it cannot now.
        """
        ...

    def describe(self) -> str:
        """The source in a few words, for reports and logs; never with credentials."""
        ...


def open_source(uri: str, *, include: Sequence[str] = PDF, exclude: Sequence[str] = ()) -> Source:
    """Source at a folder (a path or `file://`), narrowed by glob patterns (see `ingest.stores.patterns`).

    Raises ConfigError for an address of a kind that is not known, SourceError for a folder that does not exist.
    """
    scheme = scheme_of(uri)
    if scheme not in ("", "file"):
        kinds = {"s3": "prefixes on S3", "http": "lists of URLs", "https": "lists of URLs"}
        raise ConfigError(
            f"source {uri!r}: {kinds.get(scheme, f'addresses of the kind {scheme}://')} are not supported yet; "
            "name a folder"
        )
    root = local_folder(uri)
    if root.is_file():
        kind = "an archive, and archives are not supported yet" if root.name.lower().endswith(_ARCHIVES) else "a file"
        raise ConfigError(f"source {uri!r} is {kind}; name a folder")
    from ingest.stores.folder_source import FolderSource

    return FolderSource(root, include=include, exclude=exclude)


def sha256_of(path: Path) -> str:
    """SHA-256 of a local file, in hex. OSError as the file system raises it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
