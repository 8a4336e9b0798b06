"""Airflow's own application with the plugin, a corpus with hostile names behind it, and a browser before it."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.document.records import DocumentRecord, Outcome, RunRecord, RunState, document_id
from ingest.runtime import open_context
from ingest.scheduling.batch import Plan, PlannedBatch
from ingest.scheduling.files import RunFiles
from tests import airflow_home

airflow_home.prepare()

HOSTILE = "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>{{ 7*7 }}.pdf"
BIDI = "invoice‮fdp.exe"
NOW_MS = 1_795_000_000_000
STEPS = ("inventory.jsonl", "outcomes.jsonl", "publish.json")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    airflow_home.mark(items, Path(__file__).parent)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two collections: `papers`, published, with hostile names; `night`, whose run is half-way."""
    monkeypatch.setenv("INGEST_HOME", str(tmp_path))
    with open_context() as context:
        for collection, run_id, state in (("papers", "first", RunState.PUBLISHED), ("night", "now", RunState.RUNNING)):
            context.ledger.put_run(
                RunRecord(
                    collection=collection,
                    run_id=run_id,
                    source="/data/<b>papers</b>",
                    state=state,
                    started_ms=NOW_MS,
                    finished_ms=NOW_MS + 90_000 if state is RunState.PUBLISHED else 0,
                )
            )
        documents = {
            "good.pdf": (Outcome.CONVERTED, "", ""),
            "also good.pdf": (Outcome.CONVERTED, "", ""),
            HOSTILE: (Outcome.REJECTED, "encrypted", f"{HOSTILE}: needs a password"),
            BIDI: (Outcome.FAILED, "crashed", "</td></tr><script>document.title='broken in'</script>"),
        }
        context.ledger.upsert(record("papers", "first", path, *end) for path, end in documents.items())
        context.ledger.upsert(
            record("night", "now", f"{n}.pdf", Outcome.CONVERTED if n < 3 else None, "", "") for n in range(10)
        )
        papers = RunFiles(context.objects, "papers", "first")
        for name in STEPS:
            papers.write(name, {})
        papers.write("plan.json", plan(1))
        papers.write("gate.json", VERDICT)
        papers.write("report.json", REPORT)
        context.objects.put(papers.key("results/0001.json"), b"{}")
        page = "<h1>Checks</h1><a href='validations/x.html'>x</a><script>document.title='broken in'</script>"
        context.objects.put(papers.key("data_docs/index.html"), page.encode())
        context.objects.put(papers.key("data_docs/validations/x.html"), b"<h1>One check</h1>")
        context.objects.put("secret.json", b"not yours")
        night = RunFiles(context.objects, "night", "now")
        night.write("inventory.jsonl", {})
        night.write("plan.json", plan(4))
        context.objects.put(night.key("results/0001.json"), b"{}")
    return tmp_path


def plan(batches: int) -> Plan:
    made = [PlannedBatch(key=f"b/{n}", name=str(n), cost_s=1.0, tasks=1) for n in range(batches)]
    return Plan(batches=made, cost_s=1.0, documents=batches, shards=0)


def record(collection: str, run_id: str, path: str, outcome: Outcome | None, code: str, reason: str) -> DocumentRecord:
    return DocumentRecord(
        collection=collection,
        doc_id=document_id(collection, path),
        path=path,
        outcome=outcome,
        code=code,
        reason=reason,
        seen_run=run_id,
        changed_run=run_id,
        published_run=run_id if outcome is Outcome.CONVERTED and collection == "papers" else "",
    )


VERDICT = {
    "collection": "papers",
    "run_id": "first",
    "passed": True,
    "checked": 2,
    "data_docs": "index.html",
    "summary": None,
    "thresholds": {},
}
REPORT = {
    "run_id": "first",
    "collection": "papers",
    "source": "/data/papers",
    "good": True,
    "documents": {"discovered": 4, "converted": 2, "rejected": 1, "failed": 1, "published": 2},
    "reasons": {},
    "pages": {"converted": 1234, "failed": 5},
    "tts_s": 83.0,
    "effective_pages_per_s": 14.9,
    "sustained_pages_per_s": 15.2,
    "serial_s": {},
    "cpu_s": 160.0,
    "stage_cpu_s": {},
    "pages_per_cpu_s": 7.7,
    "gate": {"verdict": "passed", "data_docs": "runs/papers/first/data_docs/index.html"},
    "versions": {},
    "started_ms": NOW_MS,
    "finished_ms": NOW_MS + 90_000,
}


@pytest.fixture(scope="session")
def airflow_app() -> Any:
    """The API server's application, with the plugins of the checkout."""
    from airflow.utils import db

    db.initdb()
    from airflow.api_fastapi.app import create_app

    return create_app()


@pytest.fixture(autouse=True)
def fresh_pages(airflow_app: Any) -> None:
    """What the pages have kept of another test's corpus is forgotten."""
    from corpus import views

    views._cache = views.Cache()


@pytest.fixture(scope="session")
def token(airflow_app: Any) -> str:
    """Of a user who may look and nothing else."""
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    return get_auth_manager().generate_jwt(SimpleAuthManagerUser(username="visitor", role="VIEWER"))


@pytest.fixture(scope="session")
def server(airflow_app: Any) -> Iterator[str]:
    """The application on a free port of the loopback interface; its address."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(airflow_app, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < until
        time.sleep(0.05)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(30)
    listening.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium for the tests of this folder. Not for the session: while it is open, its loop runs in this thread."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no Chromium on this machine (looked for {', '.join(names)})")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any, server: str, token: str, corpus: Path) -> Iterator[Any]:
    """A page of a user who has logged in. It fails the test if a script of ours does."""
    context = browser.new_context(base_url=server)
    context.add_cookies([{"name": "_token", "value": token, "url": server}])
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []
