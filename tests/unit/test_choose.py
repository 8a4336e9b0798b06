"""Model services that a collection chooses by name: which run, what is refused, what `ingest models` says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from ingest.cli.main import cli
from ingest.config import Settings, load_settings
from ingest.document.labels import REGIONS
from ingest.errors import ConfigError, WrongVersion
from ingest.pipeline import render
from ingest.runtime import manifests, open_context
from ingest.scheduling import choose, steps
from ingest.scheduling.batch import RunOptions
from ingest.scheduling.collections import asked_for
from ingest.stage import ModelInfo
from tests.support.pdfs import text_pdf
from tests.support.runs import platform

INFO = ModelInfo(name="layout-large", version="large-7", takes=render.VERSION, returns=tuple(map(str, REGIONS)))


class Manifest(BaseHTTPRequestHandler):
    """Answers every GET with the manifest."""

    def do_GET(self) -> None:
        body = msgspec.json.encode(INFO)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Manifest) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def registered(url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Settings]:
    """Settings in which services are registered, as the environment has them."""

    def make(**services: dict[str, str]) -> Settings:
        registry = {name: {"stage": "layout", "url": url} | entry for name, entry in services.items()}
        monkeypatch.setenv("INGEST_MODELS", json.dumps(registry))
        return load_settings()

    return make


def test_a_run_fixes_the_service_that_its_collection_chooses(
    url: str, registered: Callable[..., Settings], tmp_path: Path
) -> None:
    registered(large={"version": "large-7"})
    with platform(tmp_path / "home") as context:
        source = tmp_path / "source"
        source.mkdir()
        text_pdf(source / "a.pdf")
        usual = steps.begin(context, "test", str(source), run_id="usual")
        run = steps.begin(context, "test", str(source), run_id="chosen", options=RunOptions(models=("large",)))
    assert usual.models == {}
    assert run.models == {"layout": url}
    assert run.versions["layout"] == "large-7"
    assert run.versions["labels"] == usual.versions["labels"]
    assert run.fingerprints.parse == usual.fingerprints.parse
    assert run.fingerprints.layout != usual.fingerprints.layout


def test_the_entry_of_a_collection_names_its_models(tmp_path: Path) -> None:
    path = tmp_path / "collections.yaml"
    path.write_text("collections:\n  scans:\n    source: /srv/scans\n    models: [large]\n")
    settings = load_settings(collections=path)
    assert asked_for(settings, "scans").options.models == ("large",)
    assert asked_for(settings, "scans", models=["larger"]).options.models == ("larger",)


def test_whoever_starts_a_run_names_its_models(
    url: str, registered: Callable[..., Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(large={"version": "large-7"})
    monkeypatch.setenv("INGEST_HOME", str(tmp_path / "home"))
    (tmp_path / "source").mkdir()
    text_pdf(tmp_path / "source" / "a.pdf")
    discover = ["discover", "--source", str(tmp_path / "source"), "--run-id", "run", "-c"]
    done = CliRunner().invoke(cli, [*discover, "test", "--model", "large"])
    assert done.exit_code == 0, done.output
    with open_context() as context:
        assert steps.find_run(context, "test", "run").models == {"layout": url}
    refused = CliRunner().invoke(cli, [*discover, "other", "--model", "huge"])
    assert "'huge' is not in INGEST_MODELS; known are large" in str(refused.exception)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["huge"], "'huge' is not in INGEST_MODELS; known are large"),
        (["large", "other"], "chosen for the stage"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(
    registered: Callable[..., Settings], names: list[str], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        choose.models(registered(large={}, other={}), names)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [({"stage": "tables"}, "layout"), ({"url": "large:3000"}, "pattern"), ({"port": ""}, "extra")],
)
def test_an_entry_of_the_registry_that_is_wrong_stops_at_the_start(
    registered: Callable[..., Settings], entry: dict[str, str], problem: str
) -> None:
    with pytest.raises(ConfigError, match=f"(?i)INGEST_MODELS.*{problem}"):
        registered(large=entry)


async def test_a_service_of_another_version_is_refused(url: str, registered: Callable[..., Settings]) -> None:
    settings = registered(large={"version": "large-8"})
    found = await manifests(settings, choose.models(settings, ["large"]), ["layout"])
    with pytest.raises(WrongVersion, match="is large-7, INGEST_MODELS wants large-8"):
        choose.check(settings, ["large"], {stage: info.version for stage, info in found.items()})


def test_the_verb_names_every_service_and_fails_for_one_that_does_not_fit(registered: Callable[..., Settings]) -> None:
    registered(large={"version": "large-7"})
    good = CliRunner().invoke(cli, ["models", "--json"])
    rows = json.loads(good.stdout)
    assert [(row["name"], row["stage"], row["problem"]) for row in rows] == [
        ("", "layout", ""),
        ("", "labels", ""),
        ("large", "layout", ""),
    ]
    assert rows[2]["version"] == "large-7"
    assert good.exit_code == 0
    registered(large={"version": "large-8"}, gone={"url": "http://127.0.0.1:9"})
    bad = CliRunner().invoke(cli, ["models"])
    assert bad.exit_code == 1
    assert "wants large-8" in bad.stdout
    assert "http://127.0.0.1:9/info" in bad.stdout
