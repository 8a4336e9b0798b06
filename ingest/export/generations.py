"""Generations of a collection's index: complete folders of which a pointer file names the one that is read.

<folder>/current          name of the generation that readers use, replaced in one step
<folder>/g000001/…        a generation; the one before the current is kept for those who still read it
<folder>/publish.lock     held (flock) by the one that writes; the system lets go of it when a process dies
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import Conflict


class Generations:
    """All methods raise OSError as the file system does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pointer = folder / "current"

    def current(self) -> Path | None:
        """The generation that is read; None before the first."""
        try:
            return self.folder / self._pointer.read_text(encoding="ascii")
        except FileNotFoundError:
            return None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer; Conflict if there is one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "publish.lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise Conflict(f"another publish is writing {self.folder}; wait for it to end and run again") from error
            yield

    def begin(self) -> Path:
        """A new, empty generation that nobody reads. Within `writing`."""
        current = self.current()
        number = int(current.name[1:]) + 1 if current else 1
        folder = self.folder / f"g{number:06d}"
        if folder.exists():  # of a writer that did not come to its end
            shutil.rmtree(folder)
        folder.mkdir()
        return folder

    def switch(self, to: Path) -> None:
        """Let readers use this generation from now on. Within `writing`."""
        before = self.current()
        new = self._pointer.with_suffix(".new")
        new.write_text(to.name, encoding="ascii")
        new.replace(self._pointer)
        for folder in self.folder.glob("g*"):
            if folder not in (before, to):
                shutil.rmtree(folder)
