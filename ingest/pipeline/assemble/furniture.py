"""What is not the document's own text: running heads and feet, contents lists; and single lines labelled oddly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.lines import Element, Line

EDGE = 0.12
"""Share of the page's height at head and foot in which running heads stand."""
MIN_REPEATS = 3
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*[\divxlcIVXLC–-]{1,9}$|(?:[.…·_]\s?){6,}$")
_PAGE_NUMBER = re.compile(r"\s\d{1,4}$")
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


def relabel_lines(pages: Sequence[Sequence[Element]]) -> None:
    """Correct, in place, labels that the lines around, the other pages, or dot leaders contradict."""
    for elements in pages:
        _smooth(elements)
        for line in elements:
            if isinstance(line, Line) and line.label in kinds.WORDS and _LEADERS.search(line.text):
                line.relabel(kinds.NONE)
    _find_repeated(pages)


def _smooth(elements: Sequence[Element]) -> None:
    """A line between two lines of one label, set like both and at the same distance, belongs to them."""
    lines = [e if isinstance(e, Line) else None for e in elements]
    for a, b, c in zip(lines, lines[1:], lines[2:], strict=False):
        if a is None or b is None or c is None or b.label == a.label or a.label != c.label:
            continue
        if a.label not in kinds.PROSE or b.marker or not (a.column == b.column == c.column):
            continue
        if b.style != a.style or b.style != c.style or max(abs(b.size - a.size), abs(b.size - c.size)) > 0.05 * b.size:
            continue
        before, after = a.base - b.base, b.base - c.base
        even = abs(before - after) < 0.1 * b.size and 0 < before < 1.7 * b.size
        aligned = min(abs(b.x0 - a.x0), abs(b.text_x0 - a.text_x0)) < 0.5 * b.size or abs(b.x0 - c.x0) < 0.5 * b.size
        if even and aligned and b.score < 0.5 * (a.score + c.score) + 0.2:
            b.relabel(a.label)


def _find_repeated(pages: Sequence[Sequence[Element]]) -> None:
    """Lines that stand at the same height of many pages, the same but for numbers, are furniture."""
    found: dict[tuple[str, int], list[Line]] = {}
    for elements in pages:
        for line in elements:
            if isinstance(line, Line) and line.label != kinds.PICTURE:
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
    """Ids of the furniture lines that belong to a table of contents: runs of lines that end in page numbers."""
    out: set[int] = set()
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and run and line.page - run[-1].page <= 1:
            run.append(line)
            continue
        inner = [k for k in run if not k.at_edge(EDGE / 2)]
        hits = sum(_LEADERS.search(k.text) is not None or _PAGE_NUMBER.search(k.text) is not None for k in inner)
        if (hits >= 3 and hits * 2 >= len(inner)) or any(_LEADERS.search(k.text) for k in inner):
            out.update(id(k) for k in inner)
        run = [line] if line is not None else []
    return out
