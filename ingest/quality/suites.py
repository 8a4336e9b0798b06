"""The checks, as data: what is expected of a document, of a collection's run, and of the difference to the last one.

Each check is one of the expectations that Great Expectations ships, with its column and limits filled in. This module
does not import it: a check is turned into an expectation where it is run (`ingest.quality.validation`).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ingest.quality.thresholds import Thresholds

Level = Literal["document", "collection", "drift"]
Severity = Literal["critical", "warning"]


class Check(msgspec.Struct, kw_only=True, frozen=True):
    """One expectation."""

    name: str
    """Stable: reports and the ledger keep it."""
    level: Level
    severity: Severity = "critical"
    """critical: quarantines a document (level document) or blocks the run; warning: is reported."""
    description: str
    """What is expected, in a sentence for people."""
    expectation: str
    """Class in `great_expectations.expectations`."""
    arguments: dict[str, Any]
    condition: tuple[str, Literal[">=", "=="], float | str] | None = None
    """Column, operator, value: rows for which it does not hold are not judged."""

    @property
    def columns(self) -> list[str]:
        """What it looks at."""
        return [self.arguments[name] for name in ("column", "column_A", "column_B") if name in self.arguments]


class RunFigures(msgspec.Struct, kw_only=True, frozen=True):
    """What a run comes to, for checks that no single document can break."""

    facts_rows: int
    """Documents that have a facts row."""
    ledger_rows: int
    """Documents that the ledger calls converted in this run."""
    worked_on: int
    """Documents that were converted or ended in an error, neither unchanged nor duplicates."""
    failed: int
    quarantined: int
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
    enough_text: tuple[str, Literal[">="], float] = ("chars_compared", ">=", limits.text_compared_min)
    return [
        _true("numbers-sound", "Every figure of the facts is a number", "numbers_ok"),
        _equal("pages-complete", "document", "The document has every page of the PDF", "pages", "pages_output"),
        _equal(
            "pages-accounted",
            "document",
            "Every page has text, is blank, needs OCR, or is named as lost",
            "pages",
            "pages_accounted",
        ),
        _between("text-present", "document", "The document has text", "chars_output", low=1),
        _between(
            "pages-not-silent",
            "document",
            "Something came out of every page that has usable text",
            "pages_silent",
            high=0,
        ),
        _between(
            "text-whole",
            "document",
            f"At most {limits.text_lost_max:.1%} of the PDF's text is missing "
            f"(judged from {limits.text_compared_min} characters on)",
            "text_lost",
            high=limits.text_lost_max,
            condition=enough_text,
        ),
        _between(
            "text-once",
            "document",
            f"At most {limits.text_doubled_max:.1%} of the text is there more often than in the PDF "
            f"(judged from {limits.text_compared_min} characters on)",
            "text_doubled",
            high=limits.text_doubled_max,
            condition=enough_text,
        ),
        _between(
            "text-readable",
            "document",
            f"At most {limits.garbage_max:.1%} of the characters have no meaning",
            "garbage_ratio",
            high=limits.garbage_max,
        ),
        _true("order-sound", "No cell of a page stands in the reading order twice", "order_ok"),
        _true("boxes-inside", "All boxes lie on their page", "boxes_ok"),
        _true("tables-sound", "The cells of every table lie in its grid and do not overlap", "tables_ok"),
        _between(
            "labels-confident",
            "document",
            f"The mean score of the labels is at least {limits.label_score_min:g}",
            "label_score",
            low=limits.label_score_min,
            severity="warning",
        ),
        _between(
            "document-needs-no-ocr",
            "document",
            f"At most {limits.needs_ocr_max:.0%} of the document's pages need OCR",
            "needs_ocr_share",
            high=limits.needs_ocr_max,
            severity="warning",
        ),
        _between(
            "document-lost-few-pages",
            "document",
            f"At most {limits.lost_max:.0%} of the document's pages could not be read",
            "lost_share",
            high=limits.lost_max,
            severity="warning",
        ),
    ]


def identity_checks() -> list[Check]:
    """Of all facts rows together."""
    return [
        _matches("doc-id-present", "Every row names its document", "doc_id", r"\S"),
        _matches("sha256-valid", "Every row has the SHA-256 of its document", "sha256", r"^[0-9a-f]{64}$"),
        _unique("doc-id-unique", "Every document has one row", "doc_id"),
        _unique("sha256-unique", "No two documents have the same bytes", "sha256"),
    ]


def publishable_checks(limits: Thresholds, documents: int) -> list[Check]:
    """Of the rows that remain for publishing."""
    checks = [
        Check(
            name="coverage-mean",
            level="collection",
            description=f"On the mean, the output has the PDFs' text, to within {limits.coverage_off_max:.1%}",
            expectation="ExpectColumnMeanToBeBetween",
            arguments={
                "column": "coverage",
                "min_value": 1 - limits.coverage_off_max,
                "max_value": 1 + limits.coverage_off_max,
            },
        )
    ]
    if documents < limits.documents_min:
        return checks
    return [
        *checks,
        Check(
            name="titles-found",
            level="collection",
            severity="warning",
            description=f"At least {limits.title_mostly:.0%} of the documents have a title",
            expectation="ExpectColumnValuesToBeInSet",
            arguments={"column": "has_title", "value_set": [True], "mostly": limits.title_mostly},
        ),
        Check(
            name="headings-found",
            level="collection",
            severity="warning",
            description=f"At least {limits.headings_mostly:.0%} of the documents of 3 pages or more have headings",
            expectation="ExpectColumnValuesToBeBetween",
            arguments={"column": "headings", "min_value": 1, "mostly": limits.headings_mostly},
            condition=("pages_text", ">=", 3),
        ),
        Check(
            name="languages-known",
            level="collection",
            severity="warning",
            description=f"The language of at least {limits.language_mostly:.0%} of the documents is known",
            expectation="ExpectColumnValuesToMatchRegex",
            arguments={"column": "language", "regex": r"\S", "mostly": limits.language_mostly},
        ),
    ]


def run_checks(limits: Thresholds, run: RunFigures) -> list[Check]:
    """Of the single row of `RunFigures`."""
    failed = max(limits.few, int(limits.failed_max * run.worked_on))
    quarantined = max(limits.few, int(limits.quarantined_max * run.facts_rows))
    return [
        _equal(
            "rows-match-ledger",
            "collection",
            "There is a facts row for every document that the ledger calls converted, and no other",
            "facts_rows",
            "ledger_rows",
        ),
        _between(
            "failed-few",
            "collection",
            f"At most {limits.failed_max:.0%} of the {run.worked_on} documents worked on, or {limits.few}, failed",
            "failed",
            high=failed,
        ),
        _between(
            "quarantined-few",
            "collection",
            f"At most {limits.quarantined_max:.0%} of the {run.facts_rows} converted documents, or {limits.few}, "
            "break a check of one document",
            "quarantined",
            high=quarantined,
        ),
        _between(
            "something-to-publish",
            "collection",
            "At least one document of the run is fit to be found",
            "publishable",
            low=1,
        ),
        _between(
            "rejected-few",
            "collection",
            f"At most {limits.rejected_max:.0%} of the documents worked on were rejected",
            "rejected_share",
            high=limits.rejected_max,
            severity="warning",
        ),
        _between(
            "needs-ocr-few",
            "collection",
            f"At most {limits.needs_ocr_max:.0%} of all pages need OCR",
            "needs_ocr_share",
            high=limits.needs_ocr_max,
            severity="warning",
        ),
        _between(
            "lost-few",
            "collection",
            f"At most {limits.lost_max:.0%} of all pages could not be read",
            "lost_share",
            high=limits.lost_max,
            severity="warning",
        ),
    ]


def drift_checks(limits: Thresholds) -> list[Check]:
    """Of the rows of `ingest.quality.summary.changes`."""

    def moved(name: str, kind: str, what: str, most: float, severity: Severity) -> Check:
        return _between(
            name,
            "drift",
            f"{what} changed by at most {most:.0%} of the whole since the last published run",
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
        _between(
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


def _between(
    name: str,
    level: Level,
    description: str,
    column: str,
    *,
    low: float | None = None,
    high: float | None = None,
    severity: Severity = "critical",
    condition: tuple[str, Literal[">=", "=="], float | str] | None = None,
) -> Check:
    return Check(
        name=name,
        level=level,
        severity=severity,
        description=description,
        expectation="ExpectColumnValuesToBeBetween",
        arguments={"column": column, "min_value": low, "max_value": high},
        condition=condition,
    )


def _equal(name: str, level: Level, description: str, a: str, b: str) -> Check:
    return Check(
        name=name,
        level=level,
        description=description,
        expectation="ExpectColumnPairValuesToBeEqual",
        arguments={"column_A": a, "column_B": b},
    )


def _true(name: str, description: str, column: str) -> Check:
    return Check(
        name=name,
        level="document",
        description=description,
        expectation="ExpectColumnValuesToBeInSet",
        arguments={"column": column, "value_set": [True]},
    )


def _matches(name: str, description: str, column: str, regex: str) -> Check:
    return Check(
        name=name,
        level="collection",
        description=description,
        expectation="ExpectColumnValuesToMatchRegex",
        arguments={"column": column, "regex": regex},
    )


def _unique(name: str, description: str, column: str) -> Check:
    return Check(
        name=name,
        level="collection",
        description=description,
        expectation="ExpectColumnValuesToBeUnique",
        arguments={"column": column},
    )
