"""The part of S3 that the store uses, in memory, with faults where a test wants them."""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from collections.abc import Callable
from urllib.parse import quote
from xml.sax.saxutils import escape

from tests.support.http_peer import Answer, Request

Fault = Callable[[Request, Answer], Answer]
"""What becomes of an answer, whose request has had its effect."""

_DATE = "Tue, 02 Jan 2024 03:04:05 GMT"


def failing(status: int, code: str) -> Fault:
    return lambda request, answer: error(status, code)


def cut(after: int) -> Fault:
    """The connection breaks after so many bytes."""
    return lambda request, answer: answer._replace(keep=after)


def error(status: int, code: str) -> Answer:
    body = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>It is so.</Message></Error>'
    return Answer(status, body.encode(), {"Content-Type": "application/xml"})


class S3Peer:
    """One bucket; keys and bodies in `objects`."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.metadata: dict[str, dict[str, str]] = {}
        self.requests: list[Request] = []
        self.faults: deque[tuple[str, Fault]] = deque()
        """Each is for the next request of its method."""
        self._guard = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        with self._guard:
            self.requests.append(request)
            answer = self._answer(request)
            if self.faults and self.faults[0][0] == request.method:
                answer = self.faults.popleft()[1](request, answer)
            return answer

    def methods(self) -> list[str]:
        return [request.method for request in self.requests]

    def _answer(self, request: Request) -> Answer:
        _, _, key = request.path.lstrip("/").partition("/")
        if not key:
            return self._list(request)
        if request.method == "PUT":
            return self._put(key, request)
        if request.method == "DELETE":
            self.objects.pop(key, None)
            return Answer(204)
        return self._get(key, request)

    def _put(self, key: str, request: Request) -> Answer:
        if request.headers.get("if-none-match") == "*" and key in self.objects:
            return error(412, "PreconditionFailed")
        self.objects[key] = request.body
        self.metadata[key] = {n: v for n, v in request.headers.items() if n.startswith("x-amz-meta-")}
        return Answer(200, headers={"ETag": self._etag(key)})

    def _get(self, key: str, request: Request) -> Answer:
        if key not in self.objects:
            return error(404, "NoSuchKey") if request.method == "GET" else Answer(404)
        if request.headers.get("if-match", self._etag(key)) != self._etag(key):
            return error(412, "PreconditionFailed")
        body, status, headers = self.objects[key], 200, {"ETag": self._etag(key), "Last-Modified": _DATE}
        if ranged := request.headers.get("range"):
            first, _, last = ranged.removeprefix("bytes=").partition("-")
            stop = int(last) + 1 if last else len(body)
            headers["Content-Range"] = f"bytes {first}-{min(stop, len(body)) - 1}/{len(body)}"
            body, status = body[int(first) : stop], 206
        return Answer(status, body, headers | self.metadata.get(key, {}) | {"Content-Length": str(len(body))})

    def _list(self, request: Request) -> Answer:
        prefix, after = request.query.get("prefix", ""), request.query.get("continuation-token", "")
        keys = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        page = keys[: int(request.query.get("max-keys", "1000"))]
        more = len(keys) > len(page)
        contents = "".join(
            f"<Contents><Key>{quote(key)}</Key><Size>{len(self.objects[key])}</Size><ETag>{self._etag(key)}</ETag>"
            "<LastModified>2024-01-02T03:04:05.678Z</LastModified></Contents>"
            for key in page
        )
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        body = (
            f'<?xml version="1.0"?><ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>{contents}{token}'
            f"<IsTruncated>{'true' if more else 'false'}</IsTruncated></ListBucketResult>"
        )
        return Answer(200, body.encode(), {"Content-Type": "application/xml"})

    def _etag(self, key: str) -> str:
        return f'"{hashlib.md5(self.objects[key]).hexdigest()}"'
