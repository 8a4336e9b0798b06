"""The nights of `collections.yaml` (setting `INGEST_COLLECTIONS`).

`ingest_nightly` is for all collections with `nightly: true`; one with a `schedule` has a DAG of its own. The file is
read whenever Airflow reads this one. A collection whose entry has a mistake gets a DAG too, which is red each night and
says what is wrong; it costs the other collections nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import DAG, CronTriggerTimetable, get_current_context, task

from ingest.config import load_settings
from ingest.errors import ConfigError
from ingest.scheduling.collections import Collection, parse_collections
from ingest.scheduling.names import run_id_for

DOC = """
Triggers *Ingest a collection* with what the collection's entry in `collections.yaml` asks for{asked}. Red if that run
is red.

A night that was missed needs no backfill: the next run finds everything that has changed since.
"""
ALL_DOC = """
Triggers one run of *Ingest a collection* for each entry of `collections.yaml` with `nightly: true`. Red if one of these
runs is red; the others are not affected. Without such an entry there is nothing to do.

A night that was missed needs no backfill: the next run finds everything that has changed since.
"""
RUN_DOC = "One run of *Ingest a collection*; red if that run is red."
TRIGGER: dict[str, Any] = {
    "task_id": "ingest",
    "trigger_dag_id": "ingest_collection",
    "logical_date": None,
    # Cleared, the task runs the collection again under the same name; what is done is not done again.
    "reset_dag_run": True,
    "wait_for_completion": True,
    "deferrable": True,
    "poke_interval": 20,
    "retries": 0,
    "doc_md": RUN_DOC,
}


def night(dag_id: str, title: str, schedule: str | None, timezone: str, **options: Any) -> DAG:
    """A DAG of nights, without its tasks."""
    return DAG(
        dag_id=dag_id,
        dag_display_name=title,
        # Not at once when the DAG is first seen: the night's run belongs to the night.
        schedule=CronTriggerTimetable(schedule, timezone=timezone, run_immediately=timedelta(0)) if schedule else None,
        catchup=False,
        max_active_runs=1,
        tags=["corpus", "nightly"],
        **options,
    )


def own_night(name: str, schedule: str | None, timezone: str, **options: Any) -> DAG:
    """The DAG of one collection's nights, without its task."""
    return night(f"nightly_{run_id_for(name)}", f"Nightly: {name}", schedule, timezone, **options)


def run_of_the_night(name: str, entry: Collection) -> None:
    """The DAG of a collection with a schedule."""
    with own_night(
        name,
        entry.schedule,
        entry.timezone,
        description=f"Ingest {name} from {entry.source}",
        default_args={"owner": entry.owner or "airflow"},
        doc_md=DOC.format(asked=f". Its owner is {entry.owner}" if entry.owner else ""),
    ):
        TriggerDagRunOperator(trigger_run_id=f"{name}--{{{{ run_id }}}}", conf={"collection": name}, **TRIGGER)


@task
def collections() -> list[dict[str, object]]:
    """The collections that ask for it: for each the parameters and the name of its run."""
    path = load_settings().collections
    asking = [n for n, entry in parse_collections(path).good.items() if entry.nightly] if path.exists() else []
    print(f"{len(asking)} collections: {', '.join(asking)}")
    tonight = get_current_context()["run_id"]
    return [{"trigger_run_id": f"{name}--{tonight}", "conf": {"collection": name}} for name in asking]


def runs_of_all_nights() -> None:
    """The DAG of all collections that ask for it."""
    with night(
        "ingest_nightly",
        "Ingest nightly",
        load_settings().nightly,
        "UTC",
        description="A run of every collection that asks for it",
        doc_md=ALL_DOC,
    ):
        each = TriggerDagRunOperator.partial(map_index_template="{{ task.conf['collection'] }}", **TRIGGER)
        each.expand_kwargs(collections())


@task(retries=0)
def read_entry(mistakes: list[str]) -> None:
    """Says what is wrong with the collection's entry."""
    raise ConfigError("\n".join(mistakes))


def night_without_a_run(name: str, mistakes: list[str]) -> None:
    """The DAG of a collection whose entry cannot be read."""
    with own_night(name, "@daily", "UTC", description=f"The entry of {name} has mistakes", doc_md="\n".join(mistakes)):
        read_entry(mistakes)


runs_of_all_nights()
collections_file = load_settings().collections
if collections_file.exists():
    found = parse_collections(collections_file)
    for collection, entry in found.good.items():
        if entry.schedule:
            run_of_the_night(collection, entry)
    for collection, mistakes in found.mistakes.items():
        night_without_a_run(collection, mistakes)
