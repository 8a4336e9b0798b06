"""The language of queries, and that both indexes answer it alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.export.index import Index, IndexedDocument, Record, open_index
from ingest.export.query import MAX_WORDS, Group, Node, Phrase, parse
from tests.support.http_peer import serving
from tests.support.opensearch_peer import OpenSearchPeer


def shown(node: Node | None) -> str:
    """A query in one line: `[must | should | must not]`."""
    if node is None:
        return ""
    if isinstance(node, Phrase):
        return node.text
    return f"[{' | '.join(', '.join(map(shown, part)) for part in (node.must, node.should, node.must_not))}]"


@pytest.mark.parametrize(
    ("words", "tree"),
    [
        ("red", "red"),
        ("red apples", "[ | red, apples | ]"),
        ("red OR apples", "[ | red, apples | ]"),
        ('"red apples"', "red apples"),
        ("red AND apples", "[red, apples |  | ]"),
        ("red AND apples OR green pears", "[ | [red, apples |  | ], green, pears | ]"),
        ("red -green", "[ | red | green]"),
        ("+red green", "[red | green | ]"),
        ('+"red apples" -"green pears"', "[red apples |  | green pears]"),
        ("red NOT green", "[ | red | green]"),
        ("red AND NOT green", "[red |  | green]"),
        ("(red OR green) AND apples", "[[ | red, green | ], apples |  | ]"),
        ("red -(green AND pears)", "[ | red | [green, pears |  | ]]"),
        ("red ... ?!", "red"),
        ("self-supervised don't", "[ | self-supervised, don't | ]"),
        ('say"red apples"now', "[ | say, red apples, now | ]"),
        ("", ""),
        ("-- ?! ( )", ""),
    ],
)
def test_a_query_is_read(words: str, tree: str) -> None:
    assert shown(parse(words)) == tree


@pytest.mark.parametrize(
    "words",
    [
        'red "apples',
        "red )apples",
        "(red apples",
        "red AND apples AND",
        "OR red apples",
        "-red -apples",
        "red () apples",
    ],
)
def test_what_is_no_query_is_searched_as_words(words: str) -> None:
    found = parse(words)
    assert isinstance(found, Group)
    assert {phrase.text for phrase in found.should if isinstance(phrase, Phrase)} >= {"red", "apples"}
    assert not found.must
    assert not found.must_not


def test_queries_of_any_length_and_depth_are_read() -> None:
    found = parse("word " * 10_000)
    assert isinstance(found, Group)
    assert len(found.should) == MAX_WORDS
    assert parse("(" * 200 + "word" + ")" * 200) == Group(should=[Phrase("word")])


VOCABULARY = ["red", "apples", "universities", "京都", "self-supervised", "naïve"]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Index]]:
    """The embedded one and one on a cluster, with the same documents."""
    documents = [
        IndexedDocument(
            collection="c",
            doc_id=f"d{number:02d}",
            path="p",
            title="t",
            sha256="s",
            fingerprint="f",
            run_id="r",
            records=[
                Record(
                    record_id=f"{number}:{n}",
                    ref=f"#/{n}",
                    label=("text", "title", "table")[(number + n) % 3],
                    text=" ".join(VOCABULARY[(number * factor + n * n) % 6] for factor in range(n + 2)),
                    page=1,
                    bbox=(0, 0, 1, 1),
                )
                for n in range(4)
            ],
        )
        for number in range(12)
    ]
    with serving(OpenSearchPeer()) as url:
        opened = [open_index(f"tantivy://{tmp_path_factory.mktemp('index')}"), open_index(url)]
        for index in opened:
            index.publish("c", "r", documents, [])
        yield opened
        for index in opened:
            index.close()


words = st.sampled_from(VOCABULARY)
operands = st.recursive(
    words | st.tuples(words, words).map(lambda two: f'"{two[0]} {two[1]}"'),
    lambda inner: (
        st.builds("{}({}{}{})".format, st.sampled_from(["", "-"]), inner, st.sampled_from([" ", " AND "]), inner)
        | st.builds("{}{}".format, st.sampled_from(["-", "+", "NOT "]), words)
    ),
    max_leaves=4,
)
queries = st.lists(st.tuples(operands, st.sampled_from([" ", " ", " AND ", " OR "])), min_size=1, max_size=5).map(
    lambda parts: "".join(operand + joint for operand, joint in parts[:-1]) + parts[-1][0]
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=queries, label=st.none() | st.just("title"))
def test_both_indexes_find_and_show_the_same(indexes: list[Index], query: str, label: str | None) -> None:
    embedded, cluster = (
        {(hit.doc_id, hit.ref): hit.snippet for hit in index.search(query, label=label, limit=100)} for index in indexes
    )
    assert embedded == cluster
