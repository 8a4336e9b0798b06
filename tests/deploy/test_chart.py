"""The chart: rendered, linted, checked against Kubernetes' schemas and against what it promises."""

from __future__ import annotations

import functools
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, NamedTuple

import kubernetes_validate
import pytest
import yaml
from helm_python import Chart
from helm_python.chart import lint
from helm_python.errors import HelmError

from ingest.config import Settings, load_settings
from ingest.scheduling.collections import parse_collections
from tests.deploy.chart import (
    BASE,
    CASES,
    CHART,
    NAMESPACE,
    RELEASE,
    ROOT,
    VERSION,
    Manifest,
    manifests,
    merged,
    of_kind,
    render,
    worker_pod,
)

VERSIONS = ("1.25", "1.30", "1.32", "1.34", "1.37")
FOREIGN = ("keda.sh/v1alpha1", "monitoring.coreos.com/v1")
"""Kinds that operators define; Kubernetes has no schema of them."""
GOLDEN = ROOT / "tests" / "golden" / "helm"
AIRFLOW: dict[str, Any] = yaml.safe_load((ROOT / "helm" / "airflow-values.yaml").read_text("utf-8"))
"""Values for Airflow's own chart."""
cases = pytest.mark.parametrize("case", CASES)


@functools.cache
def found(case: str) -> list[Manifest]:
    return manifests(CASES[case])


@pytest.fixture(autouse=True, scope="module")
def schemas_read_once() -> Any:
    """The validator reads megabytes of definitions for every object."""
    with pytest.MonkeyPatch.context() as patch:
        module = kubernetes_validate.utils
        patch.setattr(module, "schema_contents", functools.cache(module.schema_contents))
        yield


@cases
def test_helm_finds_nothing_to_say_against_it(case: str) -> None:
    report = lint(CHART, CASES[case], strict=True)
    assert report["errors"] == []
    assert [m["error"] for m in report["messages"]] == ["icon is recommended"]


@cases
@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_one_of_that_kubernetes(case: str, version: str) -> None:
    checked = [m for m in found(case) if m["apiVersion"] not in FOREIGN]
    assert len(checked) > 8
    for manifest in [*checked, worker_pod(checked) | {"status": {}}]:
        kubernetes_validate.validate(manifest, version, strict=True)


def test_an_object_with_a_field_too_many_would_be_found() -> None:
    [*_, manifest] = [m for m in found("defaults") if m["kind"] == "Deployment"]
    manifest = merged(manifest, {"spec": {"replica": 3}})
    with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
        kubernetes_validate.validate(manifest, "1.34", strict=True)


@cases
def test_what_is_rendered_is_what_was_reviewed(case: str, regenerate_goldens: bool) -> None:
    files = render(CASES[case])
    text = "".join(f"# {name}\n{files[name].strip()}\n\n" for name in sorted(files))
    path: Path = GOLDEN / f"{case}.txt"
    if regenerate_goldens:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text, f"{path.name} is out of date: pytest {__file__} --regenerate-goldens"


@cases
def test_nothing_runs_as_root_or_writes_to_its_image(case: str) -> None:
    objects = found(case)
    pods = [m["spec"]["template"] for m in objects if m["kind"] == "Deployment"]
    pods += [m for m in objects if m["kind"] == "Pod"] + [worker_pod(objects)]
    assert len(pods) >= 3
    for pod in pods:
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
        assert all("hostPath" not in volume for volume in spec["volumes"])
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert not container["image"].endswith(":latest")


@cases
def test_airflow_may_run_pods_here_and_nothing_else(case: str) -> None:
    objects = found(case)
    assert not [m for m in objects if m["kind"].startswith("Cluster")]
    allowed = {
        (group, resource): set(rule["verbs"])
        for role in of_kind(objects, "Role").values()
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert allowed == {
        ("", "pods"): {"create", "get", "list", "patch", "delete"},
        ("", "pods/log"): {"get"},
        ("", "events"): {"list", "watch"},
    }
    [binding] = of_kind(objects, "RoleBinding").values()
    assert {subject["namespace"] for subject in binding["subjects"]} == {"airflow"}
    assert {subject["kind"] for subject in binding["subjects"]} == {"ServiceAccount"}


@cases
def test_workers_reach_stores_and_models_alone(case: str) -> None:
    policies = of_kind(found(case), "NetworkPolicy")
    worker, model = policies["worker"]["spec"], policies["model"]["spec"]
    assert worker["policyTypes"] == model["policyTypes"] == ["Ingress", "Egress"]
    assert worker["ingress"] == []
    assert model["egress"] == []
    assert all(rule["to"] and rule["ports"] for rule in worker["egress"]), "a rule without one of them allows anything"
    assert all(rule["from"] and rule["ports"] for rule in model["ingress"])
    ports = [port["port"] for rule in worker["egress"] for port in rule["ports"]]
    assert set(ports) <= {53, 3000, 443, 9000, 9200, 27017}


class Peer(NamedTuple):
    """Somebody on the network: a pod, or an address outside the cluster."""

    labels: dict[str, str]
    namespace: str = NAMESPACE
    address: str = ""


def fits(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    return all(labels.get(k) == v for k, v in selector.get("matchLabels", {}).items()) and all(
        e["operator"] == "In" and labels.get(e["key"]) in e["values"] for e in selector.get("matchExpressions", [])
    )


def meant(peer: Peer, rule: dict[str, Any]) -> bool:
    """Whether a peer of a NetworkPolicy's rule (`to`, `from`) is this one."""
    if "ipBlock" in rule:
        block = rule["ipBlock"]
        networks = [ip_network(block["cidr"]), *map(ip_network, block.get("except", []))]
        inside = [bool(peer.address) and ip_address(peer.address) in network for network in networks]
        return inside[0] and not any(inside[1:])
    if peer.address:
        return False
    namespace = {"kubernetes.io/metadata.name": peer.namespace}
    return (
        fits(rule["namespaceSelector"], namespace) if "namespaceSelector" in rule else peer.namespace == NAMESPACE
    ) and fits(rule.get("podSelector", {}), peer.labels)


def may(objects: list[Manifest], source: Peer, target: Peer, port: int) -> bool:
    """Whether the policies let a TCP connection through: whom a policy chooses, may what a policy says."""
    for end, other, way, side in ((source, target, "egress", "to"), (target, source, "ingress", "from")):
        chosen = [
            m["spec"]
            for m in of_kind(objects, "NetworkPolicy").values()
            if end.namespace == NAMESPACE and fits(m["spec"]["podSelector"], end.labels)
        ]
        rules = [rule for policy in chosen for rule in policy[way]]
        if chosen and not any(
            any(meant(other, peer) for peer in rule[side])
            and any((p["protocol"], p["port"]) == ("TCP", port) for p in rule["ports"])
            for rule in rules
        ):
            return False
    return True


@pytest.mark.parametrize("case", [case for case in CASES if case != "laptop"])
def test_who_may_speak_with_whom(case: str) -> None:
    objects = found(case)
    worker = Peer(worker_pod(objects)["metadata"]["labels"])
    models = [Peer(m["spec"]["template"]["metadata"]["labels"]) for m in of_kind(objects, "Deployment").values()]
    store = Peer({}, address="10.1.2.3" if case != "everything" else "52.1.2.3")
    others = [Peer({}, address="10.96.0.1"), Peer({}, address="169.254.169.254"), Peer({}, "airflow"), Peer({}), worker]
    for tested in (worker, *(Peer(pod["metadata"]["labels"]) for pod in of_kind(objects, "Pod").values())):
        assert may(objects, tested, store, 443)
        assert all(may(objects, tested, model, 3000) for model in models)
        assert may(objects, tested, Peer({"k8s-app": "kube-dns"}, "kube-system"), 53)
        assert not any(may(objects, tested, other, port) for other in others[:1] for port in (443, 6443))
        assert not any(may(objects, tested, other, 8080) for other in others)
    assert not any(may(objects, other, worker, 3000) for other in (*others, *models, store))
    for model in models:
        assert may(objects, Peer({"component": "scheduler"}, "airflow"), model, 3000)
        assert may(objects, Peer({}, "monitoring"), model, 3000) == (case == "everything")
        assert not any(may(objects, other, model, 3000) for other in (Peer({}), Peer({}, "default"), store, *models))
        assert not any(may(objects, model, other, port) for other in (store, worker, *others) for port in (443, 3000))


@cases
def test_what_helm_tests_stands_where_a_worker_stands(case: str) -> None:
    objects = found(case)
    pods = of_kind(objects, "Pod")
    assert set(pods) == {"test-models", "test-stores"}
    worker = worker_pod(objects)
    policy = of_kind(objects, "NetworkPolicy")["worker"]["spec"]["podSelector"]
    [component] = policy["matchExpressions"]
    for pod in pods.values():
        assert pod["metadata"]["annotations"] == {
            "helm.sh/hook": "test",
            "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
        }
        labels = pod["metadata"]["labels"]
        assert policy["matchLabels"].items() <= labels.items()
        assert labels[component["key"]] in component["values"]
        [container] = pod["spec"]["containers"]
        [base] = worker["spec"]["containers"]
        assert container["image"] == base["image"]
        assert container["envFrom"][0] == {"configMapRef": {"name": f"{RELEASE}-worker"}}
        assert pod["spec"]["serviceAccountName"] == worker["spec"]["serviceAccountName"]


@cases
def test_an_upgrade_changes_no_field_that_cannot_be_changed(case: str) -> None:
    """Selectors are the same in every version of the chart and the images; nothing but tests is a hook."""
    versions = {"image": {"tag": "9.9.9"}, "scale": {"workers": 77}}
    before, after = found(case), manifests(merged(CASES[case], versions))
    for kind in ("Deployment", "Service"):
        for name, manifest in of_kind(before, kind).items():
            later = of_kind(after, kind)[name]
            assert manifest["spec"]["selector"] == later["spec"]["selector"]
            assert "version" not in str(manifest["spec"]["selector"])
    assert {m["kind"] for m in before if "helm.sh/hook" in m["metadata"].get("annotations", {})} == {"Pod"}
    autoscaled = {name for kind in ("HorizontalPodAutoscaler", "ScaledObject") for name in of_kind(before, kind)}
    for name, manifest in of_kind(before, "Deployment").items():
        assert ("replicas" in manifest["spec"]) == (name not in autoscaled), "an upgrade would undo the scaling"


def test_the_longest_names_are_still_names() -> None:
    models = {"a-model-with-a-long20": {"stage": "layout", "image": "example/large:1"}}
    with pytest.raises(HelmError, match="a-model-with-a-long20"):
        manifests(merged(BASE, {"models": models}))
    models = {"a-model-with-a-long-": {"stage": "layout", "image": "example/large:1"}}
    with pytest.raises(HelmError, match="a-model-with-a-long-"):
        manifests(merged(BASE, {"models": models}))
    models = {"a-model-with-long-20": {"stage": "layout", "image": "example/large:1"}}
    for manifest in manifests(merged(BASE, {"models": models}), release="r" * 53):
        assert len(manifest["metadata"]["name"]) <= 63
        assert all(len(str(value)) <= 63 for value in manifest["metadata"]["labels"].values())


def test_what_operators_scale_and_read_is_as_they_define_it() -> None:
    """KEDA's and Prometheus' kinds have no schema here: every field that is used, by their references."""
    objects = found("everything")
    [scaled] = of_kind(objects, "ScaledObject").values()
    assert scaled["spec"] == {
        "scaleTargetRef": {"name": f"{RELEASE}-layout"},
        "minReplicaCount": 2,
        "maxReplicaCount": 7,
        "advanced": {
            "horizontalPodAutoscalerConfig": {
                "behavior": {
                    "scaleUp": {"stabilizationWindowSeconds": 0},
                    "scaleDown": {"stabilizationWindowSeconds": 300},
                }
            }
        },
        "triggers": [{"type": "cpu", "metricType": "Utilization", "metadata": {"value": "60"}}],
    }
    services = of_kind(objects, "Service")
    monitors = of_kind(objects, "ServiceMonitor")
    assert set(monitors) == set(services) == {"layout", "layout-large"}
    for name, monitor in monitors.items():
        assert monitor["metadata"]["labels"]["release"] == "prometheus"
        assert monitor["spec"]["endpoints"] == [{"port": "http", "path": "/metrics", "interval": "30s"}]
        assert monitor["spec"]["selector"]["matchLabels"].items() <= services[name]["metadata"]["labels"].items()
        assert [port["name"] for port in services[name]["spec"]["ports"]] == ["http"]
    scraped = [peer for rule in of_kind(objects, "NetworkPolicy")["model"]["spec"]["ingress"] for peer in rule["from"]]
    assert {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}} in scraped


def test_collections_reach_airflow(tmp_path: Path) -> None:
    maps = of_kind(found("everything"), "ConfigMap")
    path = tmp_path / "collections.yaml"
    path.write_text(maps["collections"]["data"]["collections.yaml"], "utf-8")
    assert parse_collections(path).good["scans"].models == ["layout-large"]
    path.write_text(of_kind(found("defaults"), "ConfigMap")["collections"]["data"]["collections.yaml"], "utf-8")
    assert parse_collections(path) == ({}, {})
    [volume] = AIRFLOW["volumes"]
    [mount] = AIRFLOW["volumeMounts"]
    assert volume["configMap"]["name"] == maps["collections"]["metadata"]["name"]
    assert maps["airflow"]["data"]["INGEST_COLLECTIONS"] == f"{mount['mountPath']}/collections.yaml"


def test_the_values_for_airflows_chart_fit_this_one() -> None:
    objects = manifests(merged(BASE, {"stores": {"secret": "stores"}}))
    maps = of_kind(objects, "ConfigMap")
    references = yaml.safe_load(AIRFLOW["extraEnvFrom"])
    assert references == [
        {"configMapRef": {"name": maps["airflow"]["metadata"]["name"]}},
        {"secretRef": {"name": maps["airflow"]["data"]["INGEST_KUBERNETES_SECRET"]}},
    ]
    [binding] = of_kind(objects, "RoleBinding").values()
    assert {"airflow-scheduler", "airflow-triggerer"} <= {subject["name"] for subject in binding["subjects"]}
    assert AIRFLOW["images"]["airflow"]["tag"] == VERSION
    assert f"apache-airflow=={AIRFLOW['airflowVersion']}\n" in (ROOT / "constraints.txt").read_text("utf-8")
    for name in (m["metadata"]["name"] for m in (maps["airflow"], maps["collections"])):
        assert name in str(AIRFLOW)


@cases
def test_policies_budgets_and_services_choose_the_pods_that_are_meant(case: str) -> None:
    objects = found(case)
    deployments = of_kind(objects, "Deployment")
    labels = {name: m["spec"]["template"]["metadata"]["labels"] for name, m in deployments.items()}
    worker = worker_pod(objects)["metadata"]["labels"]

    def chosen(selector: dict[str, Any]) -> set[str]:
        return {name for name, pod in {**labels, "worker": worker}.items() if fits(selector, pod)}

    for name, service in of_kind(objects, "Service").items():
        assert chosen({"matchLabels": service["spec"]["selector"]}) == {name}
    for name, budget in of_kind(objects, "PodDisruptionBudget").items():
        assert chosen(budget["spec"]["selector"]) == {name}
    for name, deployment in deployments.items():
        assert chosen(deployment["spec"]["selector"]) == {name}
    policies = of_kind(objects, "NetworkPolicy")
    assert chosen(policies["worker"]["spec"]["podSelector"]) == {"worker"}
    assert chosen(policies["model"]["spec"]["podSelector"]) == set(deployments)


@cases
def test_workers_and_airflow_understand_their_environment(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = of_kind(found(case), "ConfigMap")
    for name in ("worker", "airflow"):
        data: dict[str, str] = maps[name]["data"]
        ours = {k: v for k, v in data.items() if k.startswith("INGEST_")}
        assert {k.removeprefix("INGEST_").lower() for k in ours} <= set(Settings.model_fields)
        with monkeypatch.context() as patch:
            for variable, value in ours.items():
                patch.setenv(variable, value)
            settings = load_settings()
        assert settings.layout_url.startswith("http")
        assert settings.objects_uri.startswith("s3://")
        if name == "airflow":
            assert settings.runner == "kubernetes"
            assert settings.kubernetes_config_map in {m["metadata"]["name"] for m in maps.values()}


def test_what_belongs_together_follows_from_the_number_of_workers() -> None:
    objects = manifests(merged(BASE, {"scale": {"workers": 100, "documentsInFlight": 4}}))
    airflow = of_kind(objects, "ConfigMap")["airflow"]["data"]
    assert (airflow["INGEST_KUBERNETES_PODS"], airflow["INGEST_IN_FLIGHT"]) == ("100", "4")
    assert int(airflow["AIRFLOW__TRIGGERER__CAPACITY"]) >= 100
    deployments = of_kind(objects, "Deployment")
    assert {name: m["spec"]["replicas"] for name, m in deployments.items()} == {"layout": 40, "labels": 10}
    for deployment in deployments.values():
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        concurrency = next(int(e["value"]) for e in container["env"] if e["name"] == "MODEL_CONCURRENCY")
        assert concurrency * deployment["spec"]["replicas"] >= 2 * 100 * 4, "all workers' requests find a place"


def test_profiles_have_the_papers_ratio_of_models_to_workers() -> None:
    for case, ratio in (("profile-a", 1), ("profile-b", 4)):
        values = merged(CASES[case], {"models": {"layout": {"autoscaling": {"kind": "none"}}}})
        replicas = of_kind(manifests(values), "Deployment")["layout"]["spec"]["replicas"]
        assert replicas == ratio * values["scale"]["workers"]


def test_a_linked_model_is_not_installed() -> None:
    objects = manifests(merged(BASE, {"models": {"labels": {"url": "https://labels.example"}}}))
    assert set(of_kind(objects, "Deployment")) == {"layout"}
    assert of_kind(objects, "ConfigMap")["worker"]["data"]["INGEST_LABELS_URL"] == "https://labels.example"


def test_the_notes_warn_of_a_linked_model_that_no_worker_may_reach() -> None:
    linked = merged(BASE, {"models": {"labels": {"url": "https://labels.example"}}})
    rule = {"to": [{"ipBlock": {"cidr": "10.9.9.9/32"}}], "ports": [{"protocol": "TCP", "port": 443}]}
    reachable = merged(linked, {"networkPolicy": {"extraEgress": [rule]}})
    open_to_all = merged(linked, {"networkPolicy": {"enabled": False}})
    assert "labels is linked" in render(linked)["NOTES.txt"]
    assert "WARNING" not in render(reachable)["NOTES.txt"]
    assert "networkPolicy.enabled is false" in render(open_to_all)["NOTES.txt"]


def test_an_image_and_its_chart_have_the_projects_version() -> None:
    with Chart.load(CHART) as chart:
        assert chart.metadata["appVersion"] == VERSION


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"scale": {"workers": 0}}, "/scale/workers"),
    ({"scale": {"wrokers": 3}}, "wrokers"),
    ({"scale": {"workers": "many"}}, "/scale/workers"),
    ({"worker": {"memoryMb": 64}}, "/worker/memoryMb"),
    ({"worker": {"gracePeriodSeconds": 1}}, "/worker/gracePeriodSeconds"),
    ({"image": {"tag": "latest"}}, "/image/tag"),
    ({"image": {"pullPolicy": "always"}}, "/image/pullPolicy"),
    ({"models": {"layout": {"autoscaling": {"kind": "vpa", "minReplicas": 1}}}}, "/models/layout/autoscaling/kind"),
    ({"models": {"layout": {"url": "layout:3000"}}}, "/models/layout/url"),
    ({"models": {"layout": {"stage": "labels"}}}, "models.layout.stage"),
    ({"models": {"layout": {"autoscaling": {"kind": "hpa", "minReplicas": 99}}}}, "minReplicas is 99"),
    ({"models": {"other": {"stage": "layout"}}}, "models.other has neither url nor image"),
    ({"models": {"other": {"stage": "ocr", "url": "http://x"}}}, "/models/other/stage"),
    ({"stores": {"objects": "/srv/objects"}}, "/stores/objects"),
    ({"stores": {"objects": ""}}, "stores.objects is empty"),
    ({"stores": {"ledger": ""}}, "stores.ledger is empty"),
    ({"stores": {"ledger": "sqlite:///x"}}, "/stores/ledger"),
    ({"stores": {"index": ""}}, "stores.index is empty"),
    ({"stores": {"environment": {"AWS_SECRET_ACCESS_KEY": "x"}}}, "AWS_SECRET_ACCESS_KEY"),
    ({"settings": {"OBJECTS": "x"}}, "OBJECTS"),
    ({"networkPolicy": {"stores": []}}, "networkPolicy.stores is empty"),
    ({"networkPolicy": {"stores": [{"cidr": "mongo.example", "ports": [27017]}]}}, "/networkPolicy/stores/0/cidr"),
    ({"networkPolicy": {"stores": [{"cidr": "10.0.0.0/8"}]}}, "ports"),
    ({"airflow": {"serviceAccounts": []}}, "/airflow/serviceAccounts"),
    ({"airflow": {"namespace": "Airflow"}}, "/airflow/namespace"),
    (
        {"models": {"layout": {"resources": {"requests": {"memory": "2 GB"}}}}},
        "/models/layout/resources/requests/memory",
    ),
    ({"models": {"Large_2": {"stage": "layout", "url": "http://x"}}}, "Large_2"),
    ({"models": {"layout": {"startupSeconds": "3m"}}}, "/models/layout/startupSeconds"),
    ({"collections": {"scans": {"nightly": True}}}, "/collections/scans"),
    ({"serviceMonitor": {"interval": "often"}}, "/serviceMonitor/interval"),
    ({"scale": {"workers": None}}, "workers"),
    ({"worker": None}, "worker"),
    ({"model": {}}, "model"),
]


@pytest.mark.parametrize(("mistake", "named"), MISTAKES, ids=[named for _, named in MISTAKES])
def test_a_mistake_is_named(mistake: dict[str, Any], named: str) -> None:
    with pytest.raises(HelmError) as raised:
        render(merged(BASE, mistake))
    assert named in str(raised.value)


def test_values_that_are_documented_are_all_there_are() -> None:
    """The schema knows every default value, so that a new one cannot be forgotten there."""
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    with Chart.load(CHART) as chart:
        schema = chart.schema
        assert schema is not None
    assert set(values) == set(schema["properties"]) - {"global"}
    for name, section in values.items():
        if name not in ("models", "settings", "collections"):
            assert set(section) == set(schema["properties"][name]["properties"])
    for model in values["models"].values():
        assert set(model) == set(schema["definitions"]["model"]["properties"])
