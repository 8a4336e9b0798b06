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
    """0: a lease, bound to no process."""
    until_ms: int

    def is_over(self, now_ms: int) -> bool:
        """Whether the lease has run out, or its process is seen to be dead."""
        return self.until_ms <= now_ms or (self._is_here() and not _alive(self.pid))

    def is_at_work(self, now_ms: int) -> bool:
        """Whether a process of this machine is seen to have it."""
        return self._is_here() and not self.is_over(now_ms)

    def describe(self) -> str:
        """For people: `'run-1' (process 17 on host)`."""
        return (
            f"{self.owner!r} ({f'process {self.pid} on {self.host.split()[0]}' if self.pid else 'between its steps'})"
        )

    def until(self) -> str:
        """For people: when the hold is over if nobody renews it."""
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.until_ms / 1000))

    def conflict(self, what: str, now_ms: int) -> Conflict:
        """The error for somebody else who wants the lock."""
        seconds = (self.until_ms - now_ms) / 1000
        return Conflict(f"{what} is locked by {self.describe()} for {seconds:.0f} s at most; wait for it to end")

    def _is_here(self) -> bool:
        return self.pid != 0 and self.host == this_host()


def new_hold(owner: str, lease_s: float) -> Hold:
    """Of this process, from now on."""
    return Hold(uuid.uuid4().hex, owner, this_host(), os.getpid(), end_of(lease_s))


def end_of(lease_s: float) -> int:
    """Of a lease that begins now."""
    return time_ms() + int(lease_s * 1000)


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
