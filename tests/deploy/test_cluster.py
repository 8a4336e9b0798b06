"""The platform on a real cluster: services from the chart, the collection DAG with real pods, pods that are killed.

Runs with `make test-kubernetes`; tests/deploy/cluster.py says what it needs. Airflow runs on this machine with the
rights of the service account that the chart binds, the stores run on this machine too.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import stream

from devstack import demo, launch
from devstack.home import Home
from devstack.rest import Airflow
from ingest.document.records import DocumentRecord, Outcome
from ingest.runtime import open_context
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from ingest.scheduling.names import run_id_for
from ingest.scheduling.report import Report
from tests.deploy.chart import CHART, RELEASE, ROOT, merged
from tests.deploy.cluster import START_S, Cluster, namespaces, provide_images, wait_for
from tests.support import servers

pytestmark = [
    pytest.mark.skipif(not os.environ.get("INGEST_TEST_KUBERNETES"), reason="runs with `make test-kubernetes`"),
    pytest.mark.timeout(3600),
    pytest.mark.filterwarnings("ignore"),
]
DAG = "ingest_collection"
SAMPLES = ROOT / "samples"
EXPECTED: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
COPIES = 12
RUN_S = 1500
PODS = "INGEST_KUBERNETES_PODS"


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


class Stack(NamedTuple):
    cluster: Cluster
    airflow: Airflow
    home: Home
    bucket: Any
    context: Context


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    provide_images()
    made = Cluster(f"corpus-{secrets.token_hex(3)}", tmp_path_factory.mktemp("cluster"))
    with namespaces(made):
        say(f"Kubernetes {made.version[0]}.{made.version[1]}, namespace {made.namespace}, this machine is {made.host}")
        yield made


@pytest.fixture(scope="module")
def stack(cluster: Cluster) -> Iterator[Stack]:
    """Stores on this machine, services on the cluster, and an Airflow that runs pods there."""
    with ExitStack() as ends, pytest.MonkeyPatch.context() as patch:
        folder = cluster.folder
        s3 = ends.enter_context(servers.moto(folder, cluster.host))
        mongo = ends.enter_context(servers.nx_27017(folder, cluster.host))
        keys = {name: s3.pop(name) for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
        ledger = f"{mongo}/corpus"
        secret = client.V1Secret(
            metadata=client.V1ObjectMeta(name="stores"), string_data=keys | {"INGEST_LEDGER": ledger}
        )
        cluster.core.create_namespaced_secret(cluster.namespace, secret)
        objects = f"s3://{servers.BUCKET}/platform"
        stores = {
            "objects": objects,
            "index": "https://index.invalid",  # workers never ask it
            "secret": "stores",
            "environment": s3,
        }
        values = cluster.values(stores)
        helm = ends.enter_context(cluster.helm())
        helm.install(CHART, RELEASE, values, wait="watcher", timeout=START_S)
        ends.callback(helm.uninstall, RELEASE)
        say("installed; model services are ready")
        settings = cluster.core.read_namespaced_config_map(f"{RELEASE}-airflow", cluster.airflow).data
        patch.delenv("KUBECONFIG")
        environment = {k: v for k, v in settings.items() if not k.startswith("AIRFLOW")} | s3 | keys
        environment |= {f"INGEST_{m.upper()}_URL": cluster.expose(m) for m in ("layout", "labels")}
        environment |= {"INGEST_LEDGER": ledger, "INGEST_HOME": str(folder / "home"), **servers.NO_OTHER_AWS}
        del environment["INGEST_INDEX"]
        for name, value in environment.items():
            patch.setenv(name, value)
        import boto3

        bucket = boto3.resource("s3", endpoint_url=s3["AWS_ENDPOINT_URL"]).Bucket(servers.BUCKET)
        home = Home(folder / "home")
        lock = home.lock()
        assert lock is not None
        supervisor = launch.start(home, lock, demo=False)
        ends.callback(launch.end, supervisor, lock)
        url = launch.until_ready(home, supervisor, say).url
        airflow = Airflow(url)
        extra = json.dumps({"kube_config_path": str(cluster.kubeconfig("airflow-scheduler"))})
        connection = {"connection_id": "kubernetes_default", "conn_type": "kubernetes", "extra": extra}
        airflow.post("connections", connection)
        context = ends.enter_context(open_context())
        yield Stack(cluster, airflow, home, bucket, context)


def trigger(stack: Stack, collection: str, files: dict[str, bytes]) -> str:
    for name, data in files.items():
        stack.bucket.put_object(Key=f"sources/{collection}/{name}", Body=data)
    run_id = f"{collection}-{secrets.token_hex(3)}"
    source = f"s3://{servers.BUCKET}/sources/{collection}"
    stack.airflow.trigger(DAG, run_id, {"collection": collection, "source": source})
    return run_id


def ended(stack: Stack, run_id: str) -> str:
    state = ""

    def over() -> bool:
        nonlocal state
        launch.check(stack.home)
        state = stack.airflow.run_state(DAG, run_id)
        return state in ("success", "failed")

    wait_for(f"run {run_id}", over, RUN_S)
    return state


def records(stack: Stack, collection: str) -> list[DocumentRecord]:
    return list(stack.context.ledger.documents(collection))


def convert_logs(stack: Stack, run_id: str) -> str:
    """As Airflow's interface shows them, of all attempts at all batches."""
    tasks = stack.airflow.get(f"dags/{DAG}/dagRuns/{run_id}/taskInstances", limit=1000)["task_instances"]
    texts = []
    for task in [t for t in tasks if t["task_id"] == "convert"]:
        path = f"dags/{DAG}/dagRuns/{run_id}/taskInstances/convert/logs"
        for attempt in range(1, task["try_number"] + 1):
            texts.append(json.dumps(stack.airflow.get(f"{path}/{attempt}", map_index=task["map_index"])))  # noqa: PERF401
    return "\n".join(texts)


def test_airflow_may_run_pods_in_one_namespace_and_nothing_else(stack: Stack) -> None:
    cluster = stack.cluster
    core = client.CoreV1Api(config.new_client_from_config(str(cluster.kubeconfig("airflow-scheduler"))))
    pod = client.V1Pod(
        metadata=client.V1ObjectMeta(name="intruder"),
        spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="none", command=["true"])]),
    )
    model = cluster.model_pods("layout")[0].metadata.name
    denied = {
        "pods elsewhere": lambda: core.create_namespaced_pod("default", pod),
        "pods beside Airflow": lambda: core.list_namespaced_pod(cluster.airflow),
        "secrets": lambda: core.list_namespaced_secret(cluster.namespace),
        "a secret by name": lambda: core.read_namespaced_secret("stores", cluster.namespace),
        "settings": lambda: core.list_namespaced_config_map(cluster.namespace),
        "commands in pods": lambda: core.connect_get_namespaced_pod_exec(model, cluster.namespace, command="id"),
        "nodes": core.list_node,
        "namespaces": core.list_namespace,
        "services": lambda: core.delete_namespaced_service(f"{RELEASE}-layout", cluster.namespace),
    }
    for what, ask in denied.items():
        with pytest.raises(ApiException) as raised:
            ask()
        assert raised.value.status == 403, what
        say(f"denied: {what}")
    assert core.list_namespaced_pod(cluster.namespace).items


def test_services_run_as_nobody_and_cannot_write_to_their_image(stack: Stack) -> None:
    script = (
        "import os; print(os.getuid());\n"
        "for path in ('/opt/ingest/x', '/etc/x', '/x'):\n"
        "    try: open(path, 'w')\n"
        "    except OSError as error: print(error.strerror)\n"
        "open('/tmp/x', 'w'); print('tmp')\n"
        "print(os.path.exists('/var/run/secrets/kubernetes.io'))"
    )
    pod = stack.cluster.model_pods("labels")[0].metadata.name
    output = stream(
        stack.cluster.core.connect_get_namespaced_pod_exec,
        pod,
        stack.cluster.namespace,
        command=["python", "-c", script],
        stdout=True,
        stderr=True,
        stdin=False,
        tty=False,
    )
    assert output.split("\n")[:6] == ["10001", *["Read-only file system"] * 3, "tmp", "False"]


def test_the_samples_are_converted_by_pods(stack: Stack) -> None:
    run_id = trigger(stack, "samples", {path.name: path.read_bytes() for path in SAMPLES.glob("*.pdf")})
    (pod, *_) = wait_for("a pod of the run", stack.cluster.workers)
    labels, spec = pod.metadata.labels, pod.spec
    assert (labels["corpus-ingest/collection"], labels["corpus-ingest/run"]) == ("samples", run_id)
    assert pod.metadata.name.startswith(f"ingest-samples-{labels['corpus-ingest/batch']}-")
    assert spec.security_context.run_as_user == 10001
    assert spec.containers[0].security_context.read_only_root_filesystem is True
    assert spec.containers[0].env_from[1].secret_ref.name == "stores"
    resources = spec.containers[0].resources
    say(f"pod {pod.metadata.name} asks for {resources.requests}, may use {resources.limits}")
    assert ended(stack, run_id) == "success"
    assert demo.outcome_problems(EXPECTED, records(stack, "samples")) == []
    words, path, page = demo.sample_search(EXPECTED)
    assert demo.search_problems(list(stack.context.index().search(words, collection="samples")), path, page) == []
    report = RunFiles(stack.context.objects, "samples", run_id_for(run_id)).find("report.json", Report)
    assert report is not None
    assert report.good
    assert "converted   " in convert_logs(stack, run_id), "the worker's lines are in Airflow's interface"
    wait_for("pods that are done are deleted", lambda: not stack.cluster.workers(), 60)
    say(f"samples: {report.pages.converted} pages in {report.tts_s:.0f} s, {report.pages_per_cpu_s:.1f} per CPU-second")


def test_neither_a_killed_pod_nor_a_killed_service_costs_a_document(stack: Stack) -> None:
    good = [name for name, entry in EXPECTED.items() if entry["outcome"] == "converted" and entry["pages"] < 30]
    files = {
        f"{copy:02}-{name}": (SAMPLES / name).read_bytes() + b"%% copy %d\n" % copy
        for name in good
        for copy in range(COPIES)
    }
    run_id = trigger(stack, "disturbed", files)

    def working(at_least: int, other_than: str = "") -> str:
        """Name of a worker pod that has finished some documents."""
        for pod in stack.cluster.workers():
            name: str = pod.metadata.name
            if name != other_than and stack.cluster.log(name).count("converted ") >= at_least:
                return name
        return ""

    first = wait_for("a pod at work", lambda: working(3), RUN_S)
    say(f"killing {first}")
    stack.cluster.core.delete_namespaced_pod(first, stack.cluster.namespace, grace_period_seconds=0)
    second = wait_for("another pod at work", lambda: working(4, first), RUN_S)
    [service] = stack.cluster.model_pods("layout")
    say(f"killing {service.metadata.name}")
    stack.cluster.core.delete_namespaced_pod(service.metadata.name, stack.cluster.namespace, grace_period_seconds=0)
    time.sleep(2)
    say(f"draining {second}")
    stack.cluster.core.delete_namespaced_pod(second, stack.cluster.namespace)
    assert ended(stack, run_id) == "success"
    found = records(stack, "disturbed")
    assert len(found) == len(files)
    assert {r.outcome for r in found} == {Outcome.CONVERTED}
    assert len(stack.context.index().published("disturbed")) == len(files)
    tasks = stack.airflow.get(f"dags/{DAG}/dagRuns/{run_id}/taskInstances", limit=1000)["task_instances"]
    attempts = [t["try_number"] for t in tasks if t["task_id"] == "convert"]
    assert max(attempts) >= 2
    say(f"disturbed: {len(files)} documents, all converted and published; attempts at the batches: {attempts}")


def in_airflows_image(cluster: Cluster, name: str, command: list[str], **environment: str) -> list[str]:
    """Lines of a command in a pod of Airflow's image with the chart's settings. Fails if the command does."""
    security = client.V1SecurityContext(
        read_only_root_filesystem=True,
        run_as_non_root=True,
        allow_privilege_escalation=False,
        capabilities=client.V1Capabilities(drop=["ALL"]),
    )
    values = cluster.values({})["image"]
    container = client.V1Container(
        name="airflow",
        image=f"{values['prefix']}-airflow:{values['tag']}",
        image_pull_policy="IfNotPresent",
        args=command,
        env=[client.V1EnvVar(name=variable, value=value) for variable, value in environment.items()],
        env_from=[client.V1EnvFromSource(config_map_ref=client.V1ConfigMapEnvSource(name=f"{RELEASE}-airflow"))],
        security_context=security,
        volume_mounts=[
            client.V1VolumeMount(name="scratch", mount_path=path, sub_path=path.rpartition("/")[2])
            for path in ("/tmp", "/opt/airflow/logs")
        ],
    )
    spec = client.V1PodSpec(
        containers=[container],
        restart_policy="Never",
        automount_service_account_token=False,
        security_context=client.V1PodSecurityContext(fs_group=0),
        volumes=[client.V1Volume(name="scratch", empty_dir=client.V1EmptyDirVolumeSource())],
    )
    pod = client.V1Pod(metadata=client.V1ObjectMeta(name=name), spec=spec)
    cluster.core.create_namespaced_pod(cluster.airflow, pod)

    def over() -> str:
        phase: str = cluster.core.read_namespaced_pod(name, cluster.airflow).status.phase
        return phase if phase in ("Succeeded", "Failed") else ""

    phase = wait_for(f"the pod {name} to end", over)
    log = cluster.log(name, cluster.airflow)
    assert phase == "Succeeded", log
    return log.splitlines()


def test_airflows_image_reads_the_dags_with_the_charts_settings(stack: Stack) -> None:
    script = (
        "import sys; sys.path.insert(0, '/opt/airflow/dags');"  # as Airflow's own processes have it
        "from airflow.dag_processing.dagbag import DagBag; bag = DagBag('/opt/airflow/dags'); print(bag.import_errors);"
        "task = bag.dags['ingest_collection'].get_task('convert'); print(task.operator_class.__name__,"
        "task.partial_kwargs['pod_template_dict']['spec']['serviceAccountName'])"
    )
    lines = in_airflows_image(stack.cluster, "dags", ["python", "-c", script])
    assert lines[-2:] == ["{}", f"KubernetesPodOperator {RELEASE}-worker"]


def test_airflows_image_does_what_airflows_own_chart_asks_of_it(stack: Stack) -> None:
    """The jobs that the chart runs before all else, with the users that it sets up, called as its probes are."""
    user = "--role Admin --username admin --email a@example.com --firstname A --lastname B --password p"
    lines = in_airflows_image(
        stack.cluster,
        "jobs",
        ["bash", "-c", f"airflow db migrate && airflow users create {user} && exec /entrypoint airflow users list"],
        AIRFLOW__CORE__AUTH_MANAGER="airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager",
        AIRFLOW__DATABASE__SQL_ALCHEMY_CONN="sqlite:////tmp/airflow.db",
    )
    assert any(line.split("|")[1].strip() == "admin" for line in lines if line.count("|") == 5)


def test_the_charts_own_test_passes(stack: Stack) -> None:
    with stack.cluster.helm() as helm:
        helm.test(RELEASE, timeout=START_S)
    assert not stack.cluster.core.list_namespaced_pod(
        stack.cluster.namespace, label_selector="app.kubernetes.io/component=test"
    ).items


def test_helm_upgrades_rolls_back_and_uninstalls(cluster: Cluster) -> None:
    stores = {"objects": f"s3://{servers.BUCKET}/x", "ledger": "mongodb://m/x", "index": "https://i"}
    values = merged(cluster.values(stores), {"models": {"layout": {"image": "none"}, "labels": {"image": "none"}}})
    name = "second-corpus-ingest"

    def pods() -> str:
        return str(cluster.core.read_namespaced_config_map(f"{name}-airflow", cluster.airflow).data[PODS])

    with cluster.helm() as helm:
        assert helm.install(CHART, name, values)["revision"] == 1
        assert pods() == "2"
        assert helm.upgrade(CHART, name, merged(values, {"scale": {"workers": 3}}))["revision"] == 2
        assert pods() == "3"
        helm.rollback(name, version=1)
        assert pods() == "2"
        helm.uninstall(name)
    mine = {"label_selector": f"app.kubernetes.io/instance={name}"}
    assert not cluster.core.list_namespaced_service(cluster.namespace, **mine).items
    assert not cluster.core.list_namespaced_config_map(cluster.airflow, **mine).items
    assert not client.RbacAuthorizationV1Api(cluster.api).list_namespaced_role(cluster.namespace, **mine).items
