"""What makes the images: which builder is taken, what goes in, what the Containerfile promises."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deploy.chart import ROOT, VERSION

CONTAINERFILE = (ROOT / "images" / "Containerfile").read_text("utf-8")
SCRIPTS = ROOT / "images" / "airflow"
TARGETS = ("worker", "layout", "labels", "airflow")

Build = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Runs images/build where only the named tools exist; each prints how it was called."""

    def run(
        *tools: str, targets: tuple[str, ...] = ("worker",), **environment: str
    ) -> subprocess.CompletedProcess[str]:
        for name in ("sed", "dirname", "git", "sh", "env"):
            real = next(p for p in (Path("/usr/bin") / name, Path("/bin") / name) if p.exists())
            (tmp_path / name).symlink_to(real)
        for name in tools:
            fails = name == "docker-without-service"
            tool = tmp_path / name.partition("-")[0]
            tool.write_text(f'#!/bin/sh\n[ "$1" != info ] || exit {int(fails)}\necho "{tool.name} $*"\n')
            tool.chmod(0o755)
        return subprocess.run(
            [ROOT / "images" / "build", *targets],
            env={"PATH": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_builder_is_whichever_is_there(build: Build) -> None:
    output = build("docker", "podman").stdout
    assert f"docker build --target worker --tag corpus-ingest-worker:{VERSION} " in output


def test_docker_without_its_service_is_passed_over(build: Build) -> None:
    assert "podman build --format docker --target worker" in build("docker-without-service", "podman", "buildah").stdout


def test_without_a_builder_the_message_says_what_to_install(build: Build) -> None:
    done = build()
    assert done.returncode == 1
    assert "docker, podman or buildah" in done.stderr


def test_names_base_and_index_come_from_the_environment(build: Build) -> None:
    output = build(
        "buildah",
        targets=("layout",),
        IMAGE_PREFIX="registry.example/ci",
        IMAGE_TAG="7",
        BASE_IMAGE="localhost/base:1",
        TORCH_INDEX="",
        PUSH="1",
    ).stdout
    assert "--target layout --tag registry.example/ci-layout:7 " in output
    assert "--build-arg BASE_IMAGE=localhost/base:1 --build-arg TORCH_INDEX= ." in output
    assert "buildah push registry.example/ci-layout:7" in output


def test_every_image_is_built_unless_some_are_named(build: Build) -> None:
    output = build("podman", targets=()).stdout
    assert re.findall(r"--target (\S+)", output) == list(TARGETS)


def stages() -> dict[str, str]:
    """Text of each stage of the Containerfile, with those that it is built on."""
    found: dict[str, str] = {}
    for base, name, text in re.findall(r"(?m)^FROM (\S+) AS (\S+)\n((?:(?!^FROM ).*\n?)*)", CONTAINERFILE):
        found[name] = found.get(base, "") + text
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_what_runs_is_nobody_and_says_its_version_and_how_it_is(target: str) -> None:
    text = stages()[target]
    assert re.findall(r"(?m)^USER (\d+):\d+$", text)[-1] != "0"
    assert "org.opencontainers.image.version=${VERSION}" in text
    assert "HEALTHCHECK" in text
    assert "pip uninstall" in text
    assert "apt-get" not in text
    assert "pip install" not in text, "installed elsewhere and copied, so that no tool stays"


def test_everything_is_installed_from_the_constraints() -> None:
    assert CONTAINERFILE.startswith("#")
    assert "ARG BASE_IMAGE=python:3.11-slim-bookworm\n" in CONTAINERFILE
    assert "PIP_CONSTRAINT=/src/constraints.txt" in stages()["requirements"]
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().split() if "==" in line)
    assert {"setuptools", "torch", "asyncpg", "psycopg2-binary", "apache-airflow-providers-fab"} <= pinned.keys()


def test_airflows_image_has_what_the_probes_of_airflows_chart_call() -> None:
    assert "COPY images/airflow /\n" in stages()["airflow"]
    done = subprocess.run([SCRIPTS / "entrypoint", "echo", "a b"], capture_output=True, text=True, check=True)
    assert done.stdout == "a b\n"


def test_airflows_image_removes_old_logs_alone(tmp_path: Path) -> None:
    """As the sidecar of Airflow's chart runs it; it is told to end when it would wait for the next time."""
    logs = tmp_path / "logs"
    for name, days in (("dag/old/1.log", 9), ("dag/new/1.log", 2)):
        path = logs / name
        path.parent.mkdir(parents=True)
        path.write_text("said\n")
        os.utime(path, (time.time() - days * 86_400,) * 2)
    sleep = tmp_path / "bin" / "sleep"
    sleep.parent.mkdir()
    sleep.write_text("#!/bin/sh\nkill -TERM $PPID\n")
    sleep.chmod(0o755)
    environment = {
        "PATH": f"{sleep.parent}:{os.environ['PATH']}",
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__LOG_RETENTION_DAYS": "5",
        "AIRFLOW__LOG_CLEANUP_FREQUENCY_MINUTES": "60",
    }
    subprocess.run(["bash", SCRIPTS / "clean-logs"], env=environment, check=True, timeout=60)
    assert [path.name for path in logs.rglob("*.log")] == ["1.log"]
    assert (logs / "dag/new/1.log").exists()


def test_only_what_images_are_made_of_is_sent_to_the_builder() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    allowed = {line[1:] for line in lines if line.startswith("!")}
    copied = {word for names in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", CONTAINERFILE) for word in names.split()}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in allowed)
    assert os.access(ROOT / "images" / "build", os.X_OK)
