"""What tests of whole runs begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.scheduling.context import Context
from tests.support.runs import platform


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """A platform that has seen nothing."""
    with platform(tmp_path / "home") as opened:
        yield opened
