"""Documents at the URLs of a list, which is a local file or lies at a URL itself.

A document's path is its URL. Whether it has changed its server says, asked with HEAD: by ETag, or else by
Last-Modified; where it says neither, the document is fetched anew in every run. What a list may make a worker do is
limited: see `ingest.stores.web`.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from ingest.document.records import SourceItem
from ingest.errors import ConfigError, FetchFailed, SourceError, SourceUnavailable, TooLarge
from ingest.stores.copying import copy_chunks, reading
from ingest.stores.folder_source import escape_name
from ingest.stores.patterns import Filter
from ingest.stores.sources import SourceLimits
from ingest.stores.uris import redacted
from ingest.stores.url_list import LIST_BYTES, URLS, Line, UrlError, normal_url, read_lines
from ingest.stores.web import Away, Response, Web

logger = logging.getLogger(__name__)

_ASKED_AT_ONCE = 8
"""Requests that look at documents, over all servers of a list."""
_TOGETHER = 1000
_ATTEMPTS, _LOOKS = 4, 2
"""At fetching a document or the list, and at asking for what is known of a document."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
_ETAG = 200
"""Characters of an ETag that are remembered."""
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
_NO_HEAD = frozenset({400, 403, 405, 501})
"""Answers to HEAD of servers that may yet answer GET."""

T = TypeVar("T")


class UrlSource:
    """Any number of threads may fetch from it."""

    def __init__(
        self,
        where: Path | str,
        *,
        include: Sequence[str] = ("**",),
        exclude: Sequence[str] = (),
        limits: SourceLimits | None = None,
    ) -> None:
        """`where` is the list's file or its URL. Patterns are for host and path of a URL, joined by a slash.

        Raises ConfigError for a pattern or an address that is not valid, SourceError for a file that does not exist.
        """
        self._where = where
        self._wanted = Filter(include, exclude)
        self._limits = limits or SourceLimits()
        self._web = Web(self._limits.url_timeout_s, self._limits.private_hosts)
        if isinstance(where, str):
            try:
                self._where = normal_url(where)
            except UrlError as error:
                raise ConfigError(f"source {redacted(where)!r}: the URL {error}") from error
        else:
            with reading(f"list {self.describe()}"):
                where.open("rb").close()

    def list(self) -> Iterator[SourceItem]:
        lines = sorted(line for line in read_lines(self._read_list()) if line.problem or self._wanted(_matched(line)))
        if len(lines) > URLS:
            raise SourceError(f"list {self.describe()} has more than {URLS} URLs; divide it")
        pending = iter(lines)
        items: list[SourceItem] = []
        with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
            while together := list(islice(pending, _TOGETHER)):
                items += pool.map(self._item, together)
        away = sum(not item.reachable for item in items)
        if items and away == len(items):
            raise SourceUnavailable(
                f"none of the {away} servers of list {self.describe()} answers; is there a network?"
            )
        if away:
            logger.warning("%d of %d documents of list %s cannot be looked at now", away, len(items), self.describe())
        yield from items

    def local_path(self, item: SourceItem) -> None:
        return None

    def fetch(self, item: SourceItem, into: Path) -> str:
        try:
            url = normal_url(item.path)
        except UrlError as error:
            raise SourceError(f"{item.path!r} of list {self.describe()}: the URL {error}") from error
        try:
            return _patiently(lambda: self._fetch(url, into))
        except Away as error:
            raise FetchFailed(f"{error}; it is tried again by the next run") from error

    def describe(self) -> str:
        return self._where if isinstance(self._where, str) else escape_name(str(self._where))

    def _read_list(self) -> bytes:
        what = f"list {self.describe()}"
        if isinstance(self._where, str):
            url = self._where
            try:
                data = _patiently(lambda: self._get(url, LIST_BYTES + 1))
            except Away as error:
                raise SourceUnavailable(f"{what} cannot be read now: {error}") from error
        else:
            with reading(what), self._where.open("rb") as file:
                data = file.read(LIST_BYTES + 1)
        if len(data) > LIST_BYTES:
            raise SourceError(f"{what} has more than {LIST_BYTES >> 20} MB; divide it")
        return data

    def _item(self, line: Line) -> SourceItem:
        """What the server tells of a document. What is wrong with it will be said when it is fetched."""
        unknown = f"unknown-{time.time_ns():x}"  # never what it was, so it is fetched
        if line.problem:
            return SourceItem(path=line.url, size=0, etag=unknown)
        try:
            return _patiently(lambda: self._look(line.url, unknown), _LOOKS)
        except Away as error:
            logger.info("%s", error)
            return SourceItem(path=line.url, size=0, etag=unknown, reachable=False)
        except SourceError:
            return SourceItem(path=line.url, size=0, etag=unknown)

    def _look(self, url: str, unknown: str) -> SourceItem:
        with self._web.open("HEAD", url) as answer:
            status = answer.status
            item = _told(url, answer, unknown)
        if status in _NO_HEAD:
            with self._web.open("GET", url) as answer:  # and hang up on the body
                item = _told(url, answer, unknown)
        return item

    def _fetch(self, url: str, into: Path) -> str:
        with self._web.open("GET", url) as answer:
            _check(url, answer)
            return copy_chunks(self._limited(url, answer), url, into)

    def _limited(self, url: str, answer: Response) -> Iterator[bytes]:
        limit, size = self._limits.document_bytes, answer.size
        if size <= limit:
            size = 0
            for chunk in answer.chunks:
                size += len(chunk)
                if size > limit:
                    break
                yield chunk
        if size > limit:
            raise TooLarge(f"{url}: {size / 1e6:.0f} MB or more; INGEST_DOCUMENT_MAX_MB allows {limit / 1e6:.0f}")

    def _get(self, url: str, limit: int) -> bytes:
        data = bytearray()
        with self._web.open("GET", url) as answer:
            _check(url, answer)
            for chunk in answer.chunks:
                data += chunk
                if len(data) >= limit:
                    break
        return bytes(data)


def _matched(line: Line) -> str:
    """What patterns are for."""
    return line.url.partition("://")[2].partition("?")[0]


def _told(url: str, answer: Response, unknown: str) -> SourceItem:
    _busy(url, answer)
    if answer.status != 200:
        return SourceItem(path=url, size=0, etag=unknown)
    etag, modified = answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", "")
    mtime_ms = _milliseconds(modified)
    if etag:  # machines that serve the same document often differ in their times
        return SourceItem(path=url, size=answer.size, etag=etag[:_ETAG])
    return SourceItem(path=url, size=answer.size, etag="" if mtime_ms else unknown, mtime_ms=mtime_ms)


def _check(url: str, answer: Response) -> None:
    """Raises SourceError for an answer that is not the document, Away for one that may yet come."""
    _busy(url, answer)
    if answer.status != 200:
        raise SourceError(f"{url}: the server answers {answer.status}; correct the list, or take the line out")
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise SourceError(f"{url}: the server sends it compressed, though asked not to")


def _busy(url: str, answer: Response) -> None:
    if answer.status in _BUSY:
        told = answer.headers.get("Retry-After", "")
        raise Away(f"{url}: the server answers {answer.status}", float(told) if told.isdecimal() else 0.0)


def _milliseconds(date: str) -> int:
    """Of an HTTP date; 0 for none."""
    try:
        return int(parsedate_to_datetime(date).timestamp()) * 1000
    except (TypeError, ValueError, OverflowError):
        return 0


def _patiently(ask: Callable[[], T], attempts: int = _ATTEMPTS) -> T:
    """Ask a few times, with longer and longer pauses, or those that the server asks for."""
    for attempt in range(1, attempts + 1):
        try:
            return ask()
        except Away as away:
            if attempt == attempts:
                raise
            wait_s = max(away.wait_s, _FIRST_WAIT_S * 2**attempt * random.uniform(0.5, 1))
            time.sleep(min(wait_s, _LONGEST_WAIT_S))
    raise AssertionError
