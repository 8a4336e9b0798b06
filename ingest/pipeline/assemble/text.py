"""Text of lines to text of an item: clean-up, joining, hyphens at line ends."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

CAPTION_START = re.compile(
    r"(?:fig|figure|table|tab|tabelle|abb|abbildung|tableau|tabla|figura|tabella|listing|algorithm|scheme|plate|box|chart"
    r"|рис|таблица|рисунок|図|表|图|圖)[.\s]*\d",
    re.I,
)
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "ft", 0xFB06: "st"}
_CLEAN = str.maketrans(
    {
        **_LIGATURES,
        **dict.fromkeys((0x00AD, 0x200B, 0x2060, 0xFEFF), None),  # soft hyphen, zero width space and joiner, BOM
        **dict.fromkeys((0x00A0, 0x2007, 0x202F), " "),  # spaces that do not break
    }
)
_ACCENTS = dict(zip("`´˜¨¯˘˙˚˝ˇ¸", "\u0300\u0301\u0303\u0308\u0304\u0306\u0307\u030a\u030b\u030c\u0327", strict=True))
_LOOSE_ACCENT = re.compile("([´¨˜¯˘˙˚˝ˇ¸]|(?<=[a-z])`(?=[aeiou]))([A-Za-zı])")
"""An accent set as a glyph of its own before its letter, as TeX's old fonts do."""
_SPACES = re.compile(r"\s+")

_HYPHENS = "-\u2010\u00ad"
_TAIL = re.compile(r"([^\W\d_][\w'’]*(?:[-\u2010][\w'’]+)*)[-\u2010\u00ad]$")
_HEAD = re.compile(r"([^\W\d_][\w'’]*)")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_BROKEN_WORD = re.compile(r"\S+[-\u00ad]\n\S+")
"""Says nothing about hyphens: the word is what is asked for."""
_KOREAN_TAIL = re.compile("[\uac00-\ud7a3]+$")
_KOREAN_HEAD = re.compile("[\uac00-\ud7a3]+")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’»)\]」』】）]*$")
_CUT_ADDRESS = re.compile(r"(?:(?:://|www\.)\S*[./_=&?%]|doi[:./ ]*(?:org/)?10\.(?:\S*[./_=&?%])?)$", re.I)
_ADDRESS = re.compile(r"(?:://|www\.|@|\\|/)\S*$")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_COMPOUND_HEADS = _set(
    "all anti best co cross data de double ex few fine first five four full good half hard high hyper ill just large "
    "left like long loss low lower many mid mini multi near new no non off old one open peer point post pseudo quasi "
    "real right second self semi seven short single six small soft start state ten third three time tree trans two "
    "ultra upper user well wide wise word world zero"
)
_COMPOUND_TAILS = _set(
    "aware based bit bound class dependent dimensional driven end entropy fold free independent invariant level like "
    "lived order oriented point readable related scale specific style term time to type value wide wise"
)
_SURE_HEADS = _set("cross four non one pseudo quasi self three two well")
"""First and last parts of English compounds that keep their hyphen when the document itself says nothing."""


def clean(text: str) -> str:
    """Letters for ligatures, single spaces, loose accents put on their letters, NFC; a soft hyphen only at the end."""
    if text.isascii() and "`" not in text:
        return _SPACES.sub(" ", text) if "  " in text or not text.isprintable() else text
    soft = "\u00ad" if text.endswith("\u00ad") else ""
    text = _LOOSE_ACCENT.sub(_compose, text.translate(_CLEAN))
    return unicodedata.normalize("NFC", _SPACES.sub(" ", text)) + soft


def _compose(match: re.Match[str]) -> str:
    accent, letter = match[1], "i" if match[2] == "ı" else match[2]
    whole = unicodedata.normalize("NFC", letter + _ACCENTS[accent])
    return whole if len(whole) == 1 else match[0]


def is_cjk(char: str) -> bool:
    """Chinese or Japanese, where lines are joined without a space (Korean has spaces between words)."""
    return (
        "\u2e80" <= char <= "\ua4cf"
        or "\uf900" <= char <= "\ufaff"
        or "\uff00" <= char <= "\uff9f"
        or ("\U00020000" <= char <= "\U0003ffff")
    )


def ends_sentence(text: str) -> bool:
    """The text ends with a full stop or the like, quotes and brackets aside."""
    return _SENTENCE_END.search(text[-4:]) is not None


class Vocabulary:
    """Words of one document, to tell hyphens that belong to a word from those at which a line was broken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = list(lines)

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """The hyphen between two parts of a word, "before-" at a line's end and "after", belongs to the word."""
        whole, compound = self._count(before + after), self._count(f"{before}-{after}")
        if whole or compound:
            return compound >= whole
        *_, last = re.split("[-\u2010]", before)
        if last != before:  # a compound broken at, or after, its hyphen
            return not self._count(last + after) and self._count(after) > 0
        if after.isupper() and before.isupper() and min(len(before), len(after)) > 2:
            return False
        if not after[0].islower() or before.isupper():
            return True
        if before.lower() in _SURE_HEADS:
            return True
        if self._count(after) == 0:
            return False
        return before.lower() in _COMPOUND_HEADS or (after in _COMPOUND_TAILS and self._count(before) > 0)

    def cut_in_two(self, before: str, after: str) -> bool:
        """A Korean word was cut between its syllables, as justified text is: lines are to be joined without a space."""
        tail, head = _KOREAN_TAIL.search(before), _KOREAN_HEAD.match(after)
        if tail is None or head is None:
            return False
        if self._count(tail[0] + head[0]):
            return True
        # one syllable left over is hardly ever a word where words are cut at all
        return self._cuts_words and (self._count(tail[0]) <= 1 or self._count(head[0]) <= 1)

    @cached_property
    def _cuts_words(self) -> bool:
        """Lines of the document end within words: several ends and beginnings make a word that it has elsewhere."""
        pairs = [
            (tail[0], head[0])
            for before, after in itertools.pairwise(self._lines)
            if (tail := _KOREAN_TAIL.search(before)) and (head := _KOREAN_HEAD.match(after))
        ]
        return sum(self._count(a + b) > 0 for a, b in pairs) >= max(2, 0.04 * len(pairs))

    @cached_property
    def _words(self) -> Counter[str]:
        text = _BROKEN_WORD.sub(" ", "\n".join(self._lines).lower().replace("\u2010", "-"))
        return Counter(_WORD.findall(text))

    def _count(self, word: str) -> int:
        return self._words[word.replace("\u2010", "-").lower()]


def join(before: str, after: str, vocabulary: Vocabulary) -> str:
    """Text of two lines in one: what `before` becomes, so that appending `after` to it gives the whole."""
    if not before or not after:
        return before
    last, first = before[-1], after[0]
    if last in _HYPHENS:
        tail, head = _TAIL.search(before), _HEAD.match(after)
        if last == "\u00ad":
            return before[:-1]
        if tail and head and not _ADDRESS.search(before):
            return before if vocabulary.keeps_hyphen(tail[1], head[1]) else before[:-1]
        return before + (" " if before[-2:-1] in ("", " ") else "")
    if (after[0].islower() or after[0].isdigit()) and _CUT_ADDRESS.search(before):
        return before
    if is_cjk(last) and is_cjk(first):
        return before
    if "\uac00" <= last <= "\ud7a3" and vocabulary.cut_in_two(before, after):
        return before
    if last in "—/" and not before.endswith((" —", " /")) and not first.isspace():
        return before
    return before if last.isspace() else before + " "
