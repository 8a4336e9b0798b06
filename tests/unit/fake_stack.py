"""A supervisor whose parts are stubborn: what the tests of its end run as a process of their own.

python -m tests.unit.fake_stack HOME --lock FD …
"""

from __future__ import annotations

import sys

from devstack import processes, supervisor
from devstack.supervisor import Supervisor

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"""
"""Takes no notice of SIGTERM, and leaves an orphan in a session of its own behind."""
POLITE = "import time; time.sleep(600)"


def start(self: Supervisor) -> None:
    for name, script in (("stubborn", STUBBORN), ("polite", POLITE)):
        self._launch(name, [sys.executable, "-c", script], {})
        self._mark(name, "ready")


if __name__ == "__main__":
    processes.PATIENCE_S = 0.5
    Supervisor._start = start  # type: ignore[method-assign]
    supervisor.main()
