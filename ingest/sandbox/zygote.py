"""The process that forks children, and what a child does. Run as `python -m ingest.sandbox.zygote FD TARGET`.

TARGET is `module:Class`; the class is made once per child with a function to report progress, and its methods take and
return `(meta, arrays)` (see `ingest.wire`). The zygote has one thread, so that forking it is safe.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from ingest import wire
from ingest.errors import IngestError
from ingest.sandbox.protocol import (
    CONTROL_BYTES,
    HEAD,
    MEMORY_STATUS,
    NUMBER,
    STDERR_TAIL,
    Frame,
    receive_exactly,
    send_frame,
)

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` dies, however it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    module, _, name = sys.argv[2].partition(":")
    die_with_parent(int(sys.argv[3]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker decides what an interrupt means
    target = getattr(importlib.import_module(module), name)
    _Zygote(control, target).run()


class _Zygote:
    def __init__(self, control: socket.socket, target: Callable[..., Any]) -> None:
        self._control = control
        self._target = target
        self._stderr: dict[int, int] = {}
        """Memory file with the error output of each living child."""
        self._wake, wake_in = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake_in, False)
        signal.set_wakeup_fd(wake_in)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        watched: list[Any] = [self._control, self._wake]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._reap()
            if self._control in ready and not self._serve_control():
                return

    def _serve_control(self) -> bool:
        message, fds, _, _ = socket.recv_fds(self._control, CONTROL_BYTES, 1)
        if not message:
            return False
        order = json.loads(message)
        if "spawn" in order:
            self._spawn(order["spawn"], fds[0])
        elif order["kill"] in self._stderr:  # not reaped yet, so the number is still this child's
            os.kill(order["kill"], signal.SIGKILL)
        return True

    def _spawn(self, memory_mb: int, channel: int) -> None:
        stderr = os.memfd_create("stderr")
        pid = os.fork()
        if pid == 0:
            _child(self._target, channel, stderr, memory_mb)
        os.close(channel)
        self._stderr[pid] = stderr
        self._send({"spawned": pid})

    def _reap(self) -> None:
        while self._stderr:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            stderr = self._stderr.pop(pid)
            size = os.fstat(stderr).st_size
            tail = os.pread(stderr, STDERR_TAIL, max(0, size - STDERR_TAIL)).decode("utf-8", "replace")
            os.close(stderr)
            self._send(
                {
                    "exited": pid,
                    "status": status,
                    "cpu_s": usage.ru_utime + usage.ru_stime,
                    "memory_mb": usage.ru_maxrss / 1024,
                    "stderr": tail,
                }
            )

    def _send(self, message: dict[str, object]) -> None:
        self._control.send(json.dumps(message).encode())


def _child(target: Callable[..., Any], channel: int, stderr: int, memory_mb: int) -> NoReturn:
    """Body of a forked child: never returns."""
    die_with_parent(os.getppid())
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(stderr, 2)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = _address_space() + memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    connection = socket.socket(fileno=channel)
    try:
        serve(target, connection)
    except MemoryError:
        os._exit(MEMORY_STATUS)
    sys.stderr.flush()
    os._exit(0)


def _address_space() -> int:
    """Bytes of address space that this process has now."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib is not needed by a child
        return int(file.read().split()[0]) * resource.getpagesize()


def serve(target: Callable[..., Any], connection: socket.socket) -> None:
    """Answer calls until the worker closes the connection."""

    def progress(number: int) -> None:
        send_frame(connection, Frame.PROGRESS, NUMBER.pack(number))

    served = target(progress)
    while (head := receive_exactly(connection, HEAD.size)) is not None:
        _, size = HEAD.unpack(head)
        payload = receive_exactly(connection, size)
        if payload is None:
            return
        meta, arrays = wire.decode(payload)
        try:
            answer = getattr(served, meta.pop("call"))(meta, arrays)
        except IngestError as error:
            send_frame(connection, Frame.ERROR, f"{error.code}\n{error}".encode("utf-8", "replace"))
        else:
            send_frame(connection, Frame.REPLY, wire.encode(*answer))


if __name__ == "__main__":
    main()
