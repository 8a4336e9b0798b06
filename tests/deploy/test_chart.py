"""The chart: rendered, linted, checked against Kubernetes' schemas and against what it promises."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from helm_python import Chart
from helm_python.chart import lint
from helm_python.errors import HelmError

from ingest.config import Settings, load_settings
from tests.deploy.chart import (
    BASE,
    CASES,
    CHART,
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
        ("", "pods"): {"create", "get", "list", "watch", "patch", "delete"},
        ("", "pods/log"): {"get"},
        ("", "events"): {"get", "list", "watch"},
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


@cases
def test_policies_budgets_and_services_choose_the_pods_that_are_meant(case: str) -> None:
    objects = found(case)
    deployments = of_kind(objects, "Deployment")
    labels = {name: m["spec"]["template"]["metadata"]["labels"] for name, m in deployments.items()}
    worker = worker_pod(objects)["metadata"]["labels"]

    def chosen(selector: dict[str, Any]) -> set[str]:
        def fits(pod: dict[str, str]) -> bool:
            return all(pod.get(k) == v for k, v in selector.get("matchLabels", {}).items()) and all(
                pod.get(e["key"]) in e["values"] for e in selector.get("matchExpressions", [])
            )

        return {name for name, pod in {**labels, "worker": worker}.items() if fits(pod)}

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
    ({"airflow": {"serviceAccounts": []}}, "/airflow/serviceAccounts"),
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
        if name not in ("models", "settings"):
            assert set(section) == set(schema["properties"][name]["properties"])
    for model in values["models"].values():
        assert set(model) == set(schema["definitions"]["model"]["properties"])
