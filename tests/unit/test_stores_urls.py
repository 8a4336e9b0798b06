"""Lists of URLs beyond what every source does (tests/contract/test_sources.py): faulty servers, forbidden ones."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ingest.document.records import SourceItem
from ingest.errors import FetchFailed, SourceError, SourceUnavailable, TooLarge
from ingest.stores import url_list, url_source, web
from ingest.stores.sources import Source, SourceLimits, open_source
from ingest.stores.url_list import Line, read_lines
from tests.support.http_peer import HANG_UP, Answer, Request, serving
from tests.support.servers import free_port

LOOPBACK = SourceLimits(private_hosts=frozenset({"127.0.0.1"}), url_timeout_s=20)


class Peer:
    """Answers by path; a path's answers are given one after the other, the last one for good."""

    def __init__(self) -> None:
        self.base = ""
        self.answers: dict[str, deque[Answer]] = {}
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request)
        answers = self.answers.get(request.path)
        if answers is None:
            return Answer(404)
        return answers.popleft() if len(answers) > 1 else answers[0]

    def put(self, path: str, *answers: Answer) -> str:
        self.answers[path] = deque(answers)
        return self.base + path

    def asked(self) -> list[str]:
        return [f"{request.method} {request.path}" for request in self.requests]


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    peer = Peer()
    monkeypatch.setattr(url_source, "_FIRST_WAIT_S", 0.0)
    with serving(peer) as base:
        peer.base = base
        yield peer


@pytest.fixture
def listed(tmp_path: Path) -> Callable[..., Source]:
    def make(*urls: str, limits: SourceLimits = LOOPBACK) -> Source:
        (tmp_path / "list.txt").write_text("\n".join(urls))
        return open_source(f"urls://{tmp_path}/list.txt", limits=limits)

    return make


def fetched(source: Source, url: str, folder: Path) -> bytes:
    source.fetch(SourceItem(path=url, size=0), folder / "copy")
    return (folder / "copy").read_bytes()


def test_a_list_is_read_line_by_line() -> None:
    text = (
        "\ufeff# papers\r\n\r\nHTTPS://Example.ORG:443/a%20b.pdf?x=1#page=2\r\nhttp://h:80\n  http://h/ü \n"
        "https://example.org/a%20b.pdf?x=1\nhttp://[::1]:8080/x\nhttps://bücher.example/x\n"
    )
    assert list(read_lines(text.encode())) == [
        Line("https://example.org/a%20b.pdf?x=1", ""),
        Line("http://h/", ""),
        Line("http://h/%C3%BC", ""),
        Line("http://[::1]:8080/x", ""),
        Line("https://xn--bcher-kva.example/x", ""),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("file:///etc/passwd", "does not begin with http"),
        ("ftp://h/x.pdf", "does not begin with http"),
        ("papers/x.pdf", "does not begin with http"),
        ("https:///x.pdf", "names no host"),
        ("https://h:99999/x", "is not valid"),
        ("https://h/a b.pdf", "write them as %20"),
        ("https://h/a\tb", "control characters"),
        ("https://h\\x", "backslashes"),
        ("https://h/" + "x" * 9000, "more than 8000"),
        ("https://me:hunter2@h/x", "credentials"),
        ("https://" + "x" * 70 + "/y", "is not valid"),
        ("https://h/\udcff", "control characters"),
    ],
)
def test_a_line_that_is_no_url_costs_itself_alone(
    peer: Peer, tmp_path: Path, line: str, words: str, listed: Callable[..., Source]
) -> None:
    good = peer.put("/good.pdf", Answer(200, b"good"))
    (tmp_path / "list.txt").write_bytes(f"{line}\n{good}\n".encode("utf-8", "surrogateescape"))
    source = open_source(f"urls://{tmp_path}/list.txt", limits=LOOPBACK)
    items = {item.path: item for item in source.list()}
    assert len(items) == 2
    assert fetched(source, good, tmp_path) == b"good"
    del items[good]
    ((path, item),) = items.items()
    assert "hunter2" not in path
    with pytest.raises(SourceError, match=words if "hunter2" not in line else "credentials"):
        source.fetch(item, tmp_path / "copy")


def test_whether_a_document_has_changed_is_told_by_its_etag_or_its_time(
    peer: Peer, listed: Callable[..., Source]
) -> None:
    date = "Tue, 02 Jan 2024 03:04:05 GMT"
    urls = [
        peer.put("/1", Answer(200, b"12345", {"ETag": '"x"', "Last-Modified": date})),
        peer.put("/2", Answer(200, b"12345", {"Last-Modified": date})),
        peer.put("/3", Answer(200, b"12345")),
        peer.put("/4", Answer(200, b"12345", {"Last-Modified": "yesterday"})),
    ]
    source = listed(*urls)
    one, two, three, four = source.list()
    assert (one.size, one.etag, one.mtime_ms) == (5, '"x"', 0)
    assert (two.size, two.etag, two.mtime_ms) == (5, "", 1_704_164_645_000)
    again = list(source.list())
    assert again[:2] == [one, two]
    assert again[2] != three, "nothing says that it has not changed, so it is never taken for unchanged"
    assert again[3] != four
    assert {request.method for request in peer.requests} == {"HEAD"}


def test_a_server_without_head_is_asked_otherwise(peer: Peer, listed: Callable[..., Source]) -> None:
    url = peer.put("/a.pdf", Answer(405), Answer(200, b"x" * 1_000_000, {"ETag": '"x"'}))
    (item,) = listed(url).list()
    assert (item.size, item.etag) == (1_000_000, '"x"')
    assert peer.asked() == ["HEAD /a.pdf", "GET /a.pdf"]


def test_a_document_whose_server_is_away_is_listed_as_such(
    peer: Peer, listed: Callable[..., Source], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = f"http://127.0.0.1:{free_port()}/a.pdf"
    busy, here = peer.put("/b", Answer(503)), peer.put("/c", Answer(200, b"c"))
    source = listed(away, busy, here)
    with caplog.at_level(logging.WARNING):
        assert {item.path: item.reachable for item in source.list()} == {away: False, busy: False, here: True}
    assert "2 of 3 documents" in caplog.text
    for url, words in ((away, "no connection"), (busy, "answers 503")):
        with pytest.raises(FetchFailed, match=f"{words}.*next run"):
            fetched(source, url, tmp_path)
    with pytest.raises(SourceUnavailable, match="none of the 2 servers"):
        list(listed(away, busy).list())


def test_a_document_that_is_not_there_fails_for_good(peer: Peer, listed: Callable[..., Source], tmp_path: Path) -> None:
    source = listed(f"{peer.base}/gone.pdf", peer.put("/shut.pdf", Answer(403)))
    assert [item.reachable for item in source.list()] == [True, True]
    for path, status in (("/gone.pdf", 404), ("/shut.pdf", 403)):
        with pytest.raises(SourceError, match=f"{path}: the server answers {status}; correct the list") as caught:
            fetched(source, peer.base + path, tmp_path)
        assert not caught.value.retry


FAULTS = [HANG_UP, Answer(500), Answer(429, headers={"Retry-After": "0"}), Answer(200, b"abcdef", keep=3)]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_may_pass_is_tried_again(peer: Peer, listed: Callable[..., Source], tmp_path: Path, fault: Answer) -> None:
    url = peer.put("/a.pdf", fault, fault, Answer(200, b"whole"))
    assert fetched(listed(url), url, tmp_path) == b"whole"
    peer.put("/a.pdf", fault)
    with pytest.raises(FetchFailed):
        fetched(listed(url), url, tmp_path)


def test_a_server_may_ask_for_patience(
    peer: Peer, listed: Callable[..., Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    busy = [Answer(429, headers={"Retry-After": told}) for told in ("7", "99999", "soon")]
    url = peer.put("/a.pdf", *busy, Answer(200, b"x"))
    assert fetched(listed(url), url, tmp_path) == b"x"
    assert slept == [7, 30, 0]


@pytest.mark.parametrize("announced", [True, False])
def test_a_document_without_end_is_cut_off(
    peer: Peer, listed: Callable[..., Source], tmp_path: Path, announced: bool
) -> None:
    body = b"x" * 3_000_000
    answer = (
        Answer(200, body) if announced else Answer(200, body, {"Content-Length": "", "Transfer-Encoding": "identity"})
    )
    url = peer.put("/a.pdf", answer)
    with pytest.raises(TooLarge, match=r"INGEST_DOCUMENT_MAX_MB allows 1"):
        fetched(listed(url, limits=LOOPBACK._replace(document_bytes=1_000_000)), url, tmp_path)
    assert not (tmp_path / "copy").exists() or (tmp_path / "copy").stat().st_size <= 1_000_000


def test_what_comes_compressed_unasked_is_refused(peer: Peer, listed: Callable[..., Source], tmp_path: Path) -> None:
    url = peer.put("/a.pdf", Answer(200, b"x", {"Content-Encoding": "gzip"}))
    with pytest.raises(SourceError, match="compressed"):
        fetched(listed(url), url, tmp_path)
    assert peer.requests[-1].headers["accept-encoding"] == "identity"


def to(url: str, status: int = 302) -> Answer:
    return Answer(status, headers={"Location": url})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(peer: Peer, listed: Callable[..., Source], tmp_path: Path, status: int) -> None:
    url = peer.put("/a.pdf", to("/b.pdf", status))
    peer.put("/b.pdf", to(f"{peer.base}/c.pdf", status))
    peer.put("/c.pdf", Answer(200, b"c", {"ETag": '"c"'}))
    source = listed(url)
    (item,) = source.list()
    assert (item.path, item.etag) == (url, '"c"')
    assert fetched(source, url, tmp_path) == b"c"


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("/a.pdf", "more than 5 redirects"),
        ("file:///etc/passwd", "redirects to an address that does not begin with http"),
        ("http://me:x@127.0.0.1/", "credentials"),
        ("http://127.0.0.2/x", r"127\.0\.0\.2 has no public address"),
        ("http://169.254.169.254/latest/meta-data/", "no public address.*INGEST_URL_PRIVATE_HOSTS"),
    ],
)
def test_redirects_lead_nowhere_that_is_forbidden(
    peer: Peer, listed: Callable[..., Source], tmp_path: Path, location: str, words: str
) -> None:
    url = peer.put("/a.pdf", to(location))
    with pytest.raises(SourceError, match=words):
        fetched(listed(url), url, tmp_path)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
def test_this_machine_is_not_asked_unless_it_is_named(
    peer: Peer, listed: Callable[..., Source], tmp_path: Path, host: str
) -> None:
    url = peer.put("/a.pdf", Answer(200, b"secret")).replace("127.0.0.1", host)
    source = listed(url, limits=SourceLimits())
    (item,) = source.list()
    assert item.size == 0
    with pytest.raises(SourceError, match="no public address"):
        source.fetch(item, tmp_path / "copy")
    assert peer.requests == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("10.0.0.1", False),
        ("172.16.5.4", False),
        ("192.168.0.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("127.8.8.8", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::5db8:d70e", True),
        ("2002:a00:1::", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert web.is_public(address) is public


def test_a_name_is_looked_up_once_and_what_was_checked_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = deque([["93.184.215.14", "10.0.0.1"], ["127.0.0.1"]])
    asked: list[str] = []

    def lookup(host: str, port: int, **options: object) -> list[object]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers.popleft()]

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        asked.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.getaddrinfo", lookup)
    monkeypatch.setattr("socket.create_connection", connect)
    with pytest.raises(web.Away), web.Web(5, frozenset()).open("GET", "http://rebind.example/x"):
        pass
    assert asked == ["rebind.example", "93.184.215.14"]


@contextmanager
def dripping(head: bytes) -> Iterator[str]:
    """A server that sends `head` and then a byte now and then, for ever."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer:
                    try:
                        peer.recv(10_000)
                        peer.sendall(head)
                        while not stop.wait(0.02):
                            peer.sendall(b"x")
                    except OSError:
                        continue

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/a.pdf"
        finally:
            stop.set()
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    "head",
    [b"", b"HTTP/1.1 200 OK\r\nX-", b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"],
)
def test_a_server_that_drips_is_given_up_at_the_deadline(
    listed: Callable[..., Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(url_source, "_FIRST_WAIT_S", 0.0)
    with dripping(head) as url, pytest.raises(FetchFailed, match=r"within 0\.2 s"):
        fetched(listed(url, limits=LOOPBACK._replace(url_timeout_s=0.2)), url, tmp_path)


def test_what_is_no_http_is_an_error_of_the_document(listed: Callable[..., Source], tmp_path: Path) -> None:
    with dripping(b"SSH-2.0-OpenSSH_9.2\r\n") as url, pytest.raises(FetchFailed, match="cannot be read"):
        fetched(listed(url), url, tmp_path)


@contextmanager
def speaking_tls(certificate: Path) -> Iterator[str]:
    """A server that answers every request with `x`, with a certificate of its own making for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = certificate.with_name("key.pem")
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, private)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    plain, _ = server.accept()
                except OSError:
                    return
                try:
                    with plain, tls.wrap_socket(plain, server_side=True) as peer:
                        peer.recv(10_000)
                        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
                except OSError:
                    continue

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.getsockname()[1]}/a.pdf"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_certificate_must_be_trusted(
    peer: Peer, listed: Callable[..., Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web._tls.cache_clear()
    with speaking_tls(tmp_path / "ca.pem") as url:
        with pytest.raises(SourceError, match=r"certificate is not trusted .*SSL_CERT_FILE"):
            fetched(listed(url), url, tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        web._tls.cache_clear()
        assert fetched(listed(url), url, tmp_path) == b"x"
        down = peer.put("/down.pdf", Answer(200, b"x"))
        moved = peer.put("/moved.pdf", to(url))
        assert fetched(listed(moved), moved, tmp_path) == b"x"
        with pytest.raises(SourceError, match="redirects from https to http"):
            web._redirected(url, down)
    web._tls.cache_clear()
    with pytest.raises(FetchFailed, match="no connection"):  # it does not speak TLS at all
        fetched(listed(down), down.replace("http:", "https:"), tmp_path)


def test_a_list_may_lie_at_an_address_itself(peer: Peer, tmp_path: Path) -> None:
    url = peer.put("/a.pdf", Answer(200, b"a"))
    where = peer.put("/list.txt", Answer(503), to("/moved.txt"))
    peer.put("/moved.txt", Answer(200, f"{url}\n".encode()))
    source = open_source(where, limits=LOOPBACK)
    assert [item.path for item in source.list()] == [url]
    assert fetched(source, url, tmp_path) == b"a"
    peer.put("/moved.txt", Answer(503))
    with pytest.raises(SourceUnavailable, match=r"list .*/list\.txt cannot be read now: .*answers 503"):
        list(source.list())
    peer.put("/moved.txt", Answer(404))
    with pytest.raises(SourceError, match="answers 404"):
        list(source.list())
    with pytest.raises(SourceError, match="no public address"):
        list(open_source(where).list())


def test_a_list_that_is_too_long_is_refused(
    peer: Peer, listed: Callable[..., Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(url_source, "URLS", 2)
    with pytest.raises(SourceError, match="more than 2 URLs"):
        list(listed(*(f"{peer.base}/{n}" for n in range(3))).list())
    monkeypatch.setattr(url_source, "LIST_BYTES", 20)
    for source in (listed("x" * 30), open_source(peer.put("/l", Answer(200, b"y" * 30)), limits=LOOPBACK)):
        with pytest.raises(SourceError, match="MB; divide it"):
            list(source.list())
    assert url_list.URLS > 1_000_000
