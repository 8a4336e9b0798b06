"""The command line as a script would use it: exit status, JSON, one clear line per mistake."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ingest.cli.main import main
from tests.support.pdfs import scan_pdf, text_pdf


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INGEST_HOME", str(tmp_path / "home"))
    return tmp_path


class Ended:
    """Exit status and output of a command."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


def ingest(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Ended:
    monkeypatch.setattr(sys, "argv", ["ingest", *arguments])
    capsys.readouterr()
    try:
        main()
        status = 0
    except SystemExit as ended:
        status = int(ended.code or 0)
    out, err = capsys.readouterr()
    return Ended(status, out, err)


def test_a_run_and_what_can_be_asked_about_it(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ingest run` with worker processes of its own, then search, status, failures, report and simulate."""
    source = home / "pdfs"
    source.mkdir()
    text_pdf(source / "good.pdf", 2, seed=3)
    scan_pdf(source / "scan.pdf")
    ended = ingest(capsys, monkeypatch, "run", "-c", "papers", "--source", str(source), "--json", "--workers", "1")
    assert ended.status == 0, ended.err
    report = json.loads(ended.out)
    assert report["documents"]["converted"] == 1
    assert report["reasons"] == {"rejected": {"needs-ocr": 1}}
    assert report["good"] is True

    hits = json.loads(ingest(capsys, monkeypatch, "search", "observations", "--json").out)
    assert (hits[0]["path"], hits[0]["page"]) == ("good.pdf", 1)
    assert "**Observations**" in hits[0]["snippet"]
    told = ingest(capsys, monkeypatch, "search", "observations").out
    assert "good.pdf" in told
    assert hits[0]["ref"] in told
    origin = json.loads(ingest(capsys, monkeypatch, "show", "-c", "papers", "good.pdf", "--ref", hits[0]["ref"]).out)
    assert (origin["source"], origin["document"]["path"]) == (str(source), "good.pdf")
    assert origin["converted_by"]["run_id"] == report["run_id"]
    assert {"parse", "layout", "labels"} <= set(origin["converted_by"]["versions"])
    assert {cell[0] for cell in origin["item"]["cells"]} == {1}
    assert 0 < origin["item"]["score"] <= 1
    assert "nothing found" in ingest(capsys, monkeypatch, "search", "zeppelin").out

    status = json.loads(ingest(capsys, monkeypatch, "status", "-c", "papers", "--json").out)
    assert status["documents"] == {"converted": 1, "rejected": 1}
    assert status["published"] == 1
    failures = json.loads(ingest(capsys, monkeypatch, "failures", "-c", "papers", "--json").out)
    assert [(f["path"], f["code"]) for f in failures] == [("scan.pdf", "needs-ocr")]
    again = ingest(capsys, monkeypatch, "report", "-c", "papers", "--json")
    assert again.status == 0
    assert json.loads(again.out)["documents"] == report["documents"]
    projected = json.loads(ingest(capsys, monkeypatch, "simulate", "-c", "papers", "--workers", "2", "--json").out)
    assert projected[0]["workers"] == 2


def test_the_stores_are_tried_and_leave_nothing_behind(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = ingest(capsys, monkeypatch, "stores", "--index", "--json")
    assert good.status == 0
    assert [(row["store"], row["problem"]) for row in json.loads(good.out)] == [
        ("objects", ""),
        ("ledger", ""),
        ("index", ""),
    ]
    assert not [path for path in (home / "home" / "objects").rglob("*") if path.is_file()]
    (home / "file").write_text("")
    monkeypatch.setenv("INGEST_OBJECTS", str(home / "file"))
    monkeypatch.setenv("INGEST_LEDGER", f"sqlite:///{home}/file/ledger.sqlite")
    bad = ingest(capsys, monkeypatch, "stores")
    assert bad.status == 1
    assert [line.split()[0] for line in bad.out.splitlines()] == ["objects", "ledger"]
    assert "good" not in bad.out


def test_a_conversion_names_what_it_could_not_convert_and_goes_on(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad, out = text_pdf(home / "good.pdf"), home / "bad.pdf", home / "out"
    bad.write_bytes(b"PK\3\4")
    ended = ingest(
        capsys,
        monkeypatch,
        "convert",
        str(bad),
        str(home / "none.pdf"),
        str(good),
        "--to",
        "md,cells",
        "--out",
        str(out),
    )
    assert ended.status == 1
    assert "not-a-pdf: bad.pdf: no %PDF- header" in ended.err
    assert "it looks like a zip" in ended.err
    assert "source: none.pdf: cannot be read: No such file" in ended.err
    assert sorted(p.name for p in out.iterdir()) == ["good.cells.json", "good.md"]


def test_folders_keep_their_structure_and_equal_names_are_refused(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (home / "pdfs" / name).mkdir(parents=True)
        text_pdf(home / "pdfs" / name / "x.pdf", seed=ord(name))
    out = home / "out"
    assert ingest(capsys, monkeypatch, "convert", str(home / "pdfs"), "--to", "md", "--out", str(out)).status == 0
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*.md")) == ["a/x.md", "b/x.md"]
    both = [str(home / "pdfs" / name / "x.pdf") for name in ("a", "b")]
    ended = ingest(capsys, monkeypatch, "convert", *both, "--out", str(out))
    assert ended.status == 2
    assert "would both be written" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "x.pdf", "--to", "docx"], "unknown format docx"),
        (["run", "-c", "a/b", "--source", "."], "collection 'a/b'"),
        (["run", "-c", "x", "--source", "nowhere"], "nowhere"),
        (["run", "-c", "x", "--source", "ftp://host/"], "ftp"),
        (["run", "-c", "x"], "collection 'x' is not in collections.yaml; name its source"),
        (["unknown"], "No such command"),
    ],
)
def test_wrong_use_ends_with_status_2_and_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    ended = ingest(capsys, monkeypatch, *arguments)
    assert ended.status == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_a_wrong_setting_is_named(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INGEST_IN_FLIGHT", "many")
    ended = ingest(capsys, monkeypatch, "status")
    assert ended.status == 2
    assert "INGEST_IN_FLIGHT='many'" in ended.err


def test_a_service_that_is_down_is_worth_a_retry(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INGEST_LAYOUT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("INGEST_SERVICE_ATTEMPTS", "1")
    ended = ingest(capsys, monkeypatch, "run", "-c", "x", "--source", str(home))
    assert ended.status == 75
    assert "service-unavailable: http://127.0.0.1:1/info" in ended.err


def test_commands_that_need_no_network_do_not_load_what_is_heavy() -> None:
    """Importing the command line, as a worker pod does at every start, loads none of the big libraries."""
    import subprocess

    code = (
        "import sys, ingest.cli.main, ingest.scheduling.child;"
        "print([m for m in ('torch', 'pandas', 'great_expectations', 'airflow', 'bentoml', 'scipy', 'boto3', 'pymongo')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
