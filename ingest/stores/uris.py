"""Addresses of stores and sources: a plain path, or a URI whose scheme names the implementation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingest.errors import ConfigError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def scheme_of(uri: str) -> str:
    """Scheme in lower case; "" for a plain path."""
    found = _SCHEME.match(uri)
    return found[1].lower() if found else ""


def local_folder(uri: str) -> Path:
    """Absolute path of a plain path or a `file://` URI; ConfigError for an empty one or another host."""
    if scheme_of(uri) == "file":
        parts = urlsplit(uri)
        if parts.netloc not in ("", "localhost"):
            raise ConfigError(f"{uri!r} names the host {parts.netloc!r}; write file:///absolute/path")
        uri = unquote(parts.path)
    if not uri:
        raise ConfigError("an empty path was given where a folder is expected")
    return Path(uri).absolute()


def absolute_path(uri: str) -> Path:
    """Path of `scheme:///absolute/path`; further slashes before the path do no harm."""
    path = uri[len(scheme_of(uri)) + len("://") :]
    if not path.strip("/") or not path.startswith("/"):
        raise ConfigError(f"{uri!r} has no absolute path; write {scheme_of(uri)}:///absolute/path")
    return Path("/" + path.lstrip("/"))


def redacted(uri: str) -> str:
    """For messages: what stands before an `@`, where credentials may be, as `***`."""
    scheme, slashes, rest = uri.partition("://")
    rest, question, query = (rest if slashes else uri).partition("?")
    _, at, shown = rest.rpartition("@")
    head = f"{scheme}{slashes}" if slashes else ""
    return f"{head}***@{shown}{question}{query}" if at else uri


@contextmanager
def extra(name: str, library: str) -> Iterator[None]:
    """Around the import of what needs an optional dependency: ConfigError that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigError(f"{library} is not installed here ({error}); install corpus-ingest[{name}]") from error
