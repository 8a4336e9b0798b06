"""A source that changes from night to night, and what a platform must hold after each: the index of a fresh start."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec
import tantivy
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from ingest.document.records import GOOD, document_id
from ingest.export.tantivy_index import TantivyIndex
from ingest.export.tantivy_schema import decode_document
from ingest.scheduling.context import Context
from ingest.scheduling.files import RunFiles
from tests.support.pdfs import WORDS

LINES = 6


def small_pdf(content: int) -> bytes:
    """A page with a paragraph and mostly a heading; every number gives another text, the same number the same bytes."""
    chosen = random.Random(content)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A5, invariant=1)
    if content % 4:
        canvas.setFont("Times-Bold", 14)
        canvas.drawString(40, 540, f"Station {content} and its {chosen.choice(WORDS)}")
    canvas.setFont("Times-Roman", 10)
    for line in range(LINES):
        text = " ".join(chosen.choice(WORDS) for _ in range(11)).capitalize()
        canvas.drawString(40, 510 - 12 * line, f"{text}.")
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


class Store(Protocol):
    """Where the source's files lie."""

    def put(self, path: str, data: bytes) -> None: ...

    def delete(self, path: str) -> None: ...


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)

    def put(self, path: str, data: bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(file.name + ".part")
        new.write_bytes(data)
        new.replace(file)

    def delete(self, path: str) -> None:
        (self.root / path).unlink()


class Bucket:
    """Below a prefix of a bucket, `s3://bucket/prefix`, on the server that the environment names."""

    def __init__(self, uri: str) -> None:
        import boto3

        self._bucket, _, self._prefix = uri.removeprefix("s3://").partition("/")
        self._client = boto3.session.Session().client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])

    def put(self, path: str, data: bytes) -> None:
        self._client.put_object(Bucket=self._bucket, Key=f"{self._prefix}/{path}", Body=data)

    def delete(self, path: str) -> None:
        self._client.delete_object(Bucket=self._bucket, Key=f"{self._prefix}/{path}")


class World:
    """The source: which content lies under which path. The same seed gives the same nights."""

    def __init__(self, stores: list[Store], documents: int, *, seed: int) -> None:
        self._stores = stores
        self._chosen = random.Random(seed)
        self._contents = iter(range(1, 1 << 40))
        self.files: dict[str, int] = {}
        self.add(documents)

    @property
    def contents(self) -> set[int]:
        return set(self.files.values())

    def add(self, count: int) -> None:
        for _ in range(count):
            content = next(self._contents)
            self._put(f"{content % 7}/document-{content}.pdf", content)

    def edit(self, count: int) -> None:
        for path in self._some(count):
            self._put(path, next(self._contents))

    def rename(self, count: int) -> None:
        for path in self._some(count):
            content = self._delete(path)
            self._put(f"moved/{content}-{self._chosen.randrange(10**9)}.pdf", content)

    def copy(self, count: int) -> None:
        """The same bytes under a second name, which may sort before or after the first."""
        for path in self._some(count):
            self._put(f"{self._chosen.choice('0z')}/copy-{self._chosen.randrange(10**9)}.pdf", self.files[path])

    def delete(self, count: int) -> None:
        for path in self._some(count):
            self._delete(path)

    def night(self, share: float) -> None:
        """About this share of the documents is added, edited, renamed, copied and deleted, each."""
        count = max(1, round(share * len(self.files)))
        self.delete(count)
        self.rename(count)
        self.edit(2 * count)
        self.copy(max(1, count // 3))
        self.add(count)

    def _some(self, count: int) -> list[str]:
        return self._chosen.sample(sorted(self.files), count)

    def _put(self, path: str, content: int) -> None:
        data = small_pdf(content)
        for store in self._stores:
            store.put(path, data)
        self.files[path] = content

    def _delete(self, path: str) -> int:
        for store in self._stores:
            store.delete(path)
        return self.files.pop(path)


def dump(context: Context) -> dict[str, tuple[Any, ...]]:
    """All that the index of the collection `test` holds, by doc_id, less the names of runs."""
    index = context.index()
    assert isinstance(index, TantivyIndex)
    reader = index._reader("test")
    if reader is None:
        return {}
    searcher = reader.searcher()
    shared: dict[str, tuple[Any, ...]] = {}
    pieces: dict[str, list[Any]] = {}
    for _, address in searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs), count=False).hits:
        row = searcher.doc(address).to_dict()
        (details,) = row["details"]
        if "text" in row:
            doc_id, *rest = msgspec.json.decode(details)
            pieces.setdefault(doc_id, []).append((rest, row["text"]))
        else:
            document = decode_document(details)
            assert document.doc_id not in shared, f"{document.path} is there twice"
            shared[document.doc_id] = (document.path, document.title, document.sha256, document.fingerprint)
    assert set(pieces) <= set(shared)
    return {doc_id: (*row, sorted(pieces.get(doc_id, []), key=str)) for doc_id, row in shared.items()}


def conversions(context: Context, run_id: str, stage: str = "parse") -> int:
    """Documents for which the run has run a stage."""
    outcomes = RunFiles(context.objects, "test", run_id).outcomes()
    return sum(stage in result.usage.stage_s and not result.reused for result in outcomes)


def check_ledger(context: Context, world: World) -> None:
    """Every document of the source has one row that has ended, and no other row says that it is there."""
    rows = {row.doc_id: row for row in context.ledger.documents("test") if not row.gone_run}
    assert set(rows) == {document_id("test", path) for path in world.files}
    published = context.index().published("test")
    standing: dict[str, list[str]] = {}
    for row in rows.values():
        assert row.outcome is not None, row
        assert bool(row.published_run) == (row.doc_id in published) == (row.outcome in GOOD), row
        if row.outcome in GOOD:
            standing.setdefault(row.sha256, []).append(row.path)
    assert all(len(paths) == 1 for paths in standing.values())
    assert len(standing) == len(world.contents)


def differences(found: dict[str, tuple[Any, ...]], wanted: dict[str, tuple[Any, ...]]) -> Iterator[str]:
    """What differs between two dumps, for people."""
    for doc_id in sorted(found.keys() | wanted.keys()):
        if found.get(doc_id) != wanted.get(doc_id):
            yield f"{doc_id}: found {found.get(doc_id)}, wanted {wanted.get(doc_id)}"
