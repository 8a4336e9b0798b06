"""From an inventory to batches: cost per document, long documents in shards, largest first.

A mapped task of the orchestrator costs about a third of a CPU-second, and a worker seconds to start, so a batch must
hold enough work to be worth it; yet there should be many more batches than workers, so that none is left working alone
at the end (the gap between effective and sustained throughput in Auer et al. 2022, figure 6). Longest processing time
first (Graham 1969) keeps that tail within a batch's length.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from ingest.errors import ConfigError
from ingest.scheduling.batch import Batch, Entry, Plan, PlannedBatch, RunFile, Task
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.flow import PACK
from ingest.scheduling.memory import memory_of
from ingest.stores import keys

MIN_BATCH_S = 20.0
"""Work below which a batch is not worth its task, where there is enough work."""


def plan(context: Context, run: RunFile, *, workers: int) -> Plan:
    """Write the batches and the plan of a run whose inventory is there. Raises RunError, ConfigError."""
    settings = context.settings
    files = RunFiles(context.objects, run.collection, run.run_id)
    tasks = tasks_of(files.inventory(), CostModel(), settings.shard_pages)
    batches = batches_of(run, tasks, workers=workers, batch_s=settings.batch_seconds, max_batches=settings.max_batches)
    planned = []
    for batch in batches:
        key = keys.batch(run.collection, run.run_id, batch.name)
        context.objects.put(key, msgspec.json.encode(batch))
        planned.append(
            PlannedBatch(
                key=key,
                name=describe(batch),
                cost_s=batch.cost_s,
                tasks=len(batch.tasks),
                memory_mb=memory_of(batch.tasks, in_flight=settings.in_flight, most_mb=settings.document_memory_mb),
            )
        )
    result = Plan(
        batches=planned,
        cost_s=round(sum(cost for cost, _ in tasks), 3),
        documents=len({task.doc_id for _, task in tasks}),
        shards=sum(task.shard is not None for _, task in tasks),
    )
    files.write("plan.json", result)
    return result


def describe(batch: Batch) -> str:
    """What a batch holds, in a few words: it names the mapped task in the Airflow UI."""
    first = batch.tasks[0]
    title = first.item.path.rpartition("/")[2]
    if first.shard and len(batch.tasks) == 1:
        return f"{batch.name} · {title} pages {first.shard[1]}-{first.shard[2]}"
    if len(batch.tasks) == 1:
        return f"{batch.name} · {title}"
    return f"{batch.name} · {len(batch.tasks)} documents from {title}"


LEFT = (1.0, 0.8, 0.4, 0.3)
"""Share of a document's cost that is left when so many of its stages are kept."""


@dataclass(frozen=True, slots=True)
class CostModel:
    """CPU-seconds that converting takes. Defaults were measured on one core of 2024; a ledger knows better."""

    per_document: float = 0.06
    per_page: float = 0.025
    bytes_per_page: float = 60_000
    """To guess pages of a document that nobody has opened."""
    longest_guess: int = 400

    def of(self, size: int, pages: int = 0, known_s: float = 0.0) -> float:
        """Cost of a document of `size` bytes, with pages and an earlier cost where they are known."""
        if known_s > 0:
            return known_s
        guess = min(max(1, math.ceil(size / self.bytes_per_page)), self.longest_guess)
        return self.per_document + self.per_page * (pages or guess)


def tasks_of(entries: Iterable[Entry], model: CostModel, shard_pages: int) -> list[tuple[float, Task]]:
    """(cost, task) of everything that is to be converted; documents longer than shard_pages in shards of that size.

    Raises ConfigError if shards would cut through a pack of pages: their results would not be those of the whole.
    """
    if shard_pages % PACK:
        raise ConfigError(f"INGEST_SHARD_PAGES={shard_pages}: must be a multiple of {PACK}")
    found = []
    for entry in entries:
        if entry.action != "convert":
            continue
        cost = model.of(entry.item.size, entry.pages, entry.cost_s) * LEFT[len(entry.kept)]
        if entry.pages <= shard_pages or "layout" in entry.kept:
            found.append(
                (
                    cost,
                    Task(
                        doc_id=entry.doc_id,
                        item=entry.item,
                        sha256=entry.sha256,
                        pages=entry.pages,
                        kept=entry.kept,
                    ),
                )
            )
            continue
        for number, first in enumerate(range(1, entry.pages + 1, shard_pages)):
            last = min(first + shard_pages - 1, entry.pages)
            task = Task(
                doc_id=entry.doc_id,
                item=entry.item,
                sha256=entry.sha256,
                pages=entry.pages,
                shard=(number, first, last),
            )
            found.append((cost * (last - first + 1) / entry.pages, task))
    return found


def batches_of(
    run: RunFile, tasks: Sequence[tuple[float, Task]], *, workers: int, batch_s: float, max_batches: int
) -> list[Batch]:
    """Batches, costliest first; every task is in exactly one. The same tasks give the same batches.

    Documents of which the source says that they have the same bytes are in one batch, whose worker converts them once.
    """
    if not tasks:
        return []
    ordered = _doubles_joined(sorted(tasks, key=lambda t: (-t[0], t[1].item.path, t[1].shard or (0, 0, 0))))
    total = sum(cost for cost, _ in ordered)
    wanted = math.ceil(total / batch_s)
    worthwhile = math.floor(total / MIN_BATCH_S)
    # a few documents are spread over the workers as far as batches stay worth their start
    count = max(1, min(max(wanted, workers), worthwhile, max_batches, len(ordered)))
    heap = [(0.0, k) for k in range(count)]
    bins: list[list[Task]] = [[] for _ in range(count)]
    costs = [0.0] * count
    for cost, same in ordered:
        load, k = heapq.heappop(heap)
        bins[k] += same
        costs[k] = load + cost
        heapq.heappush(heap, (costs[k], k))
    by_cost = sorted(range(count), key=lambda k: -costs[k])
    return [
        Batch(run=run, name=f"{number:04d}", cost_s=round(costs[k], 3), tasks=bins[k])
        for number, k in enumerate(by_cost, start=1)
    ]


def _doubles_joined(tasks: Sequence[tuple[float, Task]]) -> list[tuple[float, list[Task]]]:
    """Tasks in their order, those with the bytes of an earlier one beside it, at no cost. Whatever has a hash is no
    double: those are found when the source is listed."""
    joined: list[tuple[float, list[Task]]] = []
    first: dict[tuple[str, int], list[Task]] = {}
    for cost, task in tasks:
        tag = (task.item.content_tag, task.item.size)
        if task.item.content_tag and not task.sha256 and tag in first:
            first[tag].append(task)
            continue
        joined.append((cost, [task]))
        if task.item.content_tag and not task.sha256:
            first[tag] = joined[-1][1]
    return joined
