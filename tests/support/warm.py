"""Whole runs, each in a process of its own that can be killed, without each paying for imports.

A server imports what costs seconds and forks a process per run. It has one thread, so that forking it is safe.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ingest import runtime
from ingest.errors import ServiceFailed
from ingest.scheduling import exclusive, flow, publish, steps
from ingest.scheduling.batch import RunOptions
from ingest.scheduling.context import Context
from tests.support.runs import finish, platform


class Job(msgspec.Struct, kw_only=True):
    """A run of the collection `test`."""

    home: str
    source: str
    run_id: str
    strictness: str = "normal"
    settings: dict[str, Any] = {}
    environment: dict[str, str] = {}
    versions: dict[str, str] = {}
    """Of a release in which these stages or networks are others."""
    fault: str = ""
    """`outage`: no document can be converted; or the moment of its publish at which the run dies: `while-writing`,
    `after-index` (the ledger does not know of it yet), `after-ledger` (the run is not called published yet)."""


class Warm:
    """The server, from the side of a test."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.warm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, job: Job) -> int:
        """Begin a run; the id of its process, and of the group of all that it starts."""
        assert self._server.stdin is not None
        self._server.stdin.write(msgspec.json.encode(job).decode() + "\n")
        self._server.stdin.flush()
        return self._number()

    def wait(self) -> int:
        """Exit status of the run that was begun last: 0 good, 3 not good, negative for a signal."""
        return self._number()

    def run(self, job: Job) -> int:
        self.start(job)
        return self.wait()

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        assert self._server.wait(60) == 0
        assert self._server.stdout is not None
        self._server.stdout.close()

    def _number(self) -> int:
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        assert line, "the server of runs has died"
        return int(line)


def main() -> None:
    import great_expectations  # noqa: F401

    for network in ("layout", "labels"):
        runtime._network(network)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            with Path(os.devnull).open("w") as nowhere:
                os.dup2(nowhere.fileno(), 1)
            os._exit(_do(msgspec.json.decode(line, type=Job)))
        os.setpgid(child, child)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _do(job: Job) -> int:
    os.environ.update(job.environment)
    with platform(Path(job.home), **job.settings) as opened:
        context = with_versions(opened, job.versions)
        _arrange(job.fault)
        run = steps.begin(context, "test", job.source, run_id=job.run_id, options=RunOptions(strictness=job.strictness))
        with context.ledger.lock("test", run.run_id):
            steps.run_discover(context, run)
            good = finish(context, run).good
            exclusive.let_go(context, run)
    return 0 if good else 3


def with_versions(context: Context, changed: dict[str, str]) -> Context:
    """The same platform, of a release in which these versions are others."""
    real = asyncio.run(context.versions())

    async def versions(*_: object) -> dict[str, str]:
        return real | changed

    return dataclasses.replace(context, versions=versions)


def _arrange(fault: str) -> None:
    def die(*_: Any) -> None:
        os.killpg(0, signal.SIGKILL)

    def after(calls: int, function: Callable[..., Any]) -> Callable[..., Any]:
        left = [calls]

        def counted(*arguments: Any) -> Any:
            left[0] -= 1
            return function(*arguments) if left[0] >= 0 else die()

        return counted

    async def fail(*_: Any, **__: Any) -> None:
        raise ServiceFailed("the service is out of order")

    instead: dict[str, tuple[Any, str, Any]] = {
        "outage": (flow, "convert", fail),
        "while-writing": (publish, "_read", after(2, publish._read)),
        "after-index": (publish, "_note", die),
        "after-ledger": (publish, "_set_state", die),
    }
    if fault:
        setattr(*instead[fault])


if __name__ == "__main__":
    main()
