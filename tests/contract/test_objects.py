"""What every object store must do. A further implementation joins as a further parameter of `uri`."""

from __future__ import annotations

import multiprocessing
import signal
import string
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import NotFound, StoreError
from ingest.stores.objects import ObjectStore, open_objects

SPAWN = multiprocessing.get_context("spawn")

parts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\x7f"), min_size=1, max_size=12
).filter(lambda part: part not in (".", "..", ".tmp"))
keys = st.lists(parts, min_size=1, max_size=4).map("/".join)


@pytest.fixture(params=["folder", "moto", "radosgw"])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path / "objects")
    uri: str = request.getfixturevalue("s3_uri")(request.param)
    return uri


@pytest.fixture
def store(uri: str) -> ObjectStore:
    return open_objects(uri)


def names(store: ObjectStore, prefix: str = "") -> list[str]:
    return [info.key for info in store.list(prefix)]


def test_an_object_reads_back_as_it_was_written(store: ObjectStore) -> None:
    assert store.put("a/b.json", b"\x00\xff" * 5)
    assert store.get("a/b.json") == b"\x00\xff" * 5


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    store.put("empty", b"")
    info = store.stat("empty")
    assert info is not None
    assert (info.key, info.size) == ("empty", 0)
    assert store.get("empty") == b""


def test_writing_again_replaces(store: ObjectStore) -> None:
    store.put("k", b"first")
    before = store.stat("k")
    assert store.put("k", b"second, longer")
    after = store.stat("k")
    assert store.get("k") == b"second, longer"
    assert before is not None
    assert after is not None
    assert before.etag != after.etag


def test_if_absent_leaves_the_first(store: ObjectStore) -> None:
    assert store.put("k", b"first", if_absent=True)
    assert not store.put("k", b"second", if_absent=True)
    assert store.get("k") == b"first"


@pytest.mark.parametrize("key", ["missing", "no/such/folder"])
def test_a_missing_object_is_said_to_be_missing(store: ObjectStore, key: str) -> None:
    with pytest.raises(NotFound, match=key):
        store.get(key)
    assert store.stat(key) is None
    store.delete(key)
    assert names(store, key) == []


def test_what_lies_above_objects_is_no_object(store: ObjectStore) -> None:
    store.put("a/b/c", b"x")
    with pytest.raises(NotFound):
        store.get("a/b")
    assert store.stat("a/b") is None
    assert store.stat("a/b/c/d") is None
    store.delete("a/b")
    store.delete("a/b/c/d")
    assert names(store) == ["a/b/c"]


def test_a_deleted_object_is_gone(store: ObjectStore) -> None:
    store.put("a/b", b"x")
    store.put("a/c", b"y")
    store.delete("a/b")
    assert store.stat("a/b") is None
    assert names(store) == ["a/c"]


def test_a_big_object_reads_back(store: ObjectStore) -> None:
    data = bytes(range(256)) * 20_000
    store.put("big", data)
    assert store.get("big") == data


def test_list_is_in_key_order_and_by_prefix(store: ObjectStore) -> None:
    all_keys = ["a-b/x", "a.txt", "a/b/1", "a/b/10", "a/b/2", "a/bc", "a0", "b", "ä/x"]
    for key in reversed(all_keys):
        store.put(key, key.encode())
    assert names(store) == all_keys
    assert names(store, "a/") == ["a/b/1", "a/b/10", "a/b/2", "a/bc"]
    assert names(store, "a/b") == ["a/b/1", "a/b/10", "a/b/2", "a/bc"]
    assert names(store, "a/b/1") == ["a/b/1", "a/b/10"]
    assert names(store, "zzz/") == []
    assert [info.size for info in store.list("ä")] == [4]


def test_modification_time_and_size_are_told(store: ObjectStore) -> None:
    store.put("k", b"12345")
    (listed,) = store.list("k")
    assert listed == store.stat("k")
    assert listed.size == 5
    assert listed.mtime_ms > 1_600_000_000_000


@pytest.mark.parametrize(
    "key", ["", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\0b", "a\nb", "\udcff", ".tmp/x", "x" * 256]
)
def test_a_bad_key_is_refused(store: ObjectStore, key: str) -> None:
    with pytest.raises(StoreError, match="cannot be the key"):
        store.put(key, b"x")
    with pytest.raises(StoreError, match="cannot be the key"):
        store.get(key)
    assert names(store) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(key=keys, data=st.binary(max_size=300))
def test_any_key_and_any_bytes_survive(store: ObjectStore, key: str, data: bytes) -> None:
    store.put(key, data)
    assert store.get(key) == data
    assert names(store, key) == [key]
    store.delete(key)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    drawn=st.sets(st.lists(st.text("a-./0b", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)),
    cut=st.integers(0, 5),
)
def test_list_equals_the_sorted_keys(store: ObjectStore, drawn: set[str], cut: int) -> None:
    valid = {k for k in drawn if all(p not in ("", ".", "..") for p in k.split("/"))}
    chosen = {k for k in valid if not any(other.startswith(k + "/") for other in valid)}
    for key in chosen:
        store.put(key, b"")
    cuts = {""} | {key[:cut] for key in chosen}
    prefixes = {p for p in cuts if not {".", ".."} & set(p.split("/")[:-1])}
    try:
        for prefix in prefixes:
            assert names(store, prefix) == sorted(k for k in chosen if k.startswith(prefix))
    finally:
        for key in chosen:
            store.delete(key)


def _race(uri: str, who: str, start: threading.Barrier, won: multiprocessing.SimpleQueue[tuple[int, str]]) -> None:
    store = open_objects(uri)
    start.wait()
    for number in range(50):
        if store.put(f"race/{number}", who.encode() * 1000, if_absent=True):
            won.put((number, who))


def test_of_several_processes_exactly_one_creates_an_object(uri: str) -> None:
    start, won = SPAWN.Barrier(3), SPAWN.SimpleQueue()
    processes = [SPAWN.Process(target=_race, args=(uri, who, start, won)) for who in "xyz"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    winners: list[tuple[int, str]] = []
    while not won.empty():
        winners.append(won.get())
    assert sorted(number for number, _ in winners) == list(range(50))
    store = open_objects(uri)
    for number, who in winners:
        assert store.get(f"race/{number}") == who.encode() * 1000


SIZE = 4_000_000
WRITER = textwrap.dedent(
    f"""
    import sys
    from ingest.stores.objects import open_objects
    store = open_objects(sys.argv[1])
    for n in range(256):
        store.put(f"new/{{n}}", bytes([n]) * {SIZE}, if_absent=True)
        store.put("same", bytes([n]) * {SIZE})
        print(n, flush=True)
    """
)


@pytest.fixture
def writer(uri: str) -> Iterator[subprocess.Popen[str]]:
    """A process that writes large objects and prints the number of each pair that was acknowledged."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, uri], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("acknowledged", [1, 3, 6])
def test_a_killed_writer_leaves_whole_objects_only(uri: str, writer: subprocess.Popen[str], acknowledged: int) -> None:
    assert writer.stdout is not None
    last = [int(writer.stdout.readline()) for _ in range(acknowledged)][-1]
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    store = open_objects(uri)
    same = store.get("same")
    assert same == bytes([same[0]]) * SIZE
    assert same[0] >= last
    found = names(store)
    assert {f"new/{n}" for n in range(last + 1)} | {"same"} <= set(found)
    for key in found:
        assert key == "same" or set(store.get(key)) == {int(key.removeprefix("new/"))}
        info = store.stat(key)
        assert info is not None
        assert info.size == SIZE
    assert store.put(f"new/{last + 5}", b"x", if_absent=True)


def test_a_reader_never_sees_half_an_object(uri: str, writer: subprocess.Popen[str]) -> None:
    assert writer.stdout is not None
    writer.stdout.readline()
    store = open_objects(uri)
    for _ in range(30):
        data = store.get("same")
        assert len(data) == SIZE
        assert data[0] == data[-1]


def _put_and_delete(uri: str, who: int, start: threading.Barrier) -> None:
    store = open_objects(uri)
    start.wait()
    for number in range(200):
        store.put(f"shared/deep/{who}", b"x", if_absent=number % 2 == 0)
        store.delete(f"shared/deep/{who}")


def test_deleting_the_last_neighbour_does_not_hinder_a_writer(uri: str) -> None:
    start = SPAWN.Barrier(2)
    processes = [SPAWN.Process(target=_put_and_delete, args=(uri, who, start)) for who in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0


def test_keys_of_printable_ascii_are_possible(store: ObjectStore) -> None:
    key = "".join(c for c in string.printable if c.isprintable() and c != "/")
    store.put(f"odd/{key}", b"x")
    assert names(store, "odd/") == [f"odd/{key}"]
