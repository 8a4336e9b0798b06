"""Levels of headings, recovered per document from numbering and style.

Headings of one style have one level. A style whose headings are numbered takes its level from the numbers (2.3.1 is
level 3, A.1 level 2, Chapter 4 level 1); a style without numbers takes a place among the others by size and weight.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from statistics import median
from typing import NamedTuple

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.breaks import Block

MAX_LEVEL = 6
MANY = 8
"""Headings of a document from which on a style that only one of them has counts for nothing."""
CHAPTER_SIZE = 1.4
"""Size of chapters' headings in that of sections', at least, where only size tells."""
CHAPTER_TOP, CHAPTERS_OPEN, MIN_CHAPTERS = 0.7, 0.8, 3
"""Share of the page's height above which its first heading opens it; share of the chapters that do; chapters."""
_PART = re.compile(
    r"(?:part|teil|partie|parte|volume|book)\s+(?:[\divxlc]+|one|two|three|four|five|six)\b|第[一二三四五六七八九十\d]+[部編编篇]",
    re.I,
)
_CHAPTER = re.compile(
    r"(?:chapter|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|глава)\s+(?:\d+|[ivxlc]+)\b|第[一二三四五六七八九十\d]+章",
    re.I,
)
_ANNEX = re.compile(
    r"(?:appendix|anhang|annexe?|anexo|ap[eé]ndice|appendice|приложение|附录|付録)\s*(?:\d+|[ivxlc]+|[a-z])?\b", re.I
)
_DECIMAL = re.compile(r"(?:§+ ?)?(\d{1,3}(?:\.(?:\d{1,3}|[a-z](?=[.\s])))*)\.?(?:\s|$|(?=[^\W\d_]))")
_APPENDIX = re.compile(r"([A-Z](?:\.\d{1,3})+)\.?(?:\s|$)")
_ROMAN = re.compile(r"([IVX]{1,6})\.?\s+(?=\S)")
_LETTER = re.compile(r"([A-Z])[.)]\s")
_SMALL = re.compile(r"(?:\(?[a-z]\)|\(?[ivx]+\)|\(?\d+\))\s")


class Numbering(NamedTuple):
    """How a heading is numbered."""

    kind: str
    depth: int


class _Style(NamedTuple):
    size: float
    bold: bool
    capitals: bool
    style: int
    label: int


def numbering(text: str) -> Numbering | None:
    """Kind of number in front of a heading, and its depth."""
    if _PART.match(text):
        return Numbering("part", 1)
    if _CHAPTER.match(text):
        return Numbering("chapter", 1)
    if _ANNEX.match(text):
        return Numbering("annex", 1)
    if found := _DECIMAL.match(text):
        numbers = found[1].split(".")
        if len(numbers) > 1 and numbers[-1] == "0":
            numbers.pop()
        # a year or a quantity is no number of a section
        return Numbering("decimal", len(numbers)) if int(numbers[0]) < 200 and len(text) > len(found[1]) else None
    if found := _APPENDIX.match(text):
        return Numbering("decimal", found[1].count(".") + 1)
    if found := _ROMAN.match(text):
        return Numbering("letter" if found[1] in "CDLM" else "roman", 1)
    if _LETTER.match(text):
        return Numbering("letter", 1)
    if _SMALL.match(text):
        return Numbering("small", 1)
    return None


def heading_levels(headings: list[Block]) -> list[int]:
    """Level, 1 to 6, of each heading of a document."""
    numbers = [numbering(_text(block)) for block in headings]
    styles = [_style(block) for block in headings]
    depths = _number_depths(numbers)
    counted = [k for k in range(len(headings)) if not _stands_apart(k, headings, styles, numbers)]
    numbered: dict[_Style, Counter[int]] = defaultdict(Counter)
    for k in counted:
        if depths[k]:
            numbered[styles[k]][depths[k]] += 1
    of_style = {style: found.most_common(1)[0][0] for style, found in numbered.items()}
    _place_unnumbered([styles[k] for k in counted], of_style)
    levels = [depth or of_style.get(style, 0) for depth, style in zip(depths, styles, strict=True)]
    top = min((level for level in levels if level), default=1) - 1
    return [min(max(level - top, 1), MAX_LEVEL) for level in levels]


def agreed_labels(headings: list[Block], levels: list[int]) -> list[int]:
    """Label of each heading, the same for all of a level.

    The first label is for sections and what stands above them: for the highest of several levels, and where there are
    chapters, and parts, for the next ones if most of their headings have it.
    """
    above = _levels_above_sections(headings, levels)
    agreed: dict[int, int] = {}
    label = kinds.SUBTITLE_1
    for level in sorted(set(levels)):
        votes = Counter(block.label for block, k in zip(headings, levels, strict=True) if k == level)
        highest = level == 1 < max(levels)
        if level > 1 + above or (not highest and votes[kinds.SUBTITLE_2] > votes[kinds.SUBTITLE_1]):
            label = kinds.SUBTITLE_2
        agreed[level] = label
    return [agreed[level] for level in levels]


def _levels_above_sections(headings: list[Block], levels: list[int]) -> int:
    """0, 1 for chapters, 2 for parts and chapters; chapters are named, or much larger, or each opens a page."""
    found = {number.kind for block in headings if (number := numbering(_text(block)))}
    if {"part", "chapter"} <= found:
        return 2
    first = [block.lines[0] for block, level in zip(headings, levels, strict=True) if level == 1]
    second = [block.lines[0].size for block, level in zip(headings, levels, strict=True) if level == 2]
    if not second:
        return 0
    larger = median(line.size for line in first) > CHAPTER_SIZE * median(second)
    opening = len({line.page for line in first if line.y1 > CHAPTER_TOP * line.view.height})
    opens = len(first) >= MIN_CHAPTERS and opening >= CHAPTERS_OPEN * len(first)
    return int(bool({"part", "chapter"} & found) or larger or opens)


def _stands_apart(k: int, headings: list[Block], styles: list[_Style], numbers: list[Numbering | None]) -> bool:
    """A heading whose style says nothing about the others: `title_heading`, and numbers on a line of their own.

    "Chapter 4" above its heading is set unlike it and unlike the sections.
    """
    number = numbers[k]
    if number is not None and number.kind in ("part", "chapter"):
        return len(_text(headings[k]).split()) <= 2
    return k == 0 and title_heading(headings)


def title_heading(headings: list[Block]) -> bool:
    """The first heading is the document's title by its looks: it has no number, and all others are in smaller type."""
    if len(headings) < 3 or numbering(_text(headings[0])) is not None:
        return False
    first, *others = (max(line.size for line in block.lines) for block in headings)
    return first > 1.05 * max(others)


def _text(block: Block) -> str:
    return " ".join(f"{line.marker} {line.text}".strip() for line in block.lines)


def _style(block: Block) -> _Style:
    line = max(block.lines, key=lambda k: len(k.text))
    letters = [c for c in line.text if c.isalpha()]
    capitals = len(letters) > 3 and all(c.isupper() for c in letters)
    return _Style(round(line.size * 2) / 2, line.bold, capitals, line.style, block.lines[0].label)


def _number_depths(numbers: list[Numbering | None]) -> list[int]:
    """Depth of each numbered heading; 0 of the others."""
    count = Counter(n.kind for n in numbers if n)
    parts = 1 if count["part"] else 0
    chapters = 1 if count["chapter"] else 0
    # "Chapter 4" above "4.1" counts already in the decimal's depth; above "1" it does not
    single = sum(n == Numbering("decimal", 1) for n in numbers)
    below = parts + (1 if chapters and single > count["chapter"] else 0)
    out = []
    for n in numbers:
        if n is None:
            out.append(0)
        elif n.kind == "part":
            out.append(1)
        elif n.kind in ("chapter", "annex"):
            out.append(1 + parts)
        elif n.kind == "decimal":
            # I., then A., then 1., as IEEE and APS number
            under = (2 if count["letter"] else 1) if count["roman"] >= 2 and n.depth == 1 else 0
            out.append(n.depth + below + under)
        elif n.kind == "roman":
            out.append(1 + below if count["roman"] >= 2 else 0)
        elif n.kind == "letter":
            out.append(2 + below if count["roman"] >= 2 else 1 + below if count["decimal"] else 0)
        else:
            out.append(0)
    return out


def _place_unnumbered(styles: list[_Style], of_style: dict[_Style, int]) -> None:
    """Give each style without numbers a level: that of a style like it, or one by its rank.

    A style that one heading of many has makes no level of its own: more often than not its label is wrong.
    """
    count = Counter(styles)
    rare = {style for style, n in count.items() if n == 1 and len(styles) >= MANY}
    for style in sorted(set(styles) - set(of_style), key=lambda s: (s in rare, _rank(s))):
        near = [k for k in sorted(of_style, key=_rank) if abs(k.size - style.size) <= 0.5]
        alike = [k for k in near if (k.bold, k.capitals) == (style.bold, style.capitals)]
        alike = alike or [k for k in near if k.label == style.label]
        above = [of_style[k] for k in of_style if _rank(k) < _rank(style)]
        below = [of_style[k] for k in of_style if _rank(k) > _rank(style)]
        if alike:
            of_style[style] = of_style[alike[0]]
        elif not above and not below:
            of_style[style] = 1
        elif not above:
            of_style[style] = max(min(below) - 1, 1)
        elif below and (style in rare or max(above) + 1 > min(below)):
            of_style[style] = min(below)
        else:
            of_style[style] = max(above) + (style not in rare)


def _rank(style: _Style) -> tuple[float, ...]:
    """Smaller for what stands higher: large, then of the first label, then bold, then in capitals."""
    return -style.size, float(style.label == kinds.SUBTITLE_2), -float(style.bold), -float(style.capitals), style.style
