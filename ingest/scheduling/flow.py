"""One document through its stages: a sandboxed child computes, the networks are asked in between.

    child: open, parse ──rasters──► layout network ──maps──► child: features ──► label network ──► child: finish

At most one compute-bound step runs at a time in a worker (Auer et al. 2022, section III-B): the `compute` lock is held
while a child works, and given up while a service works, so that several documents in flight keep one core busy and no
more. A network in the process computes too, and takes the lock itself (`ingest.runtime`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.errors import (
    Crashed,
    DeadlineExceeded,
    DocumentError,
    MemoryExceeded,
    Rejected,
    ServiceError,
    ServiceFailed,
)
from ingest.sandbox import Process, Sandbox
from ingest.scheduling.batch import Usage
from ingest.scheduling.stages import KEPT
from ingest.stage import Model

PACK = 16
"""Pages per request to a network. Packs start at multiples of it, so that a shard gets the same answers as a whole."""
AHEAD = 2
"""Requests of one document to the layout network that may be under way."""
STRAGGLER_S = 5.0
"""Seconds after which a computing step lets others compute beside it."""
MAX_LOST = 8
"""Pages that may end a child before the document is given up."""

_DEADLY = (Crashed, DeadlineExceeded, MemoryExceeded)


class Compute:
    """The turn to compute. One holder at a time, but a straggler loses it: its document may be one that never ends."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        await self._lock.acquire()
        held = True

        def give_up() -> None:
            nonlocal held
            held = False
            self._lock.release()

        timer = asyncio.get_running_loop().call_later(STRAGGLER_S, give_up)
        try:
            yield
        finally:
            timer.cancel()
            if held:
                self._lock.release()


@dataclass(frozen=True, slots=True)
class Tools:
    """What every document of a worker shares."""

    sandbox: Sandbox
    layout: Model
    labels: Model
    compute: Compute
    document_timeout_s: float
    max_pages: int


@dataclass(slots=True)
class Converted:
    """A converted document, or the parsed pages of a shard."""

    outputs: dict[str, bytes]
    """By format; none for a shard."""
    kept: dict[str, bytes]
    """By stage: what is to be kept for a later run, as far as it was made here."""
    pages: int
    usage: Usage
    facts: dict[str, Any] | None = None
    lost: list[tuple[int, str]] = field(default_factory=list)
    needs_ocr: list[tuple[int, str]] = field(default_factory=list)
    cut: list[tuple[int, str]] = field(default_factory=list)
    """Pages whose text is whole and whose graphics are not."""
    memory_mb: float = 0.0


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be made of a document."""

    name: str
    sha256: str
    versions: Mapping[str, str]
    formats: Sequence[str]
    keep: Sequence[str] = ()
    """Stages whose results are asked for."""
    password: str | None = None


async def convert(
    tools: Tools,
    job: Job,
    path: Path | None,
    *,
    usage: Usage,
    kept: Mapping[str, bytes] | None = None,
    shard: tuple[int, int] | None = None,
) -> Converted:
    """Convert a document, or parse the pages first..last of a shard (1-based, inclusive).

    Stages whose results are in `kept` are not run again; with parse and layout among them no `path` is needed. A page
    that ends its child (crash, deadline, memory) is lost and named, and the rest is read without it. `usage` is counted
    up in place, also when this raises. Raises a DocumentError.
    """
    kept = kept or {}
    work = _Work(tools, job, usage)
    try:
        count = await work.read(path, kept, shard)
        if shard is not None:
            return Converted({}, await work.pack(("parse", "layout")), count, usage)
        return await work.finish(count, kept)
    except ServiceError as error:
        raise ServiceFailed(f"{job.name}: {error}") from error
    except _DEADLY as error:
        raise type(error)(_named(job.name, error)) from error
    finally:
        await work.close()


async def merge(tools: Tools, job: Job, shards: Sequence[Mapping[str, bytes]], *, usage: Usage) -> Converted:
    """The whole document from what all its shards left of parse and layout. Raises a DocumentError."""
    work = _Work(tools, job, usage)
    try:
        await work.start()
        count = 0
        for shard in shards:
            count = await work.unpack(shard)
        return await work.finish(count, {})
    except ServiceError as error:
        raise ServiceFailed(f"{job.name}: {error}") from error
    except _DEADLY as error:
        raise type(error)(_named(job.name, error)) from error
    finally:
        await work.close()


def _named(name: str, error: DocumentError) -> str:
    """The message with the document's name, which those from the child itself have already."""
    message = str(error)
    return message if message.startswith(name) else f"{name}: {message}"


class _Work:
    """The children of one document, one after the other, and the time that they may still take."""

    def __init__(self, tools: Tools, job: Job, usage: Usage) -> None:
        self._tools = tools
        self._job = job
        self._usage = usage
        self._left_s = tools.document_timeout_s
        self._child: Process | None = None
        self._lost: dict[int, DocumentError] = {}
        self._memory_mb = 0.0

    async def start(self) -> None:
        """A fresh child instead of the one before."""
        await self.close()
        self._child = await self._tools.sandbox.spawn()

    async def close(self) -> None:
        if self._child is not None:
            ended = await self._child.close()
            self._child = None
            self._usage.cpu_s += ended.cpu_s
            self._memory_mb = max(self._memory_mb, ended.memory_mb)

    async def call(
        self, method: str, meta: dict[str, Any] | None = None, arrays: Sequence[NDArray[Any]] = ()
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Have the child compute, alone. Time spent waiting for the turn is not the document's."""
        assert self._child is not None
        async with self._tools.compute.turn():
            started = time.monotonic()
            try:
                return await self._child.call(method, meta, arrays, timeout_s=max(self._left_s, 0.1))
            finally:
                self._left_s -= time.monotonic() - started

    async def ask(self, stage: str, model: Model, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Have a network answer."""
        started = time.monotonic()
        answer = await model.predict(arrays)
        self._usage.spend(stage, answer.cpu_s, time.monotonic() - started)
        self._usage.cpu_s += answer.cpu_s
        if answer.remote:
            self._usage.service_cpu_s += answer.cpu_s
        return answer.arrays

    async def unpack(self, kept: Mapping[str, bytes]) -> int:
        """Give the child what is kept of stages; the number of pages that it has then."""
        stages = [stage for stage in KEPT if stage in kept]
        arrays = [np.frombuffer(kept[stage], np.uint8) for stage in stages]
        meta, _ = await self.call("unpack", {"name": self._job.name, "stages": stages}, arrays)
        return int(meta["pages"])

    async def read(self, path: Path | None, kept: Mapping[str, bytes], shard: tuple[int, int] | None) -> int:
        """Parse and look at the layout of all pages, as far as that is not kept; the number of pages."""
        maps: dict[int, NDArray[Any]] = {}
        while True:
            await self.start()
            try:
                count = await self.unpack(kept) if kept else 0
                if "layout" not in kept:
                    assert path is not None
                    count = await self._read_pages(path, shard, maps)
                return count
            except _DEADLY as error:
                page = self._child.page if self._child else None
                if page is None or page in self._lost or len(self._lost) >= MAX_LOST or self._left_s <= 0:
                    raise
                self._lost[page] = error

    async def _read_pages(self, path: Path, shard: tuple[int, int] | None, maps: dict[int, NDArray[Any]]) -> int:
        """One child's attempt; `maps` keeps what the network has already seen."""
        job = self._job
        meta, _ = await self.call(
            "open",
            {"path": str(path), "name": job.name, "max_pages": self._tools.max_pages, "password": job.password},
        )
        count: int = meta["pages"]
        first, last = shard or (1, count)
        await self.call("lose", {"pages": [(n, error.code, str(error)) for n, error in self._lost.items()]})
        asked: set[asyncio.Task[None]] = set()
        slots = asyncio.Semaphore(AHEAD)
        try:
            for start in range(first, last + 1, PACK):
                numbers = [n for n in range(start, min(start + PACK, last + 1)) if n not in self._lost]
                meta, rasters = await self.call("parse", {"pages": numbers, "rasters": True})
                pack = [(n, r) for n, r in zip(meta["pages"], rasters, strict=True) if n not in maps]
                if pack:
                    await slots.acquire()
                    task = asyncio.create_task(self._look(pack, maps))
                    task.add_done_callback(lambda _: slots.release())
                    asked.add(task)
                for done in [t for t in asked if t.done()]:
                    asked.remove(done)
                    done.result()
            await asyncio.gather(*asked)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        await self.call("set_maps", {"pages": list(maps)}, list(maps.values()))
        return count

    async def _look(self, pack: list[tuple[int, NDArray[Any]]], maps: dict[int, NDArray[Any]]) -> None:
        found = await self.ask("layout", self._tools.layout, [raster for _, raster in pack])
        maps.update(zip([number for number, _ in pack], found, strict=True))

    async def pack(self, stages: Sequence[str]) -> dict[str, bytes]:
        """What the child has of these stages."""
        meta, packed = await self.call("pack", {"stages": list(stages)})
        self._spend(meta["spent"])
        return {stage: data.tobytes() for stage, data in zip(stages, packed, strict=True)}

    async def finish(self, count: int, kept: Mapping[str, bytes]) -> Converted:
        """Labels, assembly, output of a document whose pages the child holds."""
        job = self._job
        if "labels" not in kept:
            meta, features = await self.call("features")
            numbers = meta["pages"]
            for start in range(0, len(numbers), PACK):
                found = await self.ask("labels", self._tools.labels, features[start : start + PACK])
                await self.call("set_labels", {"pages": numbers[start : start + PACK]}, found)
        # pages that our own limits cost may be there the next time, so nothing without them is kept
        whole = all(isinstance(error, Rejected) for error in self._lost.values())
        keep = [stage for stage in job.keep if stage not in kept] if whole else []
        meta, written = await self.call(
            "finish",
            {"sha256": job.sha256, "versions": dict(job.versions), "formats": list(job.formats), "stages": keep},
        )
        self._spend(meta["spent"])
        await self.close()
        data = [array.tobytes() for array in written]
        return Converted(
            outputs=dict(zip(job.formats, data, strict=False)),
            kept=dict(zip(keep, data[len(job.formats) :], strict=True)),
            pages=count,
            usage=self._usage,
            facts=meta["facts"],
            lost=[(number, reason) for number, reason in meta["lost"]],
            needs_ocr=[(number, reason) for number, reason in meta["needs_ocr"]],
            cut=[(number, reason) for number, reason in meta["cut"]],
            memory_mb=self._memory_mb,
        )

    def _spend(self, spent: dict[str, tuple[float, float]]) -> None:
        for stage, (cpu_s, wall_s) in spent.items():
            self._usage.spend(stage, cpu_s, wall_s)
