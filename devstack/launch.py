"""Start, follow and stop a stack's supervisor from the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from devstack.home import ROOT, Home, State

STOP_TIMEOUT_S = 60.0


class LaunchError(Exception):
    """The stack did not start or did not stop."""


def start(home: Home, lock: IO[bytes], *, demo: bool) -> subprocess.Popen[bytes]:
    """A supervisor at this home, which shares the caller's lock. A demo's ends with the caller; the other one stays."""
    home.logs.mkdir(parents=True, exist_ok=True)
    options = ["--lock", str(lock.fileno())] + (["--with-parent", str(os.getpid()), "--hermetic"] if demo else [])
    with (home.logs / "stack.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "devstack.supervisor", str(home.path), *options],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=[lock.fileno()],
        )


def until_ready(home: Home, supervisor: subprocess.Popen[bytes], say: Callable[[str], None]) -> State:
    """Follow the start, part by part. Raises LaunchError if it fails."""
    said: set[str] = set()
    while True:
        ended = supervisor.poll() is not None
        state = home.read()
        if state is not None and state.pid == supervisor.pid:
            for name, part in state.parts.items():
                if part.state == "ready" and name not in said:
                    said.add(name)
                    say(f"{part.seconds:5.1f} s  {name} ready")
            check(home)
            if state.phase == "ready":
                return state
        if ended:
            raise LaunchError(
                f"the supervisor ended with status {supervisor.returncode}; see {home.logs / 'stack.log'}"
            )
        time.sleep(0.2)


def check(home: Home) -> None:
    """Raises LaunchError if the stack at this home has failed."""
    state = home.read()
    if state is not None and state.phase == "failed":
        raise LaunchError(state.error)


def stop(home: Home) -> None:
    """Stop the stack at this home, if one runs, and wait until all of it is gone. Raises LaunchError."""
    state = home.read()
    if state is None or not home.running():
        return
    until = time.monotonic() + STOP_TIMEOUT_S
    # Was it killed, its parts are ending by themselves, and hold the lock as long as they live.
    with suppress(ProcessLookupError):
        os.kill(state.pid, signal.SIGTERM)
    while home.running():
        if time.monotonic() > until:
            raise LaunchError(f"the stack (process {state.pid}) is still there after {STOP_TIMEOUT_S:.0f} s")
        time.sleep(0.2)


def end(supervisor: subprocess.Popen[bytes], lock: IO[bytes]) -> None:
    """Stop a stack that this process has started, and wait until all of it is gone."""
    supervisor.terminate()
    supervisor.wait()
    lock.close()
