"""Temperature of the label network's scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bentos.models.label_network import LabelNetwork, read, save
from bentos.models.labels import LabelConfig, LabelReader
from bentos.models.recurrent import softmax
from bentos.training import calibrate
from bentos.training.calibrate import Answers
from bentos.training.label_net import LabelNet
from bentos.training.train_labels import Sequences, parameters
from bentos.training.truth import MASKED
from ingest import features
from tests.support.truths import truth_folder


def drawn(temperature: float, cells: int = 20_000, seed: int = 3) -> Answers:
    """Labels drawn from the softmax of logits, which are then made too sharp or too flat by `temperature`."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 2, (cells, 5))
    labels = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    return Answers((logits * temperature).astype(np.float32), labels.astype(np.int64))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_by_which_logits_are_too_sharp_is_found(temperature: float) -> None:
    answers = drawn(temperature)
    assert calibrate.fit(answers) == pytest.approx(temperature, rel=0.05)
    assert calibrate.error(*answers.sure(temperature)) < 0.02
    assert calibrate.loss(answers, temperature) <= calibrate.loss(answers) + 1e-9


def test_sharp_logits_are_far_from_the_diagonal_until_calibrated_on_others() -> None:
    parts = [drawn(2.5, seed=1), drawn(2.5, seed=2)]
    before = calibrate.error(
        *Answers(np.concatenate([p.logits for p in parts]), np.concatenate([p.labels for p in parts])).sure()
    )
    assert before > 0.1
    assert calibrate.error(*calibrate.crossed(parts)) < 0.02


def test_bins_hold_every_cell_and_a_sure_right_answer_is_in_the_last() -> None:
    mean, share, count = calibrate.reliability(np.array([1.0, 1.0, 0.3]), np.array([True, True, False]))
    assert count.tolist() == [1, 2]
    assert mean.tolist() == pytest.approx([0.3, 1.0])
    assert share.tolist() == [0, 1]


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    torch.manual_seed(1)
    net = LabelNet(LabelConfig(features=len(features.NAMES), embedding=16, hidden=8, context=4))
    path = tmp_path / "labels.npz"
    save(path, net.config, parameters(net))
    return path


def reader(weights: Path) -> LabelReader:
    return LabelReader(*read(weights.read_bytes())[:2])


def page(cells: int = 12) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(cells, len(features.NAMES))).astype(np.float32)


def test_the_temperature_in_the_weights_changes_scores_as_in_the_softmax_and_no_label(weights: Path) -> None:
    [logits] = reader(weights)([page()])
    calibrate.write_into(weights, 0.4)
    served = LabelNetwork(weights.read_bytes()).predict([page()])[0]
    expected = softmax(logits / np.float32(0.4))
    assert np.abs(served / 255 - expected).max() < 0.01
    assert (served.argmax(axis=1) == logits.argmax(axis=1)).mean() > 0.9


def test_weights_are_calibrated_once(weights: Path) -> None:
    calibrate.write_into(weights, 0.5)
    with pytest.raises(ValueError, match="calibrated already"):
        calibrate.write_into(weights, 0.5)


def test_a_file_keeps_its_config_and_says_its_temperature(weights: Path) -> None:
    before, _, _ = read(weights.read_bytes())
    calibrate.write_into(weights, 0.5)
    after, _, about = read(weights.read_bytes())
    assert after == before
    assert about == {"temperature": 0.5}


def test_only_cells_with_a_known_label_are_asked_for(weights: Path) -> None:
    labels = np.array([3, MASKED, 5, 7], np.int8)
    empty = np.zeros((0, len(features.NAMES)), np.float32)
    document = Sequences("a", "b", "c", [page(4), empty], [labels, np.zeros(0, np.int8)])
    answers = calibrate.ask(reader(weights), [document])
    assert answers.labels.tolist() == [3, 5, 7]
    assert answers.logits.shape == (3, 17)


def test_the_command_calibrates_on_layouts_held_out_and_writes_plot_and_weights(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plot, cache = tmp_path / "plot.svg", tmp_path / "cache"
    folder = truth_folder(tmp_path / "truth", documents=4, pages=1)
    arguments = ["--weights", str(weights), "--into", str(weights), "--plot", str(plot), "--cache", str(cache)]
    monkeypatch.setattr("sys.argv", ["calibrate", str(folder), *arguments])
    calibrate.main()
    out = capsys.readouterr().out
    assert "of 4 layouts never seen; temperature" in out
    temperature = float(out.split("temperature ")[1].split()[0])
    assert read(weights.read_bytes())[2]["temperature"] == pytest.approx(temperature, abs=1e-3)
    assert plot.read_text().startswith("<svg")
