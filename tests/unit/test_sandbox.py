"""The sandbox against a target that spins, crashes, eats memory and raises."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from ingest.errors import Crashed, DeadlineExceeded, EncryptedPdf, MemoryExceeded
from ingest.sandbox import Limits, Sandbox


@pytest.fixture
async def sandbox(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sandbox]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    async with Sandbox("sandbox_target:Target", Limits(memory_mb=200, step_s=0.5)) as started:
        yield started


async def test_a_child_keeps_its_state_between_calls_and_shares_it_with_no_other(sandbox: Sandbox) -> None:
    one, other = await sandbox.spawn(), await sandbox.spawn()
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    await one.call("double", timeout_s=5)
    meta, (doubled,) = await one.call("double", {"name": "x"}, [array], timeout_s=5)
    assert meta == {"calls": 2, "name": "x"}
    np.testing.assert_array_equal(doubled, 2 * array)
    meta, _ = await other.call("double", timeout_s=5)
    assert meta["calls"] == 1
    ended = await one.close()
    await other.close()
    assert ended.clean
    assert ended.memory_mb > 1


async def test_an_error_of_the_document_comes_back_as_itself_and_the_child_lives(sandbox: Sandbox) -> None:
    child = await sandbox.spawn()
    with pytest.raises(EncryptedPdf, match=r"secret\.pdf"):
        await child.call("reject", timeout_s=5)
    meta, _ = await child.call("double", timeout_s=5)
    assert meta["calls"] == 1
    assert (await child.close()).clean


async def test_a_bug_in_the_child_is_a_crash_that_names_its_cause(sandbox: Sandbox) -> None:
    child = await sandbox.spawn()
    with pytest.raises(Crashed, match="ZeroDivisionError: a bug of ours"):
        await child.call("bug", timeout_s=5)
    assert not (await child.close()).clean


async def test_native_code_that_spins_is_killed_at_the_deadline_of_its_step(sandbox: Sandbox) -> None:
    child = await sandbox.spawn()
    with pytest.raises(DeadlineExceeded, match=r"no progress for 0\.5 s on page 7"):
        await child.call("spin", timeout_s=60)
    assert child.page == 7
    ended = await child.close()
    assert os.WIFSIGNALED(ended.status)


async def test_the_deadline_of_the_call_counts_too(sandbox: Sandbox) -> None:
    child = await sandbox.spawn()
    with pytest.raises(DeadlineExceeded, match="not done after"):
        await child.call("spin", timeout_s=0.2)
    await child.close()


async def test_a_segmentation_fault_costs_only_its_child(sandbox: Sandbox) -> None:
    child, other = await sandbox.spawn(), await sandbox.spawn()
    with pytest.raises(Crashed, match="SIGSEGV on page 3"):
        await child.call("segfault", timeout_s=5)
    meta, _ = await other.call("double", timeout_s=5)
    assert meta["calls"] == 1
    await child.close()
    await other.close()


@pytest.mark.parametrize("method", ["eat", "reserve"])
async def test_a_child_that_eats_memory_is_ended_and_says_so(sandbox: Sandbox, method: str) -> None:
    child = await sandbox.spawn()
    with pytest.raises(MemoryExceeded, match="more than 200 MB"):
        await child.call(method, timeout_s=30)
    await child.close()


async def test_calls_to_many_children_run_side_by_side(sandbox: Sandbox) -> None:
    async def one(k: int) -> int:
        child = await sandbox.spawn()
        meta, _ = await child.call("double", {"k": k}, timeout_s=5)
        await child.close()
        return int(meta["k"])

    assert await asyncio.gather(*(one(k) for k in range(20))) == list(range(20))


async def test_a_child_that_waits_for_a_call_is_ended_by_close(sandbox: Sandbox) -> None:
    child = await sandbox.spawn()
    spinning = asyncio.create_task(child.call("spin", timeout_s=60))
    while child.page is None:  # noqa: ASYNC110 - the child has no event to wait for, it only notes its page
        await asyncio.sleep(0)
    spinning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await spinning
    ended = await child.close()
    assert os.WIFSIGNALED(ended.status)


def test_children_die_with_their_worker(tmp_path: Path) -> None:
    """kill -9 of the worker leaves nothing behind, not even native code that spins."""
    import signal
    import subprocess

    script = """
import asyncio, os, sys
from ingest.sandbox import Limits, Sandbox
async def main():
    async with Sandbox("sandbox_target:Target", Limits(200, 60)) as sandbox:
        child = await sandbox.spawn()
        task = asyncio.create_task(child.call("spin", timeout_s=60))
        while child.page is None:
            await asyncio.sleep(0.01)
        print(child.pid, flush=True)
        await task
asyncio.run(main())
"""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment, text=True) as worker:
        assert worker.stdout is not None
        pid = int(worker.stdout.readline())
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        handle = os.pidfd_open(pid) if Path(f"/proc/{pid}").exists() else None
        if handle is not None:
            import select

            ended, _, _ = select.select([handle], [], [], 10)
            os.close(handle)
            assert ended, "the child outlived its worker"
