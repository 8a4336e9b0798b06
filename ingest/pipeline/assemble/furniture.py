"""What is not the document's own text: running heads and feet, contents lists."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.lines import Element, Line

EDGE = 0.12
"""Share of the page's height at head and foot in which running heads stand."""
MIN_REPEATS = 3
MIN_NUMBERED = 3
"""Lines of a page that must end in page numbers before the lines between them are contents too."""
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*[\divxlcIVXLC–-]{1,9}$|(?:[.…·_]\s?){6,}$")
_PAGE_NUMBER = re.compile(r"\s\d{1,4}$")
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


def relabel_furniture(pages: Sequence[Sequence[Element]]) -> None:
    """Relabel, in place, lines with dot leaders and lines that many pages have at the same place."""
    for elements in pages:
        for line in elements:
            if isinstance(line, Line) and line.label in kinds.WORDS and _has_leaders(line.text):
                line.relabel(kinds.NONE)
    _find_repeated(pages)


def _has_leaders(text: str) -> bool:
    # searching is slow, and few lines have two dots in a row
    return any(dots in text for dots in ("..", ". .", "……", "··", "· ·", "__")) and _LEADERS.search(text) is not None


def _find_repeated(pages: Sequence[Sequence[Element]]) -> None:
    """Lines that stand at the same height of many pages, the same but for numbers, are furniture."""
    found: dict[tuple[str, int], list[Line]] = {}
    for elements in pages:
        for line in elements:
            if isinstance(line, Line):
                height = line.view.height or 1.0
                middle = (line.y0 + line.y1) / 2
                if middle > (1 - EDGE) * height or middle < EDGE * height:
                    key = _DIGITS.sub("#", line.text.lower()), round(middle / 4)
                    found.setdefault(key, []).append(line)
    for (text, _), lines in found.items():
        on_pages = len({line.page for line in lines})
        if text and on_pages >= MIN_REPEATS and on_pages >= 0.08 * len(pages):
            known = Counter(line.label for line in lines)
            # a table's head repeats too, and so does what most pages call the text's own
            sure = known[kinds.NONE] * 3 >= len(lines) or on_pages >= 2 * MIN_REPEATS or text == "#"
            for line in lines:
                if sure and line.label in kinds.WORDS:
                    line.relabel(kinds.NONE)


def contents_lines(lines: Sequence[Line]) -> set[int]:
    """Ids of the furniture lines that belong to a table of contents: most of their page end in page numbers."""
    out: set[int] = set()
    for _, on_page in itertools.groupby(lines, key=lambda line: line.page):
        inner = [line for line in on_page if not line.at_edge(EDGE / 2)]
        numbered = sum(_has_leaders(line.text) or _PAGE_NUMBER.search(line.text) is not None for line in inner)
        whole = numbered >= MIN_NUMBERED and numbered * 2 >= len(inner)
        out.update(id(line) for line in inner if whole or _has_leaders(line.text))
    return out
