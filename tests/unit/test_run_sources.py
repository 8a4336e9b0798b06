"""Whole runs from sources other than a folder, and with another index than the embedded one."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ingest.document.records import Outcome
from ingest.errors import SourceError
from ingest.export.index import Hit
from ingest.scheduling import steps
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from tests.support.http_peer import Answer, Request, serving
from tests.support.opensearch_peer import OpenSearchPeer
from tests.support.pdfs import text_pdf
from tests.support.runs import begin, finish, platform, whole_run


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with platform(tmp_path / "home", url_private_hosts="127.0.0.1") as opened:
        yield opened


def outcomes(context: Context) -> dict[str, tuple[Outcome | None, str]]:
    return {r.path: (r.outcome, r.code) for r in context.ledger.documents("test") if not r.gone_run}


def pdf(folder: Path, seed: int) -> bytes:
    return text_pdf(folder / "made.pdf", seed=seed).read_bytes()


def test_every_member_of_a_zip_ends_in_an_outcome(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "papers.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {
            "good.pdf": pdf(tmp_path, 1),
            "sub/again.pdf": pdf(tmp_path, 1),
            "../escape.pdf": pdf(tmp_path, 2),
            "damaged.pdf": pdf(tmp_path, 3),
            "locked.pdf": pdf(tmp_path, 4),
            "page.pdf": b"<html></html>",
            "readme.txt": b"no document",
        }.items():
            archive.writestr(name, data)
        damaged, locked = archive.getinfo("damaged.pdf"), archive.getinfo("locked.pdf")
    written = bytearray(path.read_bytes())
    written[damaged.header_offset + 200 : damaged.header_offset + 210] = bytes(10)
    written[written.rindex(b"locked.pdf") - 46 + 8] |= 1
    assert locked.header_offset
    path.write_bytes(written)
    report = whole_run(context, path, "run-1")
    assert report.good
    assert outcomes(context) == {
        "good.pdf": (Outcome.CONVERTED, ""),
        "sub/again.pdf": (Outcome.DUPLICATE, "duplicate"),
        "../escape.pdf": (Outcome.REJECTED, "source"),
        "damaged.pdf": (Outcome.REJECTED, "source"),
        "locked.pdf": (Outcome.REJECTED, "encrypted"),
        "page.pdf": (Outcome.REJECTED, "not-a-pdf"),
    }
    report = whole_run(context, path, "run-2")
    assert (report.documents.unchanged, report.documents.published) == (3, 0)


def write_tar(path: Path, files: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def test_documents_of_a_tar_are_known_by_their_bytes_before_any_is_fetched(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "papers.tar.gz"
    one, two = pdf(tmp_path, 1), pdf(tmp_path, 2)
    write_tar(path, {"a.pdf": one, "b.pdf": two, "copy.pdf": one})
    assert whole_run(context, path, "run-1").documents.duplicate == 1
    write_tar(path, {"copy.pdf": one, "renamed.pdf": two})
    report = whole_run(context, path, "run-2")
    assert (report.documents.unchanged, report.documents.removed, report.pages.converted) == (1, 2, 0)
    assert set(outcomes(context).values()) == {(Outcome.CONVERTED, "")}  # that of a.pdf stands for its copy now
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SourceError, match=r"papers\.tar\.gz is broken"):
        begin(context, path, "run-3")
    assert len(context.index().published("test")) == 2


def test_a_document_whose_server_is_away_stays_as_it_was(context: Context, tmp_path: Path) -> None:
    held = {f"/{name}.pdf": pdf(tmp_path, seed) for seed, name in enumerate("abc", 1)}
    status: dict[str, int] = {}
    asked: list[str] = []

    def answer(request: Request) -> Answer:
        asked.append(f"{request.method} {request.path}")
        if request.path in status:
            return Answer(status[request.path])
        return Answer(200, held[request.path], {"ETag": f'"{hash(held[request.path])}"'})

    with serving(answer) as base:
        (tmp_path / "list.txt").write_text("\n".join(base + path for path in held))
        uri = f"urls://{tmp_path}/list.txt"
        assert whole_run(context, uri, "run-1").documents.converted == 3
        asked.clear()
        status |= {"/a.pdf": 503, "/b.pdf": 404}
        held["/c.pdf"] = pdf(tmp_path, 9)
        report = whole_run(context, uri, "run-2")
        found = {path.removeprefix(base): ended for path, ended in outcomes(context).items()}
        assert found == {
            "/a.pdf": (Outcome.CONVERTED, ""),
            "/b.pdf": (Outcome.REJECTED, "source"),
            "/c.pdf": (Outcome.CONVERTED, ""),
        }
        assert (report.documents.unchanged, report.documents.converted, report.documents.rejected) == (1, 1, 1)
        assert "GET /a.pdf" not in asked
        assert len(context.index().published("test")) == 2
        status.clear()
        asked.clear()
        report = whole_run(context, uri, "run-3")
        assert (report.documents.unchanged, report.documents.converted) == (2, 1)
        assert asked.count("GET /b.pdf") == 1
        assert {line for line in asked if line.startswith("GET")} == {"GET /b.pdf"}, "the others have not changed"


def test_a_new_document_whose_server_is_away_fails_alone_and_is_tried_again(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.stores.url_source._FIRST_WAIT_S", 0.0)
    held, status = {"/a.pdf": pdf(tmp_path, 1), "/b.pdf": pdf(tmp_path, 2)}, {"/b.pdf": 503}
    with serving(lambda asked: Answer(status.get(asked.path, 200), held[asked.path], {"ETag": '"x"'})) as base:
        (tmp_path / "list.txt").write_text(f"{base}/a.pdf\n{base}/b.pdf\n")
        run = begin(context, f"urls://{tmp_path}/list.txt", "run-1")
        report = finish(context, run)
        assert (report.documents.converted, report.reasons) == (1, {"failed": {"fetch": 1}})
        assert report.good
        status.clear()
        report = whole_run(context, f"urls://{tmp_path}/list.txt", "run-2")
        assert (report.documents.unchanged, report.documents.converted) == (1, 1)
        assert steps.find_run(context, "test", None).run_id == "run-2"


@pytest.mark.parametrize("force", [False, True])
def test_bytes_under_many_names_that_only_a_worker_reads_are_converted_once(
    context: Context, tmp_path: Path, force: bool
) -> None:
    held = pdf(tmp_path, 1)
    with serving(lambda _: Answer(200, held, {})) as base:
        (tmp_path / "list.txt").write_text("\n".join(f"{base}/{k}.pdf" for k in range(6)))
        run = begin(context, f"urls://{tmp_path}/list.txt", "run-1", force=force)
        report = finish(context, run)
    assert (report.documents.converted, report.documents.duplicate) == (1, 5)
    ended = RunFiles(context.objects, "test", "run-1").outcomes()
    assert sum("parse" in result.usage.stage_s for result in ended) == 1


def test_both_indexes_answer_a_search_alike_and_one_that_is_refused_costs_itself_alone(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for n in range(3):
        text_pdf(source / f"{n}.pdf", 2, seed=n)
    queries = ("observations station", '"the station"', "observ* -nothing", "ingest:x (broken")
    with platform(tmp_path / "home") as embedded:
        run = begin(embedded, source, "run-1")
        assert finish(embedded, run).documents.published == 3
        expected = [answers(embedded, query) for query in queries]
    assert all(expected[:2])
    peer = OpenSearchPeer()
    with serving(peer) as url, platform(tmp_path / "home", index=url) as context:
        steps.run_publish(context, run)
        assert [answers(context, query) for query in queries] == expected
        refused = context.ledger.documents("test").__next__()
        peer.item_fault = lambda _, row: (400, "mapper_parsing_exception") if row.startswith(refused.doc_id) else None
        published = steps.run_publish(context, run, rebuild=True)
        assert (published.written, set(published.unpublished)) == (2, {refused.doc_id})
        assert outcomes(context)[refused.path] == (Outcome.FAILED, "invalid-output")
        assert len(context.index().published("test")) == 2
        assert refused.path in steps.run_report(context, run).unpublished[refused.doc_id]


def answers(context: Context, query: str) -> set[Hit]:
    """Hits whatever their order: that of equal ones is each index's own."""
    return {
        msgspec.structs.replace(hit, score=0.0) for hit in context.index().search(query, collection="test", limit=500)
    }
