"""All samples, in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from bentos.training.generator.samples import book, faults, fonts, manual, paper, report, two_columns, world
from bentos.training.generator.samples.expect import Expected

SAMPLES: dict[str, Callable[[Path], Expected]] = {
    "paper-one-column.pdf": paper.make,
    "paper-two-column.pdf": two_columns.make,
    "report.pdf": report.make,
    "manual.pdf": manual.make,
    "book.pdf": book.make,
    "world.pdf": world.make,
    "scan.pdf": faults.make_scan,
    "encrypted.pdf": faults.make_encrypted,
    "broken.pdf": faults.make_broken,
}


def make_collection(folder: Path) -> dict[str, Expected]:
    """Writes every sample and expected.json into `folder`; returns what is expected of each by file name."""
    folder.mkdir(parents=True, exist_ok=True)
    fonts.register()
    expected = {name: make(folder / name) for name, make in SAMPLES.items()}
    text = msgspec.json.format(msgspec.json.encode(expected), indent=1)
    (folder / "expected.json").write_bytes(text + b"\n")
    return expected
