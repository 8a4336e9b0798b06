"""What a run's documents look like on the whole, and how far that is from the last published run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import msgspec

from ingest.document.labels import LABELS
from ingest.quality.facts import Facts, share_field

Kind = Literal["label", "language", "size"]


class Summary(msgspec.Struct, kw_only=True, frozen=True):
    """Distributions over documents; each document counts once, whatever its length."""

    run_id: str
    documents: int
    coverage: float
    """Mean."""
    label_shares: dict[str, float]
    """Label -> mean share of the characters."""
    languages: dict[str, float]
    """Language -> share of the documents."""
    pages_per_document: float
    chars_per_page: float
    """Of the output, per page with text."""


class Change(msgspec.Struct, kw_only=True, frozen=True):
    """One figure in two runs."""

    kind: Kind
    name: str
    before: float
    now: float
    change: float
    """label, language: difference; size: factor, 1 or more."""


def summarise(run_id: str, facts: Sequence[Facts]) -> Summary:
    """Summary of one or more documents."""
    languages = Counter(row.language or "unknown" for row in facts)
    return Summary(
        run_id=run_id,
        documents=len(facts),
        coverage=fmean(row.coverage for row in facts),
        label_shares={label.value: fmean(getattr(row, share_field(label)) for row in facts) for label in LABELS},
        languages={language: n / len(facts) for language, n in sorted(languages.items())},
        pages_per_document=fmean(row.pages for row in facts),
        chars_per_page=sum(row.chars_output for row in facts) / max(1, sum(row.pages_text for row in facts)),
    )


def changes(before: Summary, now: Summary) -> list[Change]:
    """Every figure that drift is judged by."""
    found: list[Change] = []
    kinds: tuple[tuple[Kind, dict[str, float], dict[str, float]], ...] = (
        ("label", before.label_shares, now.label_shares),
        ("language", before.languages, now.languages),
    )
    for kind, old, new in kinds:
        for name in sorted(old.keys() | new.keys()):
            a, b = old.get(name, 0.0), new.get(name, 0.0)
            found.append(Change(kind=kind, name=name, before=a, now=b, change=b - a))
    for name in ("pages_per_document", "chars_per_page"):
        a, b = getattr(before, name), getattr(now, name)
        found.append(Change(kind="size", name=name, before=a, now=b, change=max((a + 1) / (b + 1), (b + 1) / (a + 1))))
    return found
