"""S3 beyond what every object store and every source does (tests/contract)."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ingest.errors import (
    ConfigError,
    IngestError,
    NotFound,
    SourceError,
    SourceUnavailable,
    StoreError,
    StoreUnavailable,
)
from ingest.stores import s3, s3_objects, s3_source
from ingest.stores.objects import ObjectStore, open_objects
from ingest.stores.s3_objects import S3Objects
from ingest.stores.sources import Source, open_source
from tests.support import servers
from tests.support.http_peer import HANG_UP, Answer, Request, serving
from tests.support.s3_peer import Fault, S3Peer, cut, error, failing

SECRET, TOKEN = "secret-key-that-nobody-may-see", "session-token-that-nobody-may-see"
DATA = bytes(range(256)) * 20_000


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Peer]:
    """An S3 server in this process; botocore and we try at once again."""
    peer = S3Peer()
    with serving(peer) as url:
        for name, value in (servers.s3_environment(0, "AKIDEXAMPLE", SECRET) | servers.NO_OTHER_AWS).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
        monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda self, context: 0.0)
        monkeypatch.setattr(s3, "_FIRST_WAIT_S", 0.0)
        yield peer


@pytest.fixture
def store(peer: S3Peer) -> ObjectStore:
    return open_objects("s3://bucket/pre/fix")


@pytest.mark.parametrize("uri", ["s3://", "s3:///key", "s3://x", "s3://me:hunter2@bucket/x", "s3://bu cket/x"])
def test_an_address_without_a_bucket_is_a_wrong_setting(uri: str) -> None:
    with pytest.raises(ConfigError, match="names no bucket") as caught:
        open_objects(uri)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("AWS_ENDPOINT_URL", "no url"), ("AWS_PROFILE", "nobody"), ("AWS_RESPONSE_CHECKSUM_VALIDATION", "some")],
)
def test_aws_settings_that_make_no_sense_are_a_wrong_setting(
    peer: S3Peer, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match="the AWS settings cannot be used"):
        open_objects("s3://bucket/x")


@pytest.mark.parametrize(
    ("uri", "key"),
    [("s3://bucket", "a/b"), ("s3://bucket/", "a/b"), ("s3://bucket/pre/", "pre/a/b"), ("s3://bucket/ü/p", "ü/p/a/b")],
)
def test_the_prefix_stands_before_the_key(peer: S3Peer, uri: str, key: str) -> None:
    store = open_objects(uri)
    store.put("a/b", b"x")
    assert list(peer.objects) == [key]
    assert [info.key for info in store.list("a/")] == ["a/b"]


def test_a_listing_has_all_keys_of_many_pages_and_none_of_a_prefix_beside(peer: S3Peer, store: ObjectStore) -> None:
    for n in range(5321):
        peer.objects[f"pre/fix/a/{n:05d} ü&<>"] = b"12"
    peer.objects |= {"pre/fixed": b"", "pre/fix": b"", "pre/fix/folder/": b"", "other": b""}
    assert [info.key for info in store.list("")] == [f"a/{n:05d} ü&<>" for n in range(5321)]
    assert peer.methods() == ["GET"] * 6
    (found,) = store.list("a/00007")
    assert (found.size, found.mtime_ms) == (2, 1_704_164_645_000)


def test_an_object_carries_its_sha256_and_a_type_for_browsers(peer: S3Peer, store: ObjectStore) -> None:
    store.put("data_docs/index.html", b"<html>")
    request = peer.requests[-1]
    assert request.headers["content-type"] == "text/html"
    assert request.headers["x-amz-meta-sha256"] == hashlib.sha256(b"<html>").hexdigest()
    assert request.headers["x-amz-checksum-crc32"]


@pytest.mark.parametrize(
    ("status", "code"), [(503, "SlowDown"), (500, "InternalError"), (429, "TooManyRequests"), (400, "RequestTimeout")]
)
def test_a_server_that_is_busy_is_asked_again(peer: S3Peer, store: ObjectStore, status: int, code: str) -> None:
    peer.faults.extend([("PUT", failing(status, code))] * 3)
    assert store.put("k", b"x")
    assert peer.methods() == ["PUT"] * 4
    peer.faults.extend([("GET", failing(status, code))] * 100)
    with pytest.raises(StoreUnavailable, match=f"cannot read s3://bucket/pre/fix/k: .*{code}"):
        store.get("k")


def test_a_server_that_hangs_up_is_asked_again(peer: S3Peer, store: ObjectStore) -> None:
    peer.faults.extend([("PUT", lambda request, answer: HANG_UP)] * 2)
    assert store.put("k", b"x")
    peer.faults.extend([("HEAD", lambda request, answer: HANG_UP)] * 100)
    with pytest.raises(StoreUnavailable, match="cannot look at"):
        store.stat("k")


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (403, "AccessDenied", r"access denied; give these credentials s3:ListBucket"),
        (403, "InvalidAccessKeyId", "check the credentials"),
        (403, "SignatureDoesNotMatch", "secret key is wrong"),
        (400, "ExpiredToken", "renew the credentials"),
        (403, "RequestTimeTooSkewed", "clock"),
        (404, "NoSuchBucket", "create it"),
        (301, "PermanentRedirect", "AWS_REGION"),
        (403, "QuotaExceeded", "make room"),
        (400, "EntityTooLarge", r"the server refused \(EntityTooLarge: It is so"),
    ],
)
def test_a_refusal_is_reported_with_a_cure_and_not_repeated(
    peer: S3Peer, store: ObjectStore, status: int, code: str, words: str
) -> None:
    peer.faults.append(("PUT", failing(status, code)))
    with pytest.raises(StoreError, match=f"cannot write s3://bucket/pre/fix/k: .*{words}") as caught:
        store.put("k", b"x")
    assert type(caught.value) is StoreError
    assert peer.methods().count("PUT") == 1


def test_a_look_that_is_forbidden_is_not_taken_for_a_missing_object(peer: S3Peer, store: ObjectStore) -> None:
    peer.faults.append(("HEAD", lambda request, answer: answer._replace(status=403, body=b"")))
    with pytest.raises(StoreError, match="access denied") as caught:
        store.stat("k")
    assert not isinstance(caught.value, NotFound)


def test_nobody_there_is_worth_a_retry(peer: S3Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{servers.free_port()}")
    store = open_objects("s3://bucket/x")
    calls: list[Callable[[], object]] = [
        lambda: store.get("k"),
        lambda: store.put("k", b""),
        lambda: store.put("k", b"", if_absent=True),
        lambda: store.stat("k"),
        lambda: list(store.list("")),
        lambda: store.delete("k"),
    ]
    for call in calls:
        with pytest.raises(StoreUnavailable, match="s3://bucket/x"):
            call()


def test_without_credentials_nothing_is_asked(peer: S3Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    with pytest.raises(StoreError, match=r"no credentials .* in one of the ways that AWS tools know"):
        open_objects("s3://bucket/x").get("k")
    assert peer.requests == []


@pytest.mark.parametrize("after", [0, 1, 1_500_000])
def test_a_body_that_breaks_off_is_taken_up_where_it_broke(peer: S3Peer, store: ObjectStore, after: int) -> None:
    store.put("k", DATA)
    peer.requests.clear()
    peer.faults.extend([("GET", cut(after)), ("GET", cut(after))])
    assert store.get("k") == DATA
    ranges = [request.headers.get("range") for request in peer.requests]
    assert ranges == [None, *(f"bytes={after * n}-" if after else None for n in (1, 2))]


def _replacing(peer: S3Peer, key: str, data: bytes) -> Fault:
    """The object is replaced while it is being sent, and then the connection breaks."""

    def fault(request: Request, answer: Answer) -> Answer:
        peer.objects[key], peer.metadata[key] = data, {}
        return answer._replace(keep=1_500_000)

    return fault


def test_a_body_that_never_comes_whole_is_an_error(peer: S3Peer, store: ObjectStore) -> None:
    store.put("k", DATA)
    peer.faults.extend([("GET", cut(1000))] * 100)
    with pytest.raises(StoreUnavailable, match="cannot read s3://bucket/pre/fix/k"):
        store.get("k")


@pytest.mark.parametrize("size", [10, 2_000_000, 9_000_000])
def test_an_object_replaced_while_it_is_read_is_read_whole_as_it_is_now(
    peer: S3Peer, store: ObjectStore, size: int
) -> None:
    store.put("k", DATA)
    new = b"n" * size
    peer.faults.append(("GET", _replacing(peer, "pre/fix/k", new)))
    assert store.get("k") == new


def test_damaged_bytes_are_read_again_and_never_handed_out(peer: S3Peer, store: ObjectStore) -> None:
    store.put("k", DATA)
    flipped = DATA[:-1] + b"\0"
    peer.faults.append(("GET", lambda request, answer: answer._replace(body=flipped)))
    assert store.get("k") == DATA
    peer.objects["pre/fix/k"] = flipped
    with pytest.raises(StoreError, match="cannot read s3://bucket/pre/fix/k: it is damaged") as caught:
        store.get("k")
    assert not caught.value.retry


def test_our_own_write_is_known_again_when_its_answer_was_lost(peer: S3Peer, store: ObjectStore) -> None:
    peer.faults.append(("PUT", lambda request, answer: HANG_UP))
    assert store.put("k", b"mine", if_absent=True)
    assert not store.put("k", b"other", if_absent=True)
    assert store.get("k") == b"mine"
    assert peer.methods() == ["PUT", "PUT", "HEAD", "PUT", "HEAD", "GET"]


def test_writers_that_get_in_each_others_way_try_again(peer: S3Peer, store: ObjectStore) -> None:
    def conflict(request: Request, answer: Answer) -> Answer:
        peer.objects.clear()
        return error(409, "ConditionalRequestConflict")

    peer.faults.extend([("PUT", conflict)] * 2)
    assert store.put("k", b"x", if_absent=True)
    peer.faults.extend([("PUT", conflict)] * 100)
    with pytest.raises(StoreUnavailable, match="other writers"):
        store.put("m", b"x", if_absent=True)


def test_credentials_are_in_no_log_and_no_message(
    peer: S3Peer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    store = open_objects("s3://bucket/x")
    store.put("k", b"x")
    store.get("k")
    list(store.list(""))
    peer.faults.append(("GET", failing(403, "SignatureDoesNotMatch")))
    with pytest.raises(IngestError) as caught:
        store.get("k")
    assert {request.headers["x-amz-security-token"] for request in peer.requests} == {TOKEN}
    said = caplog.text + str(caught.value) + repr(store.__dict__) + "".join(capfd.readouterr())
    assert SECRET not in said
    assert TOKEN not in said
    assert "AKIDEXAMPLE" not in said


def test_threads_share_a_store_and_its_connections(peer: S3Peer, store: ObjectStore) -> None:
    together = threading.Barrier(s3.CONNECTIONS)

    def work(n: int) -> bool:
        together.wait()
        store.put(f"k{n}", bytes([n]) * 1000)
        return store.get(f"k{n}") == bytes([n]) * 1000

    with ThreadPoolExecutor(s3.CONNECTIONS) as pool:
        assert all(pool.map(work, range(s3.CONNECTIONS)))


def test_a_large_object_goes_in_parts_and_reads_back(
    s3_uri: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3_objects, "MULTIPART", 12 << 20)
    monkeypatch.setattr(s3_objects, "PART", 5 << 20)
    store = open_objects(s3_uri("moto"))
    assert isinstance(store, S3Objects)
    data = hashlib.sha256(b"seed").digest() * (s3_objects.MULTIPART // 32 + 10)
    store.put("large", data)
    found = store.stat("large")
    assert found is not None
    assert (found.size, found.etag.rpartition("-")[2]) == (len(data), "3")
    assert store.get("large") == data
    assert store.put("created", data, if_absent=True)
    created = store.stat("created")
    assert created is not None
    assert "-" not in created.etag, "in one request: only then do all servers look whether there is one"
    assert not store.put("created", b"x", if_absent=True)


def test_a_bucket_that_does_not_exist_is_named(s3_uri: Callable[[str], str]) -> None:
    s3_uri("moto")
    store = open_objects("s3://no-such-bucket/x")
    for call in (lambda: store.put("k", b""), lambda: store.get("k"), lambda: list(store.list(""))):
        with pytest.raises(StoreError, match=r"s3://no-such-bucket.* there is no such bucket; create it"):
            call()


def test_local_stores_and_sources_load_no_client_of_a_server(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from ingest.config import Settings\n"
        "from ingest.runtime import open_context\n"
        f"with open_context(Settings(home={str(tmp_path)!r})) as context:\n"
        f"    context.objects, context.ledger, context.index(), context.open_source({str(tmp_path)!r})\n"
        "servers = {'boto3', 'botocore', 'pymongo', 'bson', 'opensearchpy', 'urllib3', 'requests'}\n"
        "print(sorted(servers & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture
def source(peer: S3Peer) -> Source:
    return open_source("s3://bucket/pre/fix", exclude=["drafts"])


def test_a_source_is_listed_page_by_page_without_a_look_at_any_document(peer: S3Peer, source: Source) -> None:
    for n in range(2345):
        peer.objects[f"pre/fix/{n:04d}.pdf"] = b"12"
    peer.objects |= {"pre/fix/drafts/x.pdf": b"", "pre/fix/notes.txt": b"", "pre/fix.pdf": b"", "pre/fix/sub.pdf/": b""}
    items = list(source.list())
    assert [item.path for item in items] == [f"{n:04d}.pdf" for n in range(2345)]
    assert {(item.size, item.mtime_ms) for item in items} == {(2, 1_704_164_645_000)}
    assert {(request.method, request.query.get("list-type")) for request in peer.requests} == {("GET", "2")}
    assert len(peer.requests) == 3


def test_documents_are_known_again_by_etags_that_are_digests_only(peer: S3Peer, source: Source) -> None:
    peer.objects["pre/fix/a.pdf"] = b"a"
    (item,) = source.list()
    assert item.content_tag == item.etag == hashlib.md5(b"a").hexdigest()
    assert s3_source.content_tag(f"{item.etag}-12") == f"{item.etag}-12"
    assert s3_source.content_tag("66a1f3b2-1f4") == ""
    assert s3_source.content_tag(item.etag.upper()) == ""


def test_a_source_reads_on_after_a_break_and_keeps_what_is_there_now(
    peer: S3Peer, source: Source, tmp_path: Path
) -> None:
    peer.objects["pre/fix/a.pdf"] = DATA
    (item,) = source.list()
    peer.faults.append(("GET", cut(1_000_000)))
    assert source.fetch(item, tmp_path / "copy") == hashlib.sha256(DATA).hexdigest()
    peer.objects["pre/fix/a.pdf"] = b"other"
    assert source.fetch(item, tmp_path / "copy") == hashlib.sha256(b"other").hexdigest()
    assert (tmp_path / "copy").read_bytes() == b"other"


def test_a_document_that_cannot_be_had_is_an_error_of_its_own_and_a_server_that_is_away_is_not(
    peer: S3Peer, source: Source, tmp_path: Path
) -> None:
    peer.objects["pre/fix/a.pdf"] = b"a"
    (item,) = source.list()
    peer.faults.append(("GET", failing(403, "AccessDenied")))
    with pytest.raises(
        SourceError, match=r"pre/fix/a\.pdf: access denied; give these credentials s3:ListBucket"
    ) as one:
        source.fetch(item, tmp_path / "copy")
    assert not one.value.retry
    peer.faults.extend([("GET", failing(503, "SlowDown"))] * 100)
    with pytest.raises(SourceUnavailable, match="cannot read"):
        source.fetch(item, tmp_path / "copy")


def test_an_empty_prefix_is_more_likely_a_mistake_than_a_source_without_documents(peer: S3Peer, source: Source) -> None:
    peer.objects["pre/fixed.pdf"] = b"a"
    with pytest.raises(SourceError, match=r"nothing below s3://bucket/pre/fix; check bucket and prefix"):
        list(source.list())


def test_credentials_come_from_where_aws_tools_look(
    peer: S3Peer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = os.environ["AWS_ENDPOINT_URL"]
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "credentials").write_text(f"[corpus]\naws_access_key_id = FROMFILE\naws_secret_access_key = {SECRET}\n")
    (tmp_path / "config").write_text(f"[profile corpus]\nregion = eu-north-1\nendpoint_url = {url}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_PROFILE", "corpus")
    peer.objects["x/a.pdf"] = b"a"
    assert [item.path for item in open_source("s3://bucket/x").list()] == ["a.pdf"]
    signed = peer.requests[-1].headers["authorization"]
    assert "Credential=FROMFILE/" in signed
    assert "/eu-north-1/s3/" in signed


def test_credentials_of_a_source_are_in_no_log_and_no_message(
    peer: S3Peer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    source = open_source("s3://bucket/x")
    peer.objects["x/a.pdf"] = b"a"
    (item,) = source.list()
    source.fetch(item, tmp_path / "copy")
    peer.faults.append(("GET", failing(403, "SignatureDoesNotMatch")))
    with pytest.raises(SourceError) as caught:
        source.fetch(item, tmp_path / "copy")
    said = caplog.text + str(caught.value) + source.describe() + repr(source.__dict__) + "".join(capfd.readouterr())
    for secret in (SECRET, TOKEN, "AKIDEXAMPLE"):
        assert secret not in said
