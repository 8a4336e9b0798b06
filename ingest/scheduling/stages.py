"""What a stage's result depends on: versions, hashed along the chain of stages.

    parse ──► layout ──► labels ──► document

A stage's *fingerprint* covers its own versions and those of all stages before it, so that changing one version makes
that stage and what follows out of date, and nothing else. What a stage leaves is kept under content hash and
fingerprint (`ingest.stores.keys`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

KEPT = ("parse", "layout", "labels")
"""Stages whose results are kept, in their order; each needs the one before it."""

VERSIONS_OF: dict[str, tuple[str, ...]] = {
    "parse": ("pdfium", "parse"),
    "layout": ("render", "layout"),
    "labels": ("order", "features", "labels"),
    "document": ("regions", "tables", "assemble", "docling"),
}
"""Names of the versions (`ingest.runtime.versions`) that each stage depends on by itself."""


class Fingerprints(msgspec.Struct, frozen=True, kw_only=True):
    """12 hex digits for each stage."""

    parse: str
    layout: str
    labels: str
    document: str


def fingerprints(versions: Mapping[str, str]) -> Fingerprints:
    """Of a set of versions. Versions of no known stage count for the document as a whole."""
    known = {name for names in VERSIONS_OF.values() for name in names}
    found: dict[str, str] = {}
    text = ""
    for stage, names in VERSIONS_OF.items():
        own = [*names, *sorted(set(versions) - known)] if stage == "document" else list(names)
        text += "".join(f"{name}={versions.get(name, '')}\n" for name in own)
        found[stage] = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Fingerprints(**found)


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What differs between two sets of versions, for people: `labels: labels-1a2b -> labels-3c4d`."""
    names = sorted(set(before) | set(after))
    return [f"{n}: {before.get(n, 'none')} -> {after.get(n, 'none')}" for n in names if before.get(n) != after.get(n)]
