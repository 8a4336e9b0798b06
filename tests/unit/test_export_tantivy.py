"""The tantivy index beyond what every index does (tests/contract/test_index.py)."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.errors import ConfigError, StoreError
from ingest.export.index import Index, IndexedDocument, Record, open_index


def document(doc_id: str, text: str = "words") -> IndexedDocument:
    record = Record(record_id=f"{doc_id}:0", ref="#/texts/0", label="text", text=text, page=1, bbox=(0, 0, 1, 1))
    return IndexedDocument(
        collection="c",
        doc_id=doc_id,
        path=f"{doc_id}.pdf",
        title=doc_id,
        sha256="s",
        fingerprint="f",
        run_id="r",
        records=[record],
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def index(root: Path) -> Index:
    return open_index(f"tantivy://{root}")


def generations(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "v1" / "c").glob("g*"))


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("opensearch://me:secret@host", r"opensearch://\*\*\*@host"),
        ("tantivy://relative", "absolute"),
        ("/a/path", "tantivy:///"),
    ],
)
def test_an_address_of_another_kind_is_a_wrong_setting(uri: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        open_index(uri)


def test_searching_makes_no_folder(root: Path, index: Index) -> None:
    assert index.search("x") == []
    assert index.search("x", collection="c") == []
    assert not root.exists()


def test_a_collection_without_a_name_is_refused(index: Index) -> None:
    with pytest.raises(StoreError, match="name"):
        index.publish("", "r", [document("a")], [])


def test_names_of_collections_stay_within_the_folder(root: Path, index: Index) -> None:
    for name in ("..", ".", "a/b", "%2E", "a%2Fb"):
        index.publish(name, "r", [document("a")], [])
    assert sorted({hit.collection for hit in index.search("words")}) == ["%2E", ".", "..", "a%2Fb", "a/b"]
    assert [path.name for path in root.parent.iterdir()] == ["index"]


def test_a_rebuild_goes_to_a_generation_of_its_own_and_keeps_the_one_before(root: Path, index: Index) -> None:
    for number, rebuild in enumerate((False, False, True, True, True)):
        index.publish("c", "r", [document(f"d{number}")], [], rebuild=rebuild)
    assert generations(root) == ["g000003", "g000004"]
    assert (root / "v1" / "c" / "current").read_text() == "g000004"


def test_an_open_reader_goes_on_through_rebuilds(root: Path, index: Index) -> None:
    reader = open_index(f"tantivy://{root}")
    for number in range(4):
        index.publish("c", "r", [document(f"d{number}")], [], rebuild=True)
        assert [hit.doc_id for hit in reader.search("words")] == [f"d{number}"]


def test_a_rebuild_that_broke_off_is_cleared_by_the_next(root: Path, index: Index) -> None:
    def documents() -> Iterator[IndexedDocument]:
        yield document("a")
        raise KeyError

    index.publish("c", "r", [document("a")], [])
    with pytest.raises(KeyError):
        index.publish("c", "r", documents(), [], rebuild=True)
    assert generations(root) == ["g000001", "g000002"]
    index.publish("c", "r", [document("b")], [], rebuild=True)
    assert set(index.published("c")) == {"b"}


@pytest.mark.parametrize("pattern", ["meta.json", "*.store", "*.term", "*.idx"])
def test_a_damaged_index_is_named_with_a_cure_that_helps(root: Path, index: Index, pattern: str) -> None:
    index.publish("c", "r", [document(f"d{n}") for n in range(50)], [])
    for path in (root / "v1" / "c" / "g000001").glob(pattern):
        path.write_bytes(b"garbage")
    reader = open_index(f"tantivy://{root}")
    with pytest.raises(StoreError, match=r"index/v1/c is damaged .* publishes it anew"):
        reader.search("words")
    with pytest.raises(StoreError, match=r"index/v1/c is damaged"):
        reader.published("c")
    shutil.rmtree(root / "v1" / "c")
    assert reader.published("c") == {}
    index.publish("c", "r", [document("a")], [])
    assert set(reader.published("c")) == {"a"}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="cannot be read or written"):
        open_index(f"tantivy://{tmp_path}/file").publish("c", "r", [document("a")], [])
    with pytest.raises(StoreError, match="cannot be read or written"):
        open_index(f"tantivy://{tmp_path}/file").search("x", collection="c")


def test_more_text_than_the_writer_holds_is_published_whole(index: Index) -> None:
    text = " ".join(f"w{n}" for n in range(300))
    index.publish("c", "r", (document(f"d{n}", text) for n in range(3000)), [])
    assert len(index.published("c")) == 3000
    assert len(index.search("w7", limit=4000)) == 3000


def test_a_disk_that_takes_no_more_fails_the_publish_and_nothing_else(index: Index) -> None:
    index.publish("c", "r", [document("a")], [])
    long = (document(f"d{n}", " ".join(f"w{n}x{k}" for k in range(300))) for n in range(1000))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(StoreError, match="disk full"):
            index.publish("c", "r", long, ["a"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert set(index.published("c")) == {"a"}
    index.publish("c", "r", [document("b")], [])
    assert sorted(hit.doc_id for hit in index.search("words")) == ["a", "b"]
