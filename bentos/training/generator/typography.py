"""Fonts by script and accent colours: what the styles of the engines draw from."""

# ruff: noqa: E501, SIM905  (lists of fonts, one to a line)

from __future__ import annotations

SERIF = (
    "Liberation Serif|DejaVu Serif|EB Garamond|Linux Libertine O|Noto Serif|TeX Gyre Termes|TeX Gyre Pagella|TeX Gyre Bonum|"
    "TeX Gyre Schola|Caladea|Latin Modern Roman|Bitstream Charter|Utopia|Noto Serif Display"
).split("|")
SANS = (
    "Liberation Sans|DejaVu Sans|Open Sans|Roboto|Carlito|Noto Sans|TeX Gyre Heros|TeX Gyre Adventor|Linux Biolinum O|"
    "Latin Modern Sans|Roboto Condensed|DejaVu Sans Condensed|Open Sans Condensed|Liberation Sans Narrow"
).split("|")
MONO = "Liberation Mono|DejaVu Sans Mono|Noto Sans Mono|TeX Gyre Cursor|Latin Modern Mono|Courier".split("|")
BY_SCRIPT = {
    "cyrillic": ("Liberation Serif|DejaVu Serif|Noto Serif|Linux Libertine O", "Liberation Sans|DejaVu Sans|Open Sans|Roboto|Noto Sans"),
    "greek": ("Liberation Serif|DejaVu Serif|Noto Serif|Linux Libertine O|GFS Baskerville", "Liberation Sans|DejaVu Sans|Noto Sans"),
    "zh": ("Noto Serif CJK SC", "Noto Sans CJK SC"),
    "ja": ("Noto Serif CJK JP", "Noto Sans CJK JP"),
    "ko": ("Noto Serif CJK KR", "Noto Sans CJK KR"),
    "arabic": ("Noto Naskh Arabic", "Noto Sans Arabic|Noto Kufi Arabic|DejaVu Sans"),
    "hebrew": ("Noto Serif Hebrew|Liberation Serif", "Noto Sans Hebrew|Liberation Sans|DejaVu Sans"),
    "devanagari": ("Noto Serif Devanagari", "Noto Sans Devanagari"),
}  # fmt: skip

ACCENTS = "#1f4e79 #8b1a1a #2e6b3a #5b2a86 #b5541c #006d77 #333333 #a4133c #22577a #000000 #6c584c".split()
