"""What the sandbox tests run in a child: a target that behaves badly on request."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np

from ingest.errors import EncryptedPdf

Answer = tuple[dict[str, Any], list[Any]]


class Target:
    def __init__(self, progress: Callable[[int], None]) -> None:
        self._progress = progress
        self._calls = 0

    def double(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        self._calls += 1
        return {"calls": self._calls, **meta}, [2 * a for a in arrays]

    def reject(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        raise EncryptedPdf("secret.pdf: needs a password")

    def bug(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        raise ZeroDivisionError("a bug of ours")

    def spin(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        """Native code that does not let go: no signal handler of Python's gets a turn."""
        self._progress(7)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ctypes.CDLL(None).pause()
        raise AssertionError

    def segfault(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        self._progress(3)
        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError

    def eat(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        hoard = []
        while True:
            hoard.append(np.ones(1 << 20, np.uint8))

    def reserve(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        return {}, [np.zeros(1 << 40, np.uint8)]

    def advance(self, meta: dict[str, Any], arrays: list[Any]) -> Answer:
        for number in range(meta["pages"]):
            self._progress(number + 1)
        return {}, []
