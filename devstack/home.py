"""Where a stack keeps everything: one folder, one lock, one state file."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
from pathlib import Path
from typing import IO

import msgspec

ROOT = Path(__file__).resolve().parent.parent
"""The checkout: DAGs, plugins and samples lie here."""


class Part(msgspec.Struct):
    """One process of the stack."""

    state: str = "starting"
    """starting, ready or ended."""
    seconds: float = 0.0
    """After the start of the stack."""


class State(msgspec.Struct):
    """`stack.json`: what the supervisor says of itself."""

    pid: int
    phase: str = "starting"
    """starting, ready, failed, stopping or stopped."""
    url: str = ""
    """Of Airflow's user interface."""
    parts: dict[str, Part] = {}
    error: str = ""


class Home:
    """A stack's folder. Whoever holds its lock, or was handed it, is the stack."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self.airflow = self.path / "airflow"
        self._state = self.path / "stack.json"

    def lock(self) -> IO[bytes] | None:
        """The lock as an open file, or None if a stack runs here. It is held until all copies of it are closed."""
        self.path.mkdir(parents=True, exist_ok=True)
        file = (self.path / "stack.lock").open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        return file

    def running(self) -> bool:
        if not self.path.is_dir():
            return False
        lock = self.lock()
        if lock is None:
            return True
        lock.close()
        return False

    def read(self) -> State | None:
        """What the latest stack here said; None before the first."""
        try:
            return msgspec.json.decode(self._state.read_bytes(), type=State)
        except FileNotFoundError:
            return None

    def write(self, state: State) -> None:
        temporary = self._state.with_suffix(".new")
        temporary.write_bytes(msgspec.json.encode(state))
        temporary.replace(self._state)

    def clear(self) -> None:
        """Forget an earlier stack's data. The caller holds the lock."""
        for entry in self.path.iterdir():
            if entry.name != "stack.lock":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def main_home() -> Home:
    """Home of `make up`: where the command line keeps its data too."""
    return Home(Path(os.environ.get("INGEST_HOME") or ROOT / ".ingest"))


def demo_home() -> tuple[Home, IO[bytes]]:
    """An empty home for a demo, with its lock: the first that no other demo is using."""
    for number in itertools.count(1):
        home = Home(ROOT / ".ingest" / "demos" / str(number))
        lock = home.lock()
        if lock is not None:
            home.clear()
            return home, lock
    raise AssertionError
