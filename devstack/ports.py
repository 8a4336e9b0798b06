"""Free ports on the loopback interface."""

from __future__ import annotations

import fcntl
import random
import socket
from pathlib import Path
from typing import IO


class Ports:
    """Ports that no other stack of this checkout chooses: a locked file stands for each. The kernel hands out ports
    from 32768 on by itself, so these are from below."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: list[IO[bytes]] = []

    def close(self) -> None:
        """Let others have them."""
        for held in self._held:
            held.close()

    def choose(self, wish: int | None = None) -> int:
        """A free port; `wish` if it is free."""
        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True)
        candidates = random.sample(range(20_000, 32_000), 200)
        for port in [wish, *candidates] if wish else candidates:
            held = (folder / str(port)).open("wb")
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.close()
                continue
            if is_free(port):
                self._held.append(held)
                return port
            held.close()
        raise RuntimeError("no free port found on 127.0.0.1 between 20000 and 32000")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
