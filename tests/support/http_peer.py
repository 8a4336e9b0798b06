"""A web server in a thread of the test, which answers as the test has scripted it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit


class Request(NamedTuple):
    method: str
    path: str
    """Percent-decoded."""
    query: dict[str, str]
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})
    keep: int | None = None
    """Bytes of the body that are sent before the connection is cut; None: all, and it stays open."""


HANG_UP = Answer(0)
"""The connection is closed without an answer."""

Handler = Callable[[Request], Answer]


@contextmanager
def serving(handle: Handler) -> Iterator[str]:
    """Base URL of a server whose requests `handle` answers, several at a time."""

    class Serve(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 20
        disable_nagle_algorithm = True
        wbufsize = -1

        def _answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            if headers.get("expect") == "100-continue":
                self.send_response_only(100)
                self.end_headers()
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            answer = handle(Request(self.command, unquote(parts.path), query, headers, body))
            if not answer.status:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if "Content-Length" not in answer.headers:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body if answer.keep is None else answer.body[: answer.keep])
            if answer.keep is not None:
                self.close_connection = True

        def handle_expect_100(self) -> bool:
            return True

        def log_message(self, format: str, *args: object) -> None:
            pass

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815 - the names that http.server calls

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hung up is none of the server's concern."""

    server = Server(("127.0.0.1", 0), Serve)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
