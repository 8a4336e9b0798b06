"""One document through sandbox and networks: what a bad page costs, and what never costs another document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from numpy.typing import NDArray

from ingest.errors import Crashed, DeadlineExceeded, EncryptedPdf, NeedsOcr, ServiceFailed, ServiceUnavailable
from ingest.runtime import InProcess
from ingest.sandbox import Limits, Sandbox
from ingest.scheduling import flow
from ingest.scheduling.batch import Usage
from ingest.scheduling.results import judge
from ingest.stage import Model, ModelInfo, Prediction
from tests.support.pdfs import scan_pdf, text_pdf


@asynccontextmanager
async def tools(
    child: str = "ingest.scheduling.child:Child", *, layout: Model | None = None, timeout_s: float = 60
) -> AsyncIterator[flow.Tools]:
    compute = flow.Compute()
    async with Sandbox(child, Limits(memory_mb=1000, step_s=20)) as sandbox:
        yield flow.Tools(
            sandbox=sandbox,
            layout=layout or InProcess("layout", compute),
            labels=InProcess("labels", compute),
            compute=compute,
            document_timeout_s=timeout_s,
            max_pages=100,
        )


async def convert(
    made: flow.Tools, path: Path, *, usage: Usage | None = None, password: str | None = None
) -> flow.Converted:
    job = flow.Job(name=path.name, sha256="0" * 64, versions={}, formats=["docling", "md"], password=password)
    return await flow.convert(made, job, path, usage=usage or Usage())


async def test_a_document_comes_out_in_every_format_asked_for(tmp_path: Path) -> None:
    usage = Usage()
    async with tools() as made:
        converted = await convert(made, text_pdf(tmp_path / "a.pdf", 2), usage=usage)
    assert b"# 1 Observations of station 1" in converted.outputs["md"]
    document = msgspec.json.decode(converted.outputs["docling"])
    assert document["schema_name"] == "DoclingDocument"
    assert converted.pages == 2
    assert judge(converted) == ("converted", "", "")
    assert {"parse", "layout", "labels", "assemble"} <= set(usage.stage_s)
    assert usage.cpu_s > 0
    assert converted.memory_mb > 1


async def test_a_page_that_kills_its_process_is_lost_and_named_and_the_rest_is_converted(tmp_path: Path) -> None:
    async with tools("tests.support.children:DiesOnPage3") as made:
        converted = await convert(made, text_pdf(tmp_path / "a.pdf", 5))
    text = converted.outputs["md"].decode()
    for page in (1, 2, 4, 5):
        assert f"{page} Observations of station {page}" in text
    assert "3 Observations of station 3" not in text
    outcome, code, reason = judge(converted)
    assert (outcome, code) == ("partial", "pages-lost")
    assert "1 of 5 pages lost (page 3: the process died of SIGSEGV on page 3" in reason


async def test_a_document_that_always_kills_its_process_fails_and_others_go_on(tmp_path: Path) -> None:
    async with tools("tests.support.children:AlwaysDies") as made:
        with pytest.raises(Crashed, match=r"^a\.pdf: the process died of SIGKILL"):
            await convert(made, text_pdf(tmp_path / "a.pdf"))


async def test_documents_in_flight_do_not_disturb_one_another(tmp_path: Path) -> None:
    good = [text_pdf(tmp_path / f"{k}.pdf", 2, seed=k) for k in range(4)]
    locked = text_pdf(tmp_path / "locked.pdf", password="x")
    scan = scan_pdf(tmp_path / "scan.pdf")
    async with tools() as made:
        found = await asyncio.gather(*(convert(made, p) for p in [*good, locked, scan]), return_exceptions=True)
        again = [await convert(made, p) for p in good]
    assert isinstance(found[4], EncryptedPdf)
    assert isinstance(found[5], NeedsOcr)
    for side_by_side, alone in zip(found[:4], again, strict=True):
        assert isinstance(side_by_side, flow.Converted)
        assert side_by_side.outputs == alone.outputs


async def test_a_password_opens_an_encrypted_document(tmp_path: Path) -> None:
    async with tools() as made:
        converted = await convert(made, text_pdf(tmp_path / "a.pdf", password="x"), password="x")
    assert b"Observations" in converted.outputs["md"]


async def test_the_deadline_of_a_document_is_kept(tmp_path: Path) -> None:
    async with tools(timeout_s=0.001) as made:
        with pytest.raises(DeadlineExceeded, match=r"a\.pdf"):
            await convert(made, text_pdf(tmp_path / "a.pdf", 60))


class Unavailable:
    """A service that is down."""

    async def info(self) -> ModelInfo:
        raise ServiceUnavailable("http://layout: nobody there")

    async def predict(self, pages: Sequence[NDArray[Any]]) -> Prediction:
        raise ServiceUnavailable("http://layout: nobody there")

    async def close(self) -> None:
        pass


async def test_a_service_that_is_down_is_our_failure_and_names_the_service(tmp_path: Path) -> None:
    async with tools(layout=Unavailable()) as made:
        with pytest.raises(ServiceFailed, match=r"a\.pdf: http://layout: nobody there"):
            await convert(made, text_pdf(tmp_path / "a.pdf"))


async def test_a_straggler_gives_its_turn_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "STRAGGLER_S", 0.01)
    compute, order, forever = flow.Compute(), [], asyncio.Event()

    async def slow() -> None:
        async with compute.turn():
            order.append("slow begins")
            await forever.wait()
        order.append("slow ends")

    async def quick() -> None:
        async with compute.turn():
            order.append("quick")
        forever.set()

    await asyncio.gather(slow(), quick())
    assert order == ["slow begins", "quick", "slow ends"]
    async with compute.turn():
        pass


async def test_one_computes_at_a_time() -> None:
    compute, inside, most = flow.Compute(), 0, 0

    async def one() -> None:
        nonlocal inside, most
        async with compute.turn():
            inside += 1
            most = max(most, inside)
            for _ in range(3):
                await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(5)))
    assert most == 1
