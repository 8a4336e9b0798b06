"""Where one heading, note, entry or formula ends and the next begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ingest.pipeline.assemble.lines import Line

_NUMBERED = re.compile(r"(?:\d+(?:\.\d+)+\.?|\d+\.|[A-Z]\.(?:\d+\.?)*|[IVX]+\.|§+ ?\d+|\d+) ")
_COUNTED = re.compile(r"(?:\d+(?:\.\d+)+[.)]?|\d{1,2}[.)]|[a-zA-Z]\)) ?(?=[^\W\d])|\(\w{1,3}\) |[-–—*] ")
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§¶‖∗]+|[a-z])(?:[.)]|\b|(?=\s))")
_EQUATION_NUMBER = re.compile(r"[(\[][\w.]{1,8}[)\]]$")


@dataclass(slots=True)
class Block:
    """Lines that make one item; more than one column or page may share it."""

    label: int
    lines: list[Line] = field(default_factory=list)
    code: bool = False

    @property
    def last(self) -> Line:
        return self.lines[-1]


def is_numbered(text: str) -> bool:
    return _COUNTED.match(text) is not None


def same_size(a: Line, b: Line, share: float) -> bool:
    return abs(a.size - b.size) <= share * max(a.size, b.size)


def is_false_marker(block: Block, line: Line) -> bool:
    """A number that a line happens to begin with: it stands where the item's text goes on, not where items begin."""
    first, em = block.lines[0], line.size
    if line.marker_cells:
        return False
    if first.marker:
        return first.text_x0 - first.x0 > 0.7 * em and abs(line.x0 - first.text_x0) < 0.5 * em
    return line.x0 > first.x0 + 0.7 * em


def is_short(last: Line, line: Line, right: float) -> bool:
    """The first word of the line would have found room at the end of the line before."""
    word = line.text.split(" ", 1)[0]
    if len(word) == len(line.text):
        width = line.x1 - line.x0 if len(word) < 20 else line.size
    else:
        width = (line.x1 - line.text_x0) * (len(word) + 1) / max(len(line.text), 1)
    return last.x1 + width + 0.5 * line.size < right


def same_heading(block: Block, line: Line) -> bool:
    last = block.last
    if not same_size(last, line, 0.1) or last.bold != line.bold:
        return False
    if (last.base - line.base) > 2.0 * line.size or _NUMBERED.match(line.text):
        return False
    # a heading of several lines is full, or its lines are centred on one another
    centred = abs((last.x0 + last.x1) - (line.x0 + line.x1)) < 2 * line.size
    hanging = line.x0 >= block.lines[0].text_x0 - 0.5 * line.size
    return centred or (hanging and len(last.text) > 15)


def same_formula(block: Block, line: Line, body_size: float) -> bool:
    """Parts of one display: overlapping in height, or close below without a number between them."""
    bottom = min(k.y0 for k in block.lines)
    gap = bottom - line.y1
    if gap < -0.1 * line.size:
        return True
    if gap > 1.2 * max(line.size, body_size):
        return False
    return not (_EQUATION_NUMBER.search(block.last.text) and _EQUATION_NUMBER.search(line.text))


def new_note(block: Block, line: Line) -> bool:
    """A footnote begins: a mark stands in front of capitals, and not at the left of running text."""
    found = _NOTE.match(line.text)
    if found is None:
        return False
    first = block.lines[0]
    mark, number = found[0].strip(" .)"), _NOTE.match(first.text)
    if number is not None and number[0].strip(" .)").isdigit() and mark.isdigit():
        return int(mark) == int(number[0].strip(" .)")) + 1
    rest = line.text[found.end() :].lstrip()
    return not mark.isalpha() and rest[:1].isupper()


def new_entry(block: Block, line: Line, *, ended: bool, short: bool) -> bool:
    """An entry of a bibliography without markers begins: it hangs out, or its predecessor ended early."""
    first, em = block.lines[0], line.size
    if first.marker:
        return line.x0 < first.text_x0 - 0.7 * em and line.x0 < block.last.x0 - 0.7 * em and ended
    if len(block.lines) > 1 and block.lines[1].x0 > first.x0 + 0.5 * em:
        return line.x0 < block.lines[1].x0 - 0.5 * em
    if line.x0 > block.last.x0 + 0.5 * em:
        return False
    if line.x0 < block.last.x0 - 0.5 * em:
        return True
    return ended and short and line.text[:1].isupper()
