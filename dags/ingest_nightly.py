"""
### Every collection that asks for it, each night

Reads `collections.yaml` (setting `INGEST_COLLECTIONS`) and triggers one run of *Ingest a collection* for each entry
with `nightly: true`. Red if one of these runs is red; the others are not affected. Without the file the night is
skipped. A night that was missed needs no backfill: the next run finds everything that has changed since.

Each collection gets a run of its own rather than a place in one large run: it has its own grid, report, colour and
history, can be run again alone, and its batches can be mapped (Airflow does not map a mapped task over another).
"""

from __future__ import annotations

from datetime import timedelta

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import CronTriggerTimetable, dag, get_current_context, task

from ingest.config import load_settings


@task
def collections() -> list[dict[str, object]]:
    """The collections that ask for a nightly run: for each the parameters and the name of its run."""
    from airflow.sdk.exceptions import AirflowSkipException

    from ingest.scheduling.collections import read_collections

    path = load_settings().collections
    if not path.exists():
        raise AirflowSkipException(f"there is no {path.absolute()}; collections.example.yaml shows what to write")
    night = get_current_context()["run_id"]
    found = {name: entry for name, entry in read_collections(path).items() if entry.nightly}
    print(f"{len(found)} collections: {', '.join(found)}")
    return [
        {
            "trigger_run_id": f"{name}--{night}",
            "conf": {
                "collection": name,
                "source": entry.source,
                "workers": entry.workers,
                "ocr": entry.ocr,
                "strictness": entry.strictness,
            },
        }
        for name, entry in found.items()
    ]


@dag(
    dag_id="ingest_nightly",
    dag_display_name="Ingest nightly",
    description="A run of every collection that asks for it",
    doc_md=__doc__,
    # Not at once when the DAG is first seen: the night's run belongs to the night.
    schedule=CronTriggerTimetable(load_settings().nightly, timezone="UTC", run_immediately=timedelta(0)),
    catchup=False,
    max_active_runs=1,
    tags=["corpus"],
)
def ingest_nightly() -> None:
    TriggerDagRunOperator.partial(
        task_id="ingest",
        trigger_dag_id="ingest_collection",
        logical_date=None,
        # Cleared, the task runs the collection again under the same name; what is done is not done again.
        reset_dag_run=True,
        wait_for_completion=True,
        deferrable=True,
        poke_interval=20,
        retries=0,
        map_index_template="{{ task.conf['collection'] }}",
        doc_md="One run of *Ingest a collection*; red if that run is red.",
    ).expand_kwargs(collections())


ingest_nightly()
