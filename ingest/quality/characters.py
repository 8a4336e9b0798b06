"""How often each character occurs, and how far the text of the output is the text of the PDF.

Compared are letters, digits and symbols in their compatibility decomposition, page by page, whatever their order:
ligatures, accents, hyphens at line ends, leaders, quotation marks and white space may be cleaned up without being
missed, a paragraph that is lost or printed twice is seen.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import lru_cache

import numpy as np

_COMPARED = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Sm", "Sc", "So"})
_SENSELESS = frozenset({"Cc", "Cn", "Co", "Cs"})
"""General categories of control codes, of what is not assigned, of private use and of half surrogates."""


class Tally:
    """Characters of a text, as (character, how often) pairs."""

    __slots__ = ("counts",)

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found, often = np.unique(codes, return_counts=True)
        self.counts: list[tuple[str, int]] = list(zip(map(chr, found.tolist()), often.tolist(), strict=True))

    def visible(self) -> int:
        """Characters that are no white space."""
        return sum(n for character, n in self.counts if not character.isspace())

    def garbage(self) -> int:
        """Characters that no reader can read."""
        return sum(n for character, n in self.counts if is_garbage(character))

    def comparable(self) -> dict[str, int]:
        """What is compared, decomposed."""
        counts: dict[str, int] = defaultdict(int)
        for character, n in self.counts:
            for part in decomposed(character):
                counts[part] += n
        return counts


class Comparison:
    """Sums over the pages of a document."""

    def __init__(self) -> None:
        self.printed = self.written = self.garbage = 0
        self.compared = self.lost = self.doubled = 0

    def add(self, printed: Tally, written: Tally, *, usable: bool) -> bool:
        """Add a page; only pages with usable text are compared. True if its text is lost altogether."""
        self.printed += printed.visible()
        self.written += written.visible()
        self.garbage += written.garbage()
        if not usable:
            return False
        before, after = printed.comparable(), written.comparable()
        self.compared += sum(before.values())
        self.lost += sum(max(0, n - after.get(part, 0)) for part, n in before.items())
        self.doubled += sum(max(0, n - before.get(part, 0)) for part, n in after.items())
        return bool(before) and not after


@lru_cache(maxsize=65536)
def decomposed(character: str) -> str:
    """The letters, digits and symbols that a character stands for; empty for punctuation, marks and white space."""
    return "".join(c for c in unicodedata.normalize("NFKD", character) if unicodedata.category(c) in _COMPARED)


@lru_cache(maxsize=65536)
def is_garbage(character: str) -> bool:
    """U+FFFD, private use, control codes other than white space, code points that are no characters."""
    return character == "\ufffd" or (unicodedata.category(character) in _SENSELESS and not character.isspace())
