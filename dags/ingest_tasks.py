"""The tasks of an ingestion run: Airflow's side of `ingest.scheduling.steps`.

A task opens the stores, calls one step, and returns an object key; all that is large or long-lived lies in the object
store. What a step needs it finds by the run's name, so any task may be cleared and run again by itself.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from airflow.sdk import (
    BaseOperatorLink,
    Context,
    RetryDecision,
    RetryPolicy,
    conf,
    get_current_context,
    task,
)
from ingest_assets import PUBLISHED, collection_asset

from ingest.config import Settings, load_settings
from ingest.errors import Crashed, IngestError, MemoryExceeded, RunError, RunNotGood, by_code
from ingest.scheduling.names import run_id_for

if TYPE_CHECKING:
    from ingest.scheduling.batch import RunFile
    from ingest.scheduling.context import Context as Stores

EX_USAGE = 2
"""Exit status of a verb that was called wrongly, or with wrong settings: every attempt would end the same."""


class RetryWhereItHelps(RetryPolicy):
    """Retries what `ingest.errors` says a retry can help with; everything else fails at once."""

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        if isinstance(exception, IngestError) and exception.retry:
            return RetryDecision.retry(reason=f"{exception.code}: a retry can help")
        return RetryDecision.fail(reason=f"{type(exception).__name__}: a retry cannot help")


class RetryPods(RetryWhereItHelps):
    """The same for pods: the operator raises an error of its own while it handles ours, which says how the pod ended.

    Where there is none (a pod that is gone, an API server that does not answer), a retry may help.
    """

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        cause: BaseException | None = exception
        while cause is not None and not isinstance(cause, IngestError):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            return RetryDecision.default()
        return super().evaluate(cause, try_number, max_tries, context)


class RunLink(BaseOperatorLink):
    """To the page of the run."""

    name = "Corpus run"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return corpus_url("run", ti_key)


class DataDocsLink(BaseOperatorLink):
    """To what the gate's checks found."""

    name = "Data Docs"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return corpus_url("run/data_docs", ti_key)


def corpus_url(page: str, ti_key: Any) -> str:
    """Address of a page of the Corpus plugin about the run that the task belongs to."""
    base = (conf.get("api", "base_url", fallback="") or "").rstrip("/")
    return f"{base}/corpus/{page}?{urlencode({'dag_id': ti_key.dag_id, 'run_id': ti_key.run_id})}"


LINKS = (RunLink(), DataDocsLink())

STEP: dict[str, Any] = {
    "retries": 3,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(minutes=10),
    "retry_policy": RetryWhereItHelps(),
    "execution_timeout": timedelta(hours=6),
}
"""Of every task that runs a step."""


def step(function: Callable[[], Any], **options: Any) -> Any:
    """The task of one step."""
    made: Any = task(**STEP, **options)(function)()
    made.operator.operator_extra_links = LINKS
    return made


@contextmanager
def opened() -> Iterator[tuple[Stores, RunFile]]:
    """The stores, and the run of the current task. Raises RunError if `discover` has not begun it."""
    from ingest.runtime import open_context
    from ingest.scheduling import steps

    airflow = get_current_context()
    with open_context() as stores:
        yield stores, steps.find_run(stores, airflow["params"]["collection"], run_id_for(airflow["run_id"]))


def discover() -> str:
    """Lists the source and compares it with the ledger: what is new, changed, unchanged, a duplicate.

    Same as `ingest discover`. Returns the key of the inventory.
    """
    from ingest.runtime import open_context
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    airflow = get_current_context()
    params = dict(airflow["params"])
    collection = params.pop("collection")
    with open_context() as stores:
        run = steps.begin_asked(stores, collection, run_id=run_id_for(airflow["run_id"]), lease=True, **params)
        found = steps.run_discover(stores, run)
    print(f"run {run.run_id}: {found.discovered} documents, {found.convert} to convert, {found.gone} gone")
    return RunFiles(stores.objects, run.collection, run.run_id).key("inventory.jsonl")


def plan() -> list[dict[str, Any]]:
    """Divides what is to be converted into batches, costliest first.

    Same as `ingest plan`. Returns key, name and memory of each batch: one mapped task of `convert` each.
    """
    from ingest.scheduling import steps

    with opened() as (stores, run):
        workers = run.options.workers or worker_count(stores.settings)
        made = steps.run_plan(stores, run, workers=workers)
    print(f"{made.documents} documents in {len(made.batches)} batches, about {made.cost_s:.0f} CPU-seconds")
    return [{"key": batch.key, "name": batch.name, "memory_mb": batch.memory_mb} for batch in made.batches]


def merge() -> str:
    """Puts the shards of long documents together, and collects how every document ended.

    Same as `ingest merge`. A document whose batch was lost ends here, as failed. Returns the key of the outcomes.
    """
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    with opened() as (stores, run):
        merged = steps.run_merge(stores, run)
    print(f"{merged.documents} documents, {merged.merged} from shards, {merged.missing} without a result")
    return RunFiles(stores.objects, run.collection, run.run_id).key("outcomes.jsonl")


def gate() -> str:
    """Checks the facts of all documents that a reader would find; fails if they may not be published.

    Same as `ingest gate`. The Data Docs say what was checked and found. Returns the key of the verdict.
    """
    from ingest.errors import GateFailed
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    logging.getLogger("great_expectations").setLevel(logging.WARNING)  # it tells hundreds of lines of itself
    with opened() as (stores, run):
        verdict = steps.run_gate(stores, run)
    print(f"{verdict.checked} documents checked, {len(verdict.quarantine)} in quarantine")
    for finding in (*verdict.failed_expectations, *verdict.warnings):
        print(f"{finding.severity}: {finding.description} (observed {finding.observed})")
    if not verdict.passed:
        names = ", ".join(f.expectation for f in verdict.failed_expectations)
        raise GateFailed(f"{run.collection}: the checks did not pass ({names}); nothing is published")
    return RunFiles(stores.objects, run.collection, run.run_id).key("gate.json")


def publish() -> str:
    """Brings the search index to what passed the gate, all at once, and announces the collection's asset.

    Same as `ingest publish`. Returns the key of what changed.
    """
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    with opened() as (stores, run):
        published = steps.run_publish(stores, run)
    # At each attempt: one that was cut off may have published without having said so.
    extra: dict[str, Any] = {"collection": run.collection, "run_id": run.run_id}
    extra |= {"written": published.written, "removed": published.removed, "total": published.total}
    get_current_context()["outlet_events"][PUBLISHED].add(collection_asset(run.collection), extra=extra)
    print(f"{published.written} written, {published.removed} removed, {published.total} in the index")
    return RunFiles(stores.objects, run.collection, run.run_id).key("publish.json")


def report() -> str:
    """Makes the report of the run, wherever the run stopped; fails if the report says that the run was not good.

    Same as `ingest report`. Returns the key of the report.
    """
    from ingest.cli.show import show_report
    from ingest.scheduling import steps
    from ingest.scheduling.files import RunFiles

    with opened() as (stores, run):
        made = steps.run_report(stores, run)
    show_report(made)
    if not made.good:
        raise RunNotGood(
            f"{run.collection}: gate {made.gate.verdict}, {made.documents.failed} documents failed, "
            f"{made.documents.published} published"
        )
    return RunFiles(stores.objects, run.collection, run.run_id).key("report.json")


def convert(batches: Any, settings: Settings) -> Any:
    """The mapped task `convert`, one instance per batch, run by whom the settings name."""
    shared = STEP | {
        "task_id": "convert",
        "pool": settings.pool,
        "execution_timeout": timedelta(seconds=settings.batch_timeout_s),
        "doc_md": CONVERT_DOC,
    }
    if settings.runner == "kubernetes":
        return in_pods(batches, settings, shared)
    return task(**shared, map_index_template="{{ task.op_kwargs['batch']['name'] }}")(in_process).expand(batch=batches)


CONVERT_DOC = """
Converts the documents of one batch: `ingest worker --batch KEY`, in a process of this machine or in a pod.

A document that cannot be converted does not fail the batch: it ends as rejected or failed, with a reason. A batch that
ends without a result is tried again, one document at a time; given up, it leaves its documents as failed.
"""


def in_process(batch: dict[str, Any]) -> str:
    """Run a batch in a process of its own. Returns the key of its result."""
    from ingest.stores import keys

    attempt = get_current_context()["ti"].try_number
    follow([sys.executable, "-m", "ingest", "worker", "--batch", batch["key"], "--attempt", str(attempt)])
    return keys.result_of(batch["key"])


def follow(command: list[str]) -> None:
    """Run a worker and put its lines into the task's log. It ends with the task. Raises what its end means."""
    last: deque[str] = deque(maxlen=1)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as worker:
        assert worker.stdout is not None
        try:
            for line in worker.stdout:
                print(line, end="", flush=True)
                last.append(line.strip())
            status = worker.wait()
        finally:
            if worker.poll() is None:  # the task was ended, or took too long
                worker.terminate()
    if status:
        raise worker_error(status, "".join(last))


def worker_error(status: int, line: str) -> IngestError:
    """What a worker's exit status and its last line mean. A worker that died may have met a document that kills it:
    from the second attempt on such a document is found and fails alone, so a retry helps."""
    prefix, _, rest = line.partition(": ")
    code, _, message = rest.partition(": ")
    if prefix == "ingest" and message:
        return by_code(code)(message)
    if status == EX_USAGE:
        return RunError(f"the worker was called wrongly: {line}")
    return Crashed(f"the worker ended with status {status}: {line}")


def in_pods(batches: Any, settings: Settings, shared: dict[str, Any]) -> Any:
    """Run batches in pods: the same command in the worker's image."""
    import worker_pods
    from airflow.providers.cncf.kubernetes.callbacks import KubernetesPodOperatorCallback
    from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
    from kubernetes.client import models as k8s

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


def worker_count(settings: Settings) -> int:
    """Workers that a run is planned for where nobody says."""
    if settings.runner == "kubernetes":
        return settings.kubernetes_pods
    return settings.workers or len(os.sched_getaffinity(0))
