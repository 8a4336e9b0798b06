"""Processes that end with whoever started them. Linux only, as `prctl` is."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

PATIENCE_S = 6.0
"""How long those are waited for that were asked to end."""

_libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent(parent: int) -> None:
    """Have the kernel send this process SIGTERM when its parent ends, however it ends."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before it was asked for
        os.kill(os.getpid(), signal.SIGTERM)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends: none of them gets out of sight."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def start(
    command: Sequence[str], *, env: Mapping[str, str], log: Path, cwd: Path, keep: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """A process in a session of its own (a terminal's ctrl-C does not reach it) that ends with this one.

    `keep`: file descriptors that it inherits.
    """
    parent = os.getpid()

    def prepare() -> None:
        # whoever was started by `nohup … &` ignores SIGINT, and hands that on
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        end_with_parent(parent)

    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare,
            pass_fds=tuple(keep),
        )


def descendants(root: int | None = None) -> set[int]:
    """All processes under this one, or under `root`, whatever sessions they are in. Ended ones are left out."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # after the command's name, which may hold anything: state, parent
                state, parent = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if state != "Z":
                children[int(parent)].append(int(entry.name))
    found: set[int] = set()
    open_ = [root or os.getpid()]
    while open_:
        below = children[open_.pop()]
        found.update(below)
        open_ += below
    return found


def end_all(leaders: Sequence[subprocess.Popen[bytes]]) -> None:
    """End these processes and everything under this one: asked first, then told, then killed.

    A leader is given time to end its children in its own way (a scheduler waits for its running tasks, though); then
    all that is left gets the signal; then all that is still left is killed.
    """
    for leader in leaders:
        _send(leader.pid, signal.SIGTERM)
    if _wait(leaders, PATIENCE_S):
        return
    for pid in descendants():
        _send(pid, signal.SIGTERM)
    if _wait(leaders, PATIENCE_S):
        return
    while left := descendants():
        for pid in left:
            _send(pid, signal.SIGKILL)
        _wait(leaders, 1.0)


def _wait(leaders: Sequence[subprocess.Popen[bytes]], seconds: float) -> bool:
    """Whether everything under this process has ended."""
    until = time.monotonic() + seconds
    while True:
        left = descendants()
        for leader in leaders:
            leader.poll()
        reap([leader for leader in leaders if leader.returncode is None])
        if not left:
            return True
        if time.monotonic() > until:
            return False
        time.sleep(0.1)


def reap(keep: Sequence[subprocess.Popen[bytes]] = ()) -> None:
    """Let go of adopted processes that have ended; the ends of `keep` are left to their own `poll`."""
    kept = {process.pid for process in keep}
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in kept:
            return
        os.waitpid(ended.si_pid, 0)


def _send(pid: int, sign: signal.Signals) -> None:
    try:
        os.kill(pid, sign)
    except ProcessLookupError:
        return
