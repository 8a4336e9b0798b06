"""Children of the sandbox that misbehave at a chosen page, for tests of what a bad page costs."""

from __future__ import annotations

import os
import signal
from typing import Any

from numpy.typing import NDArray

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
