"""What a pod runs: the documents of one batch, several in flight, each ending in exactly one result."""

from __future__ import annotations

import asyncio
import resource
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from ingest.document.records import Outcome
from ingest.errors import Crashed, DocumentError, HandedBack, NotFound, Rejected, SourceError, TooLarge
from ingest.scheduling import exclusive, flow
from ingest.scheduling.batch import Batch, BatchResult, Result, Task, Usage, apply
from ingest.scheduling.context import Context
from ingest.scheduling.ending import told_to_end, until_told
from ingest.scheduling.results import adopt, read_kept, read_stored, store
from ingest.scheduling.stages import KEPT
from ingest.scheduling.together import together
from ingest.stores import keys
from ingest.stores.objects import ObjectStore
from ingest.stores.sources import Source, sha256_of

Progress = Callable[[Result], None]


async def run_batch(
    context: Context, key: str, *, attempt: int = 1, forgive: bool = False, progress: Progress = lambda _: None
) -> BatchResult:
    """Do a batch and store its result; what an earlier attempt finished is not done again.

    From the second attempt on, documents are done one at a time and marked when they are begun; one that was marked
    when an attempt ended is taken for the cause, and fails alone. Not so with `forgive`: whoever starts this attempt
    knows that the one before was ended from outside.

    Raises StoreUnavailable, ServiceUnavailable or SourceUnavailable when a retry of the whole batch can help, and
    HandedBack when the process was told to end: nothing that was finished until then is lost.
    """
    objects = context.objects
    result_key = keys.result_of(key)
    done = await asyncio.to_thread(_read_result, objects, result_key)
    if done is not None:
        return done
    batch = msgspec.json.decode(await asyncio.to_thread(objects.get, key), type=Batch)
    await asyncio.to_thread(exclusive.prolong, context, batch.run)
    started, cpu_before = _now_ms(), processes_cpu_s()
    source = context.open_source(batch.run.source)
    with told_to_end() as told:
        async with context.tools(batch.run.models) as tools:
            worker = _Worker(context, tools, batch, source, key, attempt, forgive)
            results = await worker.run(progress, told)
    usage = Usage()
    for result in results:
        usage.add(result.usage)
    usage.cpu_s = processes_cpu_s() - cpu_before + usage.service_cpu_s
    finished = BatchResult(name=batch.name, results=results, usage=usage, started_ms=started, finished_ms=_now_ms())
    await asyncio.to_thread(_write_ledger, context, batch, results)
    if not await asyncio.to_thread(objects.put, result_key, msgspec.json.encode(finished), if_absent=True):
        # by a worker that was taken for dead: its end of the batch is what all others have read, or will
        first = await asyncio.to_thread(_read_result, objects, result_key)
        if first is not None:
            await asyncio.to_thread(_write_ledger, context, batch, first.results)
            return first
    return finished


def _read_result(objects: ObjectStore, key: str) -> BatchResult | None:
    try:
        return msgspec.json.decode(objects.get(key), type=BatchResult)
    except NotFound:
        return None


def _write_ledger(context: Context, batch: Batch, results: list[Result]) -> None:
    """One read and one write for the whole batch: the ledger is shared by all workers."""
    finished = {r.doc_id: r for r in results if r.outcome is not None}
    # not where another run has taken over while we were at work: the rows are that run's now
    with exclusive.step(context, batch.run):
        records = context.ledger.get(batch.run.collection, finished)
        for doc_id, record in records.items():
            apply(record, finished[doc_id], batch.run)
        context.ledger.upsert(records.values())


class _Worker:
    def __init__(
        self, context: Context, tools: flow.Tools, batch: Batch, source: Source, key: str, attempt: int, forgive: bool
    ) -> None:
        self._context = context
        self._key = key
        self._attempt = attempt
        self._forgive = forgive
        self._tools = tools
        self._batch = batch
        self._source = source
        self._under_way: dict[str, asyncio.Lock] = {}
        """By content: of documents with the same bytes the first is converted, the others wait and reuse."""
        self._made: set[str] = set()
        """Contents that this worker has converted: not again, even where the run converts all anew."""

    async def run(self, progress: Progress, told: asyncio.Event) -> list[Result]:
        """Results in the order of the batch's tasks. Raises HandedBack if it was told to end before all were done."""
        tasks = self._batch.tasks
        queue = iter(range(len(tasks)))
        results: dict[int, Result] = {}

        async def take() -> None:
            while not told.is_set() and (number := next(queue, None)) is not None:
                results[number] = await self._one(tasks[number])
                progress(results[number])

        with tempfile.TemporaryDirectory(prefix="ingest-") as folder:
            self._folder = Path(folder)
            settings = self._context.settings
            in_flight = settings.in_flight if self._attempt == 1 else 1
            await until_told(together(take() for _ in range(in_flight)), told, settings.grace_s)
        if len(results) < len(tasks):
            raise HandedBack(
                f"batch {self._batch.name}: told to end with {len(results)} of {len(tasks)} documents done; "
                "the rest is handed back"
            )
        return [results[n] for n in range(len(tasks))]

    async def _one(self, task: Task) -> Result:
        """The task's result; only errors that concern the whole batch are raised."""
        usage = Usage()
        result = Result(doc_id=task.doc_id, path=task.item.path, sha256=task.sha256, usage=usage)
        try:
            async with self._marked(task):
                await self._convert(task, result)
        except (DocumentError, SourceError) as error:
            if isinstance(error, SourceError) and error.retry:
                raise
            rejected = isinstance(error, Rejected | SourceError)
            result.outcome = Outcome.REJECTED if rejected else Outcome.FAILED
            result.code, result.reason, result.retry = error.code, str(error), error.retry
            result.pages = result.pages or task.pages
        result.finished_ms = _now_ms()
        return result

    @asynccontextmanager
    async def _marked(self, task: Task) -> AsyncIterator[None]:
        """From the second attempt on, a mark at the document while it is under way: only a worker that dies leaves it.

        Raises Crashed if an earlier attempt of the batch died at it, and is not forgiven.
        """
        if self._attempt == 1:
            yield
            return
        key = keys.suspect(self._key, task.doc_id)
        objects = self._context.objects
        marking = asyncio.create_task(asyncio.to_thread(objects.put, key, b"", if_absent=not self._forgive))
        try:
            if not await asyncio.shield(marking):
                raise Crashed(f"{task.item.path}: a worker died while it was at this document")
            yield
        finally:
            await asyncio.wait({marking})  # to be cancelled does not stop what is being written
            await asyncio.to_thread(objects.delete, key)

    async def _convert(self, task: Task, result: Result) -> None:
        batch, objects = self._batch, self._context.objects
        if task.item.size > self._context.settings.document_max_mb * 1_000_000:
            raise TooLarge(
                f"{task.item.path}: {task.item.size / 1e6:.0f} MB; INGEST_DOCUMENT_MAX_MB allows "
                f"{self._context.settings.document_max_mb}"
            )
        run = batch.run
        started = time.monotonic()
        kept = await asyncio.to_thread(read_kept, objects, task, run)
        path, fetched = None, False
        if "layout" not in kept:
            path, fetched = await self._fetch(task)
        try:
            if path is not None:
                result.sha256 = await asyncio.to_thread(_sha256, path)
                if task.sha256 and result.sha256 != task.sha256:
                    # it changed since it was listed: what is converted is what was read; the next run sees the rest
                    task, kept = msgspec.structs.replace(task, sha256=result.sha256, shard=None), {}
            result.usage.spend("fetch", 0.0, time.monotonic() - started)
            async with self._only(task, result.sha256):
                if not await self._reuse(task, result):
                    await self._make(task, result, path, kept)
        finally:
            if fetched and path is not None:
                path.unlink(missing_ok=True)

    @asynccontextmanager
    async def _only(self, task: Task, sha256: str) -> AsyncIterator[None]:
        """The only document with these bytes that is under way; shards of one are under way together."""
        if task.shard:
            yield
            return
        async with self._under_way.setdefault(sha256, asyncio.Lock()):
            yield

    async def _make(self, task: Task, result: Result, path: Path | None, kept: dict[str, bytes]) -> None:
        """Convert, and store what comes of it."""
        run, objects = self._batch.run, self._context.objects
        job = flow.Job(
            name=Path(task.item.path).name,
            sha256=result.sha256,
            versions=run.versions,
            formats=["docling"],
            keep=KEPT,
        )
        shard = task.shard[1:] if task.shard else None
        converted = await flow.convert(self._tools, job, path, kept=kept, shard=shard, usage=result.usage)
        started = time.monotonic()
        result.pages, result.memory_mb = converted.pages, converted.memory_mb
        if task.shard:
            for stage, data in converted.kept.items():
                key = keys.shard(result.sha256, run.fingerprints.layout, task.shard[0], stage)
                await asyncio.to_thread(objects.put, key, data)
        else:
            await store(objects, converted, result, run, kept)
            self._made.add(result.sha256)
        result.usage.spend("store", 0.0, time.monotonic() - started)

    async def _fetch(self, task: Task) -> tuple[Path, bool]:
        """(local file, whether it is a copy to be removed)."""
        local = self._source.local_path(task.item)
        if local is not None:
            return local, False
        path = self._folder / f"{task.doc_id}-{task.shard[0] if task.shard else 0}.pdf"
        await asyncio.to_thread(self._source.fetch, task.item, path)
        return path, True

    async def _reuse(self, task: Task, result: Result) -> bool:
        """Take a result over that the same bytes and versions have given before."""
        objects, prints = self._context.objects, self._batch.run.fingerprints
        if task.shard:
            last = keys.shard(task.sha256, prints.layout, task.shard[0], "layout")
            return await asyncio.to_thread(objects.stat, last) is not None
        found = await asyncio.to_thread(read_stored, objects, result.sha256, prints.document)
        if found is None or (self._batch.run.options.force and result.sha256 not in self._made):
            return False
        adopt(result, found)
        return True


def _sha256(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise SourceError(
            f"{path.name}: cannot be read: {error.strerror}; check that it exists and may be read"
        ) from error


def processes_cpu_s() -> float:
    """CPU-seconds of this process and of all that it started and that are over: the sandbox and its children."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
