"""Where everything lies in the object store. The only place that spells keys.

documents/<2 hex>/<sha256>/<fingerprint>/document.json      the converted document; shared by all collections
documents/<2 hex>/<sha256>/<fingerprint>/facts.json         its facts row
documents/<2 hex>/<sha256>/<fingerprint>/shards/<n>.bin     pages of a long document, until they are merged
runs/<collection>/<run_id>/inventory.jsonl                  what discover found
runs/<collection>/<run_id>/plan.json
runs/<collection>/<run_id>/batches/<name>.json              the input of `ingest worker --batch KEY`
runs/<collection>/<run_id>/results/<name>.json              its output; written last, so it marks completion
runs/<collection>/<run_id>/merge.json, facts.jsonl, merge.json, gate.json, publish.json, report.json, data_docs/…
"""

from __future__ import annotations


def document_folder(sha256: str, fingerprint: str) -> str:
    return f"documents/{sha256[:2]}/{sha256}/{fingerprint}"


def document_json(sha256: str, fingerprint: str) -> str:
    return f"{document_folder(sha256, fingerprint)}/document.json"


def result_json(sha256: str, fingerprint: str) -> str:
    return f"{document_folder(sha256, fingerprint)}/result.json"


def shard(sha256: str, fingerprint: str, number: int) -> str:
    return f"{document_folder(sha256, fingerprint)}/shards/{number:05d}.bin"


def run_folder(collection: str, run_id: str) -> str:
    return f"runs/{collection}/{run_id}"


def run_file(collection: str, run_id: str, name: str) -> str:
    """name: run.json, inventory.jsonl, plan.json, outcomes.jsonl, merge.json, facts.jsonl, gate.json, publish.json, report.json."""
    return f"{run_folder(collection, run_id)}/{name}"


def batch(collection: str, run_id: str, name: str) -> str:
    return f"{run_folder(collection, run_id)}/batches/{name}.json"


def suspect(batch_key: str, doc_id: str) -> str:
    """Key of a mark that the batch's document was begun, from the key of the batch."""
    folder, _, name = batch_key.rpartition("/batches/")
    return f"{folder}/suspects/{name.removesuffix('.json')}/{doc_id}"


def result_of(batch_key: str) -> str:
    """Key of a batch's result, from the key of the batch."""
    folder, _, name = batch_key.rpartition("/batches/")
    return f"{folder}/results/{name}"
