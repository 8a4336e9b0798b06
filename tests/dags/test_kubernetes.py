"""Batches in pods: the unmodified KubernetesPodOperator against an API over HTTP whose pods are local processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ingest.document.records import Outcome
from ingest.runtime import open_context
from ingest.scheduling.batch import BatchResult
from ingest.scheduling.files import RunFiles
from ingest.scheduling.names import run_id_for
from ingest.scheduling.report import Report
from ingest.stores import keys
from tests.dags import kubernetes_double
from tests.dags.kubernetes_double import KubernetesDouble

IMPATIENT = {"poll_interval": 0.2, "startup_check_interval_seconds": 0.2}
"""Seconds between two looks at a pod."""


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


@pytest.mark.parametrize("deferrable", ["true", "false"], ids=["deferrable", "sync"])
def test_a_run_converts_in_pods(
    bag: Callable[..., Any],
    home: Path,
    run_dag: Callable[..., Any],
    source: Callable[..., Path],
    cluster: KubernetesDouble,
    monkeypatch: pytest.MonkeyPatch,
    deferrable: str,
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
        INGEST_KUBERNETES_DEFERRABLE=deferrable,
    ).dags["ingest_collection"]
    dag.get_task("convert").partial_kwargs |= {"retries": 0} | IMPATIENT
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
    for pod in cluster.specs:
        labels = pod["metadata"]["labels"]
        assert labels["corpus-ingest/collection"] == "pods"
        assert labels["corpus-ingest/run"] == run_id_for(ended.run_id).replace("+", "-")[:63]
        assert pod["metadata"]["name"].startswith(f"ingest-pods-{labels['corpus-ingest/batch']}-")
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert pod["spec"]["containers"][0]["securityContext"]["readOnlyRootFilesystem"] is True
    for container in containers:
        request, limit = (container["resources"][kind]["memory"] for kind in ("requests", "limits"))
        assert 256 < int(request.removesuffix("Mi")) < int(limit.removesuffix("Mi")) <= 3072
        assert "secret" not in str(container["env"]).lower()


@pytest.fixture
def one_batch(
    bag: Callable[..., Any],
    home: Path,
    run_dag: Callable[..., Any],
    source: Callable[..., Path],
    cluster: KubernetesDouble,
) -> Callable[..., Any]:
    """A run of a batch of three documents, done one after the other, whose pod meets an end at the first."""

    def run(end: str, deferrable: bool = True) -> Any:
        cluster.ends = {"converted": end} if end else {}
        read = bag(
            INGEST_RUNNER="kubernetes", INGEST_IN_FLIGHT="1", INGEST_KUBERNETES_DEFERRABLE=str(deferrable).lower()
        )
        dag = read.dags["ingest_collection"]
        dag.get_task("convert").partial_kwargs |= {"retry_delay": timedelta(0)} | IMPATIENT
        folder = source(one="world", two="paper-two-column", three="paper-one-column")
        return run_dag(dag, collection="pods", source=str(folder), workers=1)

    return run


@pytest.mark.parametrize("deferrable", [True, False], ids=["deferrable", "sync"])
def test_a_batch_whose_pod_was_evicted_is_done_by_another_pod_which_skips_what_is_done(
    one_batch: Callable[..., Any], cluster: KubernetesDouble, deferrable: bool
) -> None:
    ended = one_batch("evict", deferrable)
    assert ended.state == "success"
    assert (ended.tasks["convert"], ended.attempts["convert"]) == (["success"], 2)
    with open_context() as context:
        files = RunFiles(context.objects, "pods", run_id_for(ended.run_id))
        [batch] = files.plan().batches
        result = msgspec.json.decode(context.objects.get(keys.result_of(batch.key)), type=BatchResult)
        assert {r.reused for r in result.results} == {False, True}
        assert {r.outcome for r in result.results} == {Outcome.CONVERTED}
    attempts = [pod["spec"]["containers"][0]["args"][4:] for pod in cluster.specs]
    memory = [pod["spec"]["containers"][0]["resources"]["limits"]["memory"] for pod in cluster.specs]
    assert attempts == [["1"], ["2", "--forgive"]], "no document is to blame for an eviction"
    assert memory[0] == memory[1]


def test_a_pod_that_is_gone_is_replaced(one_batch: Callable[..., Any], cluster: KubernetesDouble) -> None:
    ended = one_batch("delete")
    assert (ended.state, ended.attempts["convert"]) == ("success", 2)
    assert cluster.specs[1]["spec"]["containers"][0]["args"][4:] == ["2", "--forgive"]


def test_after_a_kill_for_memory_the_next_pod_gets_the_double(
    one_batch: Callable[..., Any], cluster: KubernetesDouble
) -> None:
    ended = one_batch("oom")
    assert (ended.state, ended.attempts["convert"]) == ("success", 2)
    first, second = (pod["spec"]["containers"][0]["resources"] for pod in cluster.specs)
    assert int(first["limits"]["memory"].removesuffix("Mi")) <= 3072
    assert second["limits"]["memory"] == second["requests"]["memory"] == "6144Mi"
    assert cluster.specs[1]["spec"]["containers"][0]["args"][4:] == ["2"], "a document may be to blame"


def test_a_pod_that_fails_fails_its_batch_and_the_run_is_red(
    bag: Callable[..., Any],
    home: Path,
    run_dag: Callable[..., Any],
    source: Callable[..., Path],
    cluster: KubernetesDouble,
) -> None:
    dag = bag(INGEST_RUNNER="kubernetes").dags["ingest_collection"]
    convert = dag.get_task("convert")
    convert.partial_kwargs |= {"arguments": ["worker", "--batch", "no/such/key"]} | IMPATIENT
    ended = run_dag(dag, collection="pods", source=str(source(world="world")))
    assert ended.state == "failed"
    assert ended.tasks["convert"] == ["failed"]
    assert ended.tasks["merge"] == ["success"]
    assert ended.tasks["good"] == ["upstream_failed"]
    assert len(cluster.specs) == 1, "what no retry can help is not tried again"
