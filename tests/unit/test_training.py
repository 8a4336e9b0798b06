"""The commands that train: weights that serve, the same for the same seed, and a manifest of what they learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bentos.models.label_network import LabelNetwork, read
from bentos.models.layout_network import LayoutNetwork
from bentos.training import manifest, train_labels, train_layout
from bentos.training.split import fold_of
from ingest import features
from tests.support.truths import truth_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return truth_folder(tmp_path_factory.mktemp("data") / "truth" / "small", documents=3, pages=1)


def run(command: object, monkeypatch: pytest.MonkeyPatch, folder: Path, out: Path, *more: str) -> None:
    arguments = [str(folder), "--cache", str(folder.parent / "cache"), "--out", str(out), "--epochs", "1", *more]
    monkeypatch.setattr("sys.argv", ["train", *arguments])
    command.main()  # type: ignore[attr-defined]


def test_labels_are_learned_the_same_way_twice(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, again, other = (tmp_path / f"{name}.npz" for name in ("first", "again", "other"))
    run(train_labels, monkeypatch, folder, first)
    run(train_labels, monkeypatch, folder, again)
    run(train_labels, monkeypatch, folder, other, "--seed", "2")
    states = [read(path.read_bytes())[1] for path in (first, again, other)]
    assert all(np.array_equal(values, states[1][name]) for name, values in states[0].items())
    assert any(not np.array_equal(values, states[2][name]) for name, values in states[0].items())
    page = np.zeros((3, len(features.NAMES)), np.float32)
    assert len(LabelNetwork(first.read_bytes()).predict([page])[0]) == 3
    assert "epoch 1/1 loss" in capsys.readouterr().out


def test_what_is_held_out_is_measured(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.npz"
    run(train_labels, monkeypatch, folder, out, "--hold-out", "0/2")
    assert "truth/small: weighted F1" in capsys.readouterr().out
    held = [k for k in range(3) if fold_of(f"small:layout {k}", 2) == 0]
    assert 0 < len(held) < 3
    named = [line.split("\t")[1] for line in manifest.beside(out).read_text().splitlines() if line.startswith("truth/")]
    assert named == [f"d{k}" for k in range(3) if k not in held]


def test_the_layout_network_is_learned_and_serves(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "layout.pt"
    run(train_layout, monkeypatch, folder, out)
    answers = LayoutNetwork(out.read_bytes()).predict([np.full((512, 400), 255, np.uint8)])
    assert answers[0].shape == (64, 50, 9)
    assert "# raster: raster-" in manifest.beside(out).read_text()


def test_the_manifest_names_every_document_and_how_it_was_learned(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "labels.npz"
    run(train_labels, monkeypatch, folder, out)
    text = manifest.beside(out).read_text()
    assert "# seed: 1\n# epochs: 1\n# held out: None\n# features: features-" in text
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    assert lines[0] == ["collection", "document", "pdf", "truth"]
    assert [line[:2] for line in lines[1:]] == [["truth/small", f"d{k}"] for k in range(3)]
    assert len({line[2] for line in lines[1:]}) == 3
