"""What the model services share: two routes over arrays, and an honest count of CPU time.

Mounted beside BentoML's own routes (/livez, /readyz, /metrics): a raw body through an ASGI mount costs a tenth of
BentoML's own array endpoints, and packs of pages are made by the client, so adaptive batching would only add waiting.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import bentoml
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ingest import wire
from ingest.errors import ServiceRefused, WireError

MAX_BODY = 256 * 1024 * 1024
TRAFFIC = {"timeout": 60, "max_concurrency": int(os.environ.get("MODEL_CONCURRENCY", "64"))}
"""Seconds; requests beyond the second are answered 429, and the client comes back later."""


class _Meter:
    """CPU time of this process while requests are under way, shared out among their answers."""

    def __init__(self) -> None:
        self._under_way = 0
        self._counted = 0.0

    def begin(self) -> None:
        if self._under_way == 0:
            self._counted = time.process_time()
        self._under_way += 1

    def end(self) -> float:
        """CPU-seconds that fall to this request."""
        self._under_way -= 1
        now = time.process_time()
        spent, self._counted = now - self._counted, now
        return spent


def arrays_app() -> Starlette:
    """`GET /info` and `POST /predict` of the service whose instance has a `network` (`bentos.models.serving`)."""
    meter, one_at_a_time = _Meter(), asyncio.Semaphore(1)

    async def info(_: Request) -> Response:
        network = bentoml.get_current_service().network
        return Response(msgspec.json.encode(network.info), media_type="application/json")

    async def predict(request: Request) -> Response:
        network = bentoml.get_current_service().network
        if int(request.headers.get("content-length", 0)) > MAX_BODY:
            return PlainTextResponse(f"a request may have {MAX_BODY} bytes at most", 413)
        body = await request.body()
        async with one_at_a_time:  # the mount goes past BentoML's own limit of threads
            meter.begin()
            try:
                answer = await asyncio.to_thread(_answer, network, body)
            except (WireError, ServiceRefused) as error:
                return PlainTextResponse(str(error), 400)
            finally:
                cpu_s = meter.end()
        data = wire.encode({"version": network.info.version, "cpu_s": cpu_s}, answer)
        return Response(data, media_type=wire.CONTENT_TYPE)

    return Starlette(routes=[Route("/info", info), Route("/predict", predict, methods=["POST"])])


def _answer(network: Any, body: bytes) -> list[Any]:
    _, pages = wire.decode(body)
    answer: list[Any] = network.predict(pages)
    return answer
