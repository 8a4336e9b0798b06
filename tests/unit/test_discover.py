"""What a run finds out about its source: new, changed, renamed, doubled, gone; from a folder, and from afar."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.cli.show import describe
from ingest.document.records import Outcome, SourceItem, document_id
from ingest.errors import RunError
from ingest.scheduling import steps
from ingest.scheduling.batch import RunOptions
from ingest.scheduling.context import Context
from ingest.scheduling.discover import Discovered
from ingest.scheduling.files import RunFiles
from ingest.stores.sources import Source, open_source
from tests.support.pdfs import text_pdf
from tests.support.runs import begin, finish, platform, rows, whole_run


def found(context: Context, run_id: str) -> Discovered:
    return RunFiles(context.objects, "test", run_id).read("discover.json", Discovered, "discover")


class FarAway:
    """A folder as a remote source shows it: no local files, and a tag for the bytes. Counts what is fetched."""

    def __init__(self, folder: Source, *, tags: bool) -> None:
        self._folder = folder
        self._tags = tags
        self.fetched: list[str] = []

    def list(self) -> Iterator[SourceItem]:
        for item in self._folder.list():
            local = self._folder.local_path(item)
            assert local is not None
            tag = str(hash(local.read_bytes())) if self._tags else ""
            yield SourceItem(path=item.path, size=item.size, etag=tag or str(item.mtime_ms), content_tag=tag)

    def local_path(self, item: SourceItem) -> Path | None:
        return None

    def fetch(self, item: SourceItem, into: Path) -> str:
        self.fetched.append(item.path)
        return self._folder.fetch(item, into)

    def describe(self) -> str:
        return "far away"


def far_away(context: Context, source: Path, *, tags: bool = True) -> tuple[Context, FarAway]:
    remote = FarAway(open_source(str(source)), tags=tags)
    return dataclasses.replace(context, open_source=lambda _: remote), remote


def test_what_will_be_done_is_said_with_the_reason() -> None:
    counts = Discovered(discovered=9, convert=6, unchanged=1, duplicate=1, rejected=1, renamed=1, gone=2)
    counts.recompute, counts.why = {"labels": 4, "document": 1}, ["labels: labels-1 -> labels-2"]
    assert describe(counts).splitlines() == [
        "9 documents: 1 new or changed, 1 unchanged, 1 renamed, 1 duplicates, 2 gone",
        "1 of 9 to compute again from stage document on",
        "4 of 9 to compute again from stage labels on",
        "  because of labels: labels-1 -> labels-2",
    ]


def test_a_renamed_document_is_not_converted_again(context: Context, source: Path) -> None:
    text_pdf(source / "old.pdf", seed=1)
    whole_run(context, source, "run-1")
    (source / "old.pdf").rename(source / "new.pdf")
    report = whole_run(context, source, "run-2")
    assert (found(context, "run-2").renamed, found(context, "run-2").gone) == (1, 1)
    assert (report.documents.unchanged, report.documents.converted) == (1, 0)
    assert (report.documents.published, report.documents.removed) == (1, 1)
    assert set(context.index().published("test")) == {document_id("test", "new.pdf")}
    assert rows(context)["old.pdf"].gone_run == "run-2"
    hits = context.index().search("observations", collection="test")
    assert {hit.path for hit in hits} == {"new.pdf"}


def test_a_document_that_comes_back_is_published_again_and_not_converted(context: Context, source: Path) -> None:
    path = text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    whole_run(context, source, "run-1")
    data = path.read_bytes()
    path.unlink()
    assert whole_run(context, source, "run-2").documents.removed == 1
    path.write_bytes(data)
    report = whole_run(context, source, "run-3")
    assert (report.documents.unchanged, report.documents.published) == (2, 1)
    assert rows(context)["a.pdf"].gone_run == ""


def test_a_run_that_would_remove_too_much_stops_and_asks(tmp_path: Path, source: Path) -> None:
    with platform(tmp_path / "home", removal_limit=0.5) as context:
        for k in range(8):
            text_pdf(source / f"{k}.pdf", seed=k)
        whole_run(context, source, "run-1")
        shutil.rmtree(source)
        source.mkdir()
        with pytest.raises(RunError, match=r"8 of the 8 published documents of 'test' are gone .* --accept-removals"):
            begin(context, source, "run-2")
        assert len(context.index().published("test")) == 8
        assert all(not r.gone_run for r in context.ledger.documents("test"))
        run = steps.begin(context, "test", str(source), run_id="run-3", options=RunOptions(accept_removals=True))
        steps.run_discover(context, run)
        assert finish(context, run).documents.removed == 8


def test_an_unchanged_document_far_away_is_not_fetched(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    remote, counted = far_away(context, source)
    assert whole_run(remote, source, "run-1").documents.converted == 2
    assert sorted(counted.fetched) == ["a.pdf", "b.pdf"]
    counted.fetched.clear()
    report = whole_run(remote, source, "run-2")
    assert report.documents.unchanged == 2
    assert counted.fetched == []


def test_a_renamed_or_copied_document_far_away_is_known_by_its_tag(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    text_pdf(source / "b.pdf", seed=2)
    remote, counted = far_away(context, source)
    whole_run(remote, source, "run-1")
    counted.fetched.clear()
    (source / "a.pdf").rename(source / "z.pdf")
    shutil.copy(source / "b.pdf", source / "c.pdf")
    report = whole_run(remote, source, "run-2")
    assert counted.fetched == []
    assert (report.documents.unchanged, report.documents.duplicate) == (2, 1)
    assert rows(context)["c.pdf"].duplicate_of == document_id("test", "b.pdf")


def test_equal_documents_far_away_are_found_out_when_they_are_read(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    shutil.copy(source / "a.pdf", source / "b.pdf")
    remote, _ = far_away(context, source, tags=False)
    report = whole_run(remote, source, "run-1")
    assert (report.documents.converted, report.documents.duplicate) == (1, 1)
    row = rows(context)["b.pdf"]
    assert (row.outcome, row.duplicate_of) == (Outcome.DUPLICATE, document_id("test", "a.pdf"))
    assert set(context.index().published("test")) == {document_id("test", "a.pdf")}
    assert whole_run(remote, source, "run-2").documents.unchanged == 2


def test_a_document_that_changes_between_listing_and_reading_is_what_was_read(context: Context, source: Path) -> None:
    text_pdf(source / "a.pdf", seed=1)
    run = begin(context, source, "run-1")
    text_pdf(source / "a.pdf", 2, seed=9)
    report = finish(context, run)
    assert report.documents.converted == 1
    assert rows(context)["a.pdf"].pages == 2
    again = whole_run(context, source, "run-2")
    assert (again.documents.converted, again.documents.unchanged) == (0, 1)
