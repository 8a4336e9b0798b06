"""Airflow for tests: a home of its own for each process, in a temporary folder, set before Airflow is imported."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"

NOISE = (
    "ignore:GitWildMatchPattern:DeprecationWarning",  # pathspec has a new name for it
    "ignore:Using `httpx` with `starlette.testclient` is deprecated",
)
"""Warnings of Airflow and its libraries about each other; ours stay errors."""


def prepare() -> None:
    """Point Airflow at the checkout and at an empty home. To be called before `import airflow`, once in a process."""
    if os.environ.get("AIRFLOW_TEST_PID") == str(os.getpid()):
        return
    assert "airflow" not in sys.modules, "Airflow was imported before its home was set"
    for name in [n for n in os.environ if n.startswith(("AIRFLOW__", "INGEST_"))]:
        del os.environ[name]
    home = tempfile.mkdtemp(prefix="airflow-test-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    settings = {
        "CORE__DAGS_FOLDER": ROOT / "dags",
        "CORE__PLUGINS_FOLDER": ROOT / "plugins",
        "CORE__LOAD_EXAMPLES": False,
        "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": False,
        "API__BASE_URL": "http://testserver",
        "API__SECRET_KEY": "a key of the tests",
        "API_AUTH__JWT_SECRET": "another key of the tests, which has to have 64 bytes for SHA512!!",
        "LOGGING__LOGGING_LEVEL": "WARNING",
        "USAGE_DATA_COLLECTION__ENABLED": False,
    }
    os.environ.update({f"AIRFLOW__{name}": str(value) for name, value in settings.items()})
    os.environ |= {"AIRFLOW_HOME": home, "AIRFLOW_TEST_PID": str(os.getpid())}


def mark(items: list[pytest.Item], folder: Path) -> None:
    """Tests of a folder share one process (Airflow's import and database cost ten seconds), and bear its noise."""
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.xdist_group("airflow"))
            for filter_ in NOISE:
                item.add_marker(pytest.mark.filterwarnings(filter_))
