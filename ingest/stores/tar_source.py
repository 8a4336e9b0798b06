"""The members of a tar archive, also a gzipped one, as a source.

A tar has no directory, so listing reads it once, from its beginning to its end, and hashes the documents on the way:
each is known by its bytes. A worker reads it once more for where its documents begin, and then each by itself; a
gzipped one it unpacks into one nameless temporary file, for there is no other way to begin in the midst of it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import tarfile
import tempfile
import threading
import weakref
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from ingest.document.records import SHA256, SourceItem
from ingest.errors import SourceError, SourceUnavailable
from ingest.stores.copying import CHUNK, copy_chunks, reading
from ingest.stores.folder_source import escape_name
from ingest.stores.members import check_count, check_name, check_size, member_path, missing
from ingest.stores.patterns import Filter
from ingest.stores.sources import PDF, SourceLimits

logger = logging.getLogger(__name__)


_BROKEN = (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, ValueError, OverflowError, RecursionError)
"""What tarfile and gzip raise over bytes that make no sense."""


class _Member(NamedTuple):
    offset: int
    """Of its bytes, in the tar as it is without gzip."""
    size: int
    mtime_ms: int
    sha256: str
    sparse: bool


class TarSource:
    """Any number of threads may fetch from it.

    Hard links stand for the members that they lead to; symbolic links, devices and the like are left out.
    """

    def __init__(
        self,
        path: Path,
        gzipped: bool,
        *,
        include: Sequence[str] = PDF,
        exclude: Sequence[str] = (),
        limits: SourceLimits | None = None,
    ) -> None:
        """Raises SourceError for an archive that does not exist."""
        self._where = escape_name(str(path))
        self._path = path
        self._gzipped = gzipped
        self._wanted = Filter(include, exclude)
        self._limits = limits or SourceLimits()
        self._opening = threading.Lock()
        self._file: IO[bytes] | None = None
        self._members: dict[str, _Member] = {}
        with reading(f"archive {self._where}"):
            path.open("rb").close()

    def list(self) -> Iterator[SourceItem]:
        with self._tar() as tar:
            members = self._scan(tar, hashing=True)
        for path, member in sorted(members.items()):
            if self._wanted(path.lstrip("/")):
                yield SourceItem(
                    path=path,
                    size=member.size,
                    etag=member.sha256[:32],
                    mtime_ms=member.mtime_ms,
                    content_tag=SHA256 + member.sha256 if member.sha256 else "",
                )

    def local_path(self, item: SourceItem) -> None:
        return None

    def fetch(self, item: SourceItem, into: Path) -> str:
        file = self._open()
        member = self._members.get(item.path)
        if member is None:
            raise missing(item, self._where)
        check_name(item.path, self._where)
        check_size(item.path, member.size, member.size, self._limits)
        if member.sparse:
            raise SourceError(f"document {item.path} of {self._where} is a sparse file; pack it without --sparse")
        return copy_chunks(self._chunks(file, member, item.path), item.path, into)

    def describe(self) -> str:
        return self._where

    def _chunks(self, file: IO[bytes], member: _Member, path: str) -> Iterator[bytes]:
        with reading(f"document {path} of {self._where}"):
            at, end = member.offset, member.offset + member.size
            while at < end:
                chunk = os.pread(file.fileno(), min(CHUNK, end - at), at)
                if not chunk:
                    raise SourceError(f"document {path} of {self._where} ends too early; get or pack the archive anew")
                yield chunk
                at += len(chunk)

    def _open(self) -> IO[bytes]:
        """The tar, without gzip, as a file that lies on a disk; fills the members in."""
        with self._opening:
            if self._file is None:
                with ExitStack() as stack:
                    if self._gzipped:
                        file: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
                    else:
                        with reading(f"archive {self._where}"):
                            file = stack.enter_context(self._path.open("rb"))
                    with self._tar(file if self._gzipped else None) as tar:
                        self._members = self._scan(tar)
                    file.flush()
                    weakref.finalize(self, stack.pop_all().close)
                    self._file = file
            return self._file

    @contextmanager
    def _tar(self, copy: IO[bytes] | None = None) -> Iterator[_Forward]:
        """The tar's bytes, as they are without gzip; written into `copy` as they are read."""
        with reading(f"archive {self._where}"), self._path.open("rb") as file:
            try:
                if self._gzipped:
                    with gzip.open(file) as unpacked:
                        yield _Forward(cast(BinaryIO, unpacked), self._where, self._limits.archive_bytes, copy)
                else:
                    yield _Forward(file, self._where)
            except _BROKEN as error:
                # as a whole: after what cannot be read there may be documents, and these are not gone
                raise SourceError(f"archive {self._where} is broken: {error}; get or pack it anew") from error

    def _scan(self, tar: _Forward, *, hashing: bool = False) -> dict[str, _Member]:
        """All regular members, by path; of several with one name the last one counts, as for `tar`."""
        found: dict[str, _Member] = {}
        left_out = 0
        with tarfile.TarFile(fileobj=cast(IO[bytes], tar), mode="r", tarinfo=_Strict) as members:
            while (info := members.next()) is not None:
                members.members.clear()  # type: ignore[attr-defined]  # it keeps them all otherwise
                path = member_path(info.name)
                if info.isreg():
                    sparse = info.sparse is not None
                    sha256 = _hash(tar, info) if hashing and self._wanted(path.lstrip("/")) and not sparse else ""
                    found[path] = _Member(info.offset_data, info.size, _milliseconds(info.mtime), sha256, sparse)
                elif info.islnk() and (target := found.get(member_path(info.linkname))) is not None:
                    found[path] = target
                elif not info.isdir():
                    left_out += 1
                check_count(len(found), self._where)
        tar.drain()
        if left_out:
            logger.warning("%d links and special files in %s were left out", left_out, self._where)
        return found


def _hash(tar: _Forward, info: tarfile.TarInfo) -> str:
    tar.seek(info.offset_data)
    digest = hashlib.sha256()
    for chunk in tar.chunks(info.size):
        digest.update(chunk)
    return digest.hexdigest()


class _Strict(tarfile.TarInfo):
    """tarfile takes a header that it cannot read for the end, if it is not the first one."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> _Strict:
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # typeshed does not know it
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error) or "it has no end") from error


_HEADER = 1 << 20
"""Bytes of one header at most; tarfile reads as many at once as an extended header says that it has."""


class _Forward(io.RawIOBase):
    """A file that is read from its beginning to its end; with a limit, all of it, and no more than that."""

    def __init__(self, file: BinaryIO, where: str, limit: int | None = None, copy: IO[bytes] | None = None) -> None:
        self._file = file
        self._where = where
        self._limit = limit
        self._copy = copy
        self._at = 0

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes")
        data = self._file.read(size)
        self._at += len(data)
        if self._limit is not None and self._at > self._limit:
            raise SourceError(
                f"archive {self._where} holds more than INGEST_ARCHIVE_MAX_GB={self._limit / 1e9:g}; divide it"
            )
        if self._copy is not None:
            try:
                self._copy.write(data)
            except OSError as error:
                raise SourceUnavailable(
                    f"archive {self._where} cannot be unpacked into {tempfile.gettempdir()}: {error.strerror}; make "
                    "room there, or pack it as .zip or .tar, which are read where they lie"
                ) from error
        return data

    def seek(self, to: int, whence: int = os.SEEK_SET) -> int:
        if to < self._at:
            raise tarfile.ReadError("a header that leads backwards")
        if self._limit is None:
            self._file.seek(to)
            self._at = to
        else:
            for _ in self.chunks(to - self._at):
                pass
        return self._at

    def chunks(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes. Raises EOFError if there are not so many."""
        while size:
            data = self.read(min(size, CHUNK))
            if not data:
                raise EOFError("it ends too early")
            size -= len(data)
            yield data

    def drain(self) -> None:
        """Read to the end, where gzip's checksum stands."""
        while self._limit is not None and self.read(CHUNK):
            pass


def _milliseconds(mtime: float) -> int:
    return int(mtime * 1000) if 0 <= mtime < 1e15 else 0  # nan is neither
