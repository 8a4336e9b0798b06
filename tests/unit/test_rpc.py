"""The client of the model services against a real HTTP server that misbehaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from ingest import wire
from ingest.clients import rpc
from ingest.clients.model import ServiceModel
from ingest.clients.rpc import Rpc
from ingest.errors import ServiceRefused, ServiceUnavailable, WireError
from ingest.stage import ModelInfo

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
INFO = ModelInfo(name="twice", version="twice-1", takes="numbers-1", returns=("x",))


class Service:
    """A service whose answers a test writes."""

    def __init__(self) -> None:
        self.handler: Handler = self.answer
        self.requests = 0
        self.version = INFO.version

    async def predict(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        return await self.handler(request)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        _, arrays = wire.decode(await request.read())
        return web.Response(body=wire.encode({"version": self.version, "cpu_s": 0.5}, [a * 2 for a in arrays]))

    async def info(self, _: web.Request) -> web.StreamResponse:
        return web.Response(body=msgspec.json.encode(INFO))


@pytest.fixture
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Service, str]]:
    monkeypatch.setattr(rpc, "FIRST_WAIT_S", 0.001)
    made = Service()
    app = web.Application()
    app.add_routes([web.post("/predict", made.predict), web.get("/info", made.info)])
    async with TestServer(app) as server:
        yield made, str(server.make_url("")).rstrip("/")


def model(
    url: str,
    *,
    takes: str = "numbers-1",
    returns: tuple[str, ...] = ("x",),
    timeout_s: float = 5.0,
    concurrency: int = 4,
) -> ServiceModel:
    rpc = Rpc(url, timeout_s=timeout_s, attempts=3, concurrency=concurrency)
    return ServiceModel(rpc, takes=takes, returns=returns)


async def test_arrays_go_there_and_back(service: tuple[Service, str]) -> None:
    client = model(service[1])
    answer = await client.predict([np.arange(4, dtype=np.float32), np.zeros((0, 2), np.float32)])
    np.testing.assert_array_equal(answer.arrays[0], [0, 2, 4, 6])
    assert answer.arrays[1].shape == (0, 2)
    assert (answer.cpu_s, answer.remote) == (0.5, True)
    await client.close()


@pytest.mark.parametrize("status", [429, 500, 503, 504])
async def test_a_busy_service_is_asked_again(service: tuple[Service, str], status: int) -> None:
    made, url = service

    async def busy(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status) if made.requests < 3 else await made.answer(request)

    made.handler = busy
    client = model(url)
    answer = await client.predict([np.ones(1, np.float32)])
    assert answer.arrays[0][0] == 2
    assert made.requests == 3
    await client.close()


async def test_a_service_that_stays_busy_is_unavailable_after_the_last_attempt(service: tuple[Service, str]) -> None:
    made, url = service

    async def busy(_: web.Request) -> web.StreamResponse:
        return web.Response(status=503, text="overloaded")

    made.handler = busy
    client = model(url)
    with pytest.raises(ServiceUnavailable, match=r"/predict: status 503: overloaded \(3 attempts\)"):
        await client.predict([np.ones(1, np.float32)])
    await client.close()


async def test_a_wrong_request_is_not_repeated(service: tuple[Service, str]) -> None:
    made, url = service

    async def refuse(_: web.Request) -> web.StreamResponse:
        return web.Response(status=400, text="features must have 106 columns")

    made.handler = refuse
    client = model(url)
    with pytest.raises(ServiceRefused, match="features must have 106 columns"):
        await client.predict([np.ones(1, np.float32)])
    assert made.requests == 1
    await client.close()


async def test_a_service_that_never_answers_is_given_up_at_the_deadline(service: tuple[Service, str]) -> None:
    made, url = service
    forever = asyncio.Event()

    async def hang(_: web.Request) -> web.StreamResponse:
        await forever.wait()
        raise AssertionError

    made.handler = hang
    client = model(url, timeout_s=0.05)
    with pytest.raises(ServiceUnavailable, match=r"no answer within 0\.05 s"):
        await client.predict([np.ones(1, np.float32)])
    forever.set()
    await client.close()


async def test_nobody_listening_is_unavailable() -> None:
    client = model("http://127.0.0.1:1")
    with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.1:1/info"):
        await client.info()
    await client.close()


async def test_a_model_of_another_release_is_refused_before_any_page_is_sent(service: tuple[Service, str]) -> None:
    client = model(service[1], takes="numbers-2")
    with pytest.raises(ServiceRefused, match="takes numbers-1, this release sends numbers-2"):
        await client.predict([np.ones(1, np.float32)])
    assert service[0].requests == 0
    await client.close()


async def test_a_model_that_tells_other_things_apart_is_refused(service: tuple[Service, str]) -> None:
    client = model(service[1], returns=("y", "x"))
    with pytest.raises(ServiceRefused, match="twice-1 returns x; this release knows y, x"):
        await client.info()
    await client.close()


async def test_a_model_that_changes_under_the_run_is_refused(service: tuple[Service, str]) -> None:
    client = model(service[1])
    await client.info()
    service[0].version = "twice-2"
    with pytest.raises(ServiceRefused, match="changed from twice-1 to twice-2"):
        await client.predict([np.ones(1, np.float32)])
    await client.close()


async def test_an_answer_with_too_few_pages_is_an_error(service: tuple[Service, str]) -> None:
    made, url = service

    async def short(_: web.Request) -> web.StreamResponse:
        return web.Response(body=wire.encode({"version": INFO.version}))

    made.handler = short
    client = model(url)
    with pytest.raises(WireError, match="1 pages asked, 0 answered"):
        await client.predict([np.ones(1, np.float32)])
    await client.close()


async def test_no_more_requests_than_allowed_are_under_way(service: tuple[Service, str]) -> None:
    made, url = service
    under_way, most, gate = 0, 0, asyncio.Event()

    async def count(request: web.Request) -> web.StreamResponse:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 2:
            gate.set()
        await gate.wait()
        under_way -= 1
        return await made.answer(request)

    made.handler = count
    client = model(url, concurrency=2)
    await asyncio.gather(*(client.predict([np.ones(1, np.float32)]) for _ in range(8)))
    assert most == 2
    await client.close()
