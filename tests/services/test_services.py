"""The model services as they are deployed: BentoML processes, spoken to over HTTP."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

from ingest import features, wire
from ingest.clients.model import ServiceModel
from ingest.clients.rpc import Rpc
from ingest.document.labels import LABELS, REGIONS
from ingest.errors import ServiceRefused
from ingest.pipeline import render
from ingest.runtime import InProcess
from ingest.scheduling.flow import Compute
from tests.support.pdfs import text_pdf
from tests.support.runs import platform, whole_run

SERVICES = {"layout": "bentos.layout.service:Layout", "labels": "bentos.seq2seq.service:Labels"}
START_S = 120


@contextmanager
def served(service: str, folder: Path) -> Iterator[str]:
    """Address of a running service."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "bentoml", "serve", service, "--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"BENTOML_DO_NOT_TRACK": "True", "BENTOML_HOME": str(folder / "bentoml")}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env=environment, cwd=Path(__file__).parents[2], start_new_session=True
        )
    try:
        wait_until_ready(process, f"http://127.0.0.1:{port}/readyz", folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            with urlopen(url, timeout=5):
                return
        except OSError:
            with pytest.raises(subprocess.TimeoutExpired):  # a pause that ends early if the process does
                process.wait(0.3)
    raise AssertionError(f"not ready after {START_S} s:\n{log.read_text()}")


@pytest.fixture(scope="session")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(served(service, tmp_path_factory.mktemp(name)))
            for name, service in SERVICES.items()
        }


def model(url: str, takes: str) -> ServiceModel:
    returns = REGIONS if takes == render.VERSION else LABELS
    return ServiceModel(
        Rpc(url, timeout_s=60, attempts=2, concurrency=4), takes=takes, returns=tuple(map(str, returns))
    )


async def test_a_service_says_what_it_takes_and_returns(urls: dict[str, str]) -> None:
    layout, labels = model(urls["layout"], render.VERSION), model(urls["labels"], features.VERSION)
    assert (await layout.info()).returns == tuple(map(str, REGIONS))
    assert (await labels.info()).returns == tuple(map(str, LABELS))
    await layout.close()
    await labels.close()


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_probes_and_metrics_answer(urls: dict[str, str], path: str) -> None:
    for url in urls.values():
        with urlopen(url + path) as response:
            assert response.status == 200


async def test_a_service_answers_as_the_network_in_the_process_does(urls: dict[str, str]) -> None:
    rng = np.random.default_rng(3)
    rasters = [rng.integers(0, 256, shape, np.uint8) for shape in ((512, 400), (400, 512), (512, 400))]
    tables = [rng.normal(size=(n, len(features.NAMES))).astype(np.float32) for n in (40, 0, 700, 1)]
    for name, takes, pages in (
        ("layout", render.VERSION, rasters),
        ("labels", features.VERSION, tables),
    ):
        remote = model(urls[name], takes)
        here = InProcess(name, Compute())
        assert await remote.info() == await here.info()
        answers, expected = await remote.predict(pages), await here.predict(pages)
        for answer, wanted in zip(answers.arrays, expected.arrays, strict=True):
            np.testing.assert_array_equal(answer, wanted)
        assert answers.cpu_s > 0
        await remote.close()


async def test_a_wrong_array_is_refused_with_the_reason(urls: dict[str, str]) -> None:
    layout = model(urls["layout"], render.VERSION)
    with pytest.raises(ServiceRefused, match="a raster must be uint8 of 512 x 400"):
        await layout.predict([np.zeros((3, 3), np.uint8)])
    await layout.close()
    labels = model(urls["labels"], features.VERSION)
    with pytest.raises(ServiceRefused, match="features must be float32"):
        await labels.predict([np.zeros((3, 3), np.float32)])
    await labels.close()


@pytest.mark.parametrize("body", [b"", b"hello", wire.MAGIC + b"\xff\xff\xff\xff"])
def test_a_message_that_cannot_be_read_is_a_bad_request(urls: dict[str, str], body: bytes) -> None:
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(urls["labels"] + "/predict", data=body, method="POST"))
    assert caught.value.code == 400
    caught.value.close()


def test_a_run_with_services_gives_the_documents_of_a_run_without(urls: dict[str, str], tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    text_pdf(source / "a.pdf", 20, seed=4)
    outputs = []
    for name, settings in (
        ("here", {}),
        ("there", {"layout_url": urls["layout"], "labels_url": urls["labels"]}),
    ):
        with platform(tmp_path / name, **settings) as context:
            report = whole_run(context, source, "run-1")
            assert report.good
            assert {"layout", "labels"} <= set(report.stage_cpu_s)
            (record,) = context.ledger.documents("test")
            outputs.append(context.objects.get(record.result_key))
    assert outputs[0] == outputs[1]
