"""Batches on this machine: one `ingest worker` process each, a few at a time, retried where a retry can help."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence

import msgspec

from ingest.errors import RunError
from ingest.scheduling.batch import PlannedBatch
from ingest.scheduling.together import together

ATTEMPTS = 3
"""Of a batch whose worker died or asked for a retry."""
LOG_TAIL = 20
"""Last lines of a failed worker's error output that are shown."""


class Done(msgspec.Struct, frozen=True):
    """A line of `ingest worker --json`: a document is done."""

    path: str
    outcome: str
    pages: int
    reason: str


async def run_batches(
    batches: Sequence[PlannedBatch], *, workers: int, progress: Callable[[Done], None], log: Callable[[str], None]
) -> list[PlannedBatch]:
    """Do all batches; returns those that were given up. Raises RunError for a mistake that every batch would repeat."""
    queue = iter(batches)
    lost: list[PlannedBatch] = []

    async def work() -> None:
        for batch in queue:
            if not await _do(batch, progress, log):
                lost.append(batch)  # noqa: PERF401 - awaits in between

    await together(work() for _ in range(min(workers, len(batches))))
    return lost


async def _do(batch: PlannedBatch, progress: Callable[[Done], None], log: Callable[[str], None]) -> bool:
    for attempt in range(1, ATTEMPTS + 1):
        status, errors = await _attempt(batch, attempt, progress)
        if status == 0:
            return True
        log(f"batch {batch.name}: its worker ended with status {status} (attempt {attempt} of {ATTEMPTS})\n{errors}")
        if status == 2:
            raise RunError(f"batch {batch.name}: {errors.strip().splitlines()[-1] if errors.strip() else 'wrong use'}")
    return False


async def _attempt(batch: PlannedBatch, attempt: int, progress: Callable[[Done], None]) -> tuple[int, str]:
    """(exit status, tail of the error output) of one worker."""
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ingest", "worker", "--batch", batch.key, "--attempt", str(attempt), "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 20,
    )
    assert worker.stdout is not None
    assert worker.stderr is not None
    decoder = msgspec.json.Decoder(Done)
    tail: list[str] = []

    async def read_errors() -> None:
        assert worker.stderr is not None
        async for line in worker.stderr:
            tail.append(line.decode("utf-8", "replace").rstrip())
            del tail[:-LOG_TAIL]

    reading = asyncio.create_task(read_errors())
    try:
        async for line in worker.stdout:
            progress(decoder.decode(line))
        await reading
        return await worker.wait(), "\n".join(tail)
    finally:
        if worker.returncode is None:
            worker.terminate()
            await worker.wait()
        reading.cancel()
