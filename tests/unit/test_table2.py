"""The paper's models on tiny documents: what enters them, what they learn, how they are divided and tabulated."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bentos.training import plots, table2
from bentos.training.paper import data, regions
from bentos.training.paper.fit import Cells, answer, fit, inputs
from bentos.training.paper.forest import RecursiveForest
from bentos.training.paper.networks import BINS, START, Attend, Entrance, Recurrent, build, positions
from bentos.training.paper.rows import PAPER_NAMES, ROWS, Feeding, Network, Recurrence
from bentos.training.split import balanced, fold_of
from bentos.training.train_labels import Sequences
from bentos.training.truth import MASKED
from ingest.document.labels import LABEL_INDEX, LABELS, REGION_INDEX, REGIONS, Label, Region
from ingest.document.page import Cells as PageCells
from ingest.document.page import Page
from ingest.evaluation.labels import MISSED
from ingest.features import NAMES
from tests.support.truths import truth_folder

SIZE = NAMES.index("size")
TITLE, TEXT = LABEL_INDEX[Label.TITLE], LABEL_INDEX[Label.TEXT]
NETWORKS = [row.network for row in ROWS if row.network]


def a_page(rng: np.random.Generator, cells: int = 8) -> Cells:
    """Text below a title, which is larger and higher, among features that say nothing."""
    x = rng.normal(size=(cells, len(NAMES))).astype(np.float32)
    for name in ("x0", "x1", "width"):
        x[:, NAMES.index(name)] = 0.5
    top = np.linspace(0.1, 0.9, cells)
    x[:, NAMES.index("top")], x[:, NAMES.index("bottom")] = top, top + 0.02
    x[:, SIZE] = 10
    x[0, SIZE] = 18
    labels = np.full(cells, TEXT, np.int8)
    labels[0] = TITLE
    return x, labels


def some_pages(count: int, seed: int = 1) -> list[Cells]:
    rng = np.random.default_rng(seed)
    return [a_page(rng, int(rng.integers(5, 12))) for _ in range(count)]


def some_samples(documents: int = 10) -> list[data.Sample]:
    made = []
    for k in range(documents):
        pages = some_pages(4, seed=k)
        sequences = Sequences(f"d{k}", "set", f"layout-{k}", [x for x, _ in pages], [y for _, y in pages])
        made.append(data.Sample(sequences, [np.full(len(y), TEXT, np.uint8) for _, y in pages], 0.04))
    return made


# -- divisions


@settings(max_examples=60)
@given(st.lists(st.sets(st.integers(0, 5)), max_size=60), st.integers(0, 3))
def test_each_label_is_divided_alike_as_far_as_pages_with_rarer_ones_allow(pages: list[set[int]], seed: int) -> None:
    learned = balanced(pages, seed=seed)
    assert learned.shape == (len(pages),)
    counts = {label: sum(label in p for p in pages) for label in range(6)}
    divided: set[int] = set()
    for label in sorted((label for label in counts if counts[label]), key=lambda label: (counts[label], label)):
        left = [k for k, p in enumerate(pages) if label in p and k not in divided]
        assert sum(learned[left]) == round(0.6 * len(left))
        divided |= set(left)
    assert not any(learned[k] for k, p in enumerate(pages) if not p)


def test_the_rarest_label_is_divided_first() -> None:
    pages = [{0}] * 90 + [{0, 1}] * 10
    learned = balanced(pages, seed=4)
    assert learned[90:].sum() == 6
    assert learned.sum() == 60


def test_the_same_seed_divides_alike_and_another_does_not() -> None:
    pages = [{k % 3} for k in range(50)]
    assert (balanced(pages, seed=1) == balanced(pages, seed=1)).all()
    assert (balanced(pages, seed=1) != balanced(pages, seed=2)).any()


def test_no_layout_is_on_both_sides_of_the_division_by_layouts() -> None:
    samples = some_samples(12)
    for s, learned in zip(samples, data.divide(samples, "layouts", 1), strict=True):
        assert learned.all() or not learned.any()
        assert learned.all() == (fold_of(s.pages.layout, data.FOLDS) >= data.TESTED)


def test_what_is_measured_on_is_masked_while_learning() -> None:
    samples = some_samples(10)
    learned = data.divide(samples, "pages", 1)
    assert 0.4 < np.concatenate(learned).mean() < 0.8
    seen = {d.name: d for d in data.masked(samples, learned)}
    for s, which in zip(samples, learned, strict=True):
        for k, keep in enumerate(which):
            if which.any():
                assert (seen[s.pages.name].labels[k] == MASKED).all() == (not keep)


@given(st.integers(1, 200), st.integers(3, 30))
def test_chosen_pages_are_in_order_with_the_front_among_them(count: int, limit: int) -> None:
    chosen = data.choose(count, limit, np.random.default_rng(1))
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(count, limit)
    assert chosen[0] == 0
    assert chosen[-1] < count


def test_some_pages_of_every_document_are_read_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, weights = truth_folder(tmp_path / "truth"), files("bentos") / "weights" / "layout.pt"

    def once(limit: int) -> data.Data:
        return data.read([folder], tmp_path / "cache", layouts=[Path(str(weights))] * 2, limit=limit, seed=1, jobs=1)

    found = once(3)
    assert [len(s.regions) for s in found.samples] == [3, 3, 3]
    first = found.samples[0]
    assert first.pages.layout == "truth:layout 0"
    assert first.layout_cpu_s > 0
    region = NAMES.index("region_text")
    for x, y, regions_ in zip(first.pages.features, first.pages.labels, first.regions, strict=True):
        assert len(x) == len(y) == len(regions_)
        assert (y == TEXT).sum() > 15
        assert x[y == TEXT, region].mean() > 0.3
    other = once(2)
    assert other.name != found.name
    monkeypatch.setattr(data, "load", None)
    assert [s.pages.name for s in once(3).samples] == ["d0", "d1", "d2"]


# -- networks


def test_the_rows_are_those_of_the_paper() -> None:
    measured = [(r.name, r.network.feeding, r.network.decoder) for r in ROWS if r.network]
    assert len(measured) == len(set(measured)) == 15
    assert len(PAPER_NAMES) == len(set(PAPER_NAMES)) == 30
    assert set(PAPER_NAMES) <= set(NAMES)


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (row.network, row.paper.parameters)
        for row in ROWS
        if row.network and row.paper and row.network.feeding is Feeding.STACKED and not row.network.decoder
    ],
)
def test_stacked_networks_are_as_large_as_those_of_the_paper(config: Network, parameters: int) -> None:
    net = build(config, torch.rand(50, len(PAPER_NAMES)))
    assert sum(p.numel() for p in net.parameters()) == pytest.approx(parameters, rel=0.02)


def test_stacked_features_are_one_hot_side_by_side() -> None:
    sample = torch.arange(300.0).reshape(100, 3)
    entered = Entrance(Feeding.STACKED, 8, sample)(sample[None])
    assert entered.shape == (1, 100, 3 * BINS)
    assert (entered.reshape(100, 3, BINS).sum(dim=-1) == 1).all()
    assert entered[0, 0, 0] == 1
    assert entered[0, -1, -1] == 1


def test_an_index_tells_bins_of_all_features_apart_and_unseen_ones_share_one() -> None:
    sample = torch.tensor([[0.01, 0.5], [0.5, 0.01], [0.5, 0.5]])
    entrance = Entrance(Feeding.INDEXED, 4, sample)
    assert len(entrance.seen) == 3
    entered = entrance(torch.tensor([[[0.01, 0.5], [0.5, 0.01], [0.5, 0.5], [0.9, 0.9], [0.01, 0.9]]]))[0]
    assert len(torch.unique(entered[:3], dim=0)) == 3
    assert (entered[3] == entered[4]).all()


def test_geometry_is_in_shares_of_the_page() -> None:
    x, _ = a_page(np.random.default_rng(1))
    geometry = inputs(x, Feeding.INDEXED)
    assert geometry.shape == (8, 4)
    assert geometry[0] == pytest.approx([0.5, 0.88, 0.5, 0.02], abs=1e-6)
    assert inputs(x, Feeding.STACKED).shape == (8, 30)


def test_attention_does_not_look_at_padding() -> None:
    torch.manual_seed(1)
    attend = Attend(4)
    states = torch.rand(1, 5, 4)
    inside = torch.tensor([[True, True, True, False, False]])
    padded = attend(states, states, inside)[:, :3]
    assert torch.allclose(padded, attend(states[:, :3], states[:, :3], inside[:, :3]), atol=1e-6)


def test_positions_are_the_transformers() -> None:
    made = positions(3, 4)
    assert made[0].tolist() == [0, 1, 0, 1]
    assert made[2, 2].item() == pytest.approx(np.sin(2 * 10_000 ** (-2 / 4)))


@pytest.mark.parametrize("config", NETWORKS, ids=lambda c: f"{c.recurrence}-{c.feeding}-{c.decoder}-{c.both}")
def test_every_network_answers_for_every_cell_and_its_padding_changes_nothing(config: Network) -> None:
    torch.manual_seed(1)
    pages = [inputs(x, config.feeding) for x, _ in some_pages(2)]
    net = build(config, torch.from_numpy(np.concatenate(pages))).eval()
    short, long = sorted(pages, key=len)
    both = torch.zeros(2, 20, short.shape[1])
    both[0, : len(short)], both[1, : len(long)] = torch.from_numpy(short), torch.from_numpy(long)
    together = net.decode(both, torch.tensor([len(short), len(long)]))
    alone = net.decode(torch.from_numpy(short)[None], torch.tensor([len(short)]))
    assert together.shape == (2, 20)
    assert (together[0, : len(short)] == alone[0]).all()


def test_a_decoder_is_told_the_label_before_and_not_its_own() -> None:
    config = Network(Feeding.DIRECT, Recurrence.GRU, True, 1, 8)
    torch.manual_seed(1)
    net = Recurrent(config, torch.rand(10, 4)).eval()
    x, lengths = torch.rand(1, 6, 4), torch.tensor([6])
    known = torch.tensor([[1, 2, 3, 4, 5, START]])
    other = known.clone()
    other[0, 3] = 9
    changed = (net(x, lengths, known) != net(x, lengths, other)).any(dim=-1)[0]
    assert changed.tolist() == [False, False, False, False, True, True]


@pytest.mark.parametrize("feeding", [Feeding.INDEXED, Feeding.STACKED])
def test_a_network_learns_what_its_features_tell(feeding: Feeding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bentos.training.paper.fit.BATCH", 30)
    config = Network(feeding, Recurrence.LSTM, False, 1, 16, both=True, attention=True)
    net = fit(config, some_pages(24), epochs=18, seed=1)
    for x, y in some_pages(5, seed=9):
        assert answer(net, feeding, [x])[0].tolist() == y.tolist()


def test_long_and_empty_pages_are_answered_for() -> None:
    config = Network(Feeding.STACKED, Recurrence.LSTM, False, 1, 4)
    net = fit(config, some_pages(3), epochs=1, seed=1)
    long, _ = a_page(np.random.default_rng(1), 1000)
    assert [len(found) for found in answer(net, Feeding.STACKED, [long[:0], long, long[:3]])] == [0, 1000, 3]


# -- baselines


def test_the_forest_learns_from_what_it_said_of_the_neighbours() -> None:
    """The labels are those of the cell before, so one pass cannot know them and the next can."""
    rng = np.random.default_rng(2)

    def pages(count: int) -> list[Cells]:
        made = []
        for _ in range(count):
            kind = rng.integers(0, 2, 20)
            x = rng.normal(size=(20, len(NAMES))).astype(np.float32)
            x[:, SIZE] = kind
            y = np.where(np.arange(20) % 2 == 0, kind, np.roll(kind, 1)).astype(np.int8)
            x[1::2, SIZE] = -1
            made.append((x, y))
        return made

    forest = RecursiveForest([SIZE], seed=1)
    forest.fit(pages(60))
    right = np.mean([(forest.predict(x) == y).mean() for x, y in pages(10)])
    assert right > 0.9
    assert forest.nodes > 0
    assert forest.size > 1000
    assert forest.predict(np.zeros((0, len(NAMES)), np.float32)).shape == (0,)


def cells_at(boxes: Sequence[Sequence[float]]) -> Page:
    cells = PageCells.empty()
    cells.boxes, cells.text = np.array(boxes, np.float32), ["x"] * len(boxes)
    return Page(1, 100, 200, cells=cells)


def test_a_cell_has_the_label_of_the_region_that_holds_four_fifths_of_it() -> None:
    layout = np.zeros((20, 10, len(REGIONS)), np.uint8)
    layout[:, :, REGION_INDEX[Region.BACKGROUND]] = 200
    layout[:10, :, REGION_INDEX[Region.TABLE]] = 255
    layout[10:, :5, REGION_INDEX[Region.TEXT]] = 255
    page = cells_at([[10, 150, 90, 160], [10, 50, 90, 60], [10, 50, 55, 60]])
    table = LABEL_INDEX[Label.TABLE]
    assert regions.labels_of(page, layout).tolist() == [table, MISSED, TEXT]
    assert regions.labels_of(page, None).tolist() == [MISSED] * 3


# -- the table


def test_rows_are_measured_on_both_divisions_kept_and_tabulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [ROWS[0], ROWS[1], next(r for r in ROWS if r.network and r.network.recurrence is Recurrence.GRU), ROWS[-1]]
    found = data.Data(some_samples(10), "data", "seen")

    def once() -> table2.Table:
        return table2.run(found, rows=rows, epochs=1, seed=1, jobs=1, cache=tmp_path)

    table = once()
    assert [(r.row, r.split) for r in table.results[:2]] == [(ROWS[0].name, "pages"), (ROWS[0].name, "layouts")]
    assert all(np.sum(r.confusion) == table.cells[r.split][1] for r in table.results)
    assert sum(table.pages["pages"]) == sum(table.pages["layouts"]) == 40
    by = {(r.row, r.split): r for r in table.results}
    assert by[ROWS[0].name, "layouts"].time_ms == pytest.approx(10)
    assert by[ROWS[1].name, "pages"].scores.weighted_f1 > 0.95
    lines = table2.markdown(table, rows).splitlines()
    assert len({line.count("|") for line in lines}) == 1
    assert "105,817" in lines[4]

    monkeypatch.setattr(table2, "measure", None)
    assert once().results == table.results

    table2.write_plots(table, tmp_path / "plots")
    for plot in ("labels-confusion.svg", "labels-bars.svg"):
        assert ET.parse(tmp_path / "plots" / plot).getroot().tag.endswith("svg")


def test_a_folder_without_truth_ends_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["table2", "--truth", str(tmp_path), "--cache", str(tmp_path / "cache")])
    with pytest.raises(SystemExit):
        table2.main()
    assert "no PDF with a truth file" in capsys.readouterr().err


# -- plots


def test_a_confusion_matrix_shows_shares_of_rows_and_leaves_out_empty_ones() -> None:
    svg = plots.confusion(np.array([[3.0, 1.0], [0, 0]]), ["a & b", "never"], ["a & b", "c"], "title")
    texts = [e.text for e in ET.fromstring(svg).iter() if e.tag.endswith("text")]
    assert {"75", "25", "a & b"} <= set(texts)
    assert "never" not in texts


def test_bars_and_reliability_are_valid_svg() -> None:
    ET.fromstring(plots.bars(list(LABELS), {"F1": [0.5] * 17, "recall": [1.0] * 17}, "bars"))
    ET.fromstring(plots.reliability({"as trained": ([0.2, 0.9], [0.1, 0.95])}, "scores"))
