"""The objects below a prefix of a bucket, as a source.

A document's path is the rest of its key after the prefix and a slash. The listing gives sizes, ETags and times without
a download; by its ETag a document is known again under another key. A document that was replaced since it was listed is
read as it is now, whole: the next run sees the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.document.records import SourceItem
from ingest.errors import SourceError, SourceUnavailable
from ingest.stores.patterns import Filter
from ingest.stores.s3 import Bucket, parse_address
from ingest.stores.s3_errors import SOURCE
from ingest.stores.sources import PDF

_DIGEST = re.compile(r"[0-9a-f]{32}(-[0-9]+)?")
"""ETags that S3 makes of an object's bytes: their MD5, or the MD5 of its parts' MD5s and how many they are."""


def content_tag(etag: str) -> str:
    """The ETag, if equal ones mean equal bytes; else ""."""
    return etag if _DIGEST.fullmatch(etag) else ""


class S3Source:
    """Any number of threads may fetch from it."""

    def __init__(self, uri: str, *, include: Sequence[str] = PDF, exclude: Sequence[str] = ()) -> None:
        """No request is made yet. ConfigError for an address that names no bucket."""
        self.address = parse_address(uri)
        self._bucket = Bucket(self.address.bucket, SOURCE)
        self._wanted = Filter(include, exclude)

    def list(self) -> Iterator[SourceItem]:
        start = self.address.key("")
        empty = True
        for found in self._bucket.list(start):
            empty = False
            path = found.key[len(start) :]
            if not path.endswith("/") and self._wanted(path):  # else a mark that consoles make for an empty folder
                yield SourceItem(
                    path=path,
                    size=found.size,
                    etag=found.etag,
                    mtime_ms=found.mtime_ms,
                    content_tag=content_tag(found.etag),
                )
        if empty:
            raise SourceError(f"there is nothing below {self.describe()}; check bucket and prefix")

    def local_path(self, item: SourceItem) -> None:
        return None

    def fetch(self, item: SourceItem, into: Path) -> str:
        try:
            with into.open("wb") as copy:
                return self._bucket.read(self.address.key(item.path), copy)
        except OSError as error:
            raise SourceUnavailable(f"document {item.path} cannot be copied to {into}: {error.strerror}") from error

    def describe(self) -> str:
        return str(self.address)
