"""What a collection's entry in `collections.yaml` changes in its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.errors import RunError
from ingest.quality.verdict import Verdict
from ingest.scheduling import steps
from ingest.scheduling.collections import asked_for
from ingest.scheduling.files import RunFiles
from tests.support.pdfs import text_pdf
from tests.support.runs import finish, platform


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a source, some of which is not wanted, and the entry that says so."""
    for name in ("a.pdf", "b.pdf", "drafts/c.pdf", *(f"more/{k}.pdf" for k in range(6))):
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text_pdf(path, seed=len(name) * 7 + ord(name[-5]))
    (tmp_path / "collections.yaml").write_text(
        """
collections:
  test:
    source: source
    exclude: [drafts]
    thresholds: {label_score_min: 1.0}
    removal_limit: 0.1
""",
        "utf-8",
    )
    return tmp_path


def test_patterns_thresholds_and_removal_limit_are_those_of_the_collection(home: Path) -> None:
    with platform(home / "home", collections=home / "collections.yaml") as context:
        asked = asked_for(context.settings, "test")
        run = steps.begin(context, "test", asked.source, run_id="run-1", options=asked.options)
        assert steps.run_discover(context, run).discovered == 8
        assert finish(context, run).good
        verdict = RunFiles(context.objects, "test", "run-1").read("gate.json", Verdict, "gate")
        assert verdict.thresholds.label_score_min == 1.0
        (warned,) = [w for w in verdict.warnings if w.expectation == "labels-confident"]
        assert warned.offenders_total == 8

        for path in (home / "source" / "more").iterdir():
            path.unlink()
        run = steps.begin(context, "test", asked.source, run_id="run-2", options=asked.options)
        with pytest.raises(RunError, match=r"6 of the 8 published .* allows 10%.*--accept-removals"):
            steps.run_discover(context, run)
        asked = asked_for(context.settings, "test", accept_removals=True)
        run = steps.begin(context, "test", asked.source, run_id="run-3", options=asked.options)
        assert steps.run_discover(context, run).gone == 6
        assert finish(context, run).documents.removed == 6
