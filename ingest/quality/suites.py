"""The checks: of a document, of a collection's run, and of the difference to the last published one.

docs/quality.md explains each to those who run the gate; a test compares the two.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ingest.quality.checks import Check, Condition, Severity, between, equal, matches, part, percent, true, unique
from ingest.quality.thresholds import Thresholds


class RunFigures(msgspec.Struct, kw_only=True, frozen=True):
    """What a run comes to, for checks that no single document can break."""

    facts_rows: int
    """Documents that have a facts row."""
    ledger_rows: int
    """Documents that the ledger calls converted or partial."""
    worked_on: int
    """Documents that were converted or ended in an error, neither unchanged nor duplicates."""
    failed: int
    quarantined: int
    audited: int
    """Documents whose elements were audited."""
    faulty: int
    """Those of them that broke a check of an element."""
    rejected_share: float
    """Of `worked_on`."""
    publishable: int
    """Documents that readers could find afterwards: passed now, or unchanged."""
    needs_ocr_share: float
    """Of the pages."""
    lost_share: float
    """Of the pages."""


def document_checks(limits: Thresholds) -> list[Check]:
    """Of every facts row, derived columns included (`ingest.quality.tables`)."""
    enough_text: Condition = ("chars_compared", ">=", limits.text_compared_min)
    return [
        true("numbers-sound", "Every figure of the facts is a number", "numbers_ok"),
        equal("pages-complete", "document", "The document has every page of the PDF", "pages", "pages_output"),
        equal(
            "pages-accounted",
            "document",
            "Every page has text, is blank, needs OCR, or is named as lost",
            "pages",
            "pages_accounted",
        ),
        between("text-present", "document", "The document has text", "chars_output", low=1),
        between(
            "pages-not-silent",
            "document",
            "Something came out of every page that has usable text",
            "pages_silent",
            high=0,
        ),
        between(
            "text-whole",
            "document",
            f"At most {percent(limits.text_lost_max)} of the PDF's text is missing "
            f"(judged from {limits.text_compared_min} characters on)",
            "text_lost",
            high=limits.text_lost_max,
            condition=enough_text,
        ),
        between(
            "text-once",
            "document",
            f"At most {percent(limits.text_doubled_max)} of the text is there more often than in the PDF "
            f"(judged from {limits.text_compared_min} characters on)",
            "text_doubled",
            high=limits.text_doubled_max,
            condition=enough_text,
        ),
        between(
            "text-readable",
            "document",
            f"At most {percent(limits.garbage_max)} of the characters have no meaning",
            "garbage_ratio",
            high=limits.garbage_max,
        ),
        true("order-sound", "Every cell of every page stands in the reading order once", "order_ok"),
        true("boxes-inside", "All boxes lie on their page", "boxes_ok"),
        true("tables-sound", "The cells of every table lie in its grid and do not overlap", "tables_ok"),
        between(
            "labels-confident",
            "document",
            f"The mean score of the labels is at least {limits.label_score_min:g}",
            "label_score",
            low=limits.label_score_min,
            severity="warning",
        ),
        between(
            "document-needs-no-ocr",
            "document",
            f"At most {percent(limits.needs_ocr_max)} of the document's pages need OCR",
            "needs_ocr_share",
            high=limits.needs_ocr_max,
            severity="warning",
        ),
        between(
            "document-lost-few-pages",
            "document",
            f"At most {percent(limits.lost_max)} of the document's pages could not be read",
            "lost_share",
            high=limits.lost_max,
            severity="warning",
        ),
    ]


def identity_checks() -> list[Check]:
    """Of all facts rows together."""
    return [
        matches("doc-id-present", "Every row names its document", "doc_id", r"\S"),
        matches("sha256-valid", "Every row has the SHA-256 of its document", "sha256", r"^[0-9a-f]{64}$"),
        unique("doc-id-unique", "Every document has one row", "doc_id"),
        unique("sha256-unique", "No two documents have the same bytes", "sha256"),
    ]


def publishable_checks(limits: Thresholds) -> list[Check]:
    """Of the rows that remain for publishing."""
    return [
        Check(
            name="coverage-mean",
            level="collection",
            description=f"On the mean, the output has the PDFs' text, to within {percent(limits.coverage_off_max)}",
            expectation="ExpectColumnMeanToBeBetween",
            arguments={
                "column": "coverage",
                "min_value": 1 - limits.coverage_off_max,
                "max_value": 1 + limits.coverage_off_max,
            },
        )
    ]


def share_checks(limits: Thresholds) -> list[Check]:
    """Of the same rows, if there are `documents_min` of them."""

    def mostly(
        name: str,
        description: str,
        expectation: str,
        arguments: dict[str, Any],
        condition: Condition | None = None,
    ) -> Check:
        return Check(
            name=name,
            level="collection",
            severity="warning",
            description=description,
            expectation=expectation,
            arguments=arguments,
            condition=condition,
        )

    return [
        mostly(
            "titles-found",
            f"At least {percent(limits.title_mostly)} of the documents have a title",
            "ExpectColumnValuesToBeInSet",
            {"column": "has_title", "value_set": [True], "mostly": limits.title_mostly},
        ),
        mostly(
            "headings-found",
            f"At least {percent(limits.headings_mostly)} of the documents of 3 pages or more have headings",
            "ExpectColumnValuesToBeBetween",
            {"column": "headings", "min_value": 1, "mostly": limits.headings_mostly},
            ("pages_text", ">=", 3),
        ),
        mostly(
            "languages-known",
            f"The language of at least {percent(limits.language_mostly)} of the documents of "
            f"{limits.text_compared_min} characters or more is known",
            "ExpectColumnValuesToMatchRegex",
            {"column": "language", "regex": r"\S", "mostly": limits.language_mostly},
            ("chars_compared", ">=", limits.text_compared_min),
        ),
    ]


def run_checks(limits: Thresholds, run: RunFigures) -> list[Check]:
    """Of the single row of `RunFigures`."""
    failed = max(limits.few, part(limits.failed_max, run.worked_on))
    quarantined = max(limits.few, part(limits.quarantined_max, run.facts_rows))
    faulty = max(limits.few, part(limits.quarantined_max, run.audited))
    return [
        equal(
            "rows-match-ledger",
            "collection",
            "There is a facts row for every document that the ledger calls converted, and no other",
            "facts_rows",
            "ledger_rows",
        ),
        between(
            "failed-few",
            "collection",
            f"At most {failed} of the {run.worked_on} documents worked on failed "
            f"({percent(limits.failed_max)}, but {limits.few} always may)",
            "failed",
            high=failed,
        ),
        between(
            "quarantined-few",
            "collection",
            f"At most {quarantined} of the {run.facts_rows} converted documents break a check of one document "
            f"({percent(limits.quarantined_max)}, but {limits.few} always may)",
            "quarantined",
            high=quarantined,
        ),
        between(
            "audited-sound",
            "collection",
            f"At most {faulty} of the {run.audited} audited documents break a check of an element "
            f"({percent(limits.quarantined_max)}, but {limits.few} always may)",
            "faulty",
            high=faulty,
        ),
        between(
            "something-to-publish",
            "collection",
            "At least one document of the run is fit to be found",
            "publishable",
            low=1,
        ),
        between(
            "rejected-few",
            "collection",
            f"At most {percent(limits.rejected_max)} of the documents worked on were rejected",
            "rejected_share",
            high=limits.rejected_max,
            severity="warning",
        ),
        between(
            "needs-ocr-few",
            "collection",
            f"At most {percent(limits.needs_ocr_max)} of all pages need OCR",
            "needs_ocr_share",
            high=limits.needs_ocr_max,
            severity="warning",
        ),
        between(
            "lost-few",
            "collection",
            f"At most {percent(limits.lost_max)} of all pages could not be read",
            "lost_share",
            high=limits.lost_max,
            severity="warning",
        ),
    ]


def drift_checks(limits: Thresholds) -> list[Check]:
    """Of the rows of `ingest.quality.summary.changes`."""

    def moved(name: str, kind: str, what: str, most: float, severity: Severity) -> Check:
        return between(
            name,
            "drift",
            f"{what} changed by at most {percent(most)} of the whole since the last published run",
            "change",
            low=-most,
            high=most,
            severity=severity,
            condition=("kind", "==", kind),
        )

    return [
        moved("labels-stable", "label", "The mean share of each label", limits.drift_label_max, "critical"),
        moved("labels-steady", "label", "The mean share of each label", limits.drift_label_warn, "warning"),
        moved("languages-steady", "language", "The share of each language", limits.drift_language_warn, "warning"),
        between(
            "sizes-steady",
            "drift",
            f"Pages per document and characters per page changed by at most a factor of {limits.drift_size_warn:g} "
            "since the last published run",
            "change",
            high=limits.drift_size_warn,
            severity="warning",
            condition=("kind", "==", "size"),
        ),
    ]
