"""Objects as files of a folder: the key is the path.

An object is written to `<root>/.tmp`, flushed to the disk, and then linked (`if_absent`: the link fails if the name
exists, which is atomic between processes) or renamed to its name. So a name never stands for half an object, not even
after a power cut. Folders are not flushed: what a power cut may lose is the newest names, never the order in which
names appeared.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ingest.errors import ConfigError, NotFound, StoreError, StoreUnavailable
from ingest.stores.objects import RESERVED, ObjectInfo, check_key
from ingest.stores.transient import TRANSIENT

_STALE_S = 24 * 3600
"""A temporary file of this age was left by a killed process."""

_ATTEMPTS = 10
"""To give an object its name, while others delete the last objects of its folder."""

_CURES = {
    errno.ENOSPC: "the disk is full; make room and run again",
    errno.EDQUOT: "the disk quota is used up; make room and run again",
    errno.EACCES: "permission denied; give this user the right to read and write there",
    errno.EPERM: "not permitted; the folder must be writable and its file system must have hard links",
    errno.EROFS: "the file system is read-only; name another folder",
    errno.ENOTSUP: "the file system has no hard links; name a folder on another one",
    errno.EMLINK: "the file system has no hard links; name a folder on another one",
    errno.EXDEV: "the store's folder spans two file systems; keep it on one",
    **dict.fromkeys(
        (errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOTEMPTY),
        "in a folder, the key of one object cannot go on after the whole key of another; choose another name",
    ),
}


@contextmanager
def _mapped(action: str, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = _CURES.get(error.errno or 0, error.strerror or str(error))
        kind = StoreUnavailable if error.errno in TRANSIENT else StoreError
        raise kind(f"cannot {action} {what}: {reason}") from error


class FolderObjects:
    """ObjectStore in a local or mounted folder. Any number of threads and processes may use it at a time."""

    def __init__(self, root: Path) -> None:
        """`root` is created if need be. ConfigError if it is a file."""
        self.root = root
        self._temporary = root / RESERVED
        with _mapped("prepare the object store", str(root)):
            if root.is_file():
                raise ConfigError(f"the object store's folder {root} is a file; name a folder")
            self._temporary.mkdir(parents=True, exist_ok=True)
            self._drop_stale()

    def put(self, key: str, data: bytes, *, if_absent: bool = False) -> bool:
        path = self._path(key)
        temporary = self._temporary / f"{os.getpid()}-{secrets.token_hex(8)}"
        with _mapped("write object", f"{key} in {self.root}"):
            if if_absent and path.is_file():
                return False
            try:
                self._write(temporary, data)
                self._name(temporary, path, if_absent)
            except FileExistsError:
                if if_absent and path.is_file():
                    return False
                raise
            finally:
                temporary.unlink(missing_ok=True)
        return True

    def get(self, key: str) -> bytes:
        path = self._path(key)
        with self._reading(key):
            return path.read_bytes()

    def stat(self, key: str) -> ObjectInfo | None:
        path = self._path(key)
        with _mapped("look at object", f"{key} in {self.root}"):
            return self._info(key, path)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        check_key(prefix + "x")
        folder, slash, start = prefix.rpartition("/")
        yield from self._walk(folder + slash, start)

    def delete(self, key: str) -> None:
        path = self._path(key)
        with _mapped("delete object", f"{key} in {self.root}"):
            try:
                path.unlink()
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                return
            self._drop_empty(path.parent)

    def _path(self, key: str) -> Path:
        return self.root / check_key(key)

    @contextmanager
    def _reading(self, key: str) -> Iterator[None]:
        with _mapped("read object", f"{key} in {self.root}"):
            try:
                yield
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
                raise NotFound(f"there is no object {key} in {self.root}") from error

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        with path.open("xb", buffering=0) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            os.fdatasync(file.fileno())

    def _name(self, temporary: Path, path: Path, if_absent: bool) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                if if_absent:
                    path.hardlink_to(temporary)
                else:
                    temporary.replace(path)
                return
            except FileNotFoundError:
                if attempt == _ATTEMPTS - 1:
                    raise
            # The folder is new, or a delete has just removed it as empty, and may do so again at any moment.
            with suppress(FileNotFoundError, FileExistsError):
                path.parent.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def _info(key: str, path: Path) -> ObjectInfo | None:
        try:
            found = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        etag = f"{found.st_mtime_ns:x}-{found.st_ino:x}-{found.st_size:x}"
        return ObjectInfo(key, found.st_size, etag, found.st_mtime_ns // 1_000_000)

    def _walk(self, base: str, start: str) -> Iterator[ObjectInfo]:
        """Objects below the folder `base` ("" or ending in `/`) whose next part begins with `start`."""
        with _mapped("list objects of", f"{self.root}/{base}"):
            try:
                with os.scandir(self.root / base) as entries:
                    # A folder sorts with its slash, as the keys below it do: `a-b` stands before `a/b`.
                    names = [e.name + "/" if e.is_dir() else e.name for e in entries if e.name.startswith(start)]
            except (FileNotFoundError, NotADirectoryError):
                return
        for name in sorted(names):
            if name.endswith("/"):
                if base or name != f"{RESERVED}/":
                    yield from self._walk(base + name, "")
            elif (info := self._info(base + name, self.root / base / name)) is not None:
                yield info

    def _drop_empty(self, folder: Path) -> None:
        """Remove folders that hold nothing: an object may get the name of one."""
        while folder != self.root:
            try:
                folder.rmdir()
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                    return
                raise
            folder = folder.parent

    def _drop_stale(self) -> None:
        with os.scandir(self._temporary) as entries:
            for entry in entries:
                # Gone meanwhile, or not ours to remove: it hinders nobody.
                with suppress(FileNotFoundError, PermissionError):
                    if entry.stat().st_mtime < time.time() - _STALE_S:
                        Path(entry).unlink(missing_ok=True)
