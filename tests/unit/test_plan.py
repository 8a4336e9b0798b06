"""Planning: every task in one batch, batches worth their start, shards that cover their document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document.records import SourceItem
from ingest.errors import ConfigError
from ingest.scheduling.batch import Entry, RunFile, RunOptions
from ingest.scheduling.flow import PACK
from ingest.scheduling.plan import MIN_BATCH_S, CostModel, batches_of, describe, tasks_of
from ingest.scheduling.simulate import simulate
from ingest.scheduling.stages import fingerprints

RUN = RunFile(
    collection="c",
    run_id="r",
    source="s",
    options=RunOptions(),
    versions={},
    fingerprints=fingerprints({}),
    started_ms=0,
)


def entry(k: int, *, size: int = 100_000, pages: int = 0, action: str = "convert", cost_s: float = 0.0) -> Entry:
    return Entry(
        item=SourceItem(path=f"{k}.pdf", size=size),
        doc_id=str(k),
        sha256=f"{k:x}",
        pages=pages,
        action=action,
        cost_s=cost_s,
    )


ENTRIES = st.lists(
    st.builds(
        lambda k, size, pages, action: (k, size, pages, action),
        st.integers(),
        st.integers(0, 10**9),
        st.integers(0, 3000),
        st.sampled_from(["convert", "convert", "convert", "unchanged", "duplicate"]),
    ),
    max_size=60,
).map(lambda rows: [entry(n, size=s, pages=p, action=a) for n, (_, s, p, a) in enumerate(rows)])


@given(ENTRIES, st.integers(1, 40), st.integers(1, 1000), st.sampled_from([16, 64, 256]))
def test_every_task_is_in_exactly_one_batch(
    entries: list[Entry], workers: int, max_batches: int, shard_pages: int
) -> None:
    tasks = tasks_of(entries, CostModel(), shard_pages)
    batches = batches_of(RUN, tasks, workers=workers, batch_s=30, max_batches=max_batches)
    assert len(batches) <= max_batches
    planned = [(t.doc_id, t.shard) for b in batches for t in b.tasks]
    assert sorted(planned, key=str) == sorted(((t.doc_id, t.shard) for _, t in tasks), key=str)
    assert all(b.tasks for b in batches)
    assert [b.cost_s for b in batches] == sorted((b.cost_s for b in batches), reverse=True)


@given(ENTRIES, st.sampled_from([16, 64, 256]))
def test_shards_cover_a_long_document_in_whole_packs(entries: list[Entry], shard_pages: int) -> None:
    tasks = tasks_of(entries, CostModel(), shard_pages)
    for item in entries:
        own = [t for _, t in tasks if t.doc_id == item.doc_id]
        if item.action != "convert":
            assert own == []
        elif item.pages <= shard_pages:
            assert [t.shard for t in own] == [None]
        else:
            shards = [t.shard for t in own if t.shard]
            pages = [p for _, first, last in shards for p in range(first, last + 1)]
            assert pages == list(range(1, item.pages + 1))
            assert all((first - 1) % PACK == 0 for _, first, _ in shards)
            assert [number for number, _, _ in shards] == list(range(len(shards)))


def test_shards_that_would_cut_a_pack_of_pages_are_a_mistake_of_configuration() -> None:
    with pytest.raises(ConfigError, match="INGEST_SHARD_PAGES=40"):
        tasks_of([entry(1, pages=100)], CostModel(), 40)


def test_a_small_collection_is_not_split_into_batches_that_are_not_worth_their_start() -> None:
    tasks = tasks_of([entry(k, cost_s=1.0) for k in range(30)], CostModel(), 256)
    batches = batches_of(RUN, tasks, workers=8, batch_s=30, max_batches=1000)
    assert len(batches) == 1
    tasks = tasks_of([entry(k, cost_s=1.0) for k in range(100)], CostModel(), 256)
    batches = batches_of(RUN, tasks, workers=8, batch_s=30, max_batches=1000)
    assert len(batches) == 5
    assert all(b.cost_s >= MIN_BATCH_S for b in batches)


def test_a_large_collection_has_many_more_batches_than_workers_and_never_more_than_allowed() -> None:
    tasks = tasks_of([entry(k, cost_s=2.0) for k in range(3000)], CostModel(), 256)
    batches = batches_of(RUN, tasks, workers=8, batch_s=30, max_batches=1000)
    assert len(batches) == 200
    costs = [b.cost_s for b in batches]
    assert max(costs) - min(costs) <= 2.0
    tasks = tasks_of([entry(k, cost_s=300.0) for k in range(3000)], CostModel(), 256)
    assert len(batches_of(RUN, tasks, workers=8, batch_s=30, max_batches=1000)) == 1000


def test_an_earlier_cost_counts_more_than_pages_and_pages_more_than_bytes() -> None:
    model = CostModel()
    assert model.of(10**9, 3, 4.5) == 4.5
    assert model.of(10**9, 3) == model.of(10, 3)
    assert model.of(10**9) > model.of(10**5) > 0


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=40), st.integers(1, 9))
def test_what_the_source_says_has_the_same_bytes_is_in_one_batch(listed: list[tuple[str, bool]], workers: int) -> None:
    entries = [
        Entry(
            item=SourceItem(path=f"{k}.pdf", size=10**7, content_tag=tag), doc_id=str(k), sha256=tag if hashed else ""
        )
        for k, (tag, hashed) in enumerate(listed)
    ]
    tasks = tasks_of(entries, CostModel(), 64)
    batches = batches_of(RUN, tasks, workers=workers, batch_s=30, max_batches=99)
    assert sorted(int(t.doc_id) for b in batches for t in b.tasks) == list(range(len(listed)))
    for tag in "abcd":
        holding = [b for b in batches if any(t.item.content_tag == tag and not t.sha256 for t in b.tasks)]
        assert len(holding) <= 1


def test_batches_are_named_for_people() -> None:
    one = tasks_of([entry(1, pages=3)], CostModel(), 256)
    assert describe(batches_of(RUN, one, workers=1, batch_s=30, max_batches=9)[0]) == "0001 · 1.pdf"
    two = tasks_of([entry(1, cost_s=2), entry(2, cost_s=3)], CostModel(), 256)
    assert describe(batches_of(RUN, two, workers=1, batch_s=30, max_batches=9)[0]) == "0001 · 2 documents from 2.pdf"
    long = tasks_of([entry(1, pages=512)], CostModel(), 512 - 256)[:1]
    assert describe(batches_of(RUN, long, workers=1, batch_s=30, max_batches=9)[0]) == "0001 · 1.pdf pages 1-256"


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=50), st.integers(1, 60))
def test_a_projection_lies_between_perfect_sharing_and_one_worker(costs: list[float], workers: int) -> None:
    projection = simulate(costs, workers, start_s=2)
    work = sum(costs) + 2 * len(costs)
    assert projection.seconds >= max(work / workers, max(costs) + 2) - 0.01
    assert projection.seconds <= work + 0.01
    assert 0 < projection.utilisation <= 1
