"""Features of a cell's characters: classes and patterns, never words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

_CLASSES = ("lower", "upper", "digit", "punctuation", "symbol", "mark", "other_letter", "cjk", "space")
_LOWER, _UPPER, _DIGIT, _PUNCTUATION, _SYMBOL, _SPACE = 0, 1, 2, 3, 4, 8

NAMES: tuple[str, ...] = (
    "log_length",
    *(f"share_{name}" for name in _CLASSES),
    "words",
    "mean_word",
    "capitalised_words",
    "starts_upper",
    "starts_lower",
    "starts_digit",
    "starts_punctuation",
    "starts_bracket",
    "starts_identifier",
    "is_identifier",
    "is_bullet",
    "is_number",
    "numbering_depth",
    "starts_word_number",
    "ends_stop",
    "ends_colon",
    "ends_comma",
    "ends_hyphen",
    "ends_number",
    "share_comma",
    "share_stop",
    "share_bracket",
    "share_equals",
    "share_math",
    "initials",
    "years",
    "at_sign",
    "url",
    "leaders",
)

_BULLET = frozenset("•◦‣▪▫■□●○◆◇►▶➢➤✓✔❖★☆·∙⁃–—-*+o§▸▹⇒→") | {
    chr(c) for c in (*range(0x80, 0xA0), *range(0xF000, 0xF100))
}
_IDENTIFIER = re.compile(
    r"(?:[(\[]?(?:\d{1,3}|[ivxlcIVXLC]{1,6}|[a-zA-Z])[.):\]]\)?|\[[^\s\[\]]{1,12}\]|\d{1,2}(?:\.\d{1,2})+\.?)(?=\s|$)"
)
_NUMBERING = re.compile(r"(?:[A-Z]|\d{1,3}|[IVXL]{1,5})((?:\.\d{1,3})*)\.?(?=\s|$)")
_WORD_NUMBER = re.compile(r"[^\W\d_]{1,12}\.?\s?(?:\d{1,3}|[IVX]{1,5})(?:[.\-–]\d{1,3})*(?:[.:|)\s]|$)")
"""How captions begin in most languages: a word and a number ("Figure 3.", "Tab. II", "图 4")."""
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
_URL = ("://", "www.", "doi", "DOI", "arxiv", "arXiv")

_COMMA, _STOP, _EQUALS, _AT = (ord(c) for c in ",.=@")
_BRACKETS = np.array([ord(c) for c in "()[]{}"], np.uint32)
_STOPS = np.array([ord(c) for c in ".!?。！？؟"], np.uint32)
_COLONS = np.array([ord(c) for c in ":;：；"], np.uint32)
_HYPHENS = np.array([ord(c) for c in "-‐–—\u00ad"], np.uint32)


@cache
def _class_table() -> NDArray[np.uint8]:
    """(65536,) index into _CLASSES of every code point of the basic plane; len(_CLASSES) for all others."""
    of_category = {"Ll": 0, "Lu": 1, "Lt": 1, "Nd": 2, "Nl": 2, "No": 2, "Lo": 6, "Lm": 6, "Zs": 8, "Zl": 8, "Zp": 8}
    table = np.full(65536, len(_CLASSES), np.uint8)
    for code in range(65536):
        category = unicodedata.category(chr(code))
        table[code] = of_category.get(category, {"P": 3, "S": 4, "M": 5}.get(category[0], len(_CLASSES)))
    table[0x3040:0x3100] = table[0x3400:0x4DC0] = table[0x4E00:0xA000] = table[0xF900:0xFB00] = 7
    table[0xAC00:0xD7A4] = 7
    return table


def features(texts: list[str]) -> NDArray[np.float32]:
    """(n, len(NAMES)) of n cells' texts, none of them empty."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), np.uint32)
    lengths = np.array([len(t) for t in texts], np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    last = starts + lengths - 1
    classes = np.where(codes < 65536, _class_table()[np.minimum(codes, 65535)], _SYMBOL)  # beyond: maths alphabets
    total = lengths.astype(np.float32)

    def count(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.add.reduceat(mask, starts, dtype=np.float32)

    shares = [count(classes == k) / total for k in range(len(_CLASSES))]
    words = 1 + count(classes == _SPACE)
    # characters before and after each, as if a space stood between cells
    before = np.concatenate([[_SPACE], classes[:-1]])
    before[starts] = _SPACE
    after = np.concatenate([codes[1:], [0]])
    after[last] = 0
    begins = (classes == _UPPER) & ((before == _SPACE) | (before == _PUNCTUATION) | (before == _SYMBOL))
    end, first, end_class = codes[last], classes[starts], classes[last]
    math = ((codes >= 0x2190) & (codes < 0x2300)) | ((codes >= 0x370) & (codes < 0x400)) | (codes >= 0x1D400)
    patterns = np.array([_patterns(t) for t in texts], np.float32)
    columns = [
        np.log1p(total),
        *shares,
        words,
        total / words,
        count(begins) / words,
        first == _UPPER,
        first == _LOWER,
        first == _DIGIT,
        first == _PUNCTUATION,
        _any(codes[starts], _BRACKETS[[0, 2]]),
        patterns[:, 0],
        patterns[:, 1],
        patterns[:, 2],
        (shares[_DIGIT] > 0) & (shares[_LOWER] + shares[_UPPER] + shares[6] + shares[7] == 0),
        patterns[:, 3],
        patterns[:, 4],
        _any(end, _STOPS),
        _any(end, _COLONS),
        end == _COMMA,
        _any(end, _HYPHENS),
        end_class == _DIGIT,
        count(codes == _COMMA) / total,
        count(codes == _STOP) / total,
        count(_any(codes, _BRACKETS)) / total,
        count(codes == _EQUALS) / total,
        count(math) / total,
        count(begins & (after == _STOP)) / words,
        count(_year_starts(codes, classes)),
        count(codes == _AT),
        patterns[:, 5],
        patterns[:, 6],
    ]
    return np.stack([np.asarray(c, np.float32) for c in columns], axis=1)


def _any(codes: NDArray[np.uint32], of: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether each code is one of a few."""
    found = codes == of[0]
    for code in of[1:]:
        found = found | (codes == code)
    return np.asarray(found)


def _year_starts(codes: NDArray[np.uint32], classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a number of exactly four digits begins that may be a year: 18.., 19.., 20.."""
    digit = np.concatenate([[False], classes == _DIGIT, [False] * 4])
    four = ~digit[:-5] & digit[1:-4] & digit[2:-3] & digit[3:-2] & digit[4:-1] & ~digit[5:]
    second = np.concatenate([codes[1:], [0]])
    one = (codes == ord("1")) & ((second == ord("8")) | (second == ord("9")))
    return np.asarray(four & (one | ((codes == ord("2")) & (second == ord("0")))))


def _patterns(text: str) -> tuple[float, ...]:
    identifier = _IDENTIFIER.match(text)
    numbering = _NUMBERING.match(text)
    return (
        identifier is not None,
        identifier is not None and identifier.end() == len(text),
        len(text) == 1 and text in _BULLET,
        1 + numbering.group(1).count(".") if numbering else 0,
        _WORD_NUMBER.match(text) is not None,
        any(sign in text for sign in _URL),
        (".." in text or ". ." in text or "…" in text or "··" in text) and _LEADERS.search(text) is not None,
    )
