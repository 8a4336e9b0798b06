"""OpenSearch beyond what every index does (tests/contract/test_index.py): what is sent, and what may be answered."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import ConfigError, Conflict, StoreError, StoreUnavailable, Unindexable
from ingest.export import opensearch_client
from ingest.export.index import Index, IndexedDocument, Record, open_index
from tests.support.http_peer import HANG_UP, Answer, serving
from tests.support.opensearch_peer import OpenSearchPeer
from tests.support.servers import free_port

GOLDEN = Path(__file__).parent.parent / "golden" / "opensearch.json"
Fault = Callable[[Callable[[], Answer]], Answer]


@pytest.fixture
def peer() -> OpenSearchPeer:
    return OpenSearchPeer()


@pytest.fixture
def url(peer: OpenSearchPeer, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("_FIRST_WAIT_S", "_BULK_WAIT_S"):
        monkeypatch.setattr(opensearch_client, name, 0)
    with serving(peer) as url:
        yield url


@pytest.fixture
def index(url: str) -> Iterator[Index]:
    index = open_index(url)
    yield index
    index.close()


def document(name: str, *texts: str, fingerprint: str = "f1") -> IndexedDocument:
    records = [
        Record(
            record_id=f"{name}:{n}",
            ref=f"#/texts/{n}",
            label="subtitle_1" if n == 0 else "text",
            text=text,
            page=n + 1,
            bbox=(1.0, 2.0, 3.5, 4.0),
            section="Part > One" if n else "",
        )
        for n, text in enumerate(texts)
    ]
    return IndexedDocument(
        collection="My Papers",
        doc_id=name,
        path=f"sub/{name}.pdf",
        title=f"Of {name}",
        sha256="aa" * 32,
        fingerprint=fingerprint,
        run_id="run-1",
        records=records,
    )


def answering(status: int, kind: str, reason: str = "it is so") -> Fault:
    body = json.dumps({"error": {"type": kind, "reason": reason}, "status": status}).encode()
    return lambda do: Answer(status, body, {"Content-Type": "application/json"})


def sent(peer: OpenSearchPeer) -> list[dict[str, Any]]:
    """The requests, less those about the lock, whose holder is another each time."""
    return [
        {"request": f"{method} {path}", "lines": [json.loads(line) for line in body.splitlines()]}
        for method, path, body in peer.requests
        if ".locks" not in path
    ]


def test_mappings_bulks_and_aliases_are_sent_as_written_down(
    peer: OpenSearchPeer, index: Index, regenerate_goldens: bool
) -> None:
    index.publish("My Papers", "run-1", [document("a", "Heading", "Text of a"), document("b")], [])
    index.publish("My Papers", "run-2", [document("a", "Other", fingerprint="f2")], ["b"])
    index.publish("My Papers", "run-3", [document("c", "Anew")], [], rebuild=True)
    index.search('anew "and so"', collection="My Papers")
    made = json.dumps(sent(peer), indent=1, ensure_ascii=False) + "\n"
    made = made.replace(json.loads(made)[-1]["lines"][0]["highlight"]["pre_tags"][0], "MARK")
    if regenerate_goldens:
        GOLDEN.write_text(made)
    assert made == GOLDEN.read_text()


def test_a_cluster_that_is_too_busy_for_a_bulk_gets_it_again(peer: OpenSearchPeer, index: Index) -> None:
    peer.faults.extend([("POST .*/_bulk", answering(429, "circuit_breaking_exception"))] * 3)
    index.publish("c", "run-1", [document("a", "text")], [])
    assert set(index.published("c")) == {"a"}
    assert [path for _, path, _ in peer.requests if path.endswith("_bulk")] == ["/ingest.v1.c.g000001/_bulk"] * 4


def test_rows_that_a_busy_cluster_turned_away_are_sent_again_and_no_others(peer: OpenSearchPeer, index: Index) -> None:
    busy = {"a:1:1": 2, "b:1:0": 1}

    def turned_away(operation: str, row_id: str) -> tuple[int, str] | None:
        busy[row_id] = busy.get(row_id, 0) - 1
        return (429, "opensearch_rejected_execution_exception") if busy[row_id] >= 0 else None

    peer.item_fault = turned_away
    index.publish("c", "run-1", [document("a", "one", "two"), document("b", "three")], [])
    assert set(index.published("c")) == {"a", "b"}
    bulks = [body for _, path, body in peer.requests if path.endswith("_bulk")]
    ids = [[json.loads(line)["index"]["_id"] for line in body.splitlines()[::2]] for body in bulks]
    assert ids == [["a:1:0", "a:1:1", "a:1:2", "b:1:0", "b:1:1"], ["a:1:1", "b:1:0"], ["a:1:1"]]


def test_a_cluster_that_stays_busy_is_worth_a_retry_and_nothing_is_published(
    peer: OpenSearchPeer, index: Index
) -> None:
    index.publish("c", "run-1", [document("a", "text")], [])
    peer.item_fault = lambda operation, row_id: (429, "opensearch_rejected_execution_exception")
    with pytest.raises(StoreUnavailable, match=r"did not take 1 documents.*too busy.*sub/b\.pdf"):
        index.publish("c", "run-2", [document("b", "text")], ["a"])
    peer.item_fault = lambda operation, row_id: None
    assert set(index.published("c")) == {"a"}
    index.publish("c", "run-2", [document("b", "text")], ["a"])
    assert set(index.published("c")) == {"b"}


def test_documents_that_the_cluster_refuses_are_named_and_without_them_all_goes_well(
    peer: OpenSearchPeer, index: Index
) -> None:
    peer.item_fault = lambda operation, row_id: (400, "mapper_parsing_exception") if row_id == "b:1:1" else None
    documents = [document(name, "text") for name in "abc"]
    with pytest.raises(Unindexable) as caught:
        index.publish("c", "run-1", documents, [])
    assert set(caught.value.documents) == {"b"}
    assert caught.value.documents["b"].startswith("sub/b.pdf: the search index does not take it (mapper_parsing")
    assert index.published("c") == {}
    index.publish("c", "run-1", [d for d in documents if d.doc_id != "b"], [])
    assert set(index.published("c")) == {"a", "c"}


def test_a_cluster_that_refuses_most_documents_has_a_fault_of_its_own(peer: OpenSearchPeer, index: Index) -> None:
    peer.item_fault = lambda operation, row_id: (400, "strict_dynamic_mapping_exception")
    with pytest.raises(
        StoreError, match=r"did not take 12 documents, and nothing.*strict_dynamic.*and 2 more"
    ) as caught:
        index.publish("c", "run-1", [document(f"{n:02d}", "text") for n in range(12)], [])
    assert not isinstance(caught.value, StoreUnavailable)


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (answering(401, "security_exception"), StoreError, "check user and password"),
        (answering(403, "security_exception"), StoreError, r"denies access.*docs/stores\.md"),
        (answering(403, "cluster_block_exception"), StoreError, "is a disk of the cluster full"),
        (answering(409, "version_conflict_engine_exception"), Conflict, "another publish"),
        (answering(500, "null_pointer_exception"), StoreUnavailable, "cannot do it now"),
        (answering(400, "parsing_exception", "no [x]"), StoreError, r"refused a call: parsing_exception: no \[x\]"),
        (lambda do: Answer(200, b"<html>", {"Content-Type": "text/html"}), StoreError, "<html>|cannot be read|no JSON"),
    ],
)
def test_refusals_are_reported_with_a_cure(
    peer: OpenSearchPeer, index: Index, fault: Fault, kind: type[StoreError], words: str
) -> None:
    index.publish("c", "run-1", [document("a", "text")], [])
    peer.faults.extend([(".*_search", fault)] * 10)
    with pytest.raises(kind, match=words) as caught:
        index.search("text", collection="c")
    assert type(caught.value) is kind


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_request_that_cannot_be_answered_now_is_repeated(peer: OpenSearchPeer, index: Index, status: int) -> None:
    index.publish("c", "run-1", [document("a", "text")], [])
    peer.faults.extend([(".*_search", answering(status, "busy")), (".*_search", lambda do: HANG_UP)])
    assert [hit.path for hit in index.search("text", collection="c")] == ["sub/a.pdf"]
    peer.faults.extend([(".*_search", answering(status, "busy"))] * 10)
    with pytest.raises(StoreUnavailable, match="cannot do it now"):
        index.search("text", collection="c")


def test_an_alias_whose_answer_was_lost_is_not_moved_twice(peer: OpenSearchPeer, index: Index) -> None:
    def done_and_lost(do: Callable[[], Answer]) -> Answer:
        do()
        return HANG_UP

    index.publish("c", "run-1", [document("a", "text")], [])
    peer.faults.append(("POST /_aliases", done_and_lost))
    index.publish("c", "run-2", [document("b", "text")], ["a"])
    assert set(index.published("c")) == {"b"}


def test_nobody_there_is_worth_a_retry(url: str) -> None:
    index = open_index(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(StoreUnavailable, match="does not answer"):
        index.published("c")
    index.close()


@pytest.mark.parametrize("uri", ["https://", "http://h:x", "https://h/Upper", "https://h/a/b", "https://h?x=1"])
def test_an_address_that_is_not_valid_is_a_wrong_setting(uri: str) -> None:
    with pytest.raises(ConfigError, match=r"INGEST_INDEX=.* is not valid; write https://user:password@host:9200"):
        open_index(uri)


def test_a_login_is_used_and_in_no_log_and_no_message(
    peer: OpenSearchPeer, url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    peer.login = "Basic " + base64.b64encode(b"ingest:p@ss/word").decode()
    index = open_index(url.replace("//", "//ingest:p%40ss%2Fword@"))
    index.publish("c", "run-1", [document("a", "text")], [])
    assert set(index.published("c")) == {"a"}
    peer.login = "Basic other"
    with pytest.raises(StoreError, match="does not know the user") as caught:
        index.published("c")
    index.close()
    said = caplog.text + str(caught.value) + "".join(capfd.readouterr())
    assert "p@ss" not in said
    assert "p%40ss" not in said
    assert base64.b64encode(b"ingest:p@ss/word").decode() not in said
