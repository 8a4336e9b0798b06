"""What the steps of a run work with; `ingest.runtime` makes it from the settings, tests make it by hand."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from ingest.config import Settings
from ingest.export.index import Index
from ingest.sandbox import Sandbox
from ingest.scheduling.flow import Tools
from ingest.stores.ledger import Ledger
from ingest.stores.objects import ObjectStore
from ingest.stores.sources import Source


@dataclass(frozen=True, slots=True)
class Context:
    settings: Settings
    objects: ObjectStore
    ledger: Ledger
    index: Callable[[], Index]
    """Opened by those who publish or search only."""
    open_source: Callable[..., Source]
    """By URI; whoever lists the source gives the patterns `include` and `exclude` too."""
    sandbox: Callable[[], AbstractAsyncContextManager[Sandbox]]
    tools: Callable[..., AbstractAsyncContextManager[Tools]]
    """A sandbox and the networks, those in `RunFile.models` instead of the usual ones."""
    versions: Callable[..., Coroutine[Any, Any, dict[str, str]]]
    """Of all stages and networks, as they are configured now, and with the same choice."""
