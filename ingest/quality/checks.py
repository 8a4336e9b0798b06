"""A check: one expectation of Great Expectations with its column and limits filled in, as data.

This module does not import Great Expectations: a check becomes an expectation where it is run
(`ingest.quality.validation`).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Level = Literal["document", "element", "collection", "drift"]
Severity = Literal["critical", "warning"]
Condition = tuple[str, Literal[">=", "=="], float | str]
"""Column, operator, value."""


class Check(msgspec.Struct, kw_only=True, frozen=True):
    """One expectation."""

    name: str
    """Stable: reports and the ledger keep it."""
    level: Level
    severity: Severity = "critical"
    """critical: quarantines a document (levels document and element) or blocks the run; warning: is reported."""
    description: str
    """What is expected, in a sentence for people."""
    expectation: str
    """Class in `great_expectations.expectations`."""
    arguments: dict[str, Any]
    condition: Condition | None = None
    """Rows for which it does not hold are not judged."""

    @property
    def columns(self) -> list[str]:
        """What it looks at."""
        return [self.arguments[name] for name in ("column", "column_A", "column_B") if name in self.arguments]


def percent(share: float) -> str:
    return f"{100 * share:g}%"


def part(share: float, whole: int) -> int:
    """The whole number below, or at, a share: 29% of 100 are 29, whatever floating point makes of it."""
    return int(share * whole + 1e-9)


def between(
    name: str,
    level: Level,
    description: str,
    column: str,
    *,
    low: float | None = None,
    high: float | None = None,
    severity: Severity = "critical",
    condition: Condition | None = None,
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


def equal(name: str, level: Level, description: str, a: str, b: str) -> Check:
    return Check(
        name=name,
        level=level,
        description=description,
        expectation="ExpectColumnPairValuesToBeEqual",
        arguments={"column_A": a, "column_B": b},
    )


def true(name: str, description: str, column: str) -> Check:
    return Check(
        name=name,
        level="document",
        description=description,
        expectation="ExpectColumnValuesToBeInSet",
        arguments={"column": column, "value_set": [True]},
    )


def matches(name: str, description: str, column: str, regex: str) -> Check:
    return Check(
        name=name,
        level="collection",
        description=description,
        expectation="ExpectColumnValuesToMatchRegex",
        arguments={"column": column, "regex": regex},
    )


def unique(name: str, description: str, column: str) -> Check:
    return Check(
        name=name,
        level="collection",
        description=description,
        expectation="ExpectColumnValuesToBeUnique",
        arguments={"column": column},
    )
