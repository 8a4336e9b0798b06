"""Markers of list items and bibliography entries, and how deeply list items are nested."""

from __future__ import annotations

import re

_BULLET = r"[•◦‣▪▫■□●○◆◇►▶➢➤✓✔❖★☆·∙⁃▸▹⇒→\uf000-\uf0ff]|[–—*-](?=\s)"
_COUNTER = r"\d{1,3}|[ivxlc]{1,6}|[IVXLC]{1,6}|[a-zA-Z]"
_MARKER = re.compile(
    rf"""(?: {_BULLET}
           | [(\[] (?: {_COUNTER} ) [)\]] [.:]? (?=\s|$)
           | (?: {_COUNTER} ) (?: [.)\]] | \.\) ) (?=\s|$)
           | \d{{1,2}}\) (?=[^\W\d])
           | \[ [^\s\[\]]{{1,16}} \]
           | [①-⓿⓵-⓾❶-➓]
         )""",
    re.X,
)
_ENUMERATED = re.compile(rf"[(\[]?(?:{_COUNTER}|\d+(?:\.\d+)+)[.):\]]*$|[①-⓿⓵-⓾❶-➓]$")
_BULLETS_SHOWN = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓", "\uf076": "❖", "\uf0a8": "▫"}
"""Private codes of the Symbol and Wingdings fonts, as office programs write them."""


def split_marker(text: str) -> tuple[str, str]:
    """(marker, rest) of a text that opens with a bullet, a number or a letter; ("", text) of another."""
    found = _MARKER.match(text)
    if found is None or found.end() == len(text):
        return "", text
    return found[0], text[found.end() :].lstrip()


def is_enumerated(marker: str) -> bool:
    """The marker counts: a number or a letter, not a bullet."""
    return _ENUMERATED.match(marker) is not None


def shown_marker(marker: str) -> str:
    """The marker with bullets of symbol fonts replaced by the characters that they look like."""
    return _BULLETS_SHOWN.get(marker, marker)


def _kind(marker: str) -> str:
    """What markers of one list have in common: the bullet itself, or the shape of the counter."""
    if not is_enumerated(marker):
        return marker
    core = marker.strip("()[].: ")
    if core.isdigit():
        shape = "1"
    elif core.replace(".", "").isdigit():
        shape = "1" + ".1" * core.count(".")
    elif len(core) == 1 and core not in "iIvVxX":
        shape = "a" if core.islower() else "A"
    else:
        shape = "i" if core.islower() else "I"
    return marker.replace(core, shape, 1)


class Nesting:
    """Depth of successive list items, from how far they stand in and from their markers."""

    STEP = 0.7
    """Font sizes by which a deeper item stands further in."""

    def __init__(self) -> None:
        self._open: list[tuple[float, str]] = []

    def reset(self) -> None:
        """The list has ended."""
        self._open.clear()

    def depth(self, x: float, marker: str, size: float, *, new_column: bool) -> int:
        """1 for the outermost. `x` is where the marker (the text, if there is none) begins, from the column's left."""
        kind = _kind(marker)
        if new_column and marker:
            # margins of left and right pages differ; a marker of the kind that is open continues its list
            for k in range(len(self._open) - 1, -1, -1):
                if self._open[k][1] == kind:
                    self._open = [*self._open[:k], (x, kind)]
                    return k + 1
        while self._open and x < self._open[-1][0] - self.STEP * size:
            self._open.pop()
        if not self._open or x > self._open[-1][0] + self.STEP * size:
            self._open.append((x, kind))
        elif marker and self._open[-1][1] and kind != self._open[-1][1]:
            self._same_place(x, kind)
        else:
            self._open[-1] = (x, kind or self._open[-1][1])
        return len(self._open)

    def _same_place(self, x: float, kind: str) -> None:
        """An item of another kind that does not stand further in: of a list that is still open, or a new one."""
        kinds = [k for _, k in self._open]
        if kind in kinds:
            del self._open[kinds.index(kind) + 1 :]
        else:
            self._open[-1] = (x, kind)
