"""Features of a cell's characters: classes and patterns, never words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

_CLASSES = ("lower", "upper", "digit", "punctuation", "symbol", "mark", "other_letter", "cjk", "space")

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
    "starts_identifier",
    "is_identifier",
    "is_bullet",
    "is_number",
    "numbering_depth",
    "ends_stop",
    "ends_colon",
    "ends_comma",
    "ends_hyphen",
    "ends_number",
    "share_comma",
    "share_stop",
    "share_bracket",
    "share_equals",
    "initials",
    "years",
    "at_sign",
    "url",
    "leaders",
    "bracketed_start",
    "share_math",
)

_BULLET = re.compile(r"[•◦‣▪▫■□●○◆◇►▶➢➤✓✔❖★☆·∙⁃–—\-*+o§▸▹⇒→\u0080-\u009f\uf000-\uf0ff]$")
_IDENTIFIER = re.compile(
    r"[(\[]?(?:\d{1,3}|[ivxlcIVXLC]{1,6}|[a-zA-Z])[.):\]]\)?(?=\s|$)|\[[^\s\[\]]{1,12}\](?=\s|$)|\d{1,2}(?:\.\d{1,2})+\.?(?=\s|$)"
)
_NUMBER = re.compile(r"[-+−]?[\d.,\s%$€£±×()eE:/]+$")
_NUMBERING = re.compile(r"(?:[A-Z]|\d{1,3}|[IVXL]{1,5})((?:\.\d{1,3})*)\.?(?=\s|$)")
_INITIAL = re.compile(r"(?<![^\W\d_])[^\W\d_a-z]\.")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_URL = re.compile(r"https?:|www\.|doi[:.]|arxiv", re.I)
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
_CAPITALISED = re.compile(r"(?<!\w)[^\W\d_a-z]\w*")

_COMMA, _STOP, _EQUALS = (ord(c) for c in ",.=")
_BRACKETS = np.array([ord(c) for c in "()[]{}"], np.uint32)


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
    classes = np.where(codes < 65536, _class_table()[np.minimum(codes, 65535)], 4)  # mathematical alphabets: symbols
    total = lengths.astype(np.float32)

    def share(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.asarray(np.add.reduceat(mask.astype(np.float32), starts) / total, np.float32)

    shares = [share(classes == k) for k in range(len(_CLASSES))]
    first, last = classes[starts], classes[starts + lengths - 1]
    end = codes[starts + lengths - 1]
    words = 1 + shares[8] * total
    math = ((codes >= 0x2190) & (codes < 0x2300)) | ((codes >= 0x370) & (codes < 0x400)) | (codes >= 0x1D400)
    patterns = np.array([_patterns(t) for t in texts], np.float32)
    columns = [
        np.log1p(total),
        *shares,
        words,
        total / words,
        patterns[:, 0] / words,
        first == 1,
        first == 0,
        first == 2,
        first == 3,
        patterns[:, 1],
        patterns[:, 2],
        patterns[:, 3],
        patterns[:, 4],
        patterns[:, 5],
        np.isin(end, _STOPS),
        np.isin(end, _COLONS),
        end == _COMMA,
        np.isin(end, _HYPHENS),
        last == 2,
        share(codes == _COMMA),
        share(codes == _STOP),
        share(np.isin(codes, _BRACKETS)),
        share(codes == _EQUALS),
        patterns[:, 6] / words,
        patterns[:, 7],
        patterns[:, 8],
        patterns[:, 9],
        patterns[:, 10],
        patterns[:, 11],
        share(math),
    ]
    return np.stack([np.asarray(c, np.float32) for c in columns], axis=1)


_STOPS = np.array([ord(c) for c in ".!?。！？؟"], np.uint32)
_COLONS = np.array([ord(c) for c in ":;：；"], np.uint32)
_HYPHENS = np.array([ord(c) for c in "-‐–—\u00ad"], np.uint32)


def _patterns(text: str) -> tuple[float, ...]:
    identifier = _IDENTIFIER.match(text)
    numbering = _NUMBERING.match(text)
    return (
        len(_CAPITALISED.findall(text)),
        identifier is not None,
        identifier is not None and identifier.end() == len(text),
        _BULLET.match(text) is not None,
        _NUMBER.match(text) is not None,
        1 + numbering.group(1).count(".") if numbering else 0,
        len(_INITIAL.findall(text)),
        len(_YEAR.findall(text)),
        "@" in text,
        _URL.search(text) is not None,
        _LEADERS.search(text) is not None,
        text[0] in "[(",
    )
