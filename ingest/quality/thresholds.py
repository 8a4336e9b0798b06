"""What the gate tolerates: three presets, and single values that a collection sets for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from ingest.errors import ConfigError

Strictness = Literal["lenient", "normal", "strict"]

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Thresholds(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Defaults are those of `normal`. docs/quality.md has the list; a test compares the two."""

    text_lost_max: Share = 0.03
    """Of one document: share of the PDF's text that may be missing from the output."""
    text_doubled_max: Share = 0.03
    """Of one document: share of the PDF's text that may be there once too often."""
    text_compared_min: Count = 200
    """Documents with fewer letters, digits and symbols are not judged by the two shares above."""
    garbage_max: Share = 0.10
    """Of one document: share of characters without meaning."""
    label_score_min: Share = 0.5
    """Of one document: mean score of its labels below which a warning names it."""

    audit_documents: Count = 100
    """Documents of a run, at most, whose elements are audited one by one."""

    quarantined_max: Share = 0.05
    """Share of the converted documents that may break a check of one document, and of the audited ones that may break
    a check of an element; more block the whole run."""
    failed_max: Share = 0.05
    """Share of the documents worked on that may have failed."""
    few: Count = 1
    """So many documents may always be quarantined, and so many fail, whatever share of a small run they are."""
    rejected_max: Share = 0.5
    """Share of rejected documents from which a warning is given."""
    needs_ocr_max: Share = 0.25
    """Share of the pages that need OCR from which a warning is given."""
    lost_max: Share = 0.02
    """Share of the pages that were lost from which a warning is given."""
    coverage_off_max: Share = 0.015
    """Mean coverage of what is published may be off 1 by so much."""
    title_mostly: Share = 0.5
    headings_mostly: Share = 0.6
    language_mostly: Share = 0.8
    """Share of the documents that should have a title, headings (of 3 pages or more), a known language."""
    documents_min: Count = 20
    """Runs with fewer documents to publish are not judged by the three shares above."""

    drift_documents_min: Count = 50
    """Documents that a run, and the one that it is compared with, must have for drift to mean anything."""
    drift_label_warn: Share = 0.12
    drift_label_max: Share = 0.25
    """Change of a label's mean share since the last published run: a warning; blocks."""
    drift_language_warn: Share = 0.25
    """Change of a language's share of the documents."""
    drift_size_warn: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    """Factor by which pages per document, or characters per page, may change."""


PRESETS: dict[Strictness, Thresholds] = {
    "lenient": Thresholds(
        text_lost_max=0.10,
        text_doubled_max=0.10,
        garbage_max=0.25,
        label_score_min=0.3,
        audit_documents=30,
        quarantined_max=0.20,
        failed_max=0.20,
        few=3,
        rejected_max=0.9,
        needs_ocr_max=0.75,
        lost_max=0.10,
        coverage_off_max=0.05,
        title_mostly=0.1,
        headings_mostly=0.2,
        language_mostly=0.5,
        drift_label_warn=0.25,
        drift_label_max=0.5,
        drift_language_warn=0.5,
        drift_size_warn=4.0,
    ),
    "normal": Thresholds(),
    "strict": Thresholds(
        text_lost_max=0.01,
        text_doubled_max=0.01,
        text_compared_min=50,
        garbage_max=0.02,
        label_score_min=0.6,
        audit_documents=300,
        quarantined_max=0.01,
        failed_max=0.01,
        few=0,
        rejected_max=0.1,
        needs_ocr_max=0.05,
        lost_max=0.0,
        coverage_off_max=0.005,
        title_mostly=0.8,
        headings_mostly=0.9,
        language_mostly=0.95,
        drift_label_warn=0.08,
        drift_label_max=0.15,
        drift_language_warn=0.15,
        drift_size_warn=1.5,
    ),
}


def thresholds(strictness: str = "normal", overrides: Mapping[str, object] | None = None) -> Thresholds:
    """A preset with some values replaced. Raises ConfigError that names the value."""
    preset = {str(name): values for name, values in PRESETS.items()}.get(strictness)
    if preset is None:
        raise ConfigError(f"strictness {strictness!r}: use one of {', '.join(PRESETS)}")
    try:
        return msgspec.convert(msgspec.structs.asdict(preset) | dict(overrides or {}), Thresholds)
    except msgspec.ValidationError as error:
        raise ConfigError(f"thresholds: {error}") from None
