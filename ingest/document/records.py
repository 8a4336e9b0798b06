"""What is remembered of documents and runs: rows of the ledger, files of a run. Scalars only, for any store."""

from __future__ import annotations

import hashlib
from enum import StrEnum

import msgspec


class Outcome(StrEnum):
    """How a discovered document ended in a run; each has exactly one."""

    CONVERTED = "converted"
    PARTIAL = "partial"
    """Converted, but pages were lost; the record names them."""
    REJECTED = "rejected"
    """The input's fault: encrypted, broken, no pages, no readable text."""
    FAILED = "failed"
    """Our fault: crash, deadline, memory, a service."""
    QUARANTINED = "quarantined"
    """Converted, and did not pass the checks."""
    UNCHANGED = "unchanged"
    """Done in an earlier run, and neither the document nor our versions have changed since."""
    DUPLICATE = "duplicate"
    """Has the bytes of another document of the collection, which stands for both."""


GOOD = frozenset({Outcome.CONVERTED, Outcome.PARTIAL})
"""Outcomes with a converted document."""


SHA256 = "sha256:"
"""Beginning of content tags that are a SHA-256."""


class SourceItem(msgspec.Struct, frozen=True, kw_only=True):
    """A document as its source lists it, unread."""

    path: str
    """Relative to the source's root, `/` between parts: the document's identity within its collection."""
    size: int
    etag: str = ""
    mtime_ms: int = 0
    content_tag: str = ""
    """Where the source knows one: equal tags mean equal bytes. After `sha256:` it is their SHA-256."""
    reachable: bool = True
    """False: whether it has changed cannot be known now. What is known of the document stays as it is."""


class DocumentRecord(msgspec.Struct, kw_only=True):
    """One row of the ledger: a document of a collection and how it ended last."""

    collection: str
    doc_id: str
    """`document_id(collection, path)`."""
    path: str
    size: int = 0
    etag: str = ""
    mtime_ms: int = 0
    content_tag: str = ""
    sha256: str = ""
    pages: int = 0
    """Pages that the document has; 0: not known."""
    pages_failed: int = 0
    outcome: Outcome | None = None
    """None: discovered, not finished. Never `unchanged`: that is what a later run says (see `changed_run`)."""
    code: str = ""
    """Of the error (`ingest.errors`) or other reason; empty for `converted`."""
    reason: str = ""
    """The same in a sentence."""
    stage_parse: str = ""
    """Fingerprint of the versions that parsed or rejected the document; what is kept of the stage lies under it."""
    stage_layout: str = ""
    """The same up to the layout network …"""
    stage_labels: str = ""
    """… and up to the label network."""
    fingerprint: str = ""
    """Of the versions of all stages that made the result."""
    released: str = ""
    """Fingerprint with which an operator released the document from quarantine; with another one it is judged anew."""
    result_key: str = ""
    """Object key of the converted document."""
    duplicate_of: str = ""
    """doc_id of the document that stands for this one."""
    attempts: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    seen_run: str = ""
    """The last run that discovered the document."""
    changed_run: str = ""
    """The run that set `outcome`."""
    gone_run: str = ""
    """The run that did not find the document in its source any more; empty: it is there."""
    published_run: str = ""
    """The run that published it; empty: not in the index."""
    updated_ms: int = 0
    """When the row was last changed; `ingest show` tells it."""

    def run_outcome(self, run_id: str) -> Outcome | None:
        """Outcome within a run that discovered the document."""
        return self.outcome if self.changed_run == run_id or self.outcome is None else Outcome.UNCHANGED


class RunState(StrEnum):
    RUNNING = "running"
    PUBLISHED = "published"
    BLOCKED = "blocked"
    """The gate failed; nothing was published."""
    FAILED = "failed"
    """A step failed or documents were lost."""
    ROLLED_BACK = "rolled-back"
    """It was published, and an operator went back to the run before."""


class RunRecord(msgspec.Struct, kw_only=True):
    """One run of a collection."""

    collection: str
    run_id: str
    source: str = ""
    state: RunState = RunState.RUNNING
    started_ms: int = 0
    listed_ms: int = 0
    """When it wrote its list of the source into the documents' rows: from then on they speak of this run."""
    finished_ms: int = 0
    report_key: str = ""
    """Object key of the report; empty: not written yet. `ingest status --json` tells it."""


def document_id(collection: str, path: str) -> str:
    """Stable id of a document: 20 hex digits over collection and path."""
    return hashlib.sha256(f"{collection}\0{path}".encode()).hexdigest()[:20]
