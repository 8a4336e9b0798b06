"""A folder and what lies below it, as a source.

A document's path is the file's path within the folder, `/` between parts. File names are bytes: those that are not
UTF-8 are escaped (`\\xff` for the byte, `\\\\` for a backslash), so that every path is proper text and leads back to
its file.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Iterator, MutableSequence, Sequence
from pathlib import Path

from ingest.document.records import SourceItem
from ingest.errors import SourceError
from ingest.stores.copying import CHUNK, copy_chunks, reading
from ingest.stores.patterns import compile_globs
from ingest.stores.sources import PDF

logger = logging.getLogger(__name__)

_ESCAPE = re.compile(rb"\\(\\|x[89a-f][0-9a-f])")


def escape_name(name: str) -> str:
    """A path as the file system gives it (undecodable bytes as lone surrogates) -> proper text."""
    if name.isascii() and "\\" not in name:
        return name
    return name.replace("\\", "\\\\").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def unescape_name(path: str) -> str:
    """Back from `escape_name`."""
    return os.fsdecode(_ESCAPE.sub(_unescape, path.encode("utf-8", "surrogateescape")))


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return code if code == b"\\" else bytes([int(code[1:], 16)])


class FolderSource:
    """Regular files below a folder whose paths match the patterns.

    A link to a file is followed if the file lies within the folder, a link to a folder is not. An exclude pattern
    that matches a folder excludes all below it. A file that cannot be read is listed and fails when fetched; a folder
    that cannot be listed fails the listing, for its documents would seem to be gone.
    """

    def __init__(self, root: Path, *, include: Sequence[str] = PDF, exclude: Sequence[str] = ()) -> None:
        """Raises SourceError if there is no such folder."""
        with reading(f"source folder {escape_name(str(root))}"):
            self.root = root.resolve(strict=True)
            if not self.root.is_dir():
                raise SourceError(f"source {escape_name(str(root))} is not a folder")
        self._include = compile_globs(include)
        self._exclude = compile_globs(exclude)

    def list(self) -> Iterator[SourceItem]:
        leaving: list[str] = []
        yield from self._walk("", leaving)
        if leaving:
            logger.warning(
                "%d links in %s lead out of it or nowhere and were left out, the first is %s",
                len(leaving),
                self.describe(),
                leaving[0],
            )

    def local_path(self, item: SourceItem) -> Path:
        parts = item.path.split("/")
        if ".." in parts or "" in parts:
            raise SourceError(f"{item.path!r} is no path within the source {self.describe()}")
        return self.root / unescape_name(item.path)

    def fetch(self, item: SourceItem, into: Path) -> str:
        return copy_chunks(self._chunks(item), item.path, into)

    def describe(self) -> str:
        return escape_name(str(self.root))

    def _chunks(self, item: SourceItem) -> Iterator[bytes]:
        with reading(f"document {item.path} of {self.describe()}"), self.local_path(item).open("rb") as source:
            while chunk := source.read(CHUNK):
                yield chunk

    def _walk(self, base: str, leaving: MutableSequence[str]) -> Iterator[SourceItem]:
        """Documents below the folder `base` ("" or ending in `/`, as the file system spells it)."""
        what = f"folder {escape_name(base) or '.'} of {self.describe()}"
        with reading(what), os.scandir(self.root / base) as entries:
            found = sorted(entries, key=_sort_key)
        for entry in found:
            name = base + entry.name
            path = escape_name(name)
            if self._exclude.fullmatch(path):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk(name + "/", leaving)
            elif self._include.fullmatch(path):
                item = self._item(path, entry, leaving)
                if item is not None:
                    yield item

    def _item(self, path: str, entry: os.DirEntry[str], leaving: MutableSequence[str]) -> SourceItem | None:
        with reading(f"document {path} of {self.describe()}"):
            if entry.is_symlink() and not self._within(entry):
                leaving.append(path)
                return None
            try:
                status = entry.stat()
            except FileNotFoundError:
                return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return SourceItem(
            path=path,
            size=status.st_size,
            etag=f"{status.st_mtime_ns:x}-{status.st_ino:x}",
            mtime_ms=status.st_mtime_ns // 1_000_000,
        )

    def _within(self, link: os.DirEntry[str]) -> bool:
        """Whether a link leads to something within the folder."""
        try:
            return Path(link).resolve(strict=True).is_relative_to(self.root)
        except (FileNotFoundError, NotADirectoryError, RuntimeError):  # RuntimeError: it leads to itself
            return False


def _sort_key(entry: os.DirEntry[str]) -> str:
    """Folders sort with their slash: then whole paths come in order."""
    name = escape_name(entry.name)
    return name + "/" if entry.is_dir(follow_symlinks=False) else name
