"""The local stack's ground: processes that leave nothing behind, ports, homes, environments."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from devstack import home as homes
from devstack import launch, parts, processes
from devstack.home import ROOT, Home, State
from devstack.ports import Ports, is_free

Stack = Callable[[], tuple[Home, "subprocess.Popen[bytes]"]]


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """Starts a supervisor of stubborn parts, and waits until they run."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> tuple[Home, subprocess.Popen[bytes]]:
        home = Home(tmp_path / "home")
        lock = home.lock()
        assert lock is not None
        command = [sys.executable, "-m", "tests.unit.fake_stack", str(home.path), "--lock", str(lock.fileno())]
        supervisor = subprocess.Popen(command, cwd=ROOT, pass_fds=[lock.fileno()], start_new_session=True)
        started.append(supervisor)
        lock.close()
        wait_for(lambda: (state := home.read()) is not None and state.phase == "ready")
        wait_for(lambda: len(processes.descendants(supervisor.pid)) == 4)
        return home, supervisor

    yield start
    for supervisor in started:
        for pid in processes.descendants(supervisor.pid) | {supervisor.pid}:
            if supervisor.poll() is None:
                os.kill(pid, signal.SIGKILL)
        supervisor.wait()


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def alive(pids: set[int]) -> set[int]:
    """Those that still run; a zombie does not."""
    found = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            found.add(pid)
    return found


def test_stopping_ends_the_stubborn_the_orphaned_and_those_elsewhere(stack: Stack) -> None:
    home, supervisor = stack()
    everything = processes.descendants(supervisor.pid)
    launch.stop(home)
    assert supervisor.wait(5) == 0
    assert alive(everything) == set()
    state = home.read()
    assert state is not None
    assert state.phase == "stopped"
    assert not home.running()


@pytest.mark.parametrize("victim", ["guard", "supervisor"])
def test_nothing_outlives_a_killed_stack(stack: Stack, victim: str) -> None:
    home, guard = stack()
    everything = processes.descendants(guard.pid)
    [supervisor] = [pid for pid in everything if parent(pid) == guard.pid]
    os.kill(guard.pid if victim == "guard" else supervisor, signal.SIGKILL)
    guard.wait()
    wait_for(lambda: alive(everything) == set())
    wait_for(lambda: not home.running())
    state = home.read()
    assert state is not None
    assert state.phase == ("stopped" if victim == "guard" else "failed")


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])


def test_a_part_that_ends_is_named_and_ends_the_stack(stack: Stack) -> None:
    home, guard = stack()
    [polite] = [pid for pid in processes.descendants(guard.pid) if "import time; time" in command(pid)]
    os.kill(polite, signal.SIGKILL)
    assert guard.wait(30) == 1
    state = home.read()
    assert state is not None
    assert state.phase == "failed"
    assert state.error.startswith("polite ended with status -9; the end of ")


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text("utf-8").replace("\0", " ")


def test_a_second_stack_at_the_same_home_is_told_so(stack: Stack) -> None:
    home, _ = stack()
    assert home.running()
    assert home.lock() is None


def test_two_demos_have_homes_of_their_own_and_the_next_one_starts_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "ROOT", tmp_path)
    one, lock_one = homes.demo_home()
    two, lock_two = homes.demo_home()
    assert one.path != two.path
    one.write(State(pid=1))
    (one.path / "objects").mkdir()
    lock_one.close()
    again, lock_again = homes.demo_home()
    assert again.path == one.path
    assert sorted(path.name for path in again.path.iterdir()) == ["stack.lock"]
    lock_two.close()
    lock_again.close()


def test_ports_are_free_and_never_given_twice(tmp_path: Path) -> None:
    with closing(Ports(tmp_path)) as one, closing(Ports(tmp_path)) as other:
        chosen = [ports.choose() for ports in (one, other) for _ in range(5)]
        assert len(set(chosen)) == 10
        assert all(is_free(port) for port in chosen)


def test_a_wished_port_is_given_unless_it_is_taken(tmp_path: Path) -> None:
    with closing(Ports(tmp_path)) as ports:
        free = ports.choose()
        assert ports.choose(free) != free, "it is ours already"
    with closing(Ports(tmp_path)) as ports, socket.create_server(("127.0.0.1", 0)) as server:
        assert ports.choose(free) == free
        taken = server.getsockname()[1]
        assert ports.choose(taken) != taken


def test_a_demo_takes_no_settings_from_outside_and_a_stack_does(tmp_path: Path) -> None:
    outside = {"INGEST_OBJECTS": "s3://bucket", "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor", "HOME": "/root"}
    demo = parts.base_environment(outside, hermetic=True)
    stack = parts.base_environment(outside, hermetic=False)
    assert "INGEST_OBJECTS" not in demo
    assert stack["INGEST_OBJECTS"] == "s3://bucket"
    assert "AIRFLOW__CORE__EXECUTOR" not in demo | stack
    assert demo["HOME"] == "/root"
    assert "127.0.0.1" in demo["NO_PROXY"]


def test_airflow_listens_on_the_loopback_interface_and_keeps_to_its_home(tmp_path: Path) -> None:
    home = Home(tmp_path)
    base = parts.ingest_environment(parts.base_environment({}, hermetic=True), home, {"INGEST_LAYOUT_URL": "http://x"})
    env = parts.airflow_environment(base, home, 12345)
    assert env["AIRFLOW__API__HOST"] == "127.0.0.1"
    assert env["AIRFLOW__API__BASE_URL"] == "http://127.0.0.1:12345"
    assert env["AIRFLOW_HOME"].startswith(str(tmp_path))
    assert env["INGEST_HOME"] == str(tmp_path)
    assert env["INGEST_LAYOUT_URL"] == "http://x"
    assert all("--skip-serve-logs" in parts.AIRFLOW_PARTS[name] for name in ("scheduler", "triggerer"))
