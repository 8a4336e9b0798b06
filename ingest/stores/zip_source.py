"""The members of a zip archive, as a source.

The archive's directory tells size, time and CRC-32 of each document, so listing reads nothing else, and a document is
read by itself. Names are as in a folder (`ingest.stores.folder_source`).
"""

from __future__ import annotations

import calendar
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path

from ingest.document.records import SourceItem
from ingest.errors import EncryptedPdf, SourceError
from ingest.stores.copying import CHUNK, copy_chunks, reading
from ingest.stores.folder_source import escape_name
from ingest.stores.members import check_count, check_name, check_size, member_path, missing
from ingest.stores.patterns import Filter
from ingest.stores.sources import PDF, SourceLimits

_ENCRYPTED = 0x1
"""Bit of a member's flags."""
_HEADER = 30
"""Bytes that stand before a member's name and data, besides what is optional."""


class ZipSource:
    """Any number of threads may fetch from it."""

    def __init__(
        self,
        path: Path,
        *,
        include: Sequence[str] = PDF,
        exclude: Sequence[str] = (),
        limits: SourceLimits | None = None,
    ) -> None:
        """Raises SourceError for an archive that does not exist, or whose directory cannot be read."""
        self._where = escape_name(str(path))
        self._wanted = Filter(include, exclude)
        self._limits = limits or SourceLimits()
        with self._broken(f"archive {self._where}"):
            self._zip = zipfile.ZipFile(path)
        infos = self._zip.infolist()
        check_count(len(infos), self._where)
        # of several members with one name the last one counts, as for programs that unpack
        self._members = {member_path(info.filename): info for info in infos if not info.filename.endswith("/")}
        self._overlapping = _overlapping(infos, self._zip.start_dir)

    def list(self) -> Iterator[SourceItem]:
        for path, info in sorted(self._members.items()):
            if self._wanted(path.lstrip("/")):
                yield SourceItem(
                    path=path, size=info.file_size, etag=f"{info.CRC:08x}", mtime_ms=_milliseconds(info.date_time)
                )

    def local_path(self, item: SourceItem) -> None:
        return None

    def fetch(self, item: SourceItem, into: Path) -> str:
        info = self._members.get(item.path)
        if info is None:
            raise missing(item, self._where)
        check_name(item.path, self._where)
        check_size(item.path, info.file_size, info.compress_size, self._limits)
        if info.flag_bits & _ENCRYPTED:
            raise EncryptedPdf(f"{item.path} is encrypted within {self._where}; pack it without a password")
        if info.header_offset in self._overlapping:
            raise SourceError(
                f"document {item.path} of {self._where} has bytes in common with another; it was not read"
            )
        return copy_chunks(self._chunks(info, item.path), item.path, into)

    def describe(self) -> str:
        return self._where

    def _chunks(self, info: zipfile.ZipInfo, path: str) -> Iterator[bytes]:
        size = 0
        with self._broken(f"document {path} of {self._where}"):
            with self._zip.open(info) as member:
                while chunk := member.read(CHUNK):
                    size += len(chunk)
                    yield chunk
            if size != info.file_size:
                raise zipfile.BadZipFile(f"{size} bytes instead of {info.file_size}")

    @contextmanager
    def _broken(self, what: str) -> Iterator[None]:
        with reading(what):
            try:
                yield
            except (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, ValueError, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # bz2 raises one without a number
                raise SourceError(f"{what} is broken: {error}; get or pack the archive anew") from error
            except NotImplementedError as error:
                raise SourceError(f"{what} is packed in a way that is not known here: {error}; pack it anew") from error


def _overlapping(infos: Sequence[zipfile.ZipInfo], directory: int) -> frozenset[int]:
    """Offsets of members that reach into the next one, or into the directory: small archives that hold petabytes are
    made of them (Fifield 2019, "A better zip bomb")."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    starts = [*(info.header_offset for info in ordered[1:]), directory]
    return frozenset(
        info.header_offset
        for info, following in zip(ordered, starts, strict=True)
        if info.header_offset + _HEADER + info.compress_size > following
    )


def _milliseconds(date: tuple[int, int, int, int, int, int]) -> int:
    """Of a time that has no time zone: only whether it is the same one counts."""
    try:
        return calendar.timegm((*date, 0, 0, 0)) * 1000
    except (ValueError, OverflowError):
        return 0
