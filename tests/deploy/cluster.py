"""A cluster that somebody else runs, as the tests of real pods use it: any kubeconfig will do.

KUBECONFIG          of an administrator
IMAGE_PREFIX        of the images' names (images/build); default: corpus-ingest
IMAGE_TAG           default: the project's version
INGEST_TEST_BUILD   1: build the images first (images/build, with its own settings)
INGEST_TEST_LOAD    command that puts an image into the cluster, e.g. `kind load docker-image`; empty: they are there
INGEST_TEST_HOST    address by which pods reach this machine; default: that of the interface towards the node
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helm_python import Config
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from tests.deploy.chart import RELEASE, ROOT, VERSION, Values, merged, values_file

START_S = 300
IMAGES = ("worker", "layout", "labels", "airflow")


def wait_for(what: str, ready: Callable[[], Any], seconds: float = START_S) -> Any:
    """The first true answer. Fails with `what` when there is none in time."""
    until = time.monotonic() + seconds
    while True:
        answer = ready()
        if answer:
            return answer
        assert time.monotonic() < until, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.5)


class Cluster:
    """An administrator's view, and two namespaces of our own: one for pods, one that stands for Airflow's."""

    def __init__(self, namespace: str, folder: Path) -> None:
        self.kubeconfig_path = os.environ["KUBECONFIG"]
        self.api = config.new_client_from_config(self.kubeconfig_path)
        self.core = client.CoreV1Api(self.api)
        self.namespace, self.airflow = namespace, f"{namespace}-airflow"
        self.folder = folder
        version = client.VersionApi(self.api).get_code()
        self.version = int(version.major), int(version.minor.rstrip("+"))
        [node, *_] = self.core.list_node().items
        self.node_ip = next(a.address for a in node.status.addresses if a.type == "InternalIP")

    @property
    def host(self) -> str:
        """By which pods reach this machine."""
        if os.environ.get("INGEST_TEST_HOST"):
            return os.environ["INGEST_TEST_HOST"]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((self.node_ip, 9))
            return str(probe.getsockname()[0])

    def values(self, stores: Values) -> Values:
        """For the chart: a laptop's, with stores on this machine."""
        image = {
            "prefix": os.environ.get("IMAGE_PREFIX", "corpus-ingest"),
            "tag": os.environ.get("IMAGE_TAG", VERSION),
        }
        return merged(values_file("laptop"), {"image": image, "stores": stores, "airflow": {"namespace": self.airflow}})

    def helm(self) -> Config:
        return Config(kubeconfig_path=self.kubeconfig_path, namespace=self.namespace)

    def expose(self, model: str) -> str:
        """Address of a model service for this machine."""
        inner = self.core.read_namespaced_service(f"{RELEASE}-{model}", self.namespace)
        spec = client.V1ServiceSpec(
            type="NodePort", selector=inner.spec.selector, ports=[client.V1ServicePort(port=3000, target_port=3000)]
        )
        meta = client.V1ObjectMeta(name=f"{model}-outside")
        made = self.core.create_namespaced_service(self.namespace, client.V1Service(metadata=meta, spec=spec))
        return f"http://{self.node_ip}:{made.spec.ports[0].node_port}"

    def workers(self) -> list[Any]:
        """Pods of batches."""
        selector = f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component=worker"
        return list(self.core.list_namespaced_pod(self.namespace, label_selector=selector).items)

    def model_pods(self, model: str) -> list[Any]:
        selector = f"corpus-ingest/model={model}"
        return list(self.core.list_namespaced_pod(self.namespace, label_selector=selector).items)

    def log(self, pod: str, namespace: str = "") -> str:
        read = self.core.read_namespaced_pod_log
        try:
            return str(read(pod, namespace or self.namespace, _preload_content=False).data.decode("utf-8", "replace"))
        except ApiException as error:
            if error.status in (400, 404):  # not started, or gone
                return ""
            raise

    def kubeconfig(self, account: str) -> Path:
        """Of a service account in Airflow's namespace: what Airflow itself has."""
        spec = client.AuthenticationV1TokenRequest(
            spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=7200)
        )
        token = self.core.create_namespaced_service_account_token(account, self.airflow, spec).status.token
        outer = self.api.configuration
        cluster: dict[str, Any] = {"server": outer.host}
        if outer.ssl_ca_cert:
            cluster["certificate-authority"] = outer.ssl_ca_cert
        path = self.folder / f"kubeconfig-{account}"
        user = {"name": account, "user": {"token": token}}
        context = {"cluster": "c", "user": account, "namespace": self.namespace}
        text = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [user],
            "contexts": [{"name": "c", "context": context}],
            "current-context": "c",
        }
        path.write_text(json.dumps(text), "utf-8")
        path.chmod(0o600)
        return path


def provide_images() -> None:
    """Build and load what the settings ask for."""
    prefix, tag = os.environ.get("IMAGE_PREFIX", "corpus-ingest"), os.environ.get("IMAGE_TAG", VERSION)
    if os.environ.get("INGEST_TEST_BUILD"):
        subprocess.run([ROOT / "images" / "build", *IMAGES], check=True)
    if load := os.environ.get("INGEST_TEST_LOAD"):
        for name in IMAGES:
            subprocess.run([*shlex.split(load), f"{prefix}-{name}:{tag}"], check=True)


@contextmanager
def namespaces(cluster: Cluster) -> Iterator[None]:
    """The two, with Airflow's account; gone at the end, with all that is in them."""
    try:
        for name in (cluster.namespace, cluster.airflow):
            cluster.core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=name)))
        account = client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="airflow-scheduler"))
        cluster.core.create_namespaced_service_account(cluster.airflow, account)
        yield
    finally:
        for name in (cluster.namespace, cluster.airflow):
            cluster.core.delete_namespace(name)
