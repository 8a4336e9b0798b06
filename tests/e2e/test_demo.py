"""The demo's judgement; and, where asked for (`make e2e`), the demo itself and the stack, as a user has them.

`make demo` is a test of its own, and continuous integration runs it: so here whole stacks start only if asked for.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devstack import demo, processes
from devstack.home import ROOT
from devstack.rest import Airflow
from ingest.document.records import DocumentRecord, Outcome
from ingest.export.index import Hit
from ingest.stores.ledger import open_ledger

EXPECTED: dict[str, Any] = json.loads((ROOT / "samples" / "expected.json").read_text("utf-8"))


def as_expected() -> list[DocumentRecord]:
    return [
        DocumentRecord(
            collection="samples", doc_id=path, path=path, outcome=Outcome(entry["outcome"]), code=entry.get("code", "")
        )
        for path, entry in EXPECTED.items()
    ]


def hit(path: str, page: int) -> Hit:
    names = dict.fromkeys(
        ("doc_id", "title", "label", "section", "snippet", "ref", "sha256", "fingerprint", "run_id"), ""
    )
    return Hit(score=1, collection="samples", path=path, page=page, bbox=(0, 0, 1, 1), **names)


def test_the_samples_as_expected_are_good() -> None:
    assert demo.outcome_problems(EXPECTED, as_expected()) == []


def test_an_outcome_that_was_not_expected_fails_the_demo() -> None:
    records = as_expected()
    records[0].outcome, records[0].code = Outcome.FAILED, "crashed"
    [problem] = demo.outcome_problems(EXPECTED, records)
    assert problem.startswith(records[0].path)


def test_a_rejection_for_another_reason_fails_the_demo() -> None:
    records = as_expected()
    rejected = next(r for r in records if r.code == "encrypted")
    rejected.code = "broken-pdf"
    [problem] = demo.outcome_problems(EXPECTED, records)
    assert problem.startswith("encrypted.pdf")


def test_a_missing_and_a_surplus_document_fail_the_demo() -> None:
    records = as_expected()[1:]
    records.append(DocumentRecord(collection="samples", doc_id="x", path="x.pdf", outcome=Outcome.CONVERTED))
    assert len(demo.outcome_problems(EXPECTED, records)) == 2


def test_a_search_that_does_not_find_its_page_fails_the_demo() -> None:
    _, path, page = demo.sample_search(EXPECTED)
    assert demo.search_problems([hit("other.pdf", page), hit(path, page)], path, page) == []
    assert demo.search_problems([hit(path, page + 1)], path, page)
    assert demo.search_problems([], path, page)


def test_progress_counts_tasks_and_documents(tmp_path: Path) -> None:
    ledger = open_ledger(f"sqlite://{tmp_path}/ledger.sqlite")
    tasks = [("discover", "success"), ("convert", "running"), ("convert", "failed"), ("merge", "")]
    try:
        assert demo.progress(tasks, ledger) == "1 of 4 tasks done; 1 failed; running: convert"
        ledger.upsert([*as_expected(), DocumentRecord(collection="samples", doc_id="new", path="new.pdf")])
        assert demo.progress(tasks, ledger).endswith("; 9 of 10 documents done")
    finally:
        ledger.close()


# From here on: the real thing.

slow = [
    pytest.mark.skipif(
        not os.environ.get("INGEST_TEST_DEMO"), reason="runs with INGEST_TEST_DEMO=1, as `make e2e` sets it"
    ),
    pytest.mark.timeout(900),
]


def devstack(verb: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "devstack", verb],
        cwd=ROOT,
        env=os.environ | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """The process's lines up to one that holds the text."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            return "".join(lines)
    raise AssertionError(f"{text!r} was never said:\n{''.join(lines)}")


def listening(pids: set[int]) -> set[str]:
    """Local addresses, in the kernel's hexadecimal notation, on which these processes listen."""
    inodes = set()
    for pid in pids:
        try:
            links = [entry.readlink() for entry in Path(f"/proc/{pid}/fd").iterdir()]
        except FileNotFoundError:
            continue
        inodes |= {str(link)[8:-1] for link in links if str(link).startswith("socket:[")}
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text("utf-8").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(fields[1].rpartition(":")[0])
    return found


def gone(pids: set[int]) -> Callable[[], bool]:
    return lambda: (
        not any(
            Path(f"/proc/{pid}/stat").exists() and ") Z " not in Path(f"/proc/{pid}/stat").read_text("utf-8")
            for pid in pids
        )
    )


def eventually(condition: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.2)


class TestDemo:
    pytestmark = slow

    def test_two_demos_at_once_are_both_good_and_leave_nothing_running(self) -> None:
        both = [devstack("demo"), devstack("demo")]
        for process in both:
            read_until(process, "Triggering")
        running = [processes.descendants(process.pid) for process in both]
        assert all(listening(pids) == {"0100007F"} for pids in running), "something listens beyond 127.0.0.1"
        ends = [process.communicate()[0] for process in both]
        assert [process.returncode for process in both] == [0, 0], "\n".join(ends)
        assert all("6 converted" in text and "3 rejected" in text and "page 1, box" in text for text in ends)
        assert gone(running[0] | running[1])()

    @pytest.mark.parametrize("moment", ["layout ready", "running: convert"])
    def test_ctrl_c_leaves_nothing_running(self, moment: str) -> None:
        process = devstack("demo")
        read_until(process, moment)
        running = processes.descendants(process.pid)
        assert running
        os.kill(process.pid, signal.SIGINT)
        text, _ = process.communicate()
        assert process.returncode == 130, text
        eventually(gone(running), 5)

    def test_a_killed_demo_leaves_nothing_running(self) -> None:
        process = devstack("demo")
        read_until(process, "running: convert")
        running = processes.descendants(process.pid)
        process.kill()
        process.communicate()
        eventually(gone(running), 60)


class TestStack:
    """`make up`, used with a browser."""

    pytestmark = slow

    def test_a_run_is_triggered_followed_and_found_in_the_interface(self, tmp_path: Path) -> None:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        if chromium is None:
            pytest.skip("no Chromium on this machine")
        from playwright.sync_api import expect, sync_playwright

        source = tmp_path / "pdfs"
        source.mkdir()
        shutil.copy(ROOT / "samples" / "world.pdf", source)
        env = {"INGEST_HOME": str(tmp_path / "home")}
        up = devstack("up", **env)
        text, _ = up.communicate()
        assert up.returncode == 0, text
        url = next(line for line in text.splitlines() if line.startswith("Airflow:")).split()[1]
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page()
                page.goto(f"{url}/dags/ingest_collection", wait_until="commit")
                page.get_by_role("button", name="Trigger").first.click(timeout=60_000)
                page.locator("input[name='element_collection']").fill("leaflets")
                page.locator("input[name='element_source']").fill(str(source))
                page.get_by_role("dialog").get_by_role("button", name="Trigger").click()
                page.get_by_role("dialog").wait_for(state="hidden")
                page.goto(f"{url}/plugin/corpus", wait_until="commit")
                corpus = page.frame_locator("iframe")
                corpus.get_by_role("link", name="leaflets").click(timeout=120_000)
                expect(corpus.get_by_text("1 of 1 documents done")).to_be_visible(timeout=120_000)
                expect(corpus.locator("h2 .state", has_text="published")).to_be_visible(timeout=120_000)
                browser.close()
            [run] = Airflow(url).get("dags/ingest_collection/dagRuns")["dag_runs"]
            eventually(lambda: Airflow(url).run_state("ingest_collection", run["dag_run_id"]) == "success", 60)
        finally:
            down = devstack("down", **env)
            text, _ = down.communicate()
        assert down.returncode == 0, text
        assert "Nothing runs" in devstack("status", **env).communicate()[0]
