"""Options and fixtures for all tests."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import radosgw, servers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate-goldens", action="store_true", help="write the golden files anew instead of comparing with them"
    )


@pytest.fixture
def regenerate_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regenerate-goldens"))


@pytest.fixture(scope="session")
def moto_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with servers.moto(tmp_path_factory.mktemp("moto")) as environment:
        yield environment


@pytest.fixture(scope="session")
def radosgw_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    if not os.environ.get("INGEST_TEST_RADOSGW"):
        pytest.skip("runs with INGEST_TEST_RADOSGW=1, as `make test-s3` sets it")
    if missing := radosgw.missing():
        pytest.skip(f"not installed: {', '.join(missing)}; as root: {radosgw.INSTALL}")
    # Ceph's sockets lie below, and their paths may have some 100 characters.
    with radosgw.radosgw(tmp_path_factory.mktemp("rgw")) as environment:
        yield environment


@pytest.fixture
def s3_uri(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """A fresh `s3://bucket/prefix` on the named server, `moto` or `radosgw`; AWS tools talk to it and to no other."""

    def make(server: str) -> str:
        environment: dict[str, str] = request.getfixturevalue(f"{server}_environment")
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(name)
        for name, value in (environment | servers.NO_OTHER_AWS).items():
            monkeypatch.setenv(name, value)
        return f"s3://{servers.BUCKET}/{secrets.token_hex(8)}"

    return make


@pytest.fixture(scope="session")
def nx_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URI, less a database's name, of a server that speaks MongoDB's protocol."""
    folder: Path = tmp_path_factory.mktemp("nx")
    with servers.nx_27017(folder) as uri:
        yield uri
