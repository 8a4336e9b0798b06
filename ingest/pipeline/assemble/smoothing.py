"""Single lines that a model labelled otherwise than the text that they plainly belong to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from ingest.document.page import Style
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.lines import Element, Line
from ingest.pipeline.assemble.lists import is_enumerated
from ingest.pipeline.assemble.text import CAPTION_START, ends_sentence

CLOSE = 1.7
"""Font sizes between the base lines of two lines of one paragraph, at most."""


_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
TERM = 60
"""Characters of a term that a description list explains."""
PART = 30
"""Characters of a line that may be a part of a formula."""
_ONLY_WORDS = re.compile(r"[^\W\d_]{2,}(?: [^\W\d_]{2,})*[,.:]?")
_LARGE = kinds.HEADINGS | {kinds.TITLE}
"""What is set in large type."""


def smooth(elements: Sequence[Element]) -> None:
    """Correct labels of lines of a page, in place."""
    for run in _columns(elements):
        for a, b, c in zip(run, run[1:], run[2:], strict=False):
            if a.label == c.label != b.label and a.label in kinds.PROSE and _is_between(a, b, c):
                b.relabel(a.label)
        for a, b in itertools.pairwise(run):
            for formula, other in ((a, b), (b, a)):
                if formula.label == kinds.FORMULA and other.label in kinds.WORDS and _is_part(other, formula):
                    other.relabel(kinds.FORMULA)
        _free_words(run)
        _drop_false_items(run)
        _find_terms(run)
        _finish_items(run)
        _join_sentences(run)
        for a, b in itertools.pairwise(run):
            if a.label != b.label and _is_one_heading(a, b):
                stronger = max(a, b, key=lambda line: (line.label in _LARGE, len(line.text) * line.score))
                (b if stronger is a else a).relabel(stronger.label)


def _columns(elements: Sequence[Element]) -> list[list[Line]]:
    """Successive lines of one column."""
    out: list[list[Line]] = []
    for element in elements:
        if not isinstance(element, Line):
            out.append([])
        elif element.cells[0] in element.view.line_numbers:
            continue
        elif out and out[-1] and out[-1][-1].column == element.column:
            out[-1].append(element)
        else:
            out.append([element])
    return out


def _set_alike(a: Line, b: Line) -> bool:
    return a.style == b.style and abs(a.size - b.size) < 0.05 * b.size


def _is_between(a: Line, b: Line, c: Line) -> bool:
    """The middle line is set like both others, at the same distance from each."""
    if b.marker or CAPTION_START.match(b.text) or not (_set_alike(a, b) and _set_alike(b, c)):
        return False
    before, after = a.base - b.base, b.base - c.base
    even = abs(before - after) < 0.1 * b.size and 0 < before < CLOSE * b.size
    aligned = min(abs(b.x0 - a.x0), abs(b.text_x0 - a.text_x0), abs(b.x0 - c.x0)) < 0.5 * b.size
    return even and aligned and b.score < 0.5 * (a.score + c.score) + 0.2


def _is_part(other: Line, formula: Line) -> bool:
    """A short line that overlaps a formula in height: the other half of a fraction, a limit of a sum."""
    shared = min(other.y1, formula.y1) - max(other.y0, formula.y0)
    gap = max(other.x0 - formula.x1, formula.x0 - other.x1)
    if len(other.text) > PART or other.marker or _LONG_WORD.search(other.text):
        return False
    return shared > 0.25 * other.size and gap < 2 * other.size


def _free_words(lines: list[Line]) -> None:
    """Words alone on a line at the margin, between displays ("and", "we have"), are text."""
    left = min((line.x0 for line in lines), default=0.0)
    for k, line in enumerate(lines):
        if line.label != kinds.FORMULA or line.x0 > left + 3 * line.size or not _ONLY_WORDS.fullmatch(line.text):
            continue
        beside = (other for other in lines[max(k - 1, 0) : k + 2] if other is not line)
        if not any(min(other.y1, line.y1) - max(other.y0, line.y0) > 0.25 * line.size for other in beside):
            line.relabel(kinds.TEXT)


def _drop_false_items(lines: list[Line]) -> None:
    """A number at a line's beginning in the middle of a sentence begins no item."""
    right = max((line.x1 for line in lines), default=0.0)
    for a, b in itertools.pairwise(lines):
        if a.label != kinds.TEXT or b.label != kinds.LIST_ITEM or not is_enumerated(b.marker):
            continue
        close = 0 < a.base - b.base < CLOSE * b.size and abs(a.x0 - b.x0) < 0.4 * b.size
        if close and a.x1 > right - 3 * a.size and not a.text.endswith((".", ":", ";", "!", "?")):
            b.relabel(kinds.TEXT)


def _find_terms(lines: list[Line]) -> None:
    """Paragraphs that begin with a term in bold, and hang below it, are the items of a description list."""
    right = max((line.x1 for line in lines), default=0.0)
    terms = [k for k, line in enumerate(lines) if line.label == kinds.TEXT and _begins_with_term(line)]
    hanging = {k for k in terms if k + 1 < len(lines) and _hangs(lines[k], lines[k + 1], right)}
    for k in terms:
        item = lines[k]
        # one alone may be anything
        others = [j for j in hanging if j != k and abs(lines[j].x0 - item.x0) < 0.4 * item.size]
        if not others:
            continue
        item.take_marker()
        if k in hanging:
            for above, line in itertools.pairwise(lines[k:]):
                if line.label != kinds.TEXT or line.x0 < item.x0 + 0.9 * item.size or not _close(above, line):
                    break
                line.relabel(kinds.LIST_ITEM)


def _begins_with_term(line: Line) -> bool:
    styles, first = line.view.styles, line.cells[0]
    term = line.view.texts[first]
    if line.marker or len(line.cells) < 2 or len(term) > TERM:
        return False
    # key words of algorithms are in small letters, "Lemma 2." and headings within a line end with a stop
    if not term[:1].isalpha() or term[0].islower() or term.endswith("."):
        return False
    return bool(styles[first] & Style.BOLD) and not styles[line.cells[1]] & Style.BOLD


def _hangs(line: Line, below: Line, right: float) -> bool:
    indent = (below.x0 - line.x0) / line.size
    full = line.x1 > right - 3 * line.size
    return full and below.label == kinds.TEXT and 0.9 < indent < 5 and _close(line, below)


def _close(above: Line, line: Line) -> bool:
    return 0 < above.base - line.base < CLOSE * line.size and abs(above.size - line.size) < 0.05 * line.size


def _finish_items(lines: list[Line]) -> None:
    """Lines labelled text that are the rest of a list item belong to it."""
    right = max((line.x1 for line in lines), default=0.0)
    item: Line | None = None
    for a, b in itertools.pairwise(lines):
        if a.label == kinds.LIST_ITEM and a.marker:
            item = a
        if item is None or a.label != kinds.LIST_ITEM or b.label != kinds.TEXT or b.code:
            item = None if b.label != kinds.LIST_ITEM else item
            continue
        full = a.x1 > right - 3 * a.size
        if not (_close(a, b) and full):
            item = None
            continue
        hanging = item.text_x0 > item.x0 + 0.7 * item.size and abs(b.x0 - item.text_x0) < 0.4 * b.size
        indented = item.x0 > b.x0 + 0.7 * b.size  # the first line of an item that is set like a paragraph
        goes_on = b.text[:1].islower() and not ends_sentence(a.text)
        if hanging or (indented and (goes_on or a is not item)):
            b.relabel(kinds.LIST_ITEM)
        else:
            item = None


def _join_sentences(lines: list[Line]) -> None:
    """Where a sentence goes on over a change of label, a single line takes the label of the several others."""
    runs = [list(run) for _, run in itertools.groupby(lines, key=lambda line: line.label)]
    for above, below in itertools.pairwise(runs):
        a, b = above[-1], below[0]
        if not {a.label, b.label} <= kinds.WORDS or not _sentence_goes_on(a, b):
            continue
        if CAPTION_START.match(a.text):
            continue
        if len(below) == 1 and len(above) > 1 and a.label in kinds.PROSE:
            b.relabel(a.label)
        elif len(above) == 1 and len(below) > 1 and b.label in kinds.PROSE and not a.marker:
            a.relabel(b.label)
        elif len(above) == len(below) == 1 and kinds.TEXT in (a.label, b.label) and not a.marker:
            (b if a.label == kinds.TEXT else a).relabel(kinds.TEXT)


def _sentence_goes_on(a: Line, b: Line) -> bool:
    close = 0 < a.base - b.base < CLOSE * b.size and abs(b.x0 - a.x0) < 3 * b.size
    return close and _set_alike(a, b) and b.text[:1].islower() and not b.marker and not ends_sentence(a.text)


def _is_one_heading(a: Line, b: Line) -> bool:
    """Two lines of large type set alike, of which one is a title or a heading."""
    if not ({a.label, b.label} & (kinds.HEADINGS | {kinds.TITLE}) and {a.label, b.label} <= kinds.WORDS):
        return False
    large = b.size > 1.25 * b.view.median_size
    return (
        large and a.style == b.style and abs(a.size - b.size) < 0.02 * b.size and 0 < a.base - b.base < CLOSE * b.size
    )
