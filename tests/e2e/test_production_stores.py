"""Whole runs from the command line with production stores: source and objects on S3, the ledger behind MongoDB's
protocol, tantivy. On moto always, on a real radosgw by `make test-s3`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest

from devstack.home import ROOT
from ingest.stores.ledger import open_ledger
from ingest.stores.objects import open_objects
from tests.support.pdfs import text_pdf

pytestmark = pytest.mark.timeout(900)


class Corpus:
    """The documents of a prefix, and the platform that ingests them."""

    def __init__(self, uri: str, ledger: str, folder: Path) -> None:
        self.uri, self._folder = uri, folder
        self.bucket, _, self._prefix = uri.removeprefix("s3://").partition("/")
        self._client = boto3.session.Session().client("s3")
        self.environment = {
            "INGEST_HOME": str(folder / "home"),
            "INGEST_OBJECTS": f"s3://{self.bucket}/{self._prefix}-objects",
            "INGEST_LEDGER": ledger,
            "INGEST_INDEX": f"tantivy://{folder}/index",
        }

    def put(self, name: str, seed: int) -> None:
        path = text_pdf(self._folder / "made.pdf", 2, seed=seed)
        self._client.upload_file(str(path), self.bucket, f"{self._prefix}/{name}")

    def rename(self, name: str, to: str) -> None:
        source = {"Bucket": self.bucket, "Key": f"{self._prefix}/{name}"}
        self._client.copy_object(Bucket=self.bucket, Key=f"{self._prefix}/{to}", CopySource=source)
        self.delete(name)

    def delete(self, name: str) -> None:
        self._client.delete_object(Bucket=self.bucket, Key=f"{self._prefix}/{name}")

    def ingest(self, *words: str) -> Any:
        """What a verb of the command line prints."""
        done = subprocess.run(
            [sys.executable, "-m", "ingest", *words, "--json"],
            cwd=ROOT,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        said = done.stdout + done.stderr
        assert os.environ["AWS_SECRET_ACCESS_KEY"] not in said
        assert os.environ["AWS_ACCESS_KEY_ID"] not in said
        return json.loads(done.stdout)

    def run(self, run_id: str) -> Any:
        patterns = ("--exclude", "drafts")
        source = ("--source", self.uri, *patterns)
        return self.ingest("run", "-c", "papers", *source, "--run-id", run_id, "--workers", "1", "--accept-removals")

    def found(self) -> set[str]:
        return {hit["path"] for hit in self.ingest("search", "observations station", "-c", "papers")}


@pytest.fixture(params=["moto", "radosgw"])
def corpus(request: pytest.FixtureRequest, s3_uri: Callable[[str], str], nx_uri: str, tmp_path: Path) -> Corpus:
    return Corpus(s3_uri(request.param), f"{nx_uri}/run_{uuid.uuid4().hex}", tmp_path)


def test_a_collection_on_s3_is_ingested_followed_and_searched(corpus: Corpus) -> None:
    for name, seed in (("a.pdf", 1), ("sub/b.pdf", 2), ("c.pdf", 3), ("drafts/d.pdf", 4), ("notes.txt", 5)):
        corpus.put(name, seed)
    report = corpus.run("night-1")
    assert report["good"]
    counts = report["documents"]
    assert (counts["discovered"], counts["converted"], counts["published"]) == (3, 3, 3)
    assert corpus.found() == {"a.pdf", "sub/b.pdf", "c.pdf"}

    report = corpus.run("night-2")
    assert (report["documents"]["unchanged"], report["documents"]["published"], report["cpu_s"]) == (3, 0, 0)
    assert not list(open_objects(corpus.environment["INGEST_OBJECTS"]).list("runs/papers/night-2/batches/"))

    corpus.put("c.pdf", 6)  # changed
    corpus.put("e.pdf", 7)  # new
    corpus.rename("sub/b.pdf", "sub/z.pdf")
    corpus.delete("a.pdf")
    report = corpus.run("night-3")
    counts = report["documents"]
    assert report["good"]
    assert (counts["discovered"], counts["converted"], counts["unchanged"]) == (3, 2, 1)
    assert (counts["published"], counts["removed"]) == (3, 2)
    assert corpus.found() == {"c.pdf", "e.pdf", "sub/z.pdf"}
    ledger = open_ledger(corpus.environment["INGEST_LEDGER"])
    try:
        gone = {record.path for record in ledger.documents("papers") if record.gone_run}
    finally:
        ledger.close()
    assert gone == {"a.pdf", "sub/b.pdf"}
