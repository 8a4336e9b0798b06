"""The operator of the pods that run batches: KubernetesPodOperator, with what `worker_pods` fills in and reads.

Imported only where batches run in pods: the provider's import would cost every other reading of the DAG files a second.
"""

from __future__ import annotations

from typing import Any

import worker_pods
from airflow.providers.cncf.kubernetes.callbacks import KubernetesPodOperatorCallback
from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import Context
from ingest_retries import RetryPods, worker_error
from kubernetes.client import models as k8s

from ingest.config import Settings, load_settings
from ingest.errors import MemoryExceeded
from ingest.scheduling.names import run_id_for


class Ends(KubernetesPodOperatorCallback):
    """Where the operator lets others have a say: before a pod is asked for, and when it is over."""

    @staticmethod
    def on_pod_manifest_created(*, pod_request: Any, context: Context, **_: Any) -> None:
        state, before = context["task_state_store"], context["ti"].try_number - 1
        worker_pods.fill_in(
            pod_request,
            load_settings(),
            context["params"]["collection"],
            run_id_for(context["run_id"]),
            killed=bool(state.get(worker_pods.OUT_OF_MEMORY)),
            forgive=before > 0 and state.get(worker_pods.ENDED) != before,
        )

    @staticmethod
    def on_pod_completion(*, pod: Any, context: Context, **_: Any) -> None:
        status, reason, line = (0, "", "") if pod is None else worker_pods.end_of(pod)
        if not status:
            return
        error = worker_pods.error_of(pod, load_settings())
        if reason != "Evicted":
            context["task_state_store"].set(worker_pods.ENDED, context["ti"].try_number)
        if isinstance(error, MemoryExceeded):
            context["task_state_store"].set(worker_pods.OUT_OF_MEMORY, True)
        raise error or worker_error(status, line)


def in_pods(batches: Any, settings: Settings, shared: dict[str, Any]) -> Any:
    """Run batches in pods: the same command in the worker's image."""
    references = [
        k8s.V1EnvFromSource(config_map_ref=k8s.V1ConfigMapEnvSource(name=settings.kubernetes_config_map))
        if settings.kubernetes_config_map
        else None,
        k8s.V1EnvFromSource(secret_ref=k8s.V1SecretEnvSource(name=settings.kubernetes_secret))
        if settings.kubernetes_secret
        else None,
    ]
    return KubernetesPodOperator.partial(
        **(shared | {"retry_policy": RetryPods()}),
        pod_template_dict=worker_pods.template(settings.kubernetes_pod_template),
        image=settings.kubernetes_image,
        namespace=settings.kubernetes_namespace,
        service_account_name=settings.kubernetes_service_account or None,
        cmds=["ingest"],
        # Kubernetes fills in $(BATCH): a mapped argument could not be joined with the number of the attempt
        arguments=["worker", "--batch", "$(BATCH)", "--attempt", "{{ ti.try_number }}"],
        env_from=[reference for reference in references if reference],
        container_resources=k8s.V1ResourceRequirements(requests={"cpu": str(settings.kubernetes_cpu)}),
        callbacks=Ends,
        deferrable=settings.kubernetes_deferrable,
        # about twenty questions a second, however many pods there are
        poll_interval=max(2.0, settings.kubernetes_pods / 20),
        # a full cluster lets pods wait for their turn
        schedule_timeout_seconds=int(settings.batch_timeout_s),
        startup_timeout_seconds=600,
        termination_message_policy="FallbackToLogsOnError",
        log_pod_spec_on_failure=False,
        max_active_tis_per_dagrun=settings.kubernetes_pods,
        do_xcom_push=False,
        map_index_template=f"{{{{ task.annotations['{worker_pods.BATCH}'] }}}}",
    ).expand_kwargs(batches.map(worker_pods.mapped))
