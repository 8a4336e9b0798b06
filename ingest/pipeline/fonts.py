"""Fonts of a page: name, style, and how the glyphs of TeX's mathematics are numbered."""

from __future__ import annotations

import ctypes
import re
from typing import NamedTuple

from ingest.document.page import Style
from ingest.pipeline import glyphs, pdfium

_BOLD_NAME = re.compile(
    r"bold|black|heavy|semib|demi|cmbx|cmb\d|cmssbx|sfbx|ecbx|lmbx|medi\b|-bd|[-,]b$|\.b(\b|\+)", re.I
)
_ITALIC_NAME = re.compile(r"ital|obli|slant|cmti|cmsl|cmbxti|cmmi|sfti|ecti|lmri|kursiv|-it\b|medio$", re.I)
_MONO_NAME = re.compile(r"mono|courier|cmtt|consol|typewriter|lmtt|sftt|ectt|menlo|code|inconsol|\btt", re.I)
_MATH_NAME = re.compile(
    r"cmmi|cmsy|cmex|msam|msbm|math|symbol|mtsy|mtmi|mtex|euler|eufm|rsfs|lmsy|lmex|stix.*sym|[tp]xsy|[tp]xex", re.I
)
_SERIF_NAME = re.compile(
    r"times|roman|serif|cmr|garamond|georgia|palatino|book|minion|cambria|nimbusrom|lmr|sfrm|song|ming|mincho", re.I
)
_SANS_NAME = re.compile(r"sans|arial|helvet|calibri|verdana|gothic|cmss", re.I)

_FLAG_FIXED, _FLAG_SERIF, _FLAG_ITALIC, _FLAG_FORCE_BOLD = 1, 2, 64, 1 << 18


class Font(NamedTuple):
    name: str
    """Without its subset prefix."""
    style: int
    """`Style` bits."""
    family: glyphs.Family | None


_NO_FONT = Font("", 0, None)


class FontTable:
    """Fonts by address, for the life of one page."""

    def __init__(self) -> None:
        self._known: dict[int, Font] = {}
        self._name = ctypes.create_string_buffer(256)
        self._angle = ctypes.c_int()

    def of(self, command: int | None) -> Font:
        """Font of a printing command."""
        font = pdfium.text_font(command) if command else None
        if not font:
            return _NO_FONT
        if font not in self._known:
            size = pdfium.font_name(font, self._name, 256)
            name = self._name.raw[: max(min(size, 256) - 1, 0)].decode("utf-8", "replace").split("+")[-1]
            italic = self._angle.value if pdfium.font_italic_angle(font, ctypes.byref(self._angle)) else 0
            style = font_style(name, pdfium.font_flags(font), pdfium.font_weight(font), italic)
            self._known[font] = Font(name, style, glyphs.family(name))
        return self._known[font]


def font_style(name: str, flags: int, weight: int, italic_angle: int) -> int:
    """`Style` bits of a font. The name counts more than the descriptor, which producers often leave at defaults."""
    flags = max(flags, 0)
    style = Style(0)
    if _BOLD_NAME.search(name) or weight >= 600 or flags & _FLAG_FORCE_BOLD:
        style |= Style.BOLD
    if _ITALIC_NAME.search(name) or flags & _FLAG_ITALIC or italic_angle < 0:
        style |= Style.ITALIC
    if _MONO_NAME.search(name) or flags & _FLAG_FIXED:
        style |= Style.MONO
    if _MATH_NAME.search(name):
        style |= Style.MATH
    if (_SERIF_NAME.search(name) or flags & _FLAG_SERIF) and not _SANS_NAME.search(name):
        style |= Style.SERIF
    return int(style)
