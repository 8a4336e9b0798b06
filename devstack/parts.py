"""What the stack consists of: the model services and Airflow's processes, with their environment."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from devstack.home import ROOT, Home

LOOPBACK = "127.0.0.1"
POOL = "convert"


class Service(NamedTuple):
    """A model service."""

    name: str
    bento: str
    """What `bentoml serve` takes."""
    setting: str
    """The setting that holds its address; where the user has set it, no service is started."""


SERVICES = (
    Service("layout", "bentos.layout.service:Layout", "INGEST_LAYOUT_URL"),
    Service("labels", "bentos.seq2seq.service:Labels", "INGEST_LABELS_URL"),
)

AIRFLOW_PARTS = {
    # Logs are read from the disk; the servers for them would listen on all interfaces.
    "scheduler": ["scheduler", "--skip-serve-logs"],
    "dag-processor": ["dag-processor"],
    "triggerer": ["triggerer", "--skip-serve-logs"],
    "api-server": ["api-server"],
}


def python(*arguments: str) -> list[str]:
    return [sys.executable, "-m", *arguments]


def service_command(service: Service, port: int) -> list[str]:
    return python("bentoml", "serve", service.bento, "--host", LOOPBACK, "--port", str(port))


def base_environment(environ: Mapping[str, str], *, hermetic: bool) -> dict[str, str]:
    """What all parts get of the user's environment: with `hermetic`, none of its INGEST_* settings."""
    foreign = ("AIRFLOW", "BENTOML", "_AIRFLOW", *(("INGEST_",) if hermetic else ()))
    env = {name: value for name, value in environ.items() if not name.startswith(foreign)}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env.get('PATH', os.defpath)}"
    env["PYTHONUNBUFFERED"] = "1"
    env["NO_PROXY"] = env["no_proxy"] = ",".join(filter(None, [env.get("NO_PROXY"), LOOPBACK, "localhost"]))
    return env


def service_environment(base: Mapping[str, str], home: Home) -> dict[str, str]:
    return {**base, "BENTOML_DO_NOT_TRACK": "True", "BENTOML_HOME": str(home.path / "bentoml")}


def ingest_environment(base: Mapping[str, str], home: Home, urls: Mapping[str, str]) -> dict[str, str]:
    """Settings of `ingest` for everything that converts. `urls`: setting -> address of a model service."""
    cores = str(len(os.sched_getaffinity(0)))
    defaults = {"INGEST_WORKERS": cores, "INGEST_COLLECTIONS": str(ROOT / "collections.yaml")}
    return {**defaults, **base, **urls, "INGEST_HOME": str(home.path), "INGEST_POOL": POOL}


def airflow_environment(base: Mapping[str, str], home: Home, port: int) -> dict[str, str]:
    """Airflow's settings: its home in ours, everything on the loopback interface, nothing asked, nothing sent."""
    url = f"http://{LOOPBACK}:{port}"
    settings = {
        "CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "CORE__LOAD_EXAMPLES": "False",
        "CORE__EXECUTOR": "LocalExecutor",
        "CORE__PARALLELISM": str(int(base["INGEST_WORKERS"] or 1) + 2),
        "CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "CORE__EXECUTION_API_SERVER_URL": f"{url}/execution/",
        "CORE__FERNET_KEY": "",
        "API__HOST": LOOPBACK,
        "API__PORT": str(port),
        "API__BASE_URL": url,
        "API__WORKERS": "1",
        "API__SECRET_KEY": secrets.token_hex(16),
        "API_AUTH__JWT_SECRET": secrets.token_hex(32),
        "DAG_PROCESSOR__PARSING_PROCESSES": "1",
        "LOGGING__BASE_LOG_FOLDER": str(home.logs / "tasks"),
        "LOGGING__DAG_PROCESSOR_CHILD_PROCESS_LOG_DIRECTORY": str(home.logs / "dag-processor"),
        "USAGE_DATA_COLLECTION__ENABLED": "False",
    }
    return {**base, "AIRFLOW_HOME": str(home.airflow), **{f"AIRFLOW__{k}": v for k, v in settings.items()}}
