"""What is ours of the pods that run batches; the rest is KubernetesPodOperator, which calls this at a pod's two ends.

A pod is made from a template; memory, name and labels are filled in when it is asked for, so that a second attempt can
get more memory than the first. How it ended is read from its status: a worker's exit status and last line mean the same
as those of a local one.
"""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path
from typing import Any

import yaml

from ingest.config import Settings
from ingest.errors import ConfigError, Crashed, IngestError, MemoryExceeded
from ingest.scheduling.memory import WORKER_MB

BATCH, MEMORY = "corpus-ingest/batch", "corpus-ingest/memory-mb"
"""Annotations: the batch in words, and what the plan thinks it needs."""
CONTAINER = "base"
OUT_OF_MEMORY = "out-of-memory"
"""Key in the task's state: a pod of it was killed for memory."""
ENDED = "ended-by-itself"
"""Key in the task's state: the last attempt whose pod was seen to end, and was not evicted."""
LONGEST_NAME = 63
DEFAULT_TEMPLATE = Path(__file__).with_name("worker_pod.yaml")


def template(setting: str) -> dict[str, Any]:
    """The pod that pods are made from: INGEST_KUBERNETES_POD_TEMPLATE as JSON, as a file, or the default."""
    try:
        if setting.lstrip().startswith("{"):
            pod = json.loads(setting)
        else:
            pod = yaml.safe_load((Path(setting) if setting else DEFAULT_TEMPLATE).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"INGEST_KUBERNETES_POD_TEMPLATE: cannot be read: {error}") from error
    containers = pod.get("spec", {}).get("containers", []) if isinstance(pod, dict) else []
    if not containers or containers[0].get("name") != CONTAINER:
        raise ConfigError(f"INGEST_KUBERNETES_POD_TEMPLATE: its first container must be named {CONTAINER!r}")
    return dict(pod)


def mapped(batch: dict[str, Any]) -> dict[str, Any]:
    """What differs from pod to pod. Airflow takes the values for Jinja templates, and a batch's name holds names of
    files, which may look like one."""
    name = str(batch["name"]).replace("{", "{{ '{' }}")
    return {
        "env_vars": {"BATCH": batch["key"]},
        "annotations": {BATCH: name, MEMORY: str(batch["memory_mb"])},
    }


def memory(estimate_mb: int, settings: Settings, *, killed: bool) -> tuple[int, int]:
    """(MB to ask for, MB to use at most).

    The limit leaves one document the room that the sandbox grants it, so that a document which needs too much is ended
    by the sandbox, alone and with a reason, and not by the kernel, together with its worker. After a kill for memory it
    is the double of the largest, all of it asked for.
    """
    most = settings.kubernetes_memory_mb
    if killed:
        return 2 * most, 2 * most
    limit = min(max(2 * estimate_mb, WORKER_MB + settings.document_memory_mb), most)
    return min(estimate_mb, limit), limit


def name_of(collection: str, batch: str) -> str:
    """A name for the pod of a batch: letters, digits and hyphens, and a random end."""
    end = f"-{batch}-{secrets.token_hex(4)}"
    words = re.sub(r"[^a-z0-9]+", "-", f"ingest-{collection}".lower()).strip("-")
    return words[: LONGEST_NAME - len(end)].rstrip("-") + end


def label(text: str) -> str:
    """As Kubernetes allows it: at most 63 letters, digits, dots, hyphens and underscores, none of these at its ends."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", text)[:63].strip("._-")


def fill_in(
    pod: Any, settings: Settings, collection: str, run_id: str, *, killed: bool = False, forgive: bool = False
) -> None:
    """Name, labels and memory of a pod that is about to be asked for, in place (a kubernetes.client.V1Pod).

    `killed`: an earlier pod of the batch was killed for memory. `forgive`: the one before was ended from outside.
    """
    if forgive:
        pod.spec.containers[0].args.append("--forgive")
    key = next(e.value for e in pod.spec.containers[0].env if e.name == "BATCH")
    number = Path(key).stem
    pod.metadata.name = name_of(collection, number)
    ours = {"collection": collection, "run": run_id, "batch": number}
    pod.metadata.labels.update({f"corpus-ingest/{name}": label(value) for name, value in ours.items()})
    request_mb, limit_mb = memory(int(pod.metadata.annotations[MEMORY]), settings, killed=killed)
    resources = pod.spec.containers[0].resources
    resources.requests = {**(resources.requests or {}), "memory": f"{request_mb}Mi"}
    resources.limits = {**(resources.limits or {}), "memory": f"{limit_mb}Mi"}


def end_of(pod: Any) -> tuple[int, str, str]:
    """(exit status, Kubernetes' reason, last line) of the worker in a pod that is over; status 0 where it was good."""
    name, status = pod.metadata.name, pod.status
    terminated = next(
        (c.state.terminated for c in status.container_statuses or [] if c.name == CONTAINER and c.state), None
    )
    if terminated is None:
        return 0 if status.phase == "Succeeded" else -1, status.reason or "", status.message or f"pod {name} is gone"
    lines = (terminated.message or "").strip().splitlines()
    reason = status.reason or terminated.reason or ""
    return terminated.exit_code, reason, lines[-1] if lines else f"pod {name}: {reason}"


def error_of(pod: Any, settings: Settings) -> IngestError | None:
    """What a pod's end means, where it does not mean its worker's own status and last line."""
    status, reason, line = end_of(pod)
    if status == 0:
        return None
    if reason == "OOMKilled":
        return MemoryExceeded(
            f"pod {pod.metadata.name} was killed for memory; the next gets {2 * settings.kubernetes_memory_mb} MB"
        )
    if reason == "Evicted":
        return Crashed(f"pod {pod.metadata.name} was evicted: {pod.status.message or line}")
    return None
