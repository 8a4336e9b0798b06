"""The SQLite ledger beyond what every ledger does (tests/contract/test_ledger.py)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ingest.document.records import DocumentRecord, Outcome, RunRecord
from ingest.errors import ConfigError, StoreError, StoreUnavailable
from ingest.stores import sqlite as sqlite_module
from ingest.stores.ledger import open_ledger
from ingest.stores.sqlite import SqliteLedger
from ingest.stores.sqlite_table import Table

ROW = DocumentRecord(collection="c", doc_id="1", path="a.pdf", outcome=Outcome.CONVERTED)


@pytest.mark.parametrize("slashes", ["//", "///"])
def test_an_address_names_a_file_which_is_made(tmp_path: Path, slashes: str) -> None:
    ledger = open_ledger(f"sqlite:{slashes}{tmp_path}/a/b.sqlite")
    ledger.close()
    assert (tmp_path / "a" / "b.sqlite").is_file()


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("sqlite://relative/path", "absolute"),
        ("sqlite:///", "absolute"),
        ("/a/path", "sqlite:///"),
        ("postgres://x", "sqlite:///"),
    ],
)
def test_an_address_of_another_kind_is_a_wrong_setting(uri: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        open_ledger(uri)


def test_a_file_that_is_no_ledger_is_named_with_a_cure(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    with pytest.raises(StoreError, match=r"ledger\.sqlite is damaged .* restore it from a backup") as caught:
        SqliteLedger(path)
    assert not caught.value.retry


def test_a_ledger_damaged_while_in_use_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path)
    ledger.upsert(msgspec.structs.replace(ROW, doc_id=f"{n:05d}", reason="x" * 200) for n in range(2000))
    ledger.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="is damaged"):
        list(SqliteLedger(path).documents("c"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="cannot open the ledger"):
        SqliteLedger(tmp_path / "file" / "ledger.sqlite")
    with pytest.raises(StoreError, match="give this user the right"):
        SqliteLedger(tmp_path)


def test_a_ledger_locked_for_too_long_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_module, "_BUSY_S", 0)
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked by another process"):
        ledger.upsert([ROW])
    assert ledger.get("c", ["1"]) == {}
    other.execute("ROLLBACK")
    other.close()
    ledger.upsert([ROW])
    assert ledger.get("c", ["1"]) == {"1": ROW}


def test_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    SqliteLedger(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="schema version 99"):
        SqliteLedger(path)


class OlderDocument(msgspec.Struct, kw_only=True):
    collection: str
    doc_id: str
    path: str


def test_fields_that_records_gained_become_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.sqlite"
    monkeypatch.setattr(sqlite_module, "_DOCUMENTS", Table("documents", OlderDocument, ("collection", "doc_id")))
    older: Any = SqliteLedger(path)
    older.upsert([OlderDocument(collection="c", doc_id="0", path="old.pdf")])
    older.close()
    monkeypatch.undo()
    ledger = SqliteLedger(path)
    assert ledger.get("c", ["0"]) == {"0": DocumentRecord(collection="c", doc_id="0", path="old.pdf")}
    ledger.upsert([ROW])
    assert ledger.get("c", ["1"]) == {"1": ROW}
    ledger.close()


def test_a_number_beyond_64_bits_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    with pytest.raises(StoreError, match="number is too large"):
        ledger.upsert([ROW, msgspec.structs.replace(ROW, doc_id="2", size=2**70)])
    assert list(ledger.documents("c")) == []
    ledger.put_run(RunRecord(collection="c", run_id="r"))
