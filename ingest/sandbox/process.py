"""The worker's side of the sandbox: starts the zygote, has children forked, calls them, ends them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ingest import wire
from ingest.errors import Crashed, DeadlineExceeded, Failed, MemoryExceeded, by_code
from ingest.sandbox.protocol import CONTROL_BYTES, HEAD, MEMORY_STATUS, NUMBER, Frame

TICK_S = 0.1
"""How often memory and deadlines of a busy child are looked at."""
START_TIMEOUT_S = 60.0
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_MEMORY_SIGNALS = {signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGSEGV, signal.SIGBUS}
"""How native code dies when an allocation fails."""


@dataclass(frozen=True, slots=True)
class Limits:
    memory_mb: int
    """Resident memory above which a child is killed; its address space may grow by the double."""
    step_s: float
    """Longest time between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended, and what it used in its whole life."""

    status: int
    cpu_s: float
    memory_mb: float
    stderr: str

    @property
    def clean(self) -> bool:
        return self.status == 0


class Sandbox:
    """The zygote and its children."""

    def __init__(self, target: str, limits: Limits) -> None:
        self._target = target
        self._limits = limits
        self._zygote: asyncio.subprocess.Process | None = None
        self._control: socket.socket
        self._spawn_lock = asyncio.Lock()
        self._spawned: asyncio.Future[int]
        self._exits: dict[int, asyncio.Future[Exit]] = {}

    async def __aenter__(self) -> Sandbox:
        await self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._zygote = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "ingest.sandbox.zygote",
            str(theirs.fileno()),
            self._target,
            str(os.getpid()),
            pass_fds=[theirs.fileno()],
            stdin=asyncio.subprocess.DEVNULL,
            env=environment,
        )
        theirs.close()
        asyncio.get_running_loop().add_reader(self._control, self._on_control)

    def _on_control(self) -> None:
        try:
            message = self._control.recv(CONTROL_BYTES)
        except BlockingIOError:
            return
        if not message:
            self._on_zygote_gone()
            return
        news = json.loads(message)
        if "spawned" in news:
            self._spawned.set_result(news["spawned"])
        else:
            ended = Exit(news["status"], news["cpu_s"], news["memory_mb"], news["stderr"])
            self._exit_of(news["exited"]).set_result(ended)

    def _on_zygote_gone(self) -> None:
        asyncio.get_running_loop().remove_reader(self._control)
        lost = Exit(signal.SIGKILL, 0.0, 0.0, "the sandbox itself is gone")
        for future in self._exits.values():
            if not future.done():
                future.set_result(lost)
        if hasattr(self, "_spawned") and not self._spawned.done():
            self._spawned.set_exception(Crashed("the sandbox process could not be started, see its error output"))

    def _exit_of(self, pid: int) -> asyncio.Future[Exit]:
        if pid not in self._exits:
            self._exits[pid] = asyncio.get_running_loop().create_future()
        return self._exits[pid]

    async def spawn(self) -> Process:
        """A fresh child. Raises Crashed when the zygote is gone."""
        mine, theirs = socket.socketpair()
        async with self._spawn_lock:
            self._spawned = asyncio.get_running_loop().create_future()
            order = json.dumps({"spawn": 2 * self._limits.memory_mb}).encode()
            try:
                socket.send_fds(self._control, [order], [theirs.fileno()])
                pid = await asyncio.wait_for(self._spawned, START_TIMEOUT_S)
            except (OSError, TimeoutError) as error:
                mine.close()
                raise Crashed(f"the sandbox does not start a process: {error}") from error
            finally:
                theirs.close()
        reader, writer = await asyncio.open_connection(sock=mine, limit=1 << 24)
        return Process(pid, reader, writer, self._exit_of(pid), self._limits, self._kill)

    def _kill(self, pid: int) -> None:
        with suppress(OSError):  # the zygote is gone, and its children with it
            self._control.send(json.dumps({"kill": pid}).encode())

    async def close(self) -> None:
        """End the zygote; children that still live die with it."""
        if self._zygote is None:
            return
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        if self._zygote.returncode is None:
            with suppress(ProcessLookupError):
                self._zygote.kill()
            await self._zygote.wait()


class Process:
    """One child, which holds one document."""

    def __init__(
        self,
        pid: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        exited: asyncio.Future[Exit],
        limits: Limits,
        kill: Callable[[int], None],
    ) -> None:
        self.pid = pid
        self.page: int | None = None
        """Page that the child reported last that it begins."""
        self._reader, self._writer = reader, writer
        self._exited = exited
        self._limits = limits
        self._kill = kill

    async def call(
        self, method: str, meta: dict[str, Any] | None = None, arrays: Sequence[NDArray[Any]] = (), *, timeout_s: float
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Answer of the child's method.

        Raises what the method raised, or DeadlineExceeded, MemoryExceeded or Crashed; after these three the child is
        dead, and `page` says what it was at.
        """
        payload = wire.encode({"call": method, **(meta or {})}, arrays)
        exchange = asyncio.ensure_future(self._exchange(payload))
        either: set[asyncio.Future[Any]] = {exchange, self._exited}
        started = self._step = time.monotonic()
        try:
            while not exchange.done():
                await asyncio.wait(either, timeout=TICK_S, return_when=asyncio.FIRST_COMPLETED)
                if self._exited.done() and not exchange.done():
                    await asyncio.wait({exchange}, timeout=TICK_S)
                    raise self._death()
                now = time.monotonic()
                if now - self._step > self._limits.step_s:
                    raise DeadlineExceeded(f"no progress for {self._limits.step_s:g} s{self._where()}")
                if now - started > timeout_s:
                    raise DeadlineExceeded(f"not done after {timeout_s:.0f} s{self._where()}")
                if self._resident_mb() > self._limits.memory_mb:
                    raise MemoryExceeded(f"more than {self._limits.memory_mb} MB of memory{self._where()}")
            return exchange.result()
        except (DeadlineExceeded, MemoryExceeded):
            self._kill(self.pid)
            raise
        except (ConnectionError, asyncio.IncompleteReadError):
            await asyncio.wait({self._exited}, timeout=START_TIMEOUT_S)
            raise self._death() from None
        finally:
            if not exchange.done():
                exchange.cancel()
                with suppress(asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
                    await exchange

    async def _exchange(self, payload: bytes) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        self._writer.write(HEAD.pack(Frame.CALL, len(payload)))
        self._writer.write(payload)
        await self._writer.drain()
        while True:
            kind, size = HEAD.unpack(await self._reader.readexactly(HEAD.size))
            body = await self._reader.readexactly(size)
            self._step = time.monotonic()
            if kind == Frame.PROGRESS:
                (self.page,) = NUMBER.unpack(body)
            elif kind == Frame.ERROR:
                code, _, message = body.decode("utf-8", "replace").partition("\n")
                raise by_code(code)(message)
            else:
                return wire.decode(body)

    def _where(self) -> str:
        return f" on page {self.page}" if self.page else ""

    def _resident_mb(self) -> float:
        try:
            fields = Path(f"/proc/{self.pid}/statm").read_bytes().split()
        except OSError:  # already gone
            return 0.0
        return int(fields[1]) * _PAGE_BYTES / 1e6 if len(fields) > 1 else 0.0

    def _death(self) -> Failed:
        """The error that says why the child is gone."""
        if not self._exited.done():
            return Crashed(f"the connection to the process broke{self._where()}")
        ended = self._exited.result()
        if os.WIFSIGNALED(ended.status):
            number = os.WTERMSIG(ended.status)
            if number in _MEMORY_SIGNALS and ended.memory_mb > 0.6 * self._limits.memory_mb:
                return MemoryExceeded(f"more than {self._limits.memory_mb} MB of memory{self._where()}")
            return Crashed(
                f"the process died of {signal.Signals(number).name}{self._where()}{_last_line(ended.stderr)}"
            )
        if os.waitstatus_to_exitcode(ended.status) == MEMORY_STATUS:
            return MemoryExceeded(f"more than {self._limits.memory_mb} MB of memory{self._where()}")
        return Crashed(
            f"the process ended with status {os.waitstatus_to_exitcode(ended.status)}{self._where()}"
            f"{_last_line(ended.stderr)}"
        )

    async def close(self) -> Exit:
        """End the child, whatever it is doing, and say what it used."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()
        done, _ = await asyncio.wait({self._exited}, timeout=1.0)
        if not done:
            self._kill(self.pid)
            await asyncio.wait({self._exited}, timeout=START_TIMEOUT_S)
        return self._exited.result() if self._exited.done() else Exit(signal.SIGKILL, 0.0, 0.0, "")


def _last_line(stderr: str) -> str:
    """What a child said last; of a Python traceback also where it was raised."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if not lines:
        return ""
    places = _PLACE.findall(stderr)
    where = f" ({places[-1][0].rpartition('/')[2]}:{places[-1][1]})" if places else ""
    return f": {lines[-1]}{where}"
