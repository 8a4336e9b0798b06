"""Where everything lies in the object store. The only place that spells keys.

A converted document and what its stages left lie under the hash of its bytes, and are shared by all collections; the
files of a run lie under its collection. Below `documents/<2 hex>/<sha256>/`:

| key | what |
|---|---|
| `parse/<fingerprint>.bin` | parsed pages |
| `layout/<fingerprint>.bin` | layout maps |
| `labels/<fingerprint>.bin` | label probabilities |
| `document/<fingerprint>/document.json` | the converted document |
| `document/<fingerprint>/result.json` | how it ended, and its facts row; written last |
| `shards/<fingerprint>/<n>.<stage>.bin` | pages and maps of a part of a long document, until it is merged |

Below `runs/<collection>/<run_id>/`:

| key | what |
|---|---|
| `run.json` | what was asked for, and with which versions |
| `inventory.jsonl`, `discover.json` | what discover found, and how much of what |
| `plan.json` | the batches |
| `batches/<name>.json` | the input of `ingest worker --batch KEY` |
| `results/<name>.json` | its output; written last, so it marks completion |
| `suspects/<name>/<doc_id>` | a document that a repeated batch was at when it ended |
| `outcomes.jsonl`, `merge.json` | how every document to convert ended, shards merged |
| `facts.jsonl`, `gate.json`, `data_docs/…` | a row for every document that readers would find; the verdict on them |
| `published.jsonl`, `publish.json` | what readers find when this is the published run; what changed in the index |
| `report.json` | the report |

`probes/<name>` is there for the moment in which somebody tries the store.
"""

from __future__ import annotations


def content_folder(sha256: str) -> str:
    return f"documents/{sha256[:2]}/{sha256}"


def kept(sha256: str, stage: str, fingerprint: str) -> str:
    """What a stage (`ingest.scheduling.stages.KEPT`) left."""
    return f"{content_folder(sha256)}/{stage}/{fingerprint}.bin"


def document_json(sha256: str, fingerprint: str) -> str:
    return f"{content_folder(sha256)}/document/{fingerprint}/document.json"


def result_json(sha256: str, fingerprint: str) -> str:
    return f"{content_folder(sha256)}/document/{fingerprint}/result.json"


def shard(sha256: str, fingerprint: str, number: int, stage: str) -> str:
    """`fingerprint` is that of the layout stage, the last that a shard goes through; stage: parse or layout."""
    return f"{content_folder(sha256)}/shards/{fingerprint}/{number:05d}.{stage}.bin"


def run_folder(collection: str, run_id: str) -> str:
    return f"runs/{collection}/{run_id}"


def run_file(collection: str, run_id: str, name: str) -> str:
    """name: one of the files named above, or a path below `data_docs/`."""
    return f"{run_folder(collection, run_id)}/{name}"


def batch(collection: str, run_id: str, name: str) -> str:
    return f"{run_folder(collection, run_id)}/batches/{name}.json"


def suspect(batch_key: str, doc_id: str) -> str:
    """Mark that the batch's document was begun, from the key of the batch."""
    folder, _, name = batch_key.rpartition("/batches/")
    return f"{folder}/suspects/{name.removesuffix('.json')}/{doc_id}"


def result_of(batch_key: str) -> str:
    """A batch's result, from the key of the batch."""
    folder, _, name = batch_key.rpartition("/batches/")
    return f"{folder}/results/{name}"


def probe(name: str) -> str:
    return f"probes/{name}"
