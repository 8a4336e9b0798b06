"""A worker that is told to end (SIGTERM: eviction, drain, a task that was ended) ends in order."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def told_to_end() -> Iterator[asyncio.Event]:
    """Set once the process is told to end; to be used in a running loop. Signals reach a process's main thread only."""
    told = asyncio.Event()
    if threading.current_thread() is not threading.main_thread():
        yield told
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    try:
        yield told
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


async def until_told(work: Coroutine[Any, Any, None], told: asyncio.Event, grace_s: float) -> None:
    """Do the work; once told to end, for `grace_s` seconds more, and then cancel it. Raises what the work raises."""
    task = asyncio.ensure_future(work)
    asked = asyncio.ensure_future(told.wait())
    try:
        await asyncio.wait({task, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            await asyncio.wait({task}, timeout=grace_s)
            task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    finally:
        asked.cancel()
        task.cancel()
