"""
### One collection, from its source to the search index

| task | does | fails when |
|---|---|---|
| discover | lists the source, compares it with the ledger | no list of the source; another run has the collection |
| plan | divides the work into batches | |
| convert | one task per batch; a document that cannot be converted ends with a reason | a batch is lost |
| merge | puts shards together, collects outcomes | |
| facts and gate | checks what a reader would find | the checks do not pass: nothing is published |
| publish | brings the index to it, all at once | |
| report | what became of every document, how fast, at what cost | the run was not good |
| good | | anything above has failed |

**Green**: the gate passed, the index is up to date, and every document has its outcome; the report says how many were
rejected, and why. **Red**: a step failed or a batch was lost, or the gate did not pass. Running again is always safe:
what is done is not done again.

A collection has one run at a time: from discover to report the run keeps it to itself, and `discover` of another fails
and names it. What is left empty is taken from the collection's entry in `collections.yaml`.

The page *Corpus* shows collections and runs; each task links to the page of its run.
"""

from __future__ import annotations

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import Param, dag
from ingest_assets import PUBLISHED
from ingest_tasks import convert, discover, gate, merge, plan, publish, report, step

from ingest.config import load_settings
from ingest.scheduling.names import COLLECTION

OPTIONS = "Options"

PARAMS = {
    "collection": Param(
        type="string",
        title="Collection",
        description="Its name: letters, digits, dot, hyphen and underscore.",
        pattern=f"^{COLLECTION.pattern}$",
    ),
    "source": Param(
        None,
        type=["null", "string"],
        minLength=1,
        title="Source",
        description="Where its documents are, as the workers see it: the absolute path of a folder or an archive, "
        "s3://bucket/prefix, or a list of URLs. Empty: as collections.yaml says.",
    ),
    "workers": Param(
        None,
        type=["null", "integer"],
        minimum=1,
        maximum=10_000,
        title="Workers",
        description="Workers that the batches are made for; empty: as collections.yaml or the settings say. How many "
        "batches run at a time is up to the pool.",
        section=OPTIONS,
    ),
    "ocr": Param(
        False,
        type="boolean",
        title="OCR",
        description="Not there yet: a run that asks for it is refused. Scans are rejected as `needs-ocr`.",
        section=OPTIONS,
    ),
    "force": Param(
        False, type="boolean", title="Force", description="Convert again what has not changed.", section=OPTIONS
    ),
    "strictness": Param(
        None,
        enum=[None, "lenient", "normal", "strict"],
        type=["null", "string"],
        title="Strictness",
        description="Of the gate's checks; empty: as collections.yaml says, else normal.",
        section=OPTIONS,
    ),
    "models": Param(
        [],
        type="array",
        items={"type": "string", "minLength": 1},
        title="Models",
        description="Names of model services (INGEST_MODELS) that run instead of the usual ones; empty: as "
        "collections.yaml says.",
        section=OPTIONS,
    ),
    "accept_removals": Param(
        False,
        type="boolean",
        title="Accept removals",
        description="Go on, however many documents are gone from the source.",
        section=OPTIONS,
    ),
    "take_over": Param(
        False,
        type="boolean",
        title="Take over",
        description="Take the collection from an abandoned run that still holds it.",
        section=OPTIONS,
    ),
}


@dag(
    dag_id="ingest_collection",
    dag_display_name="Ingest a collection",
    description="Discover, plan, convert, check and publish one collection",
    doc_md=__doc__,
    schedule=None,
    params=PARAMS,
    tags=["corpus"],
)
def ingest_collection() -> None:
    discovered = step(discover)
    planned = step(plan)
    converted = convert(planned, load_settings())
    # Where a batch is lost, or there is nothing to convert, the run goes on; where the plan failed it does not.
    batches_done = EmptyOperator(task_id="batches_done", trigger_rule="all_done")
    merged = step(merge)
    gated = step(gate, task_display_name="facts and gate")
    published = step(publish, outlets=[PUBLISHED])
    reported = step(report, trigger_rule="all_done")
    # `report` runs always, so the run's colour is that of a task that needs all others.
    good = EmptyOperator(task_id="good", trigger_rule="none_failed", doc_md="Every task before this one was good.")

    discovered >> planned >> converted >> batches_done >> merged >> gated >> published >> reported
    planned >> merged
    [discovered, planned, converted, merged, gated, published, reported] >> good


ingest_collection()
