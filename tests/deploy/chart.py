"""The chart, rendered by Helm itself; no cluster is asked."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import yaml
from helm_python import Chart

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "corpus-ingest"
RELEASE, NAMESPACE = "corpus-ingest", "corpus"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

Manifest = dict[str, Any]
Values = dict[str, Any]

STORES: Values = {
    "objects": "s3://corpus/production",
    "ledger": "mongodb://mongo.example/corpus",
    "index": "https://search.example",
}
BASE: Values = {
    "stores": STORES,
    "networkPolicy": {"stores": [{"cidr": "10.1.0.0/16", "ports": [443, 27017]}]},
}
"""What every installation has to say."""

EVERYTHING: Values = {
    "image": {"prefix": "registry.example/corpus-ingest", "tag": "1.2.3", "pullSecrets": ["registry"]},
    "worker": {
        "annotations": {"example/team": "corpus"},
        "serviceAccountAnnotations": {"example/role": "reader"},
        "nodeSelector": {"pool": "batch"},
        "tolerations": [{"key": "batch", "operator": "Exists"}],
        "priorityClassName": "batch",
    },
    "models": {
        "layout": {
            "autoscaling": {"kind": "keda", "minReplicas": 2, "cpuPercent": 60},
            "nodeSelector": {"pool": "models"},
            "tolerations": [{"key": "models", "operator": "Exists"}],
        },
        "labels": {"url": "https://labels.example"},
        "layout-large": {"stage": "layout", "image": "registry.example/layout-large:3", "replicas": 2},
    },
    "stores": {"ledger": "", "secret": "stores", "environment": {"AWS_REGION": "eu-central-1"}},
    "settings": {"INGEST_DOCUMENT_TIMEOUT_S": 300},
    "collections": {"scans": {"source": "s3://corpus/scans", "nightly": True, "models": ["layout-large"]}},
    "networkPolicy": {
        "stores": [{"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"], "ports": [443]}],
        "extraEgress": [{"to": [{"ipBlock": {"cidr": "10.9.9.9/32"}}], "ports": [{"protocol": "TCP", "port": 443}]}],
    },
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
}
"""Every switch of the chart, the other way round than the values files have it."""


def merged(*layers: Values) -> Values:
    """As Helm merges values: mappings into one another, everything else replaced."""
    result: Values = {}
    for layer in layers:
        for name, value in layer.items():
            old = result.get(name)
            result[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def values_file(name: str) -> Values:
    loaded: Values = yaml.safe_load((CHART / f"values-{name}.yaml").read_text("utf-8"))
    return loaded


CASES: dict[str, Values] = {
    "defaults": BASE,
    "laptop": merged(BASE, values_file("laptop")),
    "profile-a": merged(BASE, values_file("profile-a")),
    "profile-b": merged(BASE, values_file("profile-b")),
    "everything": merged(BASE, EVERYTHING),
}


def render(values: Values, release: str = RELEASE) -> dict[str, str]:
    """Rendered files by their names in `templates/`. Raises HelmError."""
    with Chart.load(CHART) as chart:
        chart.validate_schema(values)
        files = chart.render(values, name=release, namespace=NAMESPACE)
    return {name.partition("/templates/")[2]: text for name, text in files.items()}


def manifests(values: Values, release: str = RELEASE) -> list[Manifest]:
    """Rendered objects, in the order of their files."""
    files = render(values, release)
    return [
        found for name in sorted(files) if name.endswith(".yaml") for found in yaml.safe_load_all(files[name]) if found
    ]


def of_kind(found: list[Manifest], kind: str) -> dict[str, Manifest]:
    """By name, without the release's."""
    return {m["metadata"]["name"].removeprefix(f"{RELEASE}-"): m for m in found if m["kind"] == kind}


def worker_pod(found: list[Manifest]) -> Manifest:
    """The template that Airflow makes worker pods from."""
    pod: Manifest = json.loads(of_kind(found, "ConfigMap")["airflow"]["data"]["INGEST_KUBERNETES_POD_TEMPLATE"])
    return pod
