"""Children of the sandbox that misbehave or have other limits, for tests of what a bad page costs."""

from __future__ import annotations

import os
import signal
from typing import Any

from numpy.typing import NDArray

from ingest.pipeline import graphics
from ingest.scheduling.child import Answer, Child


class DiesOnPage3(Child):
    """As native code does on some PDFs: no exception, no message."""

    def parse(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        if 3 in meta["pages"]:
            super().parse({**meta, "pages": [n for n in meta["pages"] if n < 3]}, arrays)
            self._conversion.begin_page(3)
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().parse(meta, arrays)


class AlwaysDies(Child):
    def open(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class ReadsFewObjects(Child):
    """As if a page with more than `FEW` objects were a map of millions."""

    FEW = 100

    def open(self, meta: dict[str, Any], arrays: list[NDArray[Any]]) -> Answer:
        graphics.MAX_OBJECTS = self.FEW
        return super().open(meta, arrays)
