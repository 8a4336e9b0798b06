"""Program text: which lines are, and what they look like with their indentation."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.lines import Element, Line


def mark_code(elements: Sequence[Element], leading: float) -> None:
    """Set `code` of the lines of a page that are program text: fixed-width, and not a line within a paragraph.

    `leading` is the usual distance of lines, in font sizes.
    """
    lines = [e for e in elements if isinstance(e, Line) and e.label != kinds.NONE]
    for mono, run in itertools.groupby(enumerate(lines), key=lambda pair: _looks_like_code(pair[1])):
        found = list(run)
        if not mono:
            continue
        first, last = found[0][0], found[-1][0]
        before = lines[first - 1] if first else None
        after = lines[last + 1] if last + 1 < len(lines) else None
        if len(found) == 1 and _reads_like_a_sentence(lines[first].text):
            continue
        if len(found) < 3 and (_continues(before, lines[first], leading) or _continues(lines[last], after, leading)):
            continue
        for _, line in found:
            line.code = True


def _looks_like_code(line: Line) -> bool:
    return line.mono and line.label == kinds.TEXT


def _reads_like_a_sentence(text: str) -> bool:
    """Mostly plain words: a sentence whose longest word is in a fixed-width font."""
    words = text.split()
    return len(words) >= 6 and sum(word.strip(".,;:").isalpha() for word in words) > 0.7 * len(words)


def _continues(a: Line | None, b: Line | None, leading: float) -> bool:
    """Two lines stand as close as those of a paragraph."""
    if a is None or b is None or a.label != b.label or (a.page, a.column) != (b.page, b.column):
        return False
    return a.base - b.base < 1.2 * leading * max(a.size, b.size) and abs(a.x0 - b.x0) < 1.5 * b.size


def code_lines(lines: list[Line]) -> list[str]:
    """Lines of program text with their indentation and blank lines; a newline ends each but the last."""
    left = min(line.x0 for line in lines)
    wide = max(lines, key=lambda line: len(line.text))
    advance = (wide.x1 - wide.x0) / max(len(wide.text), 1) or 1.0
    leading = min((d for a, b in itertools.pairwise(lines) if (d := a.base - b.base) > 0), default=0.0)
    out = []
    for line, after in itertools.zip_longest(lines, lines[1:]):
        text = " " * round((line.x0 - left) / advance) + _columns(line, advance)
        if after is not None:
            same_place = after.page == line.page and after.column == line.column
            blank = same_place and leading > 0 and line.base - after.base > 1.7 * leading
            text += "\n\n" if blank else "\n"
        out.append(text)
    return out


def _columns(line: Line, advance: float) -> str:
    """Text of a line of code; wide gaps become as many spaces."""
    view = line.view
    text = view.texts[line.cells[0]]
    for before, cell in itertools.pairwise(line.cells):
        text += " " * max(round((view.x0[cell] - view.x1[before]) / advance), 0) + view.texts[cell]
    return text
