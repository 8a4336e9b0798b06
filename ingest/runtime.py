"""Composition root: from settings to live objects. The only module that may load the networks (`bentos.models`)."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import cache, partial
from typing import Any

from numpy.typing import NDArray

from ingest import features
from ingest.clients.model import ServiceModel
from ingest.clients.rpc import Rpc
from ingest.config import Settings, load_settings
from ingest.document.labels import LABELS, REGIONS
from ingest.errors import ConfigError
from ingest.export.index import Index, open_index
from ingest.pipeline import render
from ingest.pipeline.convert import VERSIONS
from ingest.sandbox import Limits, Sandbox
from ingest.scheduling.context import Context
from ingest.scheduling.flow import Compute, Tools
from ingest.stage import Model, ModelInfo, Prediction
from ingest.stores.ledger import open_ledger
from ingest.stores.objects import open_objects
from ingest.stores.sources import SourceLimits, open_source

CHILD = "ingest.scheduling.child:Child"
NO_CHOICE: Mapping[str, str] = {}


@contextmanager
def open_context(settings: Settings | None = None) -> Iterator[Context]:
    """Everything that the steps of a run need. Raises ConfigError, StoreUnavailable."""
    settings = settings or load_settings()
    ledger = open_ledger(settings.ledger_uri)
    index: list[Index] = []

    def index_once() -> Index:
        if not index:
            index.append(open_index(settings.index_uri))
        return index[0]

    try:
        yield Context(
            settings=settings,
            objects=open_objects(settings.objects_uri),
            ledger=ledger,
            index=index_once,
            open_source=partial(open_source, limits=source_limits(settings)),
            sandbox=lambda: Sandbox(CHILD, limits(settings)),
            tools=partial(open_tools, settings),
            versions=partial(versions, settings),
        )
    finally:
        for opened in index:
            opened.close()
        ledger.close()


def source_limits(settings: Settings) -> SourceLimits:
    hosts = (host.strip().lower() for host in settings.url_private_hosts.split(","))
    return SourceLimits(
        document_bytes=settings.document_max_mb * 1_000_000,
        archive_bytes=int(settings.archive_max_gb * 1e9),
        url_timeout_s=settings.url_timeout_s,
        private_hosts=frozenset(host for host in hosts if host),
    )


def limits(settings: Settings) -> Limits:
    return Limits(memory_mb=settings.document_memory_mb, step_s=settings.page_timeout_s)


@asynccontextmanager
async def open_tools(settings: Settings, models: Mapping[str, str] = NO_CHOICE) -> AsyncIterator[Tools]:
    """A sandbox and the networks: by service where one is configured or chosen (stage -> URL), else in this process."""
    compute = Compute()
    async with AsyncExitStack() as stack:
        sandbox = await stack.enter_async_context(Sandbox(CHILD, limits(settings)))
        layout, labels = open_models(settings, compute, models)
        stack.push_async_callback(layout.close)
        stack.push_async_callback(labels.close)
        yield Tools(
            sandbox=sandbox,
            layout=layout,
            labels=labels,
            compute=compute,
            document_timeout_s=settings.document_timeout_s,
            max_pages=settings.document_max_pages,
        )


def open_models(settings: Settings, compute: Compute, models: Mapping[str, str] = NO_CHOICE) -> tuple[Model, Model]:
    """(layout, labels)."""

    def opened(url: str, network: str, takes: str, returns: Iterable[str]) -> Model:
        if not url:
            return InProcess(network, compute)
        rpc = Rpc(
            url,
            timeout_s=settings.service_timeout_s,
            attempts=settings.service_attempts,
            concurrency=2 * settings.in_flight,
        )
        return ServiceModel(rpc, takes=takes, returns=tuple(map(str, returns)))

    return (
        opened(models.get("layout", settings.layout_url), "layout", render.VERSION, REGIONS),
        opened(models.get("labels", settings.labels_url), "labels", features.VERSION, LABELS),
    )


async def manifests(
    settings: Settings, models: Mapping[str, str] = NO_CHOICE, stages: Iterable[str] = ("layout", "labels")
) -> dict[str, ModelInfo]:
    """Stage -> manifest of its network. Raises ServiceUnavailable, and ServiceRefused for one that does not fit."""
    opened = dict(zip(("layout", "labels"), open_models(settings, Compute(), models), strict=True))
    try:
        return {stage: await opened[stage].info() for stage in stages}
    finally:
        for model in opened.values():
            await model.close()


async def versions(settings: Settings, models: Mapping[str, str] = NO_CHOICE) -> dict[str, str]:
    """Version of every stage and network: what a result depends on besides its document. Raises ServiceUnavailable."""
    infos = await manifests(settings, models)
    return VERSIONS | {stage: info.version for stage, info in infos.items()}


_NETWORKS = {
    "layout": ("bentos.models.layout_network", "LayoutNetwork"),
    "labels": ("bentos.models.label_network", "LabelNetwork"),
}
"""Stage -> where its network is."""


@cache
def _network(stage: str) -> Any:
    """The network of a stage, loaded once per process; that of the layout costs a second and 200 MB, for torch."""
    module, name = _NETWORKS[stage]
    try:
        networks = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"no model service is configured and the networks cannot run in this process ({error}); set "
            "INGEST_LAYOUT_URL and INGEST_LABELS_URL, or install corpus-ingest[models]"
        ) from error
    return getattr(networks, name)()


class InProcess:
    """`ingest.stage.Model` in this process. It computes, so it waits for its turn like the sandbox's children."""

    def __init__(self, stage: str, compute: Compute) -> None:
        self._stage = stage
        self._compute = compute

    async def info(self) -> ModelInfo:
        network = await asyncio.to_thread(_network, self._stage)
        info: ModelInfo = network.info
        return info

    async def predict(self, pages: Sequence[NDArray[Any]]) -> Prediction:
        async with self._compute.turn():
            return await asyncio.to_thread(self._predict, pages)

    def _predict(self, pages: Sequence[NDArray[Any]]) -> Prediction:
        network = _network(self._stage)
        started = time.thread_time()
        arrays = network.predict(pages)
        return Prediction(arrays, time.thread_time() - started, remote=False)

    async def close(self) -> None:
        pass
