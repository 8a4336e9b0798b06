"""What a glyph means whose font does not say it.

TeX's mathematical fonts number their glyphs in ways of their own (Knuth, The TeXbook, appendix F). Most files carry no
table from these numbers to Unicode, and names of glyphs that are in no list; pdfium then gives the number itself: a
control code for a large parenthesis, an X for a sum, a k for the bars of a norm. Adobe's private codes (Adobe Glyph
List), for old-style figures and for pieces of tall brackets, have characters in Unicode today.
"""

from __future__ import annotations

import re
import string
from enum import Enum, auto

UNKNOWN = "\ufffd"
"""What is written for a glyph with ink and without meaning."""


class Family(Enum):
    """TeX's fonts of mathematics, by how their glyphs are numbered."""

    EXTENSION = auto()
    """Large symbols, and the pieces of larger ones (encoding OMX)."""
    SYMBOLS = auto()
    """Encoding OMS."""
    ITALIC = auto()
    """Encoding OML."""


_NAMES = {
    Family.EXTENSION: re.compile(r"(?:cmex|lmex)\d+$|lmmathextension\d+|[tp]xex$", re.I),
    Family.SYMBOLS: re.compile(r"cmb?sy\d+$|lmmathsymbols\d+|[tp]xsy$", re.I),
    Family.ITALIC: re.compile(r"cmmib?\d+$|lmmathitalic\d+", re.I),
}
"""Fonts that are numbered like Knuth's. Others look alike and are not: `txsys` has parentheses among its symbols."""


def family(font: str) -> Family | None:
    """Family of a font by its name, without subset prefix."""
    return next((family for family, name in _NAMES.items() if name.match(font)), None)


def _table(first: int, characters: str) -> dict[int, str]:
    return dict(enumerate(characters, first))


_NUMBERS = {
    Family.EXTENSION: (
        _table(0x00, "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\")
        | _table(0x20, "()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐")
        | _table(0x40, "⎝⎠⎜⎟⟨⟩⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁")
        | _table(0x60, "∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}√√√√⎷⏐┌‖↑↓⏞⏞⏟⏟⇑⇓")
    ),
    Family.SYMBOLS: (
        _table(0x00, "−·×∗÷⋄±∓⊕⊖⊗⊘⊙○∘•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻")
        | _table(0x20, "←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽̸↦∀∃¬∅ℜℑ⊤⊥ℵ")
        | _table(0x5B, "∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠")
    ),
    Family.ITALIC: (
        _table(0x00, "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχ")
        | _table(0x20, "ψωεϑϖϱςφ↼↽⇀⇁↩↪▷◁")
        | _table(0x5B, "♭♮♯⌣⌢ℓ")
        | _table(0x7B, "ıȷ℘⃗")
    ),
}
"""Glyph number to character, where it is not the ASCII character of that number."""

_ASCII = {
    Family.SYMBOLS: string.ascii_uppercase + "|{}\\",
    Family.ITALIC: string.ascii_letters + string.digits + ".,/<>",
}
"""What glyphs of these fonts are called by names that pdfium knows; other ASCII that it gives is a number."""
_BRACKETS = frozenset("()[]{}|/\\")
"""What a font of large symbols that does say what its glyphs are gives in ASCII."""


def _meanings() -> dict[Family, dict[int, str]]:
    return {
        family: {n: c for n, c in _NUMBERS[family].items() if 32 <= n < 127 and chr(n) not in known}
        for family, known in _ASCII.items()
    }


_MEANINGS = _meanings()

PRIVATE: dict[int, str] = (
    _table(0xF730, string.digits)  # old-style figures
    | _table(0xF761, string.ascii_lowercase)  # small capitals
    | _table(0xF8E5, "⎺⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭")
)
"""Adobe's private codes to characters."""


_LIGATURES = dict(zip("\x0b\x0c\x0d\x0e\x0f", "ﬀﬁﬂﬃﬄ", strict=True))


def control(of: Family | None, code: int) -> str | None:
    """The character that a control code stands for in a font of a family; None: nothing that is known."""
    return _NUMBERS[of].get(code) if of is not None else None


def ligature(before: str, code: str, after: str) -> str | None:
    """The ligature that a control code within a word is, in fonts of bitmaps that are numbered like TeX's (OT1).

    `before` and `after` are a few characters around; None: it is not within a word, or no ligature.
    """
    letters = len(before) - len(before.rstrip(string.ascii_lowercase))
    letters += len(after) - len(after.lstrip(string.ascii_lowercase))
    return _LIGATURES.get(code) if letters >= 2 else None


def meaning(of: Family, text: str) -> str:
    """Text of a font of symbols or italics, with characters for numbers."""
    return text.translate(_MEANINGS[of])


def gives_numbers(characters: set[str]) -> bool:
    """A font of large symbols whose characters, as pdfium gives them, are these gives glyph numbers, not Unicode.

    Brackets alone may be either, and are then what they seem to be.
    """
    return any(c < "\x80" and c not in _BRACKETS for c in characters)


def large(numbers: str) -> str:
    """Characters of the glyph numbers of a font of large symbols."""
    return numbers.translate(_NUMBERS[Family.EXTENSION])
