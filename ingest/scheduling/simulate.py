"""A plan projected onto N workers: when would it be done?"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import msgspec


class Projection(msgspec.Struct, frozen=True, kw_only=True):
    workers: int
    seconds: float
    """From the first batch's start to the last one's end."""
    utilisation: float
    """Share of that time in which the workers work."""


def simulate(costs_s: Sequence[float], workers: int, *, start_s: float) -> Projection:
    """Batches of these costs, begun in this order by whichever worker is free; each start costs start_s more."""
    free = [0.0] * workers
    for cost in costs_s:
        heapq.heappush(free, heapq.heappop(free) + start_s + cost)
    seconds = max(free)
    busy = sum(costs_s)
    return Projection(
        workers=workers, seconds=round(seconds, 3), utilisation=round(busy / (workers * seconds), 4) if seconds else 0.0
    )
