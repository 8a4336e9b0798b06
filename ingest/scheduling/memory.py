"""How much memory a batch is likely to need. Imports nothing heavy: the DAG files use it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable

from ingest.scheduling.batch import Task

WORKER_MB = 256
"""Resident memory of a worker with its sandbox, before the first document."""
DOCUMENT_MB, PAGE_MB, MB_PER_FILE_MB = 64, 0.7, 16
"""Of the process that holds a document: at its start, and for each page and each MB of the file. Measured over 140 real
documents: 42 MB, 0.35 MB and 8 MB, with hardly one above the double."""


def memory_of(tasks: Iterable[Task], *, in_flight: int, most_mb: float) -> int:
    """MB that a worker is likely to use for these tasks: the largest of them may meet. `most_mb` ends a document."""

    def of(task: Task) -> float:
        size_mb = task.item.size / 1e6
        pages = task.shard[2] - task.shard[1] + 1 if task.shard else task.pages
        return min(DOCUMENT_MB + PAGE_MB * pages + MB_PER_FILE_MB * size_mb, most_mb)

    return math.ceil(WORKER_MB + sum(heapq.nlargest(in_flight, map(of, tasks))))
