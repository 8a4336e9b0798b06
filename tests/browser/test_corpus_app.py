"""The pages' application inside Airflow's: who may see it, what it answers, what it never hands out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import HOSTILE

PAGES = (
    "/corpus/",
    "/corpus/collections/papers",
    "/corpus/collections/papers/runs/first",
    "/corpus/collections/papers/runs/first/data_docs/index.html",
    "/corpus/run?dag_id=ingest_collection&run_id=first",
    "/corpus/run/data_docs?dag_id=ingest_collection&run_id=first",
    "/corpus/api/collections",
    "/corpus/api/collections/papers",
    "/corpus/api/collections/papers/runs/first",
    "/corpus/static/corpus.css",
)


@pytest.fixture
def anonymous(airflow_app: Any, corpus: Path) -> Any:
    from starlette.testclient import TestClient

    return TestClient(airflow_app, follow_redirects=False)


@pytest.fixture
def client(anonymous: Any, token: str) -> Any:
    anonymous.headers["Authorization"] = f"Bearer {token}"
    return anonymous


@pytest.mark.parametrize("path", PAGES)
def test_nobody_gets_in_without_logging_in(anonymous: Any, path: str) -> None:
    answer = anonymous.get(path)
    assert answer.status_code == 401
    assert "papers" not in answer.text


@pytest.mark.parametrize("path", ["/corpus/docs", "/corpus/redoc", "/corpus/openapi.json"])
def test_the_framework_shows_nothing_of_its_own(client: Any, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_token_that_is_not_airflows_is_refused(anonymous: Any) -> None:
    answer = anonymous.get("/corpus/api/collections", headers={"Authorization": "Bearer made.up.token"})
    assert answer.status_code == 403


def test_a_browser_is_sent_to_the_login_and_back(anonymous: Any) -> None:
    answer = anonymous.get("/corpus/collections/papers", headers={"Accept": "text/html"})
    assert answer.status_code == 303
    where = answer.headers["location"]
    assert where == "/api/v2/auth/login?next=http%3A%2F%2Ftestserver%2Fcorpus%2Fcollections%2Fpapers"
    assert anonymous.get(where).status_code == 307, "Airflow takes the address for a safe one"


def test_collections_as_json(client: Any) -> None:
    night, papers = client.get("/corpus/api/collections").json()
    assert (night["name"], night["total"], night["documents"]) == ("night", 10, {"converted": 3, "unfinished": 7})
    assert (papers["name"], papers["published"]) == ("papers", 2)
    assert papers["documents"] == {"converted": 2, "rejected": 1, "failed": 1}
    assert papers["runs"][0]["state"] == "published"


def test_progress_of_a_run_as_json(client: Any) -> None:
    run = client.get("/corpus/api/collections/night/runs/now").json()
    progress = run["progress"]
    assert (progress["done"], progress["total"]) == (3, 10)
    assert (progress["batches_done"], progress["batches"]) == (1, 4)
    states = {step["name"]: step["state"] for step in progress["steps"]}
    assert states == {
        "discover": "done",
        "plan": "done",
        "convert": "active",
        "merge": "open",
        "facts and gate": "open",
        "publish": "open",
        "report": "open",
    }
    assert run["report"] is None


def test_a_finished_run_shows_its_report_and_its_problems_worst_first(client: Any) -> None:
    run = client.get("/corpus/api/collections/papers/runs/first").json()
    assert run["report"]["pages"]["converted"] == 1234
    assert [p["outcome"] for p in run["problems"]] == ["failed", "rejected"]
    assert {step["state"] for step in run["progress"]["steps"]} == {"done"}
    page = client.get("/corpus/collections/papers/runs/first").text
    assert "1,234" in page
    assert "1 min 23 s" in page


def test_names_of_files_are_text_and_never_markup(client: Any) -> None:
    for path in ("/corpus/", "/corpus/collections/papers", "/corpus/collections/papers/runs/first"):
        page = client.get(path).text
        assert "<img" not in page
        assert "<script>" not in page
        assert "<b>papers" not in page
    assert "{{ 7*7 }}" in page
    assert "49" not in page


def test_scripts_from_elsewhere_may_not_run(client: Any) -> None:
    policy = client.get("/corpus/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    docs = client.get("/corpus/collections/papers/runs/first/data_docs/index.html")
    assert docs.status_code == 200
    assert "script-src" not in docs.headers["content-security-policy"]
    assert "default-src 'none'" in docs.headers["content-security-policy"]
    assert docs.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "../../../../secret.json",
        "%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret.json",
        "..%2f..%2f..%2f..%2fsecret.json",
        "validations/..%2f..%2f..%2f..%2f..%2fsecret.json",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "..%2freport.json",
        "index.html%00.json",
        "missing.html",
        "",
    ],
)
def test_data_docs_hand_out_nothing_else(client: Any, path: str) -> None:
    answer = client.get(f"/corpus/collections/papers/runs/first/data_docs/{path}")
    assert answer.status_code == 404
    assert "not yours" not in answer.text


@pytest.mark.parametrize("name", ["%2e%2e", "a%2fb", "no-such", "x" * 200, "-x", "é"])
def test_unknown_and_impossible_names_are_not_found(client: Any, name: str) -> None:
    for path in (f"/corpus/api/collections/{name}", f"/corpus/api/collections/papers/runs/{name}"):
        assert client.get(path).status_code == 404


def test_the_tab_of_a_run_finds_its_collection(client: Any) -> None:
    assert "papers" in client.get("/corpus/run?dag_id=ingest_collection&run_id=first").text
    for other in ("dag_id=ingest_nightly&run_id=first", "dag_id=ingest_collection&run_id=<script>"):
        answer = client.get(f"/corpus/run?{other}")
        assert "Nothing is known yet" in answer.text
        assert "<script>" not in answer.text
    moved = client.get("/corpus/run/data_docs?dag_id=ingest_collection&run_id=first")
    assert moved.headers["location"] == "/corpus/collections/papers/runs/first/data_docs/index.html"


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_the_pages_only_look(client: Any, method: str) -> None:
    assert getattr(client, method)("/corpus/collections/papers").status_code == 405


def test_a_wrong_setting_is_said_and_not_a_crash(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGEST_LEDGER", "oracle://x")
    answer = client.get("/corpus/api/collections")
    assert answer.status_code == 500
    assert "INGEST_LEDGER" in answer.json()["detail"]
    page = client.get("/corpus/", headers={"Accept": "text/html"})
    assert page.status_code == 500
    assert "INGEST_LEDGER" in page.text


def test_an_answer_is_kept_the_longer_the_more_it_cost(airflow_app: Any) -> None:
    from corpus.views import Cache

    now = 0.0
    made = 0

    def make() -> int:
        nonlocal now, made
        now += 2.0
        made += 1
        return made

    cache = Cache(clock=lambda: now)
    assert cache.get("key", make) == 1
    now += 39
    assert cache.get("key", make) == 1
    now += 2
    assert cache.get("key", make) == 2


def test_hostile_name_is_there_at_all(client: Any) -> None:
    """Else the tests above could not fail."""
    problems = client.get("/corpus/api/collections/papers/runs/first").json()["problems"]
    assert HOSTILE in {problem["path"] for problem in problems}
