"""docs/quality.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from ingest.errors import ConfigError
from ingest.quality import suites, tables
from ingest.quality.audit import element_checks
from ingest.quality.checks import part
from ingest.quality.facts import Facts
from ingest.quality.summary import changes, summarise
from ingest.quality.thresholds import PRESETS, Thresholds, thresholds

DOCS = (Path(__file__).parents[2] / "docs" / "quality.md").read_text("utf-8")


def test_every_threshold_is_listed_with_its_presets() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", DOCS, re.M)
    listed = {name: tuple(map(float, values)) for name, *values in rows}
    assert listed == {
        name: tuple(float(getattr(preset, name)) for preset in PRESETS.values())
        for name in Thresholds.__struct_fields__
    }


def test_every_check_is_explained_under_its_level_and_severity() -> None:
    limits, run = Thresholds(), tables.run_figures([], 0, {})
    checks = [
        *suites.document_checks(limits),
        *suites.identity_checks(),
        *suites.publishable_checks(limits),
        *suites.share_checks(limits),
        *suites.run_checks(limits, run),
        *suites.drift_checks(limits),
        *element_checks(),
    ]
    listed: set[tuple[str, str, str]] = set()
    for section in re.split(r"^### ", DOCS, flags=re.M)[1:]:
        level = {"Of one": "document", "Of ele": "element", "Of the": "collection", "Drift:": "drift"}[section[:6]]
        for names, severity in re.findall(r"^\| (`[-`, \w]+`) \| (critical|warning) \|", section, re.M):
            listed |= {(name, level, severity) for name in re.findall(r"`([-\w]+)`", names)}
    assert listed == {(check.name, check.level, check.severity) for check in checks}


def test_stricter_presets_tolerate_less() -> None:
    lenient, normal, strict = (PRESETS[name] for name in ("lenient", "normal", "strict"))
    for name in Thresholds.__struct_fields__:
        values = [getattr(preset, name) for preset in (lenient, normal, strict)]
        upwards = name.endswith(("_mostly", "_score_min", "audit_documents"))
        assert values == sorted(values, reverse=not upwards), name


def test_a_collection_may_set_single_thresholds() -> None:
    assert thresholds("strict", {"few": 5}) == msgspec.structs.replace(PRESETS["strict"], few=5)


@pytest.mark.parametrize(
    ("strictness", "overrides", "message"),
    [
        ("harsh", {}, "'harsh': use one of lenient, normal, strict"),
        ("normal", {"text_lost_max": 2}, "text_lost_max"),
        ("normal", {"text_lost": 0.1}, "text_lost"),
        ("normal", {"few": -1}, "few"),
    ],
)
def test_a_wrong_threshold_is_named(strictness: str, overrides: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        thresholds(strictness, overrides)


@pytest.mark.parametrize(("share", "whole", "expected"), [(0.29, 100, 29), (0.05, 19, 0), (0.05, 20, 1), (1, 3, 3)])
def test_shares_are_rounded_down(share: float, whole: int, expected: int) -> None:
    assert part(share, whole) == expected


def test_a_language_that_vanished_is_a_change() -> None:
    before = summarise("1", [Facts(language="de"), Facts(language="")])
    now = summarise("2", [Facts(language="")])
    moved = {change.name: change.change for change in changes(before, now) if change.kind == "language"}
    assert moved == {"de": -0.5, "unknown": 0.5}


def test_growing_and_shrinking_are_the_same_factor() -> None:
    small, large = summarise("1", [Facts(pages=4)]), summarise("2", [Facts(pages=9)])
    factors = [
        change.change for pair in ((small, large), (large, small)) for change in changes(*pair) if change.kind == "size"
    ]
    assert factors == [2, 1, 2, 1]
