"""What is ours of a worker's pod: template, memory, name, labels; and what its end means."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes.client import models as k8s

from ingest.config import load_settings
from ingest.document.records import SourceItem
from ingest.errors import ConfigError, Crashed, MemoryExceeded
from ingest.scheduling.batch import Task
from ingest.scheduling.memory import WORKER_MB, memory_of
from tests.deploy.chart import BASE, manifests, worker_pod

LABEL = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@pytest.fixture(scope="module")
def pods() -> Any:
    import worker_pods

    return worker_pods


@given(collection=st.text("abcXYZ019._-", min_size=1, max_size=80), run=st.text(max_size=90))
def test_names_and_labels_are_kubernetes_own(pods: Any, collection: str, run: str) -> None:
    assert NAME.fullmatch(pods.name_of(collection, "0001"))
    assert LABEL.fullmatch(pods.label(collection))
    assert LABEL.fullmatch(pods.label(run))


def test_two_pods_of_a_batch_have_two_names(pods: Any) -> None:
    assert pods.name_of("papers", "0001") != pods.name_of("papers", "0001")
    assert pods.name_of("papers", "0001").startswith("ingest-papers-0001-")


def test_a_document_has_the_room_that_its_sandbox_grants(pods: Any) -> None:
    settings = load_settings(kubernetes_memory_mb=4096, document_memory_mb=1536)
    assert pods.memory(400, settings, killed=False) == (400, WORKER_MB + 1536)
    assert pods.memory(1500, settings, killed=False) == (1500, 3000)
    assert pods.memory(9000, settings, killed=False) == (4096, 4096)
    assert pods.memory(400, settings, killed=True) == (8192, 8192)


def task(pages: int, size: int, shard: tuple[int, int, int] | None = None) -> Task:
    return Task(doc_id="d", item=SourceItem(path="d.pdf", size=size), sha256="", pages=pages, shard=shard)


def test_memory_grows_with_the_largest_documents_that_may_meet() -> None:
    small, large = task(4, 100_000), task(200, 20_000_000)
    assert memory_of([small], in_flight=3, most_mb=1536) < memory_of([small] * 3, in_flight=3, most_mb=1536)
    assert memory_of([small] * 3, in_flight=3, most_mb=1536) == memory_of([small] * 300, in_flight=3, most_mb=1536)
    assert memory_of([small] * 9 + [large], in_flight=1, most_mb=1536) == memory_of([large], in_flight=1, most_mb=1536)
    assert memory_of([task(99_999, 10**9)], in_flight=1, most_mb=1536) == WORKER_MB + 1536
    assert memory_of([task(512, 10**6, (0, 1, 16))], in_flight=1, most_mb=1536) < memory_of(
        [task(512, 10**6)], in_flight=1, most_mb=1536
    )


def test_a_template_is_json_or_a_file_and_its_mistakes_are_named(pods: Any, tmp_path: Path) -> None:
    text = json.dumps({"spec": {"containers": [{"name": "base"}]}})
    path = tmp_path / "pod.yaml"
    path.write_text(text)
    assert pods.template(text) == pods.template(str(path)) == json.loads(text)
    for wrong in ("{", "{}", str(tmp_path / "none.yaml"), '{"spec": {"containers": [{"name": "main"}]}}'):
        with pytest.raises(ConfigError, match="INGEST_KUBERNETES_POD_TEMPLATE"):
            pods.template(wrong)


def test_without_the_chart_pods_are_as_safe_as_with_it(pods: Any) -> None:
    ours, charts = pods.template("")["spec"], worker_pod(manifests(BASE))["spec"]
    assert ours["securityContext"] == charts["securityContext"]
    assert ours["containers"][0]["securityContext"] == charts["containers"][0]["securityContext"]
    for name in ("automountServiceAccountToken", "enableServiceLinks", "restartPolicy", "volumes"):
        assert ours[name] == charts[name], name


def over(phase: str, code: int | None, reason: str = "Error", message: str = "", *, pod_reason: str = "") -> k8s.V1Pod:
    ended = k8s.V1ContainerStateTerminated(exit_code=code, reason=reason, message=message) if code is not None else None
    state = k8s.V1ContainerState(terminated=ended)
    container = k8s.V1ContainerStatus(name="base", image="i", image_id="", ready=False, restart_count=0, state=state)
    status = k8s.V1PodStatus(phase=phase, reason=pod_reason or None, container_statuses=[container] if ended else None)
    return k8s.V1Pod(metadata=k8s.V1ObjectMeta(name="p"), status=status)


def test_the_end_of_a_pod_is_read_from_its_status(pods: Any) -> None:
    settings = load_settings(kubernetes_memory_mb=2000)
    assert pods.error_of(over("Succeeded", 0, "Completed"), settings) is None
    refused = over("Failed", 2, message="line\ningest: config: wrong setting\n")
    assert pods.end_of(refused) == (2, "Error", "ingest: config: wrong setting")
    assert pods.error_of(refused, settings) is None
    killed = pods.error_of(over("Failed", 137, "OOMKilled"), settings)
    assert type(killed) is MemoryExceeded
    assert "4000 MB" in str(killed)
    for evicted in (over("Failed", 143, pod_reason="Evicted"), over("Failed", None, pod_reason="Evicted")):
        error = pods.error_of(evicted, settings)
        assert type(error) is Crashed
        assert error.retry


def test_what_a_worker_said_last_decides_about_another_attempt() -> None:
    import ingest_retries

    policy = ingest_retries.RetryPods()
    for line, again in (("ingest: handed-back: told to end", True), ("ingest: not-found: no such key", False)):
        try:
            try:
                raise ingest_retries.worker_error(1, line)
            finally:
                raise RuntimeError("Pod p returned a failure.")
        except RuntimeError as error:
            assert policy.evaluate(error, 1, 3).action.value == ("retry" if again else "fail")
    assert policy.evaluate(RuntimeError("the API server does not answer"), 1, 3).action.value == "default"
