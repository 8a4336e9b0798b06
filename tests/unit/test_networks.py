"""The label network as it serves, with the committed weights."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from bentos.models.label_network import CELLS, STRETCH, LabelNetwork
from bentos.models.labels import LabelConfig, LabelReader
from bentos.models.serving import PACK
from bentos.training.label_net import LabelNet
from bentos.training.train_labels import collate, parameters
from ingest import features
from ingest.document.labels import LABELS


@pytest.fixture(scope="module")
def network() -> LabelNetwork:
    return LabelNetwork()


def pages(*cells: int) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(5)
    return [rng.normal(size=(n, len(features.NAMES))).astype(np.float32) for n in cells]


def test_every_cell_gets_a_probability_for_every_label(network: LabelNetwork) -> None:
    asked = pages(3, 0, 2 * STRETCH + 7, 1, 0)
    answers = network.predict(asked)
    assert [a.shape for a in answers] == [(len(page), len(LABELS)) for page in asked]
    for answer in answers:
        assert answer.dtype == np.uint8
        assert (np.abs(answer.sum(axis=1, dtype=int) - 255) <= len(LABELS)).all()


def test_what_comes_before_and_after_a_page_tells_of_it(network: LabelNetwork) -> None:
    one, other, third = pages(30, 30, 30)
    assert not np.array_equal(network.predict([one, other])[1], network.predict([third, other])[1])


def test_packs_are_independent(network: LabelNetwork) -> None:
    asked = pages(*range(1, PACK + 4))
    split = network.predict(asked[:PACK]) + network.predict(asked[PACK:])
    for answer, wanted in zip(network.predict(asked), split, strict=True):
        np.testing.assert_array_equal(answer, wanted)


def test_memory_is_bounded_on_crowded_pages(network: LabelNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    run = network._stretches

    def watch(stretches: Sequence[NDArray[np.float32]]) -> list[NDArray[np.uint8]]:
        seen.append(sum(len(s) for s in stretches))
        return run(stretches)

    monkeypatch.setattr(network, "_stretches", watch)
    answers = network.predict(pages(20_000, 3))
    assert len(answers[0]) == 20_000
    assert max(seen) <= CELLS


@pytest.mark.parametrize(
    "config",
    [
        LabelConfig(features=7, embedding=12, hidden=8, context=4, window=32),
        LabelConfig(features=7, embedding=12, hidden=8, context=0, heads=0, layers=1),
    ],
)
def test_it_serves_what_it_learned(config: LabelConfig) -> None:
    torch.manual_seed(3)
    net = LabelNet(config).eval()
    rng = np.random.default_rng(8)
    net.bins.fit(torch.from_numpy(rng.normal(size=(400, 7)).astype(np.float32)))
    asked = [rng.normal(size=(n, 7)).astype(np.float32) for n in (5, 1, 70, 33)]
    features, _, lengths, runs = collate([[(page, np.zeros(len(page), np.int8)) for page in asked]])
    with torch.inference_mode():
        learned = net(features, lengths, runs).numpy()
    for served, wanted in zip(LabelReader(config, parameters(net))(asked), learned, strict=True):
        np.testing.assert_allclose(served, wanted[: len(served)], atol=1e-5)


def test_it_serves_without_torch() -> None:
    command = "import sys, bentos.models.label_network as n; n.LabelNetwork(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0
