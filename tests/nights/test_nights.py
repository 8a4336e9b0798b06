"""Nights of a changing source: after each, the index is that of a fresh start, and no more was converted than changed.

The ordinary tests do a few nights of a small source. `make test-nights` (INGEST_TEST_NIGHTS=2000) does a month of
2,000 documents, and kills 20 runs of the real command.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ingest.document.records import RunState
from ingest.scheduling.context import Context
from tests.support.nights import Bucket, Folder, Store, World, check_ledger, conversions, differences, dump
from tests.support.runs import platform
from tests.support.warm import Job, Warm

SIZE = int(os.environ.get("INGEST_TEST_NIGHTS") or 0)
"""Documents of the source that the month is done with; 0: a few nights of a small one."""
DOCUMENTS, NIGHTS = (SIZE, {"folder": 30, "s3": 30}) if SIZE else (40, {"folder": 8, "s3": 3})
KILLED_DOCUMENTS, KILLS = (150, {"folder": 20, "s3": 20}) if SIZE else (30, {"folder": 3, "s3": 0})
SHARE = 0.02 if SIZE else 0.05
SPECIAL = {3: "outage", 5: "while-writing", 6: "upgrade", 7: "after-index", 8: "after-ledger"}
"""Nights on which more happens than changes of the source."""
LATER = {
    11: "outage",
    12: "outage",
    15: "while-writing",
    18: "after-index",
    21: "upgrade",
    24: "after-ledger",
    27: "outage",
}

pytestmark = pytest.mark.timeout(4 * 3600 if SIZE else 300)


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    server = Warm()
    yield server
    server.close()


@dataclass
class Place:
    """A platform, the source that it ingests, and fresh starts to compare it with."""

    name: str
    folder: Path
    stores: list[Store]
    source: str
    settings: dict[str, Any]
    versions: dict[str, str] = field(default_factory=dict)
    runs: int = 0

    def job(self, **changed: Any) -> Job:
        """A run of the platform, on the stores that are under test."""
        self.runs += 1
        return Job(
            home=str(self.folder / "home"),
            source=self.source,
            run_id=f"run-{self.runs:03d}",
            settings=self.settings,
            environment={name: value for name, value in os.environ.items() if name.startswith("AWS_")},
            versions=self.versions,
            **changed,
        )

    def opened(self) -> AbstractContextManager[Context]:
        return platform(self.folder / "home", **self.settings)

    def fresh_start(self, warm: Warm) -> dict[str, tuple[Any, ...]]:
        """The index of a platform that has never seen the source. What it converts, it remembers by content."""
        home = self.folder / "fresh"
        job = Job(
            home=str(home),
            source=str(self.folder / "mirror"),
            run_id=f"fresh-{self.runs:03d}",
            settings={"objects": str(self.folder / "fresh-objects")},
            versions=self.versions,
        )
        assert warm.run(job) == 0
        with platform(home, objects=job.settings["objects"]) as context:
            found = dump(context)
        shutil.rmtree(home)
        return found


@pytest.fixture(params=["folder", "s3"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, s3_uri: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> Place:
    for name in [name for name in os.environ if name.startswith("INGEST_") and not name.startswith("INGEST_TEST_")]:
        monkeypatch.delenv(name)
    mirror = Folder(tmp_path / "mirror")
    if request.param == "folder":
        return Place("folder", tmp_path, [mirror], str(mirror.root), {})
    uri = s3_uri("radosgw" if os.environ.get("INGEST_TEST_RADOSGW") else "moto")
    mongo = request.getfixturevalue("nx_uri")
    settings = {"objects": f"{uri}/objects", "ledger": f"{mongo}/nights{random.randrange(10**9)}"}
    return Place("s3", tmp_path, [mirror, Bucket(f"{uri}/source")], f"{uri}/source", settings)


def test_each_night_the_index_is_that_of_a_fresh_start(place: Place, warm: Warm) -> None:
    world = World(place.stores, DOCUMENTS, seed=20)
    special = SPECIAL | (LATER if SIZE else {})
    seen: dict[str, tuple[Any, ...]] = {}
    converted: set[int] = set()
    for night in range(1, NIGHTS[place.name] + 1):
        began = time.monotonic()
        if night > 1:
            world.night(SHARE)
        event = special.get(night, "")
        count = 0
        if event == "outage":
            job = place.job(fault="outage")
            assert warm.run(job) == 3
            with place.opened() as context:
                assert context.ledger.runs("test", limit=1)[0].state is RunState.BLOCKED
                assert dump(context) == seen, "a gate that fails publishes nothing"
            _say(night, event, world, 0, began)
            continue
        if event == "upgrade":
            place.versions = {"labels": f"labels-of-release-{night}"}
        wanted = place.fresh_start(warm)
        if event in ("while-writing", "after-index", "after-ledger"):
            job = place.job(fault=event)
            assert warm.run(job) == -signal.SIGKILL
            with place.opened() as context:
                count += conversions(context, job.run_id)
                assert dump(context) == (seen if event == "while-writing" else wanted), "all of it or nothing"
        job = place.job()
        assert warm.run(job) == 0
        with place.opened() as context:
            seen = dump(context)
            assert list(differences(seen, wanted))[:3] == []
            check_ledger(context, world)
            count += conversions(context, job.run_id)
            assert count == len(world.contents - converted)
            if event == "upgrade":
                assert conversions(context, job.run_id, "labels") == len(world.contents)
        converted |= world.contents
        _say(night, event, world, count, began)


def test_a_killed_run_loses_nothing_and_doubles_nothing(place: Place, warm: Warm, tmp_path: Path) -> None:
    if not KILLS[place.name]:
        pytest.skip("runs with `make test-nights`")
    world = World(place.stores, KILLED_DOCUMENTS, seed=9)
    chosen = random.Random(20)
    assert _start(place, warm, tmp_path)() == 0
    usual_s = 0.0
    kills = attempts = 0
    while kills < KILLS[place.name]:
        assert attempts < 4 * KILLS[place.name], "runs end before they are killed"
        attempts += 1
        world.night(0.05)
        began = time.monotonic()
        if usual_s:
            moment = chosen.uniform(0, usual_s)
            status = _start(place, warm, tmp_path)(moment, alone=bool(SIZE) and chosen.random() < 0.3)
            kills += status == -signal.SIGKILL
            print(f"kill {kills}: after {moment:.2f} of {usual_s:.2f} s, status {status}", flush=True)
            began = time.monotonic()
        assert _start(place, warm, tmp_path)() == 0
        usual_s = time.monotonic() - began
        with place.opened() as context:
            assert list(differences(dump(context), place.fresh_start(warm)))[:3] == []
            check_ledger(context, world)


def _start(place: Place, warm: Warm, folder: Path) -> Callable[..., int]:
    """Begin a run. What is given waits for its end, or kills it after so many seconds: with all of its processes, or
    its first one alone."""
    if not SIZE:
        pid = warm.start(place.job())

        def forked(after_s: float | None = None, *, alone: bool = False) -> int:
            if after_s is not None:
                time.sleep(after_s)
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
            return warm.wait()

        return forked
    settings = {f"INGEST_{name.upper()}": str(value) for name, value in place.settings.items()}
    job = place.job()
    with (folder / f"{job.run_id}.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ingest", "run", "-c", "test", "--source", job.source, "--run-id", job.run_id],
            env=os.environ | settings | {"INGEST_HOME": job.home},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def command(after_s: float | None = None, *, alone: bool = False) -> int:
        if after_s is not None:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(after_s)
            (os.kill if alone else os.killpg)(process.pid, signal.SIGKILL)
        status = process.wait()
        assert status in (0, -signal.SIGKILL), (folder / f"{job.run_id}.log").read_text()
        return status

    return command


def _say(night: int, event: str, world: World, count: int, began: float) -> None:
    seconds = time.monotonic() - began
    print(f"night {night} {event}: {len(world.files)} documents, {count} converted, {seconds:.1f} s", flush=True)
