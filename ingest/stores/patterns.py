"""Glob patterns over the paths of a source's documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.errors import ConfigError


def compile_globs(patterns: Sequence[str]) -> re.Pattern[str]:
    """One expression (use `fullmatch`) for paths that match any of the patterns; none match no patterns.

    `*` and `?` stay within one part of a path, `**` spans parts, `[a-z]` and `[!a-z]` are classes. A pattern without
    a slash matches the last part at any depth. Case does not matter. Raises ConfigError.
    """
    if not patterns:
        return re.compile(r"(?!)")
    try:
        return re.compile("|".join(_translate(pattern) for pattern in patterns), re.IGNORECASE | re.DOTALL)
    except re.error as error:
        raise ConfigError(f"one of the patterns {', '.join(patterns)} is not valid: {error}") from error


class Filter:
    """Which documents of a source are wanted: those that an include pattern matches, and no exclude pattern.

    An exclude pattern that matches a folder excludes all below it.
    """

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        """ConfigError for a pattern that is not valid."""
        self._include = compile_globs(include)
        self._exclude = compile_globs(exclude)

    def __call__(self, path: str) -> bool:
        return self._include.fullmatch(path) is not None and not self._excludes(path)

    def _excludes(self, path: str) -> bool:
        folders = (at for at, character in enumerate(path) if character == "/")
        return any(self._exclude.fullmatch(path, 0, stop) for stop in (*folders, len(path)))


def _translate(pattern: str) -> str:
    parts = pattern.strip("/").split("/") if "/" in pattern else ["**", pattern]
    whole = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            whole += ".*" if last else "(?:[^/]+/)*"
        else:
            whole += _translate_part(part) + ("" if last else "/")
    return f"(?:{whole})"


_SPECIAL = re.compile(r"[\\\[\]^&~|]")
_TOKEN = re.compile(r"\*+|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)


def _translate_part(part: str) -> str:
    out = ""
    for token in _TOKEN.findall(part):
        if token.startswith("*"):
            out += "[^/]*"
        elif token == "?":
            out += "[^/]"
        elif len(token) > 1:
            members = _SPECIAL.sub(r"\\\g<0>", token[1:-1])
            out += f"[^/{members[1:]}]" if members.startswith("!") else f"[{members}]"
        else:
            out += re.escape(token)
    return out
