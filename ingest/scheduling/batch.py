"""What is handed from step to step of a run: files in the object store, one Struct each."""

from __future__ import annotations

from typing import Any

import msgspec

from ingest.document.records import DocumentRecord, Outcome, SourceItem
from ingest.scheduling.stages import KEPT, Fingerprints


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever started the run asked for."""

    force: bool = False
    """Convert again what has not changed."""
    strictness: str = "normal"
    """Of the gate: lenient, normal or strict."""
    thresholds: dict[str, float] = {}
    """Of the gate, by name, instead of those that the strictness has."""
    removal_limit: float | None = None
    """Instead of the setting."""
    workers: int | None = None
    """Workers that the batches are planned for; None: as the settings say."""
    accept_removals: bool = False
    """Go on, however many documents are gone from the source."""
    include: tuple[str, ...] = ()
    """Glob patterns of the documents that are wanted (`ingest.stores.patterns`); none: PDFs, or all URLs of a list."""
    exclude: tuple[str, ...] = ()
    """Glob patterns of those that are not."""
    models: tuple[str, ...] = ()
    """Names of model services (setting `INGEST_MODELS`) that run instead of the usual ones."""


class RunFile(msgspec.Struct, frozen=True, kw_only=True):
    """`run.json`: fixed when the run starts, so that all its steps see the same."""

    collection: str
    run_id: str
    source: str
    options: RunOptions
    versions: dict[str, str]
    """Stage or model -> version."""
    fingerprints: Fingerprints
    """Of the versions: they name the results that these give."""
    models: dict[str, str] = {}
    """Stage -> URL of the model service that was chosen for it."""
    started_ms: int


class Entry(msgspec.Struct, kw_only=True):
    """A line of `inventory.jsonl`: a discovered document and what is to be done with it."""

    item: SourceItem
    doc_id: str
    sha256: str = ""
    pages: int = 0
    """0: not known before the document is opened."""
    action: str = "convert"
    """convert, unchanged, duplicate or rejected (its reason is in the ledger)."""
    cost_s: float = 0.0
    """CPU-seconds that converting it took last time, or 0."""
    kept: tuple[str, ...] = ()
    """Stages that need not be run again."""
    stale: str = ""
    """First stage to be run again of a document that has not changed itself; empty otherwise."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`plan.json`: the batches of a run, costliest first."""

    batches: list[PlannedBatch]
    cost_s: float
    documents: int
    shards: int
    """Parts of documents that are split."""


class PlannedBatch(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    """Object key: `ingest worker --batch KEY`."""
    name: str
    """For people: what the batch holds."""
    cost_s: float
    tasks: int
    memory_mb: int = 0
    """That its worker is likely to use."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A document, or a range of its pages, to convert."""

    doc_id: str
    item: SourceItem
    sha256: str
    pages: int = 0
    shard: tuple[int, int, int] | None = None
    """(number of the shard, first page, last page), pages 1-based and inclusive; None: the whole document."""
    attempts: int = 0
    """Of earlier runs."""
    kept: tuple[str, ...] = ()
    """Stages whose results of these bytes and versions are in the object store."""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """`batches/<name>.json`: what one worker does in one go."""

    run: RunFile
    name: str
    cost_s: float
    tasks: list[Task]


class Usage(msgspec.Struct, kw_only=True):
    """What a piece of work cost."""

    cpu_s: float = 0.0
    """CPU-seconds of workers and model services."""
    service_cpu_s: float = 0.0
    """The services' part."""
    stage_cpu_s: dict[str, float] = msgspec.field(default_factory=dict)
    stage_s: dict[str, float] = msgspec.field(default_factory=dict)
    """Wall-seconds by stage: the serial time of the paper on the cloud service, section IV-A."""

    def spend(self, stage: str, cpu_s: float, wall_s: float) -> None:
        self.stage_cpu_s[stage] = self.stage_cpu_s.get(stage, 0.0) + cpu_s
        self.stage_s[stage] = self.stage_s.get(stage, 0.0) + wall_s

    def add(self, other: Usage) -> None:
        self.cpu_s += other.cpu_s
        self.service_cpu_s += other.service_cpu_s
        for stage in other.stage_s | other.stage_cpu_s:
            self.spend(stage, other.stage_cpu_s.get(stage, 0.0), other.stage_s.get(stage, 0.0))


class Result(msgspec.Struct, kw_only=True):
    """How a task ended."""

    doc_id: str
    path: str
    sha256: str = ""
    outcome: Outcome | None = None
    """None: a shard is done; the document is not."""
    code: str = ""
    reason: str = ""
    pages: int = 0
    pages_failed: int = 0
    result_key: str = ""
    facts: dict[str, Any] | None = None
    """The facts row (`ingest.quality.facts.Facts`) of a converted document."""
    usage: Usage = msgspec.field(default_factory=Usage)
    memory_mb: float = 0.0
    finished_ms: int = 0
    attempts: int = 1
    retry: bool = False
    """A later run may do better."""
    kept: tuple[str, ...] = ()
    """Stages whose results are in the object store now."""
    reused: bool = False
    """Found done: an earlier attempt at the batch, or another collection, had converted the same bytes."""


class BatchResult(msgspec.Struct, kw_only=True):
    """`results/<name>.json`: written last, so it marks the batch as done."""

    name: str
    results: list[Result]
    usage: Usage
    """Of the whole worker, its start included; more than the sum of its tasks."""
    started_ms: int
    finished_ms: int


def apply(record: DocumentRecord, result: Result, run: RunFile) -> None:
    """Write a task's end into the document's ledger row."""
    record.outcome = result.outcome
    record.code, record.reason = result.code, result.reason
    record.sha256 = result.sha256 or record.sha256
    record.pages = result.pages or record.pages
    record.pages_failed = result.pages_failed
    record.fingerprint = run.fingerprints.document
    done = ("parse",) if result.outcome is Outcome.REJECTED else result.kept
    record.stage_parse, record.stage_layout, record.stage_labels = (
        getattr(run.fingerprints, stage) if stage in done else "" for stage in KEPT
    )
    record.result_key = result.result_key
    record.duplicate_of = ""
    record.attempts += result.attempts if record.changed_run != run.run_id else 0
    record.cpu_s = result.usage.cpu_s
    record.wall_s = sum(result.usage.stage_s.values())
    record.changed_run = run.run_id
    record.updated_ms = result.finished_ms
