"""Coroutines side by side, where the first error ends all of them and is raised as itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from ingest.errors import IngestError


async def together(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all to their ends. An IngestError of one cancels the others and is raised bare, not in a group."""
    problem: IngestError | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in work:
                group.create_task(coroutine)
    except* IngestError as errors:
        problem = next(e for e in _leaves(errors) if isinstance(e, IngestError))
    if problem is not None:
        raise problem


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterable[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
