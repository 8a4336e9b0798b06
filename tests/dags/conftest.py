"""Airflow with the project's DAGs, and small collections to run them on."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import airflow_home

airflow_home.prepare()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    airflow_home.mark(items, Path(__file__).parent)


@pytest.fixture(scope="session")
def airflow_database() -> None:
    from airflow.utils import db

    db.initdb()


@pytest.fixture(scope="session", autouse=True)
def dags_on_path() -> Iterator[None]:
    """As Airflow has it: DAG files import what lies beside them."""
    sys.path.insert(0, str(airflow_home.ROOT / "dags"))
    yield
    sys.path.remove(str(airflow_home.ROOT / "dags"))


@pytest.fixture
def bag(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Reads the DAG files, with settings."""

    def read(**settings: str) -> Any:
        from airflow.dag_processing.dagbag import DagBag

        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return DagBag(str(airflow_home.ROOT / "dags"))

    return read


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new INGEST_HOME."""
    path = tmp_path / "home"
    monkeypatch.setenv("INGEST_HOME", str(path))
    return path


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """A folder with some of the samples, by their new names."""

    def make(**documents: str) -> Path:
        folder = tmp_path / "source"
        folder.mkdir(exist_ok=True)
        for name, sample in documents.items():
            shutil.copy(airflow_home.SAMPLES / f"{sample}.pdf", folder / f"{name}.pdf")
        return folder

    return make


class Ended(NamedTuple):
    """A run of a DAG that is over."""

    state: str
    tasks: dict[str, list[str]]
    """Task -> states of its instances."""
    names: list[str]
    """Of the mapped instances."""
    run_id: str
    attempts: dict[str, int]
    """Task -> attempts of its first instance."""


@pytest.fixture
def run_dag(airflow_database: None) -> Callable[..., Ended]:
    def run(dag: Any, **conf: Any) -> Ended:
        ended = dag.test(run_conf=conf)
        tasks: dict[str, list[str]] = {}
        tries: dict[str, int] = {}
        names = []
        for instance in sorted(ended.get_task_instances(), key=lambda ti: (ti.task_id, ti.map_index)):
            tasks.setdefault(instance.task_id, []).append(str(instance.state))
            tries.setdefault(instance.task_id, instance.try_number)
            if instance.rendered_map_index:
                names.append(instance.rendered_map_index)
        return Ended(str(ended.state), tasks, names, ended.run_id, tries)

    return run
