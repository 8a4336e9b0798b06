"""Where a collection's documents come from: a folder, an archive, a prefix on S3, a list of URLs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from ingest.document.records import SourceItem
from ingest.errors import ConfigError
from ingest.stores.uris import absolute_path, extra, local_folder, redacted, scheme_of

PDF = ("*.pdf",)
TAR, GZIPPED_TAR = (".tar",), (".tar.gz", ".tgz")
_ARCHIVES = (".zip", *TAR, *GZIPPED_TAR)
_OTHER_ARCHIVES = (".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".7z", ".rar")


class Source(Protocol):
    """Lists documents and hands out their bytes. Any number of threads may fetch."""

    def list(self) -> Iterator[SourceItem]:
        """All documents, in order of their paths; nothing is copied. Raises SourceError if it would not be complete."""
        ...

    def local_path(self, item: SourceItem) -> Path | None:
        """The file itself, where the source is local and no copy is needed. Not to be written to."""
        ...

    def fetch(self, item: SourceItem, into: Path) -> str:
        """Copy the document's bytes into the file `into`; SHA-256 of them, in hex.

        Raises SourceError or a DocumentError (for this document alone) if it cannot be read, SourceUnavailable if none
        of the source's can be read now.
        """
        ...

    def describe(self) -> str:
        """The source in a few words, for reports and logs; never with credentials."""
        ...


class SourceLimits(NamedTuple):
    """What a source may cost us; from the settings."""

    document_bytes: int = 2_048_000_000
    """Of one document, whatever its source said of its size."""
    archive_bytes: int = 256_000_000_000
    """Of all that a compressed archive holds."""
    url_timeout_s: float = 300
    """Of one request to a server that a URL names, its redirects included."""
    private_hosts: frozenset[str] = frozenset()
    """Hosts that URLs may name although their addresses are not public."""


def open_source(
    uri: str, *, include: Sequence[str] = (), exclude: Sequence[str] = (), limits: SourceLimits | None = None
) -> Source:
    """The source at an address, narrowed by glob patterns (see `ingest.stores.patterns`).

    A folder or an archive by its path or `file://`, `s3://bucket/prefix`, or a text file with a URL in each line:
    `urls:///path/list.txt`, `https://host/list.txt`. Without `include` all PDFs are wanted, and all URLs of a list.
    Raises ConfigError for an address of a kind that is not known, SourceError for a source that does not exist.
    """
    limits = limits or SourceLimits()
    scheme = scheme_of(uri)
    if scheme in ("http", "https", "urls"):
        _no_archive(uri)
        from ingest.stores.url_source import UrlSource

        where = absolute_path(uri) if scheme == "urls" else uri
        return UrlSource(where, include=include or ("**",), exclude=exclude, limits=limits)
    include = include or PDF
    if scheme == "s3":
        _no_archive(uri)
        with extra("stores", "boto3"):
            from ingest.stores.s3_source import S3Source

        return S3Source(uri, include=include, exclude=exclude)
    if scheme not in ("", "file"):
        raise ConfigError(
            f"source {redacted(uri)!r}: {scheme}:// is not known; name a folder, an archive (.zip, .tar, .tar.gz), "
            "s3://bucket/prefix, urls:///path/list.txt or https://host/list.txt"
        )
    path = local_folder(uri)
    name = path.name.lower()
    if path.is_dir() or not name.endswith(_ARCHIVES + _OTHER_ARCHIVES):
        if path.is_file():
            raise ConfigError(f"source {uri!r} is a file; name a folder, or write urls://{path} for a list of URLs")
        from ingest.stores.folder_source import FolderSource

        return FolderSource(path, include=include, exclude=exclude)
    if name.endswith(_OTHER_ARCHIVES):
        raise ConfigError(f"source {uri!r}: archives may be .zip, .tar or .tar.gz; pack it anew")
    if name.endswith(".zip"):
        from ingest.stores.zip_source import ZipSource

        return ZipSource(path, include=include, exclude=exclude, limits=limits)
    from ingest.stores.tar_source import TarSource

    return TarSource(path, name.endswith(GZIPPED_TAR), include=include, exclude=exclude, limits=limits)


def _no_archive(uri: str) -> None:
    if uri.lower().endswith(_ARCHIVES + _OTHER_ARCHIVES):
        raise ConfigError(
            f"source {redacted(uri)!r}: an archive is read where it lies, so it has to be on a disk that all workers "
            "see; copy it there and name its path"
        )


def sha256_of(path: Path) -> str:
    """SHA-256 of a local file, in hex. OSError as the file system raises it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
