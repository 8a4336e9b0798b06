from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document.records import SourceItem, document_id
from ingest.errors import ConfigError, SourceError
from ingest.stores.folder_source import escape_name, unescape_name
from ingest.stores.patterns import compile_globs
from ingest.stores.sources import Source, open_source, sha256_of


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode("utf-8", "surrogateescape"))


def paths(source: Source) -> list[str]:
    return [item.path for item in source.list()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "papers"


def test_pdfs_of_all_levels_are_listed_in_order_of_their_paths(folder: Path) -> None:
    write(folder, "b.pdf", "a/z.PDF", "a/1/x.pdf", "a-1.pdf", "a0.pdf", "notes.txt", "a/pdf", "A.pdf")
    assert paths(open_source(str(folder))) == ["A.pdf", "a-1.pdf", "a/1/x.pdf", "a/z.PDF", "a0.pdf", "b.pdf"]
    assert paths(open_source(folder.as_uri())) == paths(open_source(f"{folder}/"))


def test_an_item_tells_size_and_time_and_changes_with_the_file(folder: Path) -> None:
    write(folder, "a.pdf")
    source = open_source(str(folder))
    (before,) = source.list()
    assert before.size == 5
    assert before.mtime_ms == (folder / "a.pdf").stat().st_mtime_ns // 1_000_000
    (folder / "b").write_bytes(b"other")
    os.utime(folder / "b", ns=(0, (folder / "a.pdf").stat().st_mtime_ns))
    (folder / "b").replace(folder / "a.pdf")
    (after,) = source.list()
    assert after.etag != before.etag


def test_fetch_copies_and_hashes_and_leaves_the_original(folder: Path, tmp_path: Path) -> None:
    write(folder, "a/x.pdf")
    source = open_source(str(folder))
    (item,) = source.list()
    assert source.fetch(item, tmp_path / "copy") == hashlib.sha256(b"a/x.pdf").hexdigest()
    assert (tmp_path / "copy").read_bytes() == b"a/x.pdf"
    path = source.local_path(item)
    assert path is not None
    assert path.samefile(folder / "a/x.pdf")
    assert sha256_of(path) == hashlib.sha256(b"a/x.pdf").hexdigest()


def test_include_and_exclude_narrow_the_list(folder: Path) -> None:
    write(folder, "a.pdf", "drafts/b.pdf", "x/Drafts/c.pdf", "x/d.pdf", "x/e.ps", "y/d.pdf")
    assert paths(open_source(str(folder), exclude=["drafts"])) == ["a.pdf", "x/d.pdf", "y/d.pdf"]
    assert paths(open_source(str(folder), exclude=["drafts/**", "d.pdf"])) == ["a.pdf", "x/Drafts/c.pdf"]
    assert paths(open_source(str(folder), include=["x/*"])) == ["x/d.pdf", "x/e.ps"]
    assert paths(open_source(str(folder), include=["x/**"], exclude=["*.ps"])) == ["x/Drafts/c.pdf", "x/d.pdf"]


def test_a_link_is_followed_only_within_the_folder(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, "a.pdf", "sub/b.pdf")
    write(tmp_path, "secret.pdf", "else/c.pdf")
    (folder / "inside.pdf").symlink_to("sub/b.pdf")
    (folder / "outside.pdf").symlink_to(tmp_path / "secret.pdf")
    (folder / "gone.pdf").symlink_to("nothing")
    (folder / "self.pdf").symlink_to("self.pdf")
    (folder / "odd.pdf").symlink_to("a.pdf/x")
    (folder / "up").symlink_to("..")
    (folder / "else").symlink_to(tmp_path / "else")
    with caplog.at_level(logging.WARNING):
        assert paths(open_source(str(folder))) == ["a.pdf", "inside.pdf", "sub/b.pdf"]
    assert "4 links" in caplog.text


def test_a_folder_reached_by_a_link_may_be_the_source(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.pdf")
    (tmp_path / "link").symlink_to(folder)
    assert paths(open_source(str(tmp_path / "link"))) == ["a.pdf"]


def test_only_regular_files_are_listed(folder: Path) -> None:
    write(folder, "folder.pdf/a.pdf")
    os.mkfifo(folder / "pipe.pdf")
    assert paths(open_source(str(folder))) == ["folder.pdf/a.pdf"]


@pytest.mark.parametrize(
    "name", [b"caf\xe9.pdf", b"\xff\\\xff.pdf", rb"back\slash.pdf", rb"\xff.pdf", b"new\nline.pdf"]
)
def test_a_name_of_any_bytes_is_listed_as_text_and_found_again(folder: Path, tmp_path: Path, name: bytes) -> None:
    write(folder, os.fsdecode(name))
    source = open_source(str(folder))
    (item,) = source.list()
    assert msgspec.json.decode(msgspec.json.encode(item), type=SourceItem) == item
    assert len(document_id("c", item.path)) == 20
    assert source.fetch(item, tmp_path / "copy") == hashlib.sha256(name).hexdigest()


def test_names_that_differ_get_paths_that_differ(folder: Path) -> None:
    write(folder, os.fsdecode(b"\xff.pdf"), r"\xff.pdf")
    assert sorted(paths(open_source(str(folder)))) == [r"\\xff.pdf", r"\xff.pdf"]


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name))
def test_escaping_is_reversible_proper_text(name: bytes) -> None:
    escaped = escape_name(os.fsdecode(name))
    escaped.encode()
    assert os.fsencode(unescape_name(escaped)) == name


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter; the test runs without the superuser's rights, which no file mode stops."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder, "a.pdf", "sub/b.pdf", "sub/c.pdf")
        (folder / "sub").chmod(0o755)
        (folder / "sub" / "b.pdf").chmod(0o600 if user == 0 else 0)
        if user == 0:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(user)
            (folder / "sub").chmod(0o755)


def test_an_unreadable_file_is_listed_and_fails_alone(public: Path) -> None:
    source = open_source(str(public))
    a, b, c = source.list()
    with pytest.raises(SourceError, match=r"sub/b\.pdf.*permission denied"):
        source.fetch(b, Path(os.devnull))
    assert source.fetch(a, Path(os.devnull))
    assert source.fetch(c, Path(os.devnull))


def test_a_folder_that_cannot_be_read_fails_the_list(public: Path) -> None:
    user = os.geteuid()
    os.seteuid(os.getuid())
    (public / "sub").chmod(0)
    os.seteuid(user)
    source = open_source(str(public))
    with pytest.raises(SourceError, match=r"folder sub/.*permission denied"):
        list(source.list())
    assert paths(open_source(str(public), exclude=["sub"])) == ["a.pdf"]


def test_a_file_that_went_since_it_was_listed_is_said_to_be_gone(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.pdf")
    source = open_source(str(folder))
    (item,) = source.list()
    (folder / "a.pdf").unlink()
    with pytest.raises(SourceError, match=r"a\.pdf.*does not exist"):
        source.fetch(item, tmp_path / "copy")


def test_a_path_that_leaves_the_folder_is_refused(folder: Path) -> None:
    write(folder, "a.pdf")
    source = open_source(str(folder))
    for path in ("../a.pdf", "/etc/passwd", "x/../../y"):
        with pytest.raises(SourceError, match="no path within"):
            source.local_path(SourceItem(path=path, size=1))
    hidden = source.local_path(SourceItem(path=r"x\x2f..\x2f..", size=1))
    assert hidden is not None
    assert hidden.parent == folder


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("gopher://x", "gopher:// is not known"),
        ("ftp://me:hunter2@x/list.txt", r"ftp://\*\*\*@x"),
        ("s3://", "names no bucket"),
        ("s3://bucket/all.zip", "on a disk that all workers see"),
        ("https://example.org/all.tar.gz", "on a disk that all workers see"),
        ("https://me:hunter2@example.org/list.txt", r"https://\*\*\*@example.org/list.txt.*credentials"),
        ("https://exa mple.org/list.txt", "%20"),
        ("urls://list.txt", "urls:///absolute/path"),
        ("", "empty path"),
        ("file://otherhost/x", "otherhost"),
    ],
)
def test_an_address_of_another_kind_is_a_wrong_setting(uri: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        open_source(uri)
    assert "hunter2" not in str(caught.value)


def test_a_file_or_nothing_is_no_source(tmp_path: Path) -> None:
    write(tmp_path, "a.rar", "a.pdf")
    with pytest.raises(ConfigError, match=r"may be \.zip, \.tar or \.tar\.gz"):
        open_source(str(tmp_path / "a.rar"))
    for uri in (f"{tmp_path}/no.zip", f"{tmp_path}/no.tgz", f"urls://{tmp_path}/no.txt"):
        with pytest.raises(SourceError, match=r"no\.\w+ does not exist"):
            open_source(uri)
    with pytest.raises(ConfigError, match="is a file"):
        open_source(str(tmp_path / "a.pdf"))
    with pytest.raises(SourceError, match="does not exist"):
        open_source(str(tmp_path / "nowhere"))


def test_a_folder_may_be_called_like_an_archive(tmp_path: Path) -> None:
    write(tmp_path / "all.zip", "a.pdf")
    assert paths(open_source(str(tmp_path / "all.zip"))) == ["a.pdf"]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.pdf", "a/b/C.PDF", True),
        ("*.pdf", "a.pdf.txt", False),
        ("a/*.pdf", "a/b/c.pdf", False),
        ("a/**/c.pdf", "a/c.pdf", True),
        ("a/**/c.pdf", "a/b/b/c.pdf", True),
        ("**/b/*", "x/b/y", True),
        ("/a/*", "a/y", True),
        ("?.pdf", "é.pdf", True),
        ("[a-c]?.pdf", "b1.pdf", True),
        ("[!a-c].pdf", "b.pdf", False),
        ("[!a-c].pdf", "x/d.pdf", True),
        ("[]x].pdf", "].pdf", True),
        ("[^a&&b~~].pdf", "^.pdf", True),
        ("a[.pdf", "a[.pdf", True),
        ("a+(b).pdf", "a+(b).pdf", True),
    ],
)
def test_globs(pattern: str, path: str, matches: bool) -> None:
    assert bool(compile_globs([pattern]).fullmatch(path)) is matches


def test_no_pattern_matches_nothing_and_a_bad_one_is_named() -> None:
    assert not compile_globs([]).fullmatch("a.pdf")
    with pytest.raises(ConfigError, match=r"\[z-a\]"):
        compile_globs(["[z-a]"])
