"""What every index takes for a word, and for a heading.

A word is a run of letters, marks and digits; of scripts that are written without spaces, one character with its marks.
Several such characters in a query are searched as a phrase, so that words of any length are found wherever they stand.
"""

from __future__ import annotations

import re
import unicodedata

from ingest.document.labels import Label

HEADINGS = frozenset({Label.TITLE, Label.SUBTITLE_1, Label.SUBTITLE_2})
LONGEST_WORD = 80
"""A longer one is not searched for."""

# Han, Hangul, Hiragana and Katakana with their marks, Thai, Lao, Khmer, Myanmar.
UNSPACED_CLASS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u30ff\u3105-\u318e\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc\U00020000-\U000323af\u1100-\u11ff"
    "\u0e01-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1780-\u17d3\u17dc-\u17dd\u1000-\u103f\u1050-\u108f\uaa60-\uaa7f"
)
"""Characters, as they stand in a class of a regular expression, of scripts that are written without spaces between
words, or that join endings to them."""
UNSPACED = re.compile(f"[{UNSPACED_CLASS}]+")


def plain(text: str) -> str:
    """Accents composed with their letters, as folding expects them; no lone surrogates."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())
