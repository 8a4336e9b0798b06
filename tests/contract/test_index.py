"""What every search index must do. A further implementation joins as a further parameter of `uri`."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import Conflict
from ingest.export.index import Hit, Index, IndexedDocument, Record, open_index
from ingest.export.opensearch_client import Cluster
from tests.support.http_peer import serving
from tests.support.opensearch_peer import OpenSearchPeer

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(params=["tantivy", "opensearch-peer", "opensearch"])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "tantivy":
        yield f"tantivy://{tmp_path}/index"
    elif request.param == "opensearch-peer":
        with serving(OpenSearchPeer()) as url:
            yield url
    else:
        yield from _on_cluster()


def _on_cluster() -> Iterator[str]:
    """Indexes with a prefix of their own on the cluster at OPENSEARCH_URL, deleted afterwards."""
    if not (server := os.environ.get("OPENSEARCH_URL")):
        pytest.skip("OPENSEARCH_URL names no cluster")
    uri = f"{server.rstrip('/')}/test_{secrets.token_hex(8)}"
    yield uri
    cluster = Cluster(uri)
    for index in cluster.call("GET", f"/{cluster.prefix}.*"):
        cluster.call("DELETE", f"/{index}")
    cluster.close()


@pytest.fixture
def index(uri: str) -> Iterator[Index]:
    index = open_index(uri)
    yield index
    index.close()


def document(
    doc_id: str, *texts: str | tuple[str, str], collection: str = "c", fingerprint: str = "f1"
) -> IndexedDocument:
    """Texts are paragraphs, or pairs of label and text."""
    pairs = [("text", text) if isinstance(text, str) else text for text in texts]
    return IndexedDocument(
        collection=collection,
        doc_id=doc_id,
        path=f"folder/{doc_id}.pdf",
        title=f"Title of {doc_id}",
        sha256=f"sha-{doc_id}",
        fingerprint=fingerprint,
        run_id="r1",
        records=[
            Record(
                record_id=f"{doc_id}:{n}",
                ref=f"#/texts/{n}",
                label=label,
                text=text,
                page=n + 1,
                bbox=(1.5, 2.0, 300.25, 40.0),
                section="Methods > Data",
            )
            for n, (label, text) in enumerate(pairs)
        ],
    )


def publish(
    index: Index, *documents: IndexedDocument, removed: Sequence[str] = (), collection: str = "c", rebuild: bool = False
) -> None:
    index.publish(collection, "r1", iter(documents), iter(removed), rebuild=rebuild)


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.doc_id for hit in hits]


def test_a_hit_says_what_it_is_and_where_it_came_from(index: Index) -> None:
    publish(index, document("a", "Nothing here.", "The quick brown fox jumps over the lazy dog."))
    (hit,) = index.search("fox", collection="c")
    assert hit.score > 0
    assert hit == Hit(
        score=hit.score,
        collection="c",
        doc_id="a",
        path="folder/a.pdf",
        title="Title of a",
        label="text",
        page=2,
        bbox=(1.5, 2.0, 300.25, 40.0),
        section="Methods > Data",
        snippet="The quick brown **fox** jumps over the lazy dog.",
        ref="#/texts/1",
        sha256="sha-a",
        fingerprint="f1",
        run_id="r1",
    )


def test_an_empty_index_finds_nothing(index: Index) -> None:
    assert index.search("fox") == []
    assert index.search("fox", collection="c") == []
    assert index.published("c") == {}
    publish(index)
    assert index.search("fox") == []
    assert index.published("c") == {}


def test_published_tells_every_document_also_one_without_text(index: Index) -> None:
    publish(index, document("a", "x"), document("b"))
    assert index.published("c") == {"a": ("sha-a", "f1"), "b": ("sha-b", "f1")}
    publish(index, document("a", "y", fingerprint="f2"), document("d", "z"), removed=["b", "unknown"])
    assert index.published("c") == {"a": ("sha-a", "f2"), "d": ("sha-d", "f1")}
    assert index.published("other") == {}


def test_publishing_again_replaces_a_document(index: Index) -> None:
    publish(index, document("a", "old words", "more old words"), document("b", "old words"))
    publish(index, document("a", "new words"))
    assert ids(index.search("old")) == ["b"]
    assert sorted(ids(index.search("words"))) == ["a", "b"]


def test_publishing_the_same_twice_changes_nothing(index: Index) -> None:
    for _ in range(2):
        publish(index, document("a", "some words"), document("a", "some words"))
    assert ids(index.search("words")) == ["a"]


def test_a_removed_document_is_not_found(index: Index) -> None:
    publish(index, document("a", "words"), document("b", "words"))
    publish(index, removed=["a"])
    assert ids(index.search("words")) == ["b"]
    publish(index, document("b", "words again"), removed=["b"])
    assert ids(index.search("again")) == ["b"]


def test_a_rebuild_leaves_only_what_it_was_given(index: Index) -> None:
    publish(index, document("a", "words"), document("b", "words"))
    for _ in range(3):
        publish(index, document("b", "words"), document("d", "words"), rebuild=True)
    assert sorted(ids(index.search("words"))) == ["b", "d"]
    assert set(index.published("c")) == {"b", "d"}


def test_a_publish_that_fails_changes_nothing_and_frees_the_index(uri: str, index: Index) -> None:
    publish(index, document("a", "words"), document("b", "words"))

    def documents() -> Iterator[IndexedDocument]:
        yield document("d", "words")
        yield document("a", "other")
        raise KeyError("object is gone")

    for rebuild in (False, True):
        with pytest.raises(KeyError):
            index.publish("c", "r2", documents(), ["b"], rebuild=rebuild)
        assert sorted(ids(index.search("words"))) == ["a", "b"]
        assert sorted(ids(open_index(uri).search("words"))) == ["a", "b"]
    publish(index, document("d", "words"))
    assert sorted(ids(index.search("words"))) == ["a", "b", "d"]


def test_readers_see_nothing_of_a_publish_before_its_end(uri: str, index: Index) -> None:
    publish(index, document("a", "words"))
    other = open_index(uri)

    def documents() -> Iterator[IndexedDocument]:
        for n in range(3):
            yield document(f"new{n}", "words")
            assert ids(other.search("words")) == ["a"]
            assert ids(index.search("words")) == ["a"]

    index.publish("c", "r2", documents(), ["a"])
    assert sorted(ids(other.search("words"))) == ["new0", "new1", "new2"]


def test_a_second_publish_meanwhile_is_a_conflict(uri: str, index: Index) -> None:
    other = open_index(uri)

    def documents() -> Iterator[IndexedDocument]:
        with pytest.raises(Conflict, match="another publish"):
            publish(other, document("b", "words"))
        with pytest.raises(Conflict, match="another publish"):
            publish(other, document("b", "words"), rebuild=True)
        publish(other, document("b", "words", collection="d"), collection="d")
        yield document("a", "words")

    index.publish("c", "r2", documents(), [])
    assert [(hit.collection, hit.doc_id) for hit in index.search("words")] == [("c", "a"), ("d", "b")]
    publish(other, document("b", "words"))
    assert set(index.published("c")) == {"a", "b"}


def test_one_or_all_collections_are_searched_best_first(index: Index) -> None:
    publish(index, document("a", "fox " * 3, "a fox among many other words that make it long"))
    publish(index, document("b", "the fox", collection="d"), collection="d")
    publish(index, document("x", "fox", collection="odd/näme %2F"), collection="odd/näme %2F")
    assert ids(index.search("fox", collection="d")) == ["b"]
    assert ids(index.search("fox", collection="odd/näme %2F")) == ["x"]
    everything = index.search("fox")
    assert {(hit.collection, hit.doc_id) for hit in everything} == {("c", "a"), ("d", "b"), ("odd/näme %2F", "x")}
    scores = [hit.score for hit in everything]
    assert scores == sorted(scores, reverse=True)
    assert len(everything) == 4
    assert index.search("fox", limit=2) == everything[:2]
    assert index.search("fox", limit=0) == []


def test_a_label_narrows_the_search(index: Index) -> None:
    publish(index, document("a", "speed of light", ("table", "speed\t5"), ("caption", "Speed by year")))
    assert [hit.label for hit in index.search("speed", label="table")] == ["table"]
    assert [hit.label for hit in index.search("speed", label="subtitle-level-1")] == []
    whole = {hit.ref: hit.score for hit in index.search("speed")}
    assert len(whole) == 3
    assert index.search("speed", label="table")[0].score == pytest.approx(whole["#/texts/1"])


def test_headings_come_before_body_text(index: Index) -> None:
    filler = "some words to make a text of the same length"
    publish(
        index,
        document("a", f"entropy {filler}", ("subtitle-level-1", f"entropy {filler}"), f"entropy {filler}"),
        document("b", ("title", f"entropy {filler}")),
    )
    assert {hit.label for hit in index.search("entropy")[:2]} == {"title", "subtitle-level-1"}


def test_the_word_itself_comes_before_its_relatives(index: Index) -> None:
    publish(index, document("a", "several universities met"), document("b", "several university met"))
    publish(index, document("d", "the universe is several"))
    assert ids(index.search("universities"))[0] == "a"
    assert ids(index.search("university"))[0] == "b"
    assert set(ids(index.search("university"))) >= {"a", "b"}


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Measurements of naïve models", "naive measurement", "**Measurements** of **naïve** models"),
        ("Une e\u0301tude pre\u0301cise", "etude", "Une **étude** précise"),
        ("Die Größe der Häuser", "grosse", "Die **Größe** der Häuser"),
        ("Привет, большой мир", "МИР", "Привет, большой **мир**"),
        ("东京都的人口很多", "东京", "**东京**都的人口很多"),
        ("日本の京都は古い都です。東京ではない。", "京都", "日本の**京都**は古い都です。東京ではない。"),
        ("自然言語処理の研究", "言語", "自然**言語**処理の研究"),
        ("한국어 문서를 찾습니다", "문서", "한국어 **문서**를 찾습니다"),
        ("ระบบค้นหาเอกสาร", "ค้นหา", "ระบบ**ค้นหา**เอกสาร"),
        ("हिन्दी में खोज", "हिन्दी", "**हिन्दी** में खोज"),
        ("מערכת חיפוש מסמכים", "חיפוש", "מערכת **חיפוש** מסמכים"),
        ("self-supervised learning", "self-supervised", "**self**-**supervised** learning"),
        ("the efﬁcient ＡＢＣ method", "efficient abc", "the **efﬁcient** **ＡＢＣ** method"),
        ("a 2,000-page manual", "2,000", "a **2**,**000**-page manual"),
        ("café au lait 𝛼 😀 and words", "words", "café au lait 𝛼 😀 and **words**"),
    ],
)
def test_words_of_many_languages_are_found_and_shown(index: Index, text: str, query: str, shown: str) -> None:
    publish(index, document("a", text), document("b", "something else entirely"))
    (hit,) = index.search(query)
    assert (hit.doc_id, hit.snippet) == ("a", shown)


def test_characters_in_another_order_are_another_word(index: Index) -> None:
    publish(index, document("a", "京都"), document("b", "都京"))
    assert ids(index.search("京都")) == ["a"]


def test_phrases_and_operators_work(index: Index) -> None:
    publish(index, document("a", "red apples grow"), document("b", "apples are red"), document("d", "green pears"))
    assert ids(index.search('"red apples"')) == ["a"]
    assert ids(index.search("apples AND are")) == ["b"]
    assert set(ids(index.search("red -grow"))) == {"b"}
    assert set(ids(index.search("grow pears"))) == {"a", "d"}


@pytest.mark.parametrize(
    "query",
    [
        "apples:",
        "apples: *",
        "don't apples",
        '"apples',
        "(apples",
        "apples AND",
        "apples http://x.y/?z",
        "/apples/",
        "{apples",
        "-apples",
        "[apples]",
    ],
)
def test_a_query_that_cannot_be_parsed_is_searched_as_words(index: Index, query: str) -> None:
    publish(index, document("a", "red apples"))
    assert ids(index.search(query)) == ["a"]


def test_a_query_without_words_finds_nothing_or_any_record_but_never_fails(index: Index) -> None:
    publish(index, document("a", "red apples"))
    for query in ("", "   ", "?!", "--", "\\", "AND", "% \U00018cd6"):
        assert index.search(query) == []
    assert {hit.ref for hit in index.search("*")} <= {"#/texts/0"}


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=20) | st.text("ab \"'()[]{}:+-*^~?/\\<>&|!ANDORTI0", max_size=15))
def test_no_query_fails(index: Index, query: str) -> None:
    if not index.published("c"):
        publish(index, document("a", "a b ab"))
    for hit in index.search(query, limit=3):
        assert hit.doc_id == "a"


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text(max_size=60), max_size=20))
def test_any_text_can_be_published(index: Index, texts: list[str]) -> None:
    publish(index, document("a", *(text + " landmark" for text in texts)))
    hits = index.search("landmark", limit=50)
    assert len(hits) == len(texts)
    assert all("**landmark**" in hit.snippet for hit in hits)


def test_a_long_text_is_cut_around_the_match(index: Index) -> None:
    words = [f"word{n}" for n in range(2000)]
    publish(index, document("a", " ".join([*words, "needle", *words])))
    (hit,) = index.search("needle")
    assert "word1999 **needle** word0" in hit.snippet
    assert hit.snippet.startswith("…word")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) < 300


def test_several_publishes_in_a_row_are_all_seen_by_an_open_reader(uri: str, index: Index) -> None:
    writer = open_index(uri)
    for n in range(12):
        publish(writer, document(f"d{n:02d}", "words"), document("same", f"version{n}"))
        assert len(index.published("c")) == n + 2
        assert len(index.search("words", limit=50)) == n + 1
        assert ids(index.search(f"version{n}")) == ["same"]
        assert index.search(f"version{n - 1}") == []


def test_readers_at_work_see_each_publish_whole_or_not_at_all(uri: str, index: Index) -> None:
    """Documents are replaced, added and removed, in place and by rebuilds, while others search without a pause."""
    sizes = {0: 8} | {n: 8 + n % 3 for n in range(1, 25)}

    def run(n: int) -> list[IndexedDocument]:
        return [document(f"d{k}", f"words of run{n}", f"more words of run{n}") for k in range(sizes[n])]

    publish(index, *run(0))
    writer = open_index(uri)
    ended = threading.Event()

    def write() -> None:
        try:
            for n in range(1, len(sizes)):
                gone = [f"d{k}" for k in range(sizes[n], sizes[n - 1])]
                publish(writer, *run(n), removed=gone, rebuild=n % 4 == 0)
        finally:
            ended.set()

    def read() -> set[int]:
        reader, seen = open_index(uri), set()
        last = False
        while not last:
            last = ended.is_set()
            hits = reader.search("words", collection="c", limit=100)
            (n,) = {int(hit.snippet.rpartition("run")[2].strip("*")) for hit in hits}
            assert sorted(hit.doc_id for hit in hits) == sorted(f"d{k}" for k in range(sizes[n]) for _ in range(2))
            assert len(reader.published("c")) in set(sizes.values())
            seen.add(n)
        return seen

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        pool.submit(write).result()
        seen = set().union(*(reader.result() for reader in readers))
    assert max(seen) == len(sizes) - 1
    assert len(seen) > 1


def _publish_often(uri: str, who: int, start: threading.Barrier) -> None:
    index = open_index(uri)
    start.wait()
    done = 0
    while done < 5:
        try:
            publish(index, document(f"{who}-{done}", "words"))
        except Conflict:
            continue
        done += 1


def test_processes_that_retry_on_conflict_lose_nothing(uri: str, index: Index) -> None:
    start = SPAWN.Barrier(2)
    processes = [SPAWN.Process(target=_publish_often, args=(uri, who, start)) for who in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert set(index.published("c")) == {f"{who}-{n}" for who in range(2) for n in range(5)}


WRITER = textwrap.dedent(
    """
    import sys
    from ingest.export.index import IndexedDocument, Record, open_index
    index = open_index(sys.argv[1])
    for n in range(1000):
        records = [
            Record(record_id=f"{k}", ref=f"#/{k}", label="text", text=f"words {k}", page=1, bbox=(0, 0, 1, 1))
            for k in range(50)
        ]
        documents = [
            IndexedDocument(collection="c", doc_id=f"{n}-{k}", path="p", title="t", sha256="s", fingerprint="f",
                            run_id=f"{n}", records=records)
            for k in range(20)
        ]
        index.publish("c", f"{n}", documents, [f"{n - 1}-{k}" for k in range(20)], rebuild=n % 5 == 4)
        print(n, flush=True)
    """
)


@pytest.mark.parametrize("acknowledged", [1, 4, 9])
def test_a_killed_publish_is_there_whole_or_not_at_all(uri: str, index: Index, acknowledged: int) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, uri], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        last = [int(process.stdout.readline()) for _ in range(acknowledged)][-1]
        process.send_signal(signal.SIGKILL)
    published = index.published("c")
    runs = {doc_id.split("-")[0] for doc_id in published}
    assert len(runs) == 1
    assert int(runs.pop()) >= last
    assert len(published) == 20
    assert len(index.search("words", limit=5000)) == 20 * 50
    publish(index, document("after", "words"))
    assert len(index.published("c")) == 21
