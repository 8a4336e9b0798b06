"""What every source must do. A further kind joins as a further way to `lay` files out."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, unquote

import boto3
import msgspec
import pytest

from ingest.document.records import SourceItem
from ingest.errors import SourceError, SourceUnavailable
from ingest.stores.sources import Source, SourceLimits, open_source
from tests.support.http_peer import Answer, Request, serving

Lay = Callable[[Mapping[str, bytes]], str]
"""Makes files, by path, what the source holds, and nothing else; its address."""


def lay_folder(root: Path) -> Lay:
    def lay(files: Mapping[str, bytes]) -> str:
        for path in [path for path in root.rglob("*") if path.is_file()]:
            if path.relative_to(root).as_posix() not in files:
                path.unlink()
        root.mkdir(exist_ok=True)
        for name, data in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != data:
                path.with_name("new").write_bytes(data)
                os.utime(path.with_name("new"), (1_700_000_000, 1_700_000_000))
                path.with_name("new").replace(path)
        return str(root)

    return lay


def lay_zip(path: Path) -> Lay:
    def lay(files: Mapping[str, bytes]) -> str:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.mkdir("empty")
            for name, data in files.items():
                archive.writestr(zipfile.ZipInfo(name, (2024, 2, 29, 12, 0, 0)), data, zipfile.ZIP_DEFLATED)
        return str(path)

    return lay


def lay_tar(path: Path) -> Lay:
    def lay(files: Mapping[str, bytes]) -> str:
        with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
            for name, data in files.items():
                info = tarfile.TarInfo(f"./{name}")
                info.size, info.mtime = len(data), 1_700_000_000
                archive.addfile(info, io.BytesIO(data))
        return path.as_uri()

    return lay


def lay_s3(uri: str) -> Lay:
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")

    def lay(files: Mapping[str, bytes]) -> str:
        client = boto3.session.Session().client("s3")
        client.put_object(Bucket=bucket, Key=f"{prefix}-beside/x.pdf", Body=b"")
        client.put_object(Bucket=bucket, Key=f"{prefix}/folder/", Body=b"")
        found = client.list_objects_v2(Bucket=bucket, Prefix=f"{prefix}/").get("Contents", ())
        for key in {entry["Key"] for entry in found} - {f"{prefix}/{name}" for name in files}:
            client.delete_object(Bucket=bucket, Key=key)
        for name, data in files.items():
            etags = [entry["ETag"] for entry in found if entry["Key"] == f"{prefix}/{name}"]
            if etags != [f'"{hashlib.md5(data).hexdigest()}"']:
                client.put_object(Bucket=bucket, Key=f"{prefix}/{name}", Body=data)
        return uri

    return lay


@pytest.fixture
def lay_urls(tmp_path: Path) -> Iterator[Lay]:
    held: dict[str, bytes] = {}

    def answer(request: Request) -> Answer:
        data = held.get(request.path.removeprefix("/docs/"))
        if data is None:
            return Answer(404)
        return Answer(200, data, {"ETag": f'"{hashlib.sha1(data).hexdigest()}"'})

    with serving(answer) as base:

        def lay(files: Mapping[str, bytes]) -> str:
            held.clear()
            held.update(files)
            lines = [f"{base}/docs/{quote(name)}\n" for name in files]
            (tmp_path / "list.txt").write_text("# documents\n\n" + "".join(lines))
            return f"urls://{tmp_path}/list.txt"

        yield lay


@pytest.fixture(params=["folder", "zip", "tar", "tar.gz", "urls", "moto", "radosgw"])
def lay(request: pytest.FixtureRequest, tmp_path: Path) -> Lay:
    kind = request.param
    if kind == "folder":
        return lay_folder(tmp_path / "source")
    if kind == "zip":
        return lay_zip(tmp_path / "source.ZIP")
    if kind in ("tar", "tar.gz"):
        return lay_tar(tmp_path / f"source.{kind}")
    if kind == "urls":
        urls: Lay = request.getfixturevalue("lay_urls")
        return urls
    return lay_s3(request.getfixturevalue("s3_uri")(kind))


def opened(uri: str, **patterns: list[str]) -> Source:
    return open_source(uri, limits=SourceLimits(private_hosts=frozenset({"127.0.0.1"})), **patterns)


def name_of(item: SourceItem) -> str:
    """As it was laid: a document of a list of URLs has its URL for a path."""
    return unquote(item.path).rpartition("/docs/")[2] if item.path.startswith("http") else item.path


def names(source: Source) -> list[str]:
    return [name_of(item) for item in source.list()]


FILES = {name: name.encode() * 3 for name in ("a-1.pdf", "a/1/x.pdf", "a/z.PDF", "a0.pdf", "ü/ä & <ö>.pdf")}


def test_documents_of_all_levels_are_listed_in_order_of_their_paths(lay: Lay) -> None:
    source = opened(lay(dict(reversed(FILES.items()))))
    items = list(source.list())
    assert [item.path for item in items] == sorted(item.path for item in items)
    assert {name_of(item): item.size for item in items} == {name: len(data) for name, data in FILES.items()}


def test_patterns_narrow_the_list(lay: Lay) -> None:
    uri = lay(FILES | {"a/notes.txt": b"x", "drafts/b.pdf": b"y"})
    assert sorted(names(opened(uri, include=["*.pdf"], exclude=["drafts/**", "**/drafts/**"]))) == sorted(FILES)
    assert names(opened(uri, include=["a/**", "**/a/**"], exclude=["*.PDF"])) == ["a/notes.txt"]
    assert names(opened(uri, include=["*.ps"])) == []


def test_a_document_is_copied_whole_and_hashed(lay: Lay, tmp_path: Path) -> None:
    files = {"large.pdf": bytes(range(256)) * 12_345, "empty.pdf": b"", **FILES}
    source = opened(lay(files))
    items = list(source.list())
    assert len(items) == len(files)
    for number, item in enumerate(items):
        into = tmp_path / f"copy-{number}"
        into.write_bytes(b"something older and longer" * 1000)
        data = files[name_of(item)]
        assert source.fetch(item, into) == hashlib.sha256(data).hexdigest()
        assert into.read_bytes() == data


def test_an_item_survives_being_written_down_and_leads_to_its_document(lay: Lay, tmp_path: Path) -> None:
    uri = lay(FILES)
    items = [msgspec.json.decode(msgspec.json.encode(item), type=SourceItem) for item in opened(uri).list()]
    worker = opened(uri)  # which lists nothing
    for item in items:
        worker.fetch(item, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == FILES[name_of(item)]


def test_threads_fetch_at_a_time(lay: Lay, tmp_path: Path) -> None:
    files = {f"{n}.pdf": bytes([n]) * 500_000 for n in range(12)}
    source = opened(lay(files))

    def fetched(item: SourceItem) -> bool:
        into = tmp_path / f"copy-{name_of(item)}"
        source.fetch(item, into)
        return into.read_bytes() == files[name_of(item)]

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(fetched, list(source.list())))


def identity(item: SourceItem) -> tuple[object, ...]:
    """What says that a document has not changed."""
    return item.size, item.etag, item.mtime_ms


def test_what_has_not_changed_is_told_as_before_and_what_has_is_not(lay: Lay) -> None:
    before = {name_of(item): identity(item) for item in opened(lay(FILES)).list()}
    changed = FILES | {"a0.pdf": FILES["a0.pdf"][::-1], "new.pdf": b"x"}  # of the same size, and no newer
    after = {name_of(item): identity(item) for item in opened(lay(changed)).list()}
    assert {name for name in FILES if before[name] != after[name]} == {"a0.pdf"}
    assert set(after) - set(before) == {"new.pdf"}


def test_equal_tags_mean_equal_bytes(lay: Lay) -> None:
    files = {"a.pdf": b"same", "b.pdf": b"same", "c.pdf": b"else"}
    a, b, c = opened(lay(files)).list()
    assert a.content_tag == b.content_tag
    assert not c.content_tag or c.content_tag != a.content_tag


def test_a_document_that_went_since_it_was_listed_fails_alone(lay: Lay, tmp_path: Path) -> None:
    items = {name_of(item): item for item in opened(lay(FILES)).list()}
    source = opened(lay({name: data for name, data in FILES.items() if name != "a0.pdf"}))
    with pytest.raises(SourceError, match=r"a0\.pdf") as caught:
        source.fetch(items["a0.pdf"], tmp_path / "copy")
    assert not caught.value.retry
    assert source.fetch(items["a-1.pdf"], tmp_path / "copy") == hashlib.sha256(FILES["a-1.pdf"]).hexdigest()


def test_a_copy_that_cannot_be_written_is_no_fault_of_the_document(lay: Lay, tmp_path: Path) -> None:
    source = opened(lay(FILES))
    with pytest.raises(SourceUnavailable, match="cannot be copied"):
        source.fetch(next(source.list()), tmp_path / "nowhere" / "copy")
