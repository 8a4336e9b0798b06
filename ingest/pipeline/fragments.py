"""Text fragments of a page: the pieces of words that one printing command drew, with box and style.

A fragment never crosses white space or a printing command. Fragments are what `ingest.pipeline.cells` joins into
cells; finding them needs two boxes and two look-ups a word instead of one a character, which is what makes parsing
through ctypes fast enough.
"""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.document.page import Style
from ingest.pipeline import glyphs, pdfium
from ingest.pipeline.fonts import FontTable
from ingest.pipeline.glyphs import Family

HYPHEN = "\ufffe"
"""What pdfium puts where a word is hyphenated over a line end; it drops the line break there."""

MIN_SIZE = 1.0
"""Points. Nobody reads smaller type; producers use it for invisible text, and ratios of sizes must have a sense."""

NO_INK = 0.01
"""Points. What is thinner draws nothing."""

_WORD = re.compile(rf"[^\s\0{HYPHEN}]+{HYPHEN}?|{HYPHEN}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("\r\n|[\0-\x1f]")
_BLANK = {0xFFFF: " ", 0xFEFF: " "} | glyphs.PRIVATE


@dataclass(slots=True)
class Fragments:
    """The n fragments of a page in content order; arrays run in parallel."""

    text: list[str]
    boxes: NDArray[np.float32]
    """(n, 4) points, unrotated frame: advance widths by font height for level text, glyph hulls for turned text."""
    run: NDArray[np.int32]
    """(n,) index into `runs`."""
    space: NDArray[np.bool_]
    """(n,) white space or a line break stands before the fragment."""
    runs: list[Run]
    """One of each printing command."""

    def keep(self, chosen: NDArray[np.bool_]) -> Fragments:
        """The chosen fragments only."""
        if chosen.all():
            return self
        text = [t for t, kept in zip(self.text, chosen.tolist(), strict=True) if kept]
        return Fragments(text, self.boxes[chosen], self.run[chosen], self.space[chosen], self.runs)


@dataclass(slots=True)
class Run:
    """Style of one printing command."""

    size: float
    angle: int
    font: str
    style: int
    color: int
    family: Family | None


def page_text(text_page: int) -> str:
    """Text of a page as pdfium gives it, one UTF-16 unit per character index."""
    count = pdfium.count_chars(text_page)
    if count <= 0:
        return ""
    buffer = (ctypes.c_uint16 * (count + 1))()
    written = pdfium.get_text(text_page, 0, count, buffer) - 1
    if written == count:
        return "".join(map(chr, buffer[:count]))
    # pdfium left characters out (control codes); only the slow way keeps indices and text in step
    read = pdfium.char_unicode
    return "".join(chr(min(read(text_page, i), 0xFFFF)) for i in range(count))


def read_fragments(text_page: int) -> Fragments:
    """All fragments of a loaded text page."""
    raw = page_text(text_page)
    fonts = FontTable()
    text = _without_controls(text_page, raw, fonts)
    starts, stops, objects, spaces = _split(text_page, text)
    by_object, runs = _read_runs(text_page, objects, starts, fonts)
    if any(r.family is Family.EXTENSION for r in runs) and (hidden := _hidden_brackets(text_page, text, fonts)):
        text = "".join("(" if i in hidden else c for i, c in enumerate(text))
        starts, stops, objects, spaces = _split(text_page, text)
        by_object, runs = _read_runs(text_page, objects, starts, fonts)
    run = np.array([by_object[o] for o in objects], np.int32)
    pieces = [text[a:b] for a, b in zip(starts, stops, strict=True)]
    if any(r.family for r in runs):
        _name_symbols(pieces, [raw[a:b] for a, b in zip(starts, stops, strict=True)], [runs[k] for k in run])
    if HYPHEN in text:
        pieces = [p.replace(HYPHEN, "-") for p in pieces]
    if _SURROGATE.search(text):
        pieces = [p.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for p in pieces]
    boxes = _read_boxes(text_page, starts, stops, run, runs)
    _mend_sizes(runs, run, boxes)
    return Fragments(pieces, boxes, run, np.array(spaces, np.bool_), runs)


def _without_controls(text_page: int, raw: str, fonts: FontTable) -> str:
    """The text with something readable for control codes: the glyph's meaning, a space, or a mark for what is lost.

    The codes of pdfium itself, at line ends and hyphens, belong to no printing command.
    """

    def readable(match: re.Match[str]) -> str:
        code = match[0]
        if len(code) > 1:
            return "  "
        begin, end = match.span()
        command = pdfium.char_object(text_page, begin)
        known = glyphs.control(fonts.of(command).family, ord(code))
        if command and known is None:
            known = glyphs.ligature(raw[max(begin - 3, 0) : begin], code, raw[end : end + 3])
        if known is not None:
            return known
        if code == "\x02":
            return HYPHEN
        blank = not command or _is_blank(text_page, begin)
        return " " if blank else glyphs.UNKNOWN

    return _CONTROL.sub(readable, raw).translate(_BLANK)


def _is_blank(text_page: int, index: int) -> bool:
    x0, y0, x1, y1 = _glyph_hull(text_page, index, index + 1)
    return min(x1 - x0, y1 - y0) < NO_INK


def _hidden_brackets(text_page: int, text: str, fonts: FontTable) -> set[int]:
    """Indices of spaces that a font of large symbols draws: number 32 is its largest parenthesis."""
    found = set[int]()
    for match in re.finditer(" ", text):
        if fonts.of(pdfium.char_object(text_page, match.start())).family is Family.EXTENSION:
            found.add(match.start())
    return found


def _name_symbols(pieces: list[str], raw: list[str], runs: list[Run]) -> None:
    """Put characters in the place of glyph numbers, font by font. `raw` is each piece as pdfium gave it."""
    large: dict[str, list[int]] = {}
    for k, run in enumerate(runs):
        if run.family is Family.EXTENSION:
            large.setdefault(run.font, []).append(k)
        elif run.family is not None:
            pieces[k] = glyphs.meaning(run.family, pieces[k])
    for found in large.values():
        if glyphs.gives_numbers({c for k in found for c in raw[k]}):
            for k in found:
                pieces[k] = glyphs.large(raw[k])


def _mend_sizes(runs: list[Run], run: NDArray[np.int32], boxes: NDArray[np.float32]) -> None:
    """Give printing commands whose size makes no sense the height of their glyphs.

    The matrix of a Type 3 font is not in what pdfium reports: its size may be given as 0.1 points.
    """
    upright = np.array([r.angle % 180 in range(45, 135) for r in runs], np.bool_)[run]
    across = np.where(upright, boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    tallest = np.zeros(len(runs), np.float32)
    np.maximum.at(tallest, run, across)
    for k, style in enumerate(runs):
        if style.angle % 90 == 0 and style.size < 0.4 * tallest[k] and style.family is not Family.EXTENSION:
            style.size = float(tallest[k])
        style.size = max(style.size, MIN_SIZE)


def _split(text_page: int, text: str) -> tuple[list[int], list[int], list[int], list[bool]]:
    """Character ranges of the fragments, the address of the printing command of each, and where space stands before."""
    starts: list[int] = []
    stops: list[int] = []
    objects: list[int] = []
    spaces: list[bool] = []
    look_up = pdfium.char_object
    end = -1
    for match in _WORD.finditer(text):
        begin, stop = match.span()
        space = begin != end
        end = stop
        current = look_up(text_page, begin) or 0
        if stop - begin > 1 and (look_up(text_page, stop - 1) or 0) != current:
            for i in range(begin + 1, stop):
                other = look_up(text_page, i) or 0
                if other != current:
                    starts.append(begin)
                    stops.append(i)
                    objects.append(current)
                    spaces.append(space)
                    begin, current, space = i, other, False
        starts.append(begin)
        stops.append(stop)
        objects.append(current)
        spaces.append(space)
    return starts, stops, objects, spaces


def _read_boxes(
    text_page: int, starts: list[int], stops: list[int], run: NDArray[np.int32], runs: list[Run]
) -> NDArray[np.float32]:
    """(n, 4) hulls of the fragments."""
    n = len(starts)
    if n == 0:
        return np.zeros((0, 4), np.float32)
    loose = np.empty((n, 2, 4), np.float32)  # first and last character: left, top, right, bottom
    address = loose.ctypes.data
    read = pdfium.char_loose_box
    for start, stop in zip(starts, stops, strict=True):
        read(text_page, start, address)
        read(text_page, stop - 1, address + 16)
        address += 32
    x, y = loose[:, :, 0::2].reshape(n, 4), loose[:, :, 1::2].reshape(n, 4)
    boxes = np.stack([x.min(1), y.min(1), x.max(1), y.max(1)], axis=1)
    size = np.array([r.size for r in runs], np.float32)[run]
    level = np.array([r.angle == 0 for r in runs], np.bool_)[run]
    height = boxes[:, 3] - boxes[:, 1]
    # large symbols hang below the line that they are on
    large = np.array([r.family is Family.EXTENSION for r in runs], np.bool_)[run]
    senseless = ~(level & (boxes[:, 2] > boxes[:, 0]) & (height > 0.2 * size) & (height < 3 * size)) | large
    for k in np.flatnonzero(senseless):
        boxes[k] = _glyph_hull(text_page, starts[k], stops[k])
    return boxes


def _glyph_hull(text_page: int, start: int, stop: int) -> tuple[float, float, float, float]:
    """Hull of the glyphs of characters start..stop; right for turned text and for fonts with senseless metrics."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    refs = [ctypes.byref(v) for v in (left, right, bottom, top)]
    x0 = y0 = math.inf
    x1 = y1 = -math.inf
    for index in range(start, stop):
        if pdfium.char_box(text_page, index, *refs):
            x0, x1 = min(x0, left.value), max(x1, right.value)
            y0, y1 = min(y0, bottom.value), max(y1, top.value)
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else (0.0, 0.0, 0.0, 0.0)


def _read_runs(
    text_page: int, objects: list[int], starts: list[int], fonts: FontTable
) -> tuple[dict[int, int], list[Run]]:
    """Style of every printing command, and the index of each by its address."""
    by_object: dict[int, int] = {}
    runs: list[Run] = []
    matrix = (ctypes.c_float * 6)()
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    rgba = [ctypes.byref(v) for v in (red, green, blue, alpha)]
    for address, index in zip(objects, starts, strict=True):
        if address in by_object:
            continue
        a, b, c, d = 1.0, 0.0, 0.0, 1.0
        if pdfium.char_matrix(text_page, index, matrix):
            a, b, c, d = matrix[0], matrix[1], matrix[2], matrix[3]
        size = abs(pdfium.char_font_size(text_page, index)) * math.hypot(c, d)
        angle = 0 if b == 0 and a > 0 else round(math.degrees(math.atan2(b, a))) % 360
        name, style, family = fonts.of(address)
        color = 0
        if address:
            if pdfium.text_render_mode(address) == pdfium.RENDER_INVISIBLE:
                style |= Style.INVISIBLE
            if pdfium.object_fill_color(address, *rgba):
                color = red.value << 16 | green.value << 8 | blue.value
        by_object[address] = len(runs)
        runs.append(Run(size, angle, name, int(style), color, family))
    return by_object, runs
