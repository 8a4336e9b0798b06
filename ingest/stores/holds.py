"""Who holds a lock, until when, and whether that process is still there."""

from __future__ import annotations

import os
import socket
import time
import uuid
from pathlib import Path

import msgspec

from ingest.errors import Conflict


class Hold(msgspec.Struct, frozen=True, array_like=True):
    """One holding of a lock; an owner may have several."""

    hold: str
    """Its own id."""
    owner: str
    host: str
    pid: int
    until_ms: int

    def is_over(self, now_ms: int) -> bool:
        """Whether the lease has run out, or its process is seen to be dead."""
        return self.until_ms <= now_ms or (self.host == this_host() and not _alive(self.pid))

    def conflict(self, what: str, now_ms: int) -> Conflict:
        """The error for somebody else who wants the lock."""
        return Conflict(
            f"{what} is locked by {self.owner!r} (process {self.pid} on {self.host.split(' ')[0]}) "
            f"for {(self.until_ms - now_ms) / 1000:.0f} s at most; wait for it to end"
        )


def new_hold(owner: str, lease_s: float) -> Hold:
    """Of this process, from now on."""
    return Hold(uuid.uuid4().hex, owner, this_host(), os.getpid(), time_ms() + int(lease_s * 1000))


def time_ms() -> int:
    return time.time_ns() // 1_000_000


def this_host() -> str:
    """This machine and, on Linux, this process namespace: within one, a process id says who is meant."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()} {namespace.readlink() if namespace.is_symlink() else ''}".strip()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
