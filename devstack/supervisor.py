"""Starts a stack, watches it and stops it: what outlives `make up`, and the parent of all parts.

    python -m devstack.supervisor HOME --lock FD [--with-parent PID] [--hermetic]

It is two processes, a guard and below it the supervisor proper. Both adopt orphans, so whatever a part leaves behind is
found and ended; and if one of the two is killed, the other one ends everything.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType

import click

from devstack import parts, processes
from devstack.home import ROOT, Home, Part, State
from devstack.ports import Ports
from devstack.rest import Airflow, HttpError, answers

START_TIMEOUT_S = 300.0
"""A part that is not ready by then is taken for broken."""
WISHED_PORT = 8080
DAG = "ingest_collection"
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StackError(Exception):
    """The stack cannot run; the message says which part and where its log is."""


class Stopped(Exception):
    """A signal asks for the end."""


class Supervisor:
    def __init__(self, home: Home, *, lock: int, hermetic: bool) -> None:
        self._home = home
        self._lock = lock
        self._hermetic = hermetic
        self._started = time.monotonic()
        self._state = State(pid=os.getppid())
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ready: dict[str, Callable[[], bool]] = {}
        self._stop = threading.Event()
        self._ports = Ports(ROOT / ".ingest" / "ports")

    def stop(self, signum: int = 0, frame: FrameType | None = None) -> None:
        """From a signal: to be called any number of times."""
        self._stop.set()

    def run(self) -> int:
        """Until asked to stop, or until a part ends. Exit status."""
        self._write()
        status = 0
        try:
            self._start()
            self._state.phase = "ready"
            self._write()
            while True:
                self._wait(0.5)
        except Stopped:
            self._state.phase = "stopping"
        except (StackError, HttpError) as error:
            self._state.phase, self._state.error = "failed", str(error)
            status = 1
        finally:
            self._write()
            processes.end_all(list(self._processes.values()))
            self._ports.close()
        if status == 0:
            self._state.phase = "stopped"
        self._write()
        return status

    def _start(self) -> None:
        base = parts.base_environment(os.environ, hermetic=self._hermetic)
        urls: dict[str, str] = {}
        for service in parts.SERVICES:
            if base.get(service.setting):
                continue
            port = self._ports.choose()
            urls[service.setting] = f"http://{parts.LOOPBACK}:{port}"
            command = parts.service_command(service, port)
            self._launch(service.name, command, parts.service_environment(base, self._home))
            self._ready[service.name] = partial(answers, f"{urls[service.setting]}/readyz")
        port = self._ports.choose(None if self._hermetic else WISHED_PORT)
        env = parts.airflow_environment(parts.ingest_environment(base, self._home, urls), self._home, port)
        self._state.url = env["AIRFLOW__API__BASE_URL"]
        self._migrate(env)
        airflow = Airflow(self._state.url)
        for name, arguments in parts.AIRFLOW_PARTS.items():
            self._launch(name, parts.python("airflow", *arguments), env)
            self._ready[name] = partial(airflow.is_healthy, name)
        self._until_ready()
        self._await_dags(airflow, workers=int(env["INGEST_WORKERS"]))

    def _launch(self, name: str, command: list[str], env: dict[str, str]) -> None:
        log = self._home.logs / f"{name}.log"
        self._processes[name] = processes.start(command, env=env, log=log, cwd=ROOT, keep=[self._lock])
        self._state.parts[name] = Part(seconds=self._seconds())
        self._write()

    def _migrate(self, env: dict[str, str]) -> None:
        """Make Airflow's database, or bring it to this version."""
        self._launch("database", parts.python("airflow", "db", "migrate"), env)
        while (status := self._processes["database"].poll()) is None:
            self._wait(0.1)
        if status:
            raise StackError(self._broken("database"))
        del self._processes["database"]
        self._mark("database", "ready")

    def _until_ready(self) -> None:
        until = time.monotonic() + START_TIMEOUT_S
        while waiting := [name for name in self._ready if self._state.parts[name].state == "starting"]:
            for name in waiting:
                if self._ready[name]():
                    self._mark(name, "ready")
            if time.monotonic() > until:
                raise StackError(
                    f"not ready after {START_TIMEOUT_S:.0f} s: {', '.join(waiting)}; see {self._home.logs}"
                )
            self._wait(0.3)

    def _await_dags(self, airflow: Airflow, *, workers: int) -> None:
        """Make the pool, and wait until the DAGs can be triggered."""
        self._state.parts["dags"] = Part(seconds=self._seconds())
        self._write()
        until = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                airflow.ensure_pool(parts.POOL, workers, "Batches that are converted at a time")
                if airflow.has_dag(DAG):
                    break
                errors = airflow.import_errors()
            except HttpError as error:
                if not error.passing:
                    raise
                errors = []
            if errors:
                raise StackError("DAGs cannot be read: " + "\n".join(errors))
            if time.monotonic() > until:
                raise StackError(f"no DAG {DAG} after {START_TIMEOUT_S:.0f} s; see {self._home.logs}")
            self._wait(0.3)
        self._mark("dags", "ready")

    def _wait(self, seconds: float) -> None:
        """Let time pass. Raises Stopped, or StackError if a part has ended."""
        if self._stop.wait(seconds):
            raise Stopped
        processes.reap(keep=list(self._processes.values()))
        for name, process in self._processes.items():
            if name != "database" and process.poll() is not None:
                self._mark(name, "ended")
                raise StackError(self._broken(name))

    def _broken(self, name: str) -> str:
        log = self._home.logs / f"{name}.log"
        tail = "\n".join(log.read_text("utf-8", "replace").splitlines()[-15:])
        return f"{name} ended with status {self._processes[name].returncode}; the end of {log}:\n{tail}"

    def _mark(self, name: str, state: str) -> None:
        self._state.parts[name].state = state
        self._state.parts[name].seconds = self._seconds()
        self._write()

    def _seconds(self) -> float:
        return round(time.monotonic() - self._started, 1)

    def _write(self) -> None:
        self._home.write(self._state)


@click.command()
@click.argument("home", type=click.Path(path_type=Path))
@click.option("--lock", type=int, required=True, help="File descriptor of the home's lock; all parts share it.")
@click.option("--with-parent", type=int, help="Stop when this process, our parent, ends.")
@click.option("--hermetic", is_flag=True, help="Ignore the INGEST_* settings of the environment.")
def main(home: Path, lock: int, with_parent: int | None, hermetic: bool) -> None:
    processes.adopt_orphans()
    if with_parent:
        processes.end_with_parent(with_parent)
    guard = os.getpid()
    child = os.fork()
    if child:
        sys.exit(watch(child, Home(home)))
    supervisor = Supervisor(Home(home), lock=lock, hermetic=hermetic)
    for sign in SIGNALS:
        signal.signal(sign, supervisor.stop)
    processes.adopt_orphans()
    processes.end_with_parent(guard)
    sys.exit(supervisor.run())


def watch(child: int, home: Home) -> int:
    """The guard: hand signals on to the supervisor, and see that nothing outlives it. Its exit status."""

    def hand_on(*_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)

    for sign in SIGNALS:
        signal.signal(sign, hand_on)
    _, status = os.waitpid(child, 0)
    processes.end_all([])
    if os.WIFSIGNALED(status) and (state := home.read()) is not None:
        state.phase, state.error = "failed", f"the supervisor was ended by signal {os.WTERMSIG(status)}"
        home.write(state)
    return os.waitstatus_to_exitcode(status) & 0xFF


if __name__ == "__main__":
    main()
