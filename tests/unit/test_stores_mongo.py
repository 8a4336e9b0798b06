"""The MongoDB ledger beyond what every ledger does (tests/contract/test_ledger.py)."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pymongo
import pytest
from bson.errors import InvalidDocument
from pymongo import errors as mongo
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from ingest.document.records import DocumentRecord, RunRecord
from ingest.errors import ConfigError, StoreError, StoreUnavailable
from ingest.scheduling import steps
from ingest.stores.ledger import Ledger, open_ledger
from ingest.stores.mongo_errors import mapped
from tests.support.pdfs import text_pdf
from tests.support.runs import begin, platform
from tests.support.servers import free_port

SECRET = "password-that-nobody-may-see"


class Commands(CommandListener):
    def __init__(self) -> None:
        self.names: list[str] = []

    def started(self, event: CommandStartedEvent) -> None:
        self.names.append(event.command_name)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        pass

    def failed(self, event: CommandFailedEvent) -> None:
        pass


@pytest.fixture
def uri(nx_uri: str) -> str:
    return f"{nx_uri}/test_{secrets.token_hex(8)}"


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the commands that clients opened from now on send."""
    listener, client = Commands(), pymongo.MongoClient

    def listened(*args: object, **options: object) -> object:
        return client(*args, **options, event_listeners=[listener])  # type: ignore[arg-type]

    monkeypatch.setattr("ingest.stores.mongo.MongoClient", listened)
    return listener.names


@pytest.fixture
def ledger(commands: list[str], uri: str) -> Iterator[Ledger]:
    ledger = open_ledger(uri)
    yield ledger
    ledger.close()


def rows(count: int) -> list[DocumentRecord]:
    return [DocumentRecord(collection="c", doc_id=f"{n:05d}", path=f"{n}.pdf", seen_run="r") for n in range(count)]


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        (f"mongodb://me:{SECRET}@host:27017", "names no database"),
        (f"mongodb://me:{SECRET}@host:27017/?authSource=admin", "names no database"),
        (f"mongodb://me:{SECRET}@host:port/db", "not valid"),
        (f"mongodb://me:{SECRET}/@host/db", "as %xx"),
        (f"mongodb://me:{SECRET}@@host/db", "as %xx"),
        ("mongodb://host:port/db", "Port contains"),
        (f"mongodb://me:{SECRET}@host/a b", "write mongodb://"),
        (f"mongodbs://me:{SECRET}@host/db", "no ledger's address"),
    ],
)
def test_an_address_that_is_not_valid_is_a_wrong_setting(uri: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        open_ledger(uri)
    assert SECRET not in str(caught.value)


def test_a_server_that_is_away_is_worth_a_retry(nx_uri: str) -> None:
    ledger = open_ledger(f"mongodb://me:{SECRET}@127.0.0.1:{free_port()}/db?serverSelectionTimeoutMS=50")
    with pytest.raises(StoreUnavailable, match=r"mongodb://\*\*\*@127\.0\.0\.1:.* does not answer now") as caught:
        ledger.get("c", ["1"])
    assert SECRET not in str(caught.value)
    with pytest.raises(StoreUnavailable), ledger.lock("c", "run-1"):
        pytest.fail("there is no lock")
    ledger.close()


def test_a_batch_costs_a_handful_of_commands(ledger: Ledger, commands: list[str]) -> None:
    ledger.upsert(rows(1))
    assert commands == ["createIndexes", "createIndexes", "update"]
    for call in (
        lambda: ledger.upsert(rows(3000)),
        lambda: ledger.get("c", [row.doc_id for row in rows(900)]),
        lambda: ledger.put_run(RunRecord(collection="c", run_id="r")),
        lambda: ledger.runs("c"),
    ):
        commands.clear()
        call()
        assert len(commands) == 1
    commands.clear()
    assert len(list(ledger.documents("c"))) == 3000
    assert commands == ["find"] * 4


def test_a_worker_asks_as_often_for_many_documents_and_pages_as_for_few(
    uri: str, commands: list[str], tmp_path: Path
) -> None:
    asked = []
    for documents, pages in ((1, 1), (5, 4)):
        source = tmp_path / f"{documents}"
        source.mkdir()
        for n in range(documents):
            text_pdf(source / f"{n}.pdf", pages, seed=n)
        with platform(tmp_path / "home", ledger=uri) as context:
            run = begin(context, source, f"run-{documents}", force=True)
            (batch,) = steps.run_plan(context, run, workers=1).batches
            commands.clear()
            assert len(steps.run_worker(context, batch.key).results) == documents
            asked.append(list(commands))
    assert asked[0] == asked[1]
    assert len(asked[0]) <= 20


def test_whoever_only_reads_makes_nothing(ledger: Ledger, commands: list[str]) -> None:
    ledger.collections(), ledger.get("c", ["1"]), list(ledger.documents("c")), ledger.runs("c")
    assert set(commands) == {"distinct", "find"}


def test_a_document_of_an_older_version_gets_the_defaults(ledger: Ledger, uri: str) -> None:
    with pymongo.MongoClient[dict[str, object]](uri) as client:
        older = {"_id": "1:c:1", "collection": "c", "doc_id": "1", "path": "old.pdf", "no_longer": 5}
        client.get_default_database()["documents"].insert_one(older)
    assert ledger.get("c", ["1"]) == {"1": DocumentRecord(collection="c", doc_id="1", path="old.pdf")}


def test_names_that_join_to_the_same_text_are_two_rows(ledger: Ledger) -> None:
    for collection, doc_id in (("a", "b:c"), ("a:b", "c"), ("1:a", "b:c")):
        ledger.upsert([DocumentRecord(collection=collection, doc_id=doc_id, path="p")])
    assert ledger.collections() == ["1:a", "a", "a:b"]


def test_a_number_beyond_64_bits_is_refused_and_nothing_is_written(ledger: Ledger) -> None:
    wrong = rows(2)
    wrong[1].size = 2**70
    with pytest.raises(StoreError, match="number is too large"):
        ledger.upsert(wrong)
    assert list(ledger.documents("c")) == []


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (mongo.AutoReconnect("connection closed"), StoreUnavailable, "connection closed"),
        (mongo.ServerSelectionTimeoutError("no servers found" * 1000), StoreUnavailable, "no servers"),
        (mongo.NetworkTimeout("timed out"), StoreUnavailable, "timed out"),
        (mongo.NotPrimaryError("stepping down"), StoreUnavailable, "stepping down"),
        (mongo.WTimeoutError("waiting for replication", 64), StoreUnavailable, "replication"),
        (mongo.OperationFailure("not authorized on db", 13), StoreError, "role readWrite"),
        (mongo.OperationFailure("Authentication failed.", 18), StoreError, "check user, password"),
        (mongo.OperationFailure("primary stepped down", 189), StoreUnavailable, "stepped down"),
        (
            mongo.OperationFailure("x", 1, {"errorLabels": ["RetryableWriteError"]}),
            StoreUnavailable,
            "cannot do it now",
        ),
        (mongo.OperationFailure("out of disk space", 14031), StoreError, "make room"),
        (mongo.OperationFailure("unknown operator", 2), StoreError, "unknown operator"),
        (
            mongo.BulkWriteError({"writeErrors": [{"code": 112, "errmsg": "write conflict"}]}),
            StoreUnavailable,
            "write conflict",
        ),
        (
            mongo.BulkWriteError({"writeErrors": [{"code": 11000, "errmsg": "duplicate key"}] * 3}),
            StoreError,
            "3 writes .* duplicate key",
        ),
        (
            mongo.BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": 64, "errmsg": "timed out"}]}),
            StoreUnavailable,
            "timed out",
        ),
        (InvalidDocument("cannot encode"), StoreError, "cannot encode"),
    ],
)
def test_errors_of_the_driver_become_ours(error: Exception, kind: type[StoreError], words: str) -> None:
    with pytest.raises(StoreError, match=words) as caught, mapped("mongodb://host/db"):
        raise error
    assert type(caught.value) is kind
    assert "mongodb://host/db" in str(caught.value)
    assert len(str(caught.value)) < 600
