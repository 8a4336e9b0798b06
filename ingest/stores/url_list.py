"""A text file with a URL in each line; empty lines and those that begin with `#` do not count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from ingest.stores.folder_source import escape_name
from ingest.stores.uris import redacted

LIST_BYTES = 256 << 20
"""Of a list at most."""
URLS = 2_000_000
_LONGEST = 8000
_ALLOWED = "/%:@!$&'()*+,;=~-._?#[]"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class UrlError(ValueError):
    """The message goes on after "the URL …"."""


class Line(NamedTuple):
    url: str
    """Normalised, or the line as it stands, less credentials: no URL either."""
    problem: str
    """Why it is no URL of a document; empty if it is."""


def read_lines(data: bytes) -> Iterator[Line]:
    """The lines that count, each URL once."""
    seen: set[str] = set()
    for raw in data.decode("utf-8-sig", "surrogateescape").split("\n"):
        text = raw.strip()
        if not text or text.startswith("#"):
            continue
        try:
            line = Line(normal_url(text), "")
        except UrlError as error:
            text = redacted(escape_name(text))
            line = Line(text if len(text) <= _LONGEST else text[:_LONGEST] + "…", str(error))
        if line.url not in seen:
            seen.add(line.url)
            yield line


def normal_url(text: str) -> str:
    """The URL in the form by which its document is known: scheme and host in lower case, no fragment, no port that is
    the scheme's own, characters beyond ASCII escaped. Raises UrlError."""
    if len(text) > _LONGEST:
        raise UrlError(f"has more than {_LONGEST} characters")
    if re.search(r"[\x00-\x20\x7f\ud800-\udfff\\]", text):
        raise UrlError("has spaces, backslashes or control characters in it; write them as %20 and the like")
    try:
        parts = urlsplit(text)
        port, host = parts.port, (parts.hostname or "").encode("idna").decode("ascii")
    except ValueError as error:  # also from idna
        raise UrlError(f"is not valid ({error})") from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise UrlError("does not begin with http:// or https://")
    if not host:
        raise UrlError("names no host")
    if "@" in parts.netloc:
        raise UrlError("has credentials in it; they would stand in every report")
    host = f"[{host}]" if ":" in host else host
    netloc = host if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    return urlunsplit((parts.scheme, netloc, quote(parts.path or "/", _ALLOWED), quote(parts.query, _ALLOWED), ""))
