"""The networks as they serve, with the committed weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from bentos.models import serving
from ingest import features
from ingest.document.labels import LABELS


@pytest.fixture(scope="module")
def network() -> serving.LabelNetwork:
    return serving.LabelNetwork()


def pages(*cells: int) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(5)
    return [rng.normal(size=(n, len(features.NAMES))).astype(np.float32) for n in cells]


def test_every_cell_gets_a_probability_for_every_label(network: serving.LabelNetwork) -> None:
    asked = pages(3, 0, 2 * serving.STRETCH + 7, 1, 0)
    answers = network.predict(asked)
    assert [a.shape for a in answers] == [(len(page), len(LABELS)) for page in asked]
    for answer in answers:
        assert answer.dtype == np.uint8
        assert (np.abs(answer.sum(axis=1, dtype=int) - 255) <= len(LABELS)).all()


def test_what_comes_before_and_after_a_page_tells_of_it(network: serving.LabelNetwork) -> None:
    one, other, third = pages(30, 30, 30)
    assert not np.array_equal(network.predict([one, other])[1], network.predict([third, other])[1])


def test_packs_are_independent(network: serving.LabelNetwork) -> None:
    asked = pages(*range(1, serving.PACK + 4))
    split = network.predict(asked[: serving.PACK]) + network.predict(asked[serving.PACK :])
    for answer, wanted in zip(network.predict(asked), split, strict=True):
        np.testing.assert_array_equal(answer, wanted)


def test_memory_is_bounded_on_crowded_pages(network: serving.LabelNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    run = network._stretches

    def watch(stretches: Sequence[NDArray[np.float32]]) -> list[NDArray[np.uint8]]:
        seen.append(len(stretches) * max(len(s) for s in stretches))
        return run(stretches)

    monkeypatch.setattr(network, "_stretches", watch)
    answers = network.predict(pages(20_000, 3))
    assert len(answers[0]) == 20_000
    assert max(seen) <= serving.CELLS
