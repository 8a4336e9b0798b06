"""GET and HEAD of addresses that a list of URLs names, and that nobody has checked.

Whoever writes such a list must not be able to make a worker talk to the machines around it (server-side request
forgery). So: http and https alone; no address that is not public, unless its host is among those that the settings
name; a name is looked up once and the connection made to what was checked, at every redirect anew; none from https to
http. Neither cookies nor credentials nor proxies are used.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from ingest.errors import SourceError
from ingest.stores.url_list import UrlError, normal_url

REDIRECTS = 5
_CONNECT_S = 10.0
_SILENCE_S = 60.0
"""After which a server that sends nothing is given up; the deadline of a request is over all."""
_HEAD_S = 30.0
_CHUNK = 1 << 16
_MOVED = frozenset({301, 302, 303, 307, 308})
_USER_AGENT = "corpus-ingest"


class Away(Exception):
    """The server does not answer now, or not in time; whoever asked says what that means."""

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_s = wait_s
        """As long as it asks to be left alone."""


class Response(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    chunks: Iterator[bytes]
    """The body, whole: raises Away where it breaks off. Empty for HEAD."""

    @property
    def size(self) -> int:
        """As announced; 0 if it is not."""
        told = self.headers.get("Content-Length", "")
        return int(told) if told.isdecimal() and len(told) < 19 else 0


class Web:
    """Any number of threads may use it."""

    def __init__(self, timeout_s: float, private_hosts: frozenset[str]) -> None:
        self._timeout_s = timeout_s
        self._private_hosts = private_hosts

    @contextmanager
    def open(self, method: str, url: str) -> Iterator[Response]:
        """The answer, after redirects, whatever its status. Raises SourceError for what is not allowed, Away."""
        with _Deadline(self._timeout_s if method != "HEAD" else min(self._timeout_s, _HEAD_S)) as deadline:
            for _ in range(REDIRECTS + 1):
                connection = self._connection(url)
                with deadline.over(connection, url):
                    try:
                        connection.connect()
                        connection.request(method, _target(url), headers=_HEADERS)
                        with connection.getresponse() as answer:
                            if answer.status not in _MOVED or "Location" not in answer.headers:
                                yield Response(answer.status, answer.headers, _chunks(answer, deadline, url))
                                return
                            url = _redirected(url, answer.headers["Location"])
                    finally:
                        connection.close()
            raise SourceError(f"{url}: more than {REDIRECTS} redirects")

    def _connection(self, url: str) -> _Connection:
        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            # a name server that is away and a name that does not exist cannot always be told apart
            raise Away(f"{host} is not known to the name server ({error.strerror})") from error
        except UnicodeError as error:
            raise SourceError(f"{url}: {host!r} cannot be the name of a host") from error
        addresses = [str(address[4][0]) for address in found]
        if host not in self._private_hosts:
            addresses = [address for address in addresses if is_public(address)]
        if not addresses:
            raise SourceError(
                f"{url}: {host} has no public address; if documents are to be fetched there, name it in "
                "INGEST_URL_PRIVATE_HOSTS"
            )
        return _Connection(host, port, addresses, _tls() if secure else None)


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet, and not to this machine, its network or its cloud."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        # an IPv4 address in the clothes of another: mapped, translated (RFC 6052) or tunnelled (6to4, Teredo)
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
    return ip.is_global and not ip.is_multicast


_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_HEADERS = {"User-Agent": _USER_AGENT, "Accept-Encoding": "identity", "Connection": "close"}


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _target(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _redirected(url: str, location: str) -> str:
    try:
        target = normal_url(urljoin(url, location))
    except UrlError as error:
        raise SourceError(f"{url}: redirects to an address that {error}") from error
    if url.startswith("https:") and not target.startswith("https:"):
        raise SourceError(f"{url}: redirects from https to http ({target})")
    return target


def _chunks(answer: http.client.HTTPResponse, deadline: _Deadline, url: str) -> Iterator[bytes]:
    expected, size, chunk = answer.length, 0, b"x"
    while chunk:
        with deadline.mapped(url):
            chunk = answer.read1(_CHUNK)
            size += len(chunk)
            if not chunk and (deadline.passed or (expected is not None and size < expected)):
                raise Away(f"{url}: broke off after {size} bytes")
        yield chunk


class _Connection(http.client.HTTPConnection):
    """To one of the given addresses."""

    def __init__(self, host: str, port: int, addresses: list[str], tls: ssl.SSLContext | None) -> None:
        super().__init__(host, port, timeout=_SILENCE_S)
        self.default_port = 443 if tls else 80
        self._addresses = addresses
        self._tls = tls
        self.raw: socket.socket | None = None

    def connect(self) -> None:
        for number, address in enumerate(self._addresses, 1):
            try:
                self.sock = socket.create_connection((address, self.port), timeout=_CONNECT_S)
                break
            except OSError:
                if number == len(self._addresses):
                    raise
        self.sock.settimeout(_SILENCE_S)
        self.raw = self.sock  # http.client forgets it while the answer is still being read
        if self._tls is not None:
            self.sock = self.raw = self._tls.wrap_socket(self.sock, server_hostname=self.host)


class _Deadline:
    """Cuts the connection when the time is over, wherever it waits: a server may send a byte a minute."""

    def __init__(self, timeout_s: float) -> None:
        self.passed = False
        self._timeout_s = timeout_s
        self._connection: _Connection | None = None
        self._timer = threading.Timer(timeout_s, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._timer.cancel()

    @contextmanager
    def over(self, connection: _Connection, url: str) -> Iterator[None]:
        """Around a request."""
        self._connection = connection
        if self.passed:
            raise Away(f"{url}: no answer within {self._timeout_s:g} s")
        with self.mapped(url):
            yield

    @contextmanager
    def mapped(self, url: str) -> Iterator[None]:
        """What goes wrong with a request as Away or SourceError."""
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise SourceError(
                f"{url}: its certificate is not trusted ({error.verify_message}); name its CA in SSL_CERT_FILE"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            why = f"not whole within {self._timeout_s:g} s" if self.passed else _reason(error)
            raise Away(f"{url}: {why}") from error
        except Away as error:
            if self.passed:
                raise Away(f"{url}: not whole within {self._timeout_s:g} s") from error
            raise

    def _cut(self) -> None:
        self.passed = True
        if self._connection is not None and self._connection.raw is not None:
            try:
                socket.socket.shutdown(self._connection.raw, socket.SHUT_RDWR)  # without the goodbyes of TLS
            except OSError:
                return  # closed already


def _reason(error: OSError | http.client.HTTPException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, http.client.HTTPException):
        return f"its answer cannot be read ({type(error).__name__})"
    return f"no connection ({error.strerror or error})"
