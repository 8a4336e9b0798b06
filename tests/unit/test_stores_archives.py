"""Archives beyond what every source does (tests/contract/test_sources.py): what is wrong with them."""

from __future__ import annotations

import gzip
import io
import logging
import struct
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.document.records import SourceItem
from ingest.errors import EncryptedPdf, IngestError, SourceError, SourceUnavailable, TooLarge
from ingest.stores import members
from ingest.stores.sources import Source, SourceLimits, open_source
from ingest.stores.zip_source import ZipSource


def make_zip(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return path


def regular(name: str, data: bytes = b"") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return info, data


def special(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def make_tar(path: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data))
    return path


def outcomes(source: Source, folder: Path) -> dict[str, str]:
    """What becomes of each document: its bytes, or the kind of its error."""
    found = {}
    for item in source.list():
        try:
            source.fetch(item, folder / "copy")
            found[item.path] = (folder / "copy").read_bytes().decode("latin-1")
        except IngestError as error:
            assert not error.retry
            found[item.path] = type(error).__name__
    return found


BAD_NAMES = ["../up.pdf", "/etc/x.pdf", "a/../../b.pdf", r"..\up.pdf", r"C:\x.pdf"]


def test_a_name_that_leads_out_of_a_zip_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", dict.fromkeys(BAD_NAMES, b"x") | {"good.pdf": b"good", "a..b.pdf": b"too"})
    found = outcomes(open_source(str(path)), tmp_path)
    assert {path: what for path, what in found.items() if what != "SourceError"} == {
        "good.pdf": "good",
        "a..b.pdf": "too",
    }
    assert len(found) == len(BAD_NAMES) + 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "copy"]


@pytest.mark.parametrize("name", ["a.tar", "a.tgz"])
def test_a_name_that_leads_out_of_a_tar_is_refused_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    path = make_tar(tmp_path / name, *(regular(bad, b"x") for bad in BAD_NAMES), regular("good.pdf", b"good"))
    found = outcomes(open_source(str(path)), tmp_path)
    assert {path: what for path, what in found.items() if what != "SourceError"} == {"good.pdf": "good"}
    assert len(found) == len(BAD_NAMES) + 1


def test_an_encrypted_member_is_rejected_alone(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"open.pdf": b"open", "shut.pdf": b"shut"})
    data = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.index(b"shut.pdf", data.index(mark)) - (30 if mark == b"PK\3\4" else 46)
        at = data.rindex(mark, 0, at + 4)
        data[at + flags] |= 1
    path.write_bytes(data)
    source = open_source(str(path))
    assert outcomes(source, tmp_path) == {"open.pdf": "open", "shut.pdf": "EncryptedPdf"}
    with pytest.raises(EncryptedPdf, match=r"shut\.pdf is encrypted within .*a\.zip; pack it without"):
        source.fetch(SourceItem(path="shut.pdf", size=4), tmp_path / "copy")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_of_a_zip_is_an_error_of_its_own(tmp_path: Path, method: int) -> None:
    files = {f"{n}.pdf": bytes(range(97, 123)) * 400 for n in range(3)}
    path = make_zip(tmp_path / "a.zip", files, method)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("1.pdf")
    data = bytearray(path.read_bytes())
    at = info.header_offset + 30 + len("1.pdf") + info.compress_size // 2
    data[at : at + 4] = b"\xff\0\xff\0"
    path.write_bytes(data)
    found = outcomes(open_source(str(path)), tmp_path)
    assert found.pop("1.pdf") == "SourceError"
    assert set(found.values()) == {files["0.pdf"].decode()}
    with pytest.raises(SourceError, match=r"document 1\.pdf of .*a\.zip is broken"):
        open_source(str(path)).fetch(SourceItem(path="1.pdf", size=1), tmp_path / "copy")


def test_a_method_of_packing_that_is_not_known_is_named(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.pdf": b"x" * 100})
    data = path.read_bytes()
    at = data.index(b"PK\1\2")
    path.write_bytes(data[:8] + b"\x62\0" + data[10 : at + 10] + b"\x62\0" + data[at + 12 :])
    with pytest.raises(SourceError, match=r"a\.pdf .*packed in a way that is not known"):
        open_source(str(path)).fetch(SourceItem(path="a.pdf", size=1), tmp_path / "copy")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "SMALL", 100_000)
    path = make_zip(tmp_path / "a.zip", {"bomb.pdf": bytes(1_000_000), "good.pdf": b"good"})
    assert outcomes(open_source(str(path)), tmp_path) == {"bomb.pdf": "TooLarge", "good.pdf": "good"}
    path = make_zip(tmp_path / "b.zip", {"large.pdf": bytes(range(256)) * 4000}, zipfile.ZIP_STORED)
    limited = open_source(str(path), limits=SourceLimits(document_bytes=1_000_000))
    with pytest.raises(TooLarge, match=r"large\.pdf: 1 MB; INGEST_DOCUMENT_MAX_MB allows 1"):
        limited.fetch(next(limited.list()), tmp_path / "copy")


def test_members_that_share_their_bytes_are_not_unpacked(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.pdf": b"aaaa", "b.pdf": b"bbbb", "c.pdf": b"cccc"}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\1\2", data.index(b"PK\1\2") + 4)  # of b.pdf, which now reaches to the directory
    data[entry + 20 : entry + 28] = struct.pack("<II", 4 + 39 + 8, 4 + 39 + 8)
    path.write_bytes(data)
    assert outcomes(open_source(str(path)), tmp_path) == {"a.pdf": "aaaa", "b.pdf": "SourceError", "c.pdf": "cccc"}


def test_a_size_that_lies_is_found_out(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.pdf": b"x" * 5000, "b.pdf": b"b"})
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\1\2")
    for size in (10, 1_000_000):
        data[entry + 24 : entry + 28] = struct.pack("<I", size)
        path.write_bytes(data)
        assert outcomes(open_source(str(path)), tmp_path) == {"a.pdf": "SourceError", "b.pdf": "b"}
        assert (tmp_path / "copy").stat().st_size <= 5000


def test_what_is_no_archive_is_said_to_be_broken_as_a_whole(tmp_path: Path) -> None:
    for name in ("a.zip", "a.tar", "a.tar.gz"):
        (tmp_path / name).write_bytes(b"<html>404 not found</html>" * 100)
        with pytest.raises(SourceError, match=rf"archive .*{name} is broken: .*; get or pack .* anew"):
            list(open_source(str(tmp_path / name)).list())


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_an_archive_that_broke_off_is_an_error_and_its_documents_are_not_gone(tmp_path: Path, name: str) -> None:
    files = {f"{n}.pdf": bytes(f"{n}", "ascii") * 3000 for n in range(5)}
    path = tmp_path / name
    if name == "a.zip":
        make_zip(path, files)
    else:
        make_tar(path, *(regular(*file) for file in files.items()))
    whole = path.read_bytes()
    unpacked = 5 * (512 + 3072)
    cuts = range(0, unpacked + 1, 256) if name == "a.tar" else range(0, len(whole), 37)
    for cut in cuts:
        path.write_bytes(whole[:cut])
        with pytest.raises(SourceError, match=r"broken|does not"):
            list(open_source(str(path)).list())


def test_a_tar_with_garbage_in_its_midst_is_an_error(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar", regular("a.pdf", b"a"), regular("b.pdf", b"b"), regular("c.pdf", b"c"))
    data = bytearray(path.read_bytes())
    data[1024:1034] = b"0123456789"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"a\.tar is broken"):
        list(open_source(str(path)).list())


def test_a_tar_holds_its_documents_hard_links_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = make_tar(
        tmp_path / "a.tgz",
        special("folder.pdf", tarfile.DIRTYPE),
        regular("a.pdf", b"old"),
        regular("a.pdf", b"a"),
        special("hard.pdf", tarfile.LNKTYPE, "a.pdf"),
        special("soft.pdf", tarfile.SYMTYPE, "/etc/passwd"),
        special("dangling.pdf", tarfile.LNKTYPE, "../x"),
        special("pipe.pdf", tarfile.FIFOTYPE),
        regular("d" * 300 + ".pdf", b"long"),
    )
    with caplog.at_level(logging.WARNING):
        found = outcomes(open_source(str(path)), tmp_path)
    assert found == {"a.pdf": "a", "hard.pdf": "a", "d" * 300 + ".pdf": "long"}
    assert "3 links and special files" in caplog.text


def test_a_gzipped_tar_is_unpacked_up_to_a_limit_only(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar.gz", regular("a.bin", bytes(50_000_000)))
    assert path.stat().st_size < 100_000
    limited = open_source(str(path), limits=SourceLimits(archive_bytes=1_000_000))
    with pytest.raises(SourceError, match=r"a\.tar\.gz holds more than INGEST_ARCHIVE_MAX_GB=0\.001"):
        list(limited.list())


def test_a_header_that_asks_for_all_memory_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 32
    header = info.tobuf(tarfile.GNU_FORMAT)
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(header + bytes(100_000)))
    with pytest.raises(SourceError, match="a header of 4294967296 bytes"):
        list(open_source(str(tmp_path / "a.tar.gz")).list())
    (tmp_path / "a.tar").write_bytes(tarfile.TarInfo("x").tobuf()[:124] + b"\xff" * 12 + bytes(2000))
    with pytest.raises(SourceError, match="broken"):
        list(open_source(str(tmp_path / "a.tar")).list())


def test_no_room_to_unpack_is_no_fault_of_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_tar(tmp_path / "a.tar.gz", regular("a.pdf", b"a" * 100_000))
    source = open_source(str(path))
    (item,) = source.list()
    monkeypatch.setattr("tempfile.TemporaryFile", lambda: open("/dev/full", "w+b", buffering=0))  # noqa: PTH123, SIM115
    with pytest.raises(SourceUnavailable, match=r"cannot be unpacked into .*No space left.*make room"):
        source.fetch(item, tmp_path / "copy")


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MEMBERS", 2)
    files = {f"{n}.pdf": b"" for n in range(3)}
    with pytest.raises(SourceError, match="more than 2 members"):
        ZipSource(make_zip(tmp_path / "a.zip", files))
    path = make_tar(tmp_path / "a.tar", *(regular(*file) for file in files.items()))
    with pytest.raises(SourceError, match="more than 2 members"):
        list(open_source(str(path)).list())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(kind=st.sampled_from(["zip", "tar", "tar.gz"]), data=st.data())
def test_damage_anywhere_ends_in_documents_or_in_clear_errors(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    path = tmp_path / f"a.{kind}"
    files = {"a.pdf": b"a" * 700, "b/c.pdf": b"b" * 10}
    if kind == "zip":
        make_zip(path, files)
    else:
        make_tar(path, *(regular(*file) for file in files.items()))
    damaged = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + 1] = data.draw(st.binary(max_size=3))
    path.write_bytes(damaged)
    try:
        outcomes(open_source(str(path), include=["**"]), tmp_path)
    except SourceError as error:
        assert str(path) in str(error)
