"""The folder store beyond what every object store does (tests/contract/test_objects.py)."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.errors import ConfigError, StoreError, StoreUnavailable
from ingest.stores.folder import FolderObjects
from ingest.stores.objects import open_objects


def test_an_address_names_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for uri in ("some/objects", f"{tmp_path}/some/objects", f"file://{tmp_path}/some/objects"):
        store = open_objects(uri)
        assert isinstance(store, FolderObjects)
        assert store.root == tmp_path / "some" / "objects"
    spaced = open_objects(f"file://localhost{tmp_path}/with%20space")
    spaced.put("k", b"x")
    assert (tmp_path / "with space" / "k").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("uri", "words"),
    [("ftp://x/y", "ftp"), ("", "empty path"), ("file://host/x", "host")],
)
def test_an_address_of_another_kind_is_a_wrong_setting(uri: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        open_objects(uri)


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ConfigError, match="is a file"):
        open_objects(str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot prepare"):
        open_objects(str(tmp_path / "file" / "below"))


def test_a_deep_prefix_is_listed_without_reading_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_objects(str(tmp_path))
    for n in range(5):
        store.put(f"runs/c/r{n}/plan.json", b"")
        store.put(f"documents/{n}/x", b"")
    read: list[str] = []
    scandir = os.scandir

    def watched(path: Path) -> object:
        read.append(str(Path(path).relative_to(tmp_path)))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", watched)
    listed = store.list("runs/c/r3")
    assert next(listed).key == "runs/c/r3/plan.json"
    assert list(listed) == []
    assert read == ["runs/c", "runs/c/r3"]


def test_list_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_objects(str(tmp_path))
    for n in range(5):
        store.put(f"d{n}/x", b"")
    listed = store.list("")
    assert next(listed).key == "d0/x"
    store.delete("d3/x")
    store.put("d4/a", b"")
    assert [info.key for info in listed] == ["d1/x", "d2/x", "d4/a", "d4/x"]


@pytest.mark.parametrize("if_absent", [False, True])
def test_a_key_that_goes_on_after_another_is_refused_in_plain_words(tmp_path: Path, if_absent: bool) -> None:
    store = open_objects(str(tmp_path))
    store.put("a/b", b"x")
    for key in ("a", "a/b/c", "a/b/c/d"):
        with pytest.raises(StoreError, match="cannot go on after"):
            store.put(key, b"y", if_absent=if_absent)
    assert [info.key for info in store.list("")] == ["a/b"]


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (errno.ENOSPC, StoreError, "make room"),
        (errno.EDQUOT, StoreError, "make room"),
        (errno.EROFS, StoreError, "read-only"),
        (errno.EIO, StoreUnavailable, "cannot write object a/b"),
        (errno.ESTALE, StoreUnavailable, "cannot write object a/b"),
    ],
)
def test_a_disk_that_refuses_is_reported_with_a_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[StoreError], words: str
) -> None:
    store = open_objects(str(tmp_path))

    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fdatasync", refuse)
    with pytest.raises(StoreError, match=words) as caught:
        store.put("a/b", b"x")
    assert type(caught.value) is kind
    monkeypatch.undo()
    assert store.stat("a/b") is None
    assert list((tmp_path / ".tmp").iterdir()) == []


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may read and only its owner may write; the test runs without the superuser's rights."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        store = open_objects(name)
        store.put("a/b", b"x")
        Path(name).chmod(0o755)
        stale = Path(name) / ".tmp" / "1-stale"
        stale.write_bytes(b"half")
        os.utime(stale, (0, 0))
        for folder in (".tmp", "a"):
            (Path(name) / folder).chmod(0o555)
        if user == 0:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            os.seteuid(user)
            for folder in (".tmp", "a"):
                (Path(name) / folder).chmod(0o755)


def test_a_store_that_may_only_be_read_is_read_and_refuses_the_rest(public: Path) -> None:
    store = open_objects(str(public))
    assert store.get("a/b") == b"x"
    for refused in (lambda: store.put("c", b"y"), lambda: store.delete("a/b")):
        with pytest.raises(StoreError, match="permission denied; give this user"):
            refused()


def test_what_killed_processes_left_is_cleared_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    open_objects(str(tmp_path))
    old, new = tmp_path / ".tmp" / "1-old", tmp_path / ".tmp" / "2-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    store = open_objects(str(tmp_path))
    assert not old.exists()
    assert new.exists()
    assert list(store.list("")) == []


def test_objects_may_be_read_by_whom_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        open_objects(str(tmp_path)).put("k", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "k").stat().st_mode & 0o777 == 0o640
