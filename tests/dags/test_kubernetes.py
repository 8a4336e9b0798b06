"""Batches in pods: the unmodified KubernetesPodOperator against an API over HTTP whose pods are local processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.runtime import open_context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.names import run_id_for
from ingest.scheduling.report import Report
from tests.dags import kubernetes_double
from tests.dags.kubernetes_double import KubernetesDouble


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KubernetesDouble]:
    with kubernetes_double.running() as double:
        config = tmp_path / "kubeconfig"
        config.write_text(kubernetes_double.kubeconfig(double.url), "utf-8")
        monkeypatch.setenv(
            "AIRFLOW_CONN_KUBERNETES_DEFAULT",
            f'{{"conn_type": "kubernetes", "extra": {{"kube_config_path": "{config}"}}}}',
        )
        yield double


def test_a_run_converts_in_pods(
    bag: Callable[..., Any],
    home: Path,
    run_dag: Callable[..., Any],
    source: Callable[..., Path],
    cluster: KubernetesDouble,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ingest.scheduling.plan.MIN_BATCH_S", 0.001)
    hostile = "{{ 1 % 0 }}"
    folder = source(**{hostile: "world", "two": "paper-two-column"})
    dag = bag(
        INGEST_RUNNER="kubernetes",
        INGEST_KUBERNETES_IMAGE="registry.example/worker:1",
        INGEST_KUBERNETES_NAMESPACE="corpus",
        INGEST_KUBERNETES_CONFIG_MAP="corpus-settings",
        INGEST_KUBERNETES_SERVICE_ACCOUNT="worker",
    ).dags["ingest_collection"]
    dag.get_task("convert").partial_kwargs["retries"] = 0
    ended = run_dag(dag, collection="pods", source=str(folder), workers=2)

    assert ended.state == "success"
    assert ended.tasks["convert"] == ["success", "success"]
    assert sorted(name.partition(" · ")[2] for name in ended.names) == ["two.pdf", f"{hostile}.pdf"]
    with open_context() as context:
        files = RunFiles(context.objects, "pods", run_id_for(ended.run_id))
        report = files.find("report.json", Report)
        batches = {batch.key for batch in files.plan().batches}
    assert report is not None
    assert report.documents.converted == 2
    assert cluster.pods == {}, "pods that are done are deleted"
    assert len(cluster.deleted) == 2
    containers = [pod["spec"]["containers"][0] for pod in cluster.specs]
    assert {c["image"] for c in containers} == {"registry.example/worker:1"}
    assert all(c["command"] == ["ingest"] for c in containers)
    assert all(c["args"] == ["worker", "--batch", "$(BATCH)", "--attempt", "1"] for c in containers)
    assert {e["value"] for c in containers for e in c["env"] if e["name"] == "BATCH"} == batches
    assert all(c["envFrom"] == [{"configMapRef": {"name": "corpus-settings"}}] for c in containers)
    assert {pod["spec"]["serviceAccountName"] for pod in cluster.specs} == {"worker"}


def test_a_pod_that_fails_fails_its_batch_and_the_run_is_red(
    bag: Callable[..., Any],
    home: Path,
    run_dag: Callable[..., Any],
    source: Callable[..., Path],
    cluster: KubernetesDouble,
) -> None:
    dag = bag(INGEST_RUNNER="kubernetes").dags["ingest_collection"]
    convert = dag.get_task("convert")
    convert.partial_kwargs |= {"retries": 0, "arguments": ["worker", "--batch", "no/such/key"]}
    ended = run_dag(dag, collection="pods", source=str(source(world="world")))
    assert ended.state == "failed"
    assert ended.tasks["convert"] == ["failed"]
    assert ended.tasks["merge"] == ["success"]
    assert ended.tasks["good"] == ["upstream_failed"]
