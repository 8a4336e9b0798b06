"""Servers that tests talk to, started on free loopback ports and ended with the test session."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from devstack.processes import start

START_S = 60
"""How long a server may take until it can be talked to."""
LOOPBACK = "127.0.0.1"
BUCKET = "ingest-tests"
"""Exists on every S3 server that is started here."""
NO_OTHER_AWS = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}


def free_port(host: str = LOOPBACK) -> int:
    """A port that the kernel has just found free."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def answers(port: int, host: str = LOOPBACK) -> bool:
    """Whether something listens there."""
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


@contextmanager
def running(
    command: Sequence[str], ready: Callable[[], bool], folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a command, from when it is ready until the end of the block; its output goes to a log."""
    log = folder / f"{Path(command[0]).name}.log"
    process = start(command, env={**os.environ, **(env or {})}, log=log, cwd=folder)
    try:
        wait_until(ready, process, log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{process.args!r} did not start:\n{log.read_text('utf-8', 'replace')[-3000:]}")
        time.sleep(0.05)


@contextmanager
def moto(folder: Path, host: str = LOOPBACK) -> Iterator[dict[str, str]]:
    """Environment variables by which AWS tools find moto's S3 server, which accepts any credentials."""
    port = free_port(host)
    command = [sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)]
    with running(command, lambda: answers(port, host), folder):
        environment = s3_environment(port, "any", "thing", host)
        create_bucket(environment)
        yield environment


def s3_environment(port: int, access: str, secret: str, host: str = LOOPBACK) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": access,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_REGION": "us-east-1",
    }


def create_bucket(environment: Mapping[str, str]) -> None:
    import boto3

    client = boto3.session.Session().client(
        "s3",
        endpoint_url=environment["AWS_ENDPOINT_URL"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name=environment["AWS_REGION"],
    )
    client.create_bucket(Bucket=BUCKET)


@contextmanager
def nx_27017(folder: Path, host: str = LOOPBACK) -> Iterator[str]:
    """URI, less a database's name, of a server that speaks MongoDB's protocol over SQLite."""
    port = free_port(host)
    command = [
        str(Path(sys.executable).parent / "nx-27017"),
        *("--host", host, "--port", str(port), "--data-dir", str(folder / "data")),
        *("--log-file", str(folder / "nx.log"), "--pid-file", str(folder / "nx.pid")),
    ]
    with running(command, lambda: answers(port, host), folder):
        yield f"mongodb://{host}:{port}"
