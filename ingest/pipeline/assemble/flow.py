"""From lines to blocks: headings, paragraphs, list items, formulas … each from one or more lines.

A paragraph ends where the next line is indented, stands further off, follows a line that ended early, or has another
size. What columns and pages cut in two is put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.lines import Element, Line
from ingest.pipeline.assemble.measures import Measures
from ingest.pipeline.assemble.text import ends_sentence

_GOES_ON = tuple("-\u2010\u00ad,，、([/–")
_NUMBERED = re.compile(r"(?:\d+(?:\.\d+)+\.?|\d+\.|[A-Z]\.(?:\d+\.?)*|[IVX]+\.|§+ ?\d+|\d+) ")
_COUNTED = re.compile(r"(?:\d+(?:\.\d+)+[.)]?|\d{1,2}[.)]|[a-zA-Z]\)) ?(?=[^\W\d])|\(\w{1,3}\) |[-–—*] ")
_CAPTION = re.compile(
    r"(?:fig|figure|table|tab|tabelle|abb|abbildung|tableau|tabla|figura|tabella|listing|algorithm|scheme|plate|box|chart"
    r"|рис|таблица|рисунок|図|表|图|圖)[.\s]*\d",
    re.I,
)
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§¶‖∗]+|[a-z])(?:[.)]|\b|(?=\s))")
_EQUATION_NUMBER = re.compile(r"[(\[][\w.]{1,8}[)\]]$")


MIN_COLUMN = 15.0
"""Font sizes: in narrower columns a line that reaches the margin says nothing."""


@dataclass(slots=True)
class Block:
    """Lines that make one item; more than one column or page may share it."""

    label: int
    lines: list[Line] = field(default_factory=list)
    code: bool = False

    @property
    def last(self) -> Line:
        return self.lines[-1]


Piece = Block | Float


def read_flow(pages: Iterable[Sequence[Element]], measures: Measures) -> list[Piece]:
    """Blocks and floats of a document in reading order; furniture is made of blocks labelled none."""
    flow = _Flow(measures)
    for elements in pages:
        for element in elements:
            flow.add(element)
    return flow.pieces


class _Flow:
    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self.pieces: list[Piece] = []
        self._above: Block | None = None
        """The block that the next line of the same column may belong to."""
        self._broken: Block | None = None
        """The paragraph that may go on after a column's or page's end, a float, a note."""

    def add(self, element: Element) -> None:
        if isinstance(element, Float):
            self.pieces.append(element)
            self._above = None
            return
        if element.label == kinds.NONE:
            self._add_furniture(element)
            return
        above = self._above
        if above is not None and above.label == element.label and self._joins(above, element):
            above.lines.append(element)
            return
        broken = self._broken
        fresh = above is None or above.last.page != element.page or above.last.column != element.column
        fresh = fresh or above is not broken
        if broken is not None and broken.label == element.label and fresh and self._goes_on(broken, element):
            broken.lines.append(element)
            self._above = broken
            return
        self._start(element)

    def _start(self, line: Line) -> None:
        block = Block(line.label, [line], code=line.code)
        self.pieces.append(block)
        self._above = block
        if line.label in kinds.PROSE:
            if line.label != kinds.FOOTNOTE:
                self._broken = block
        elif line.label != kinds.CAPTION:
            self._broken = None

    def _add_furniture(self, line: Line) -> None:
        """Furniture is a line each and does not part the lines around it."""
        self.pieces.append(Block(line.label, [line]))

    def _joins(self, block: Block, line: Line) -> bool:
        """The line goes on the block in the same column."""
        last = block.last
        if last.page != line.page or last.column != line.column:
            return False
        if line.label == kinds.FORMULA:
            return _same_formula(block, line, self._measures.body_size)
        pitch = last.base - line.base
        if not -0.2 * last.size < pitch < 3.2 * max(last.size, line.size):
            return False
        if line.label in kinds.PROSE:
            if block.code or line.code:
                return block.code and line.code and abs(line.size - last.size) < 0.1 * last.size
            return not self._new_paragraph(block, line)
        if line.label == kinds.CAPTION:
            return not _CAPTION.match(line.text) and pitch < 2 * max(last.size, line.size)
        if line.label in kinds.HEADINGS:
            return _same_heading(block, line)
        return pitch < 2.2 * max(last.size, line.size) and _same_size(last, line, 0.15)

    def _new_paragraph(self, block: Block, line: Line) -> bool:
        last, measures = block.last, self._measures
        if line.marker:
            if not _is_false_marker(block, line):
                return True
            line.drop_marker()
        if line.label == kinds.FOOTNOTE and _new_note(block, line):
            return True
        if not _same_size(last, line, 0.2) and min(len(line.text), len(last.text)) > 3:
            return True
        if line.label != kinds.CITATION and _is_numbered(line.text) and _is_numbered(block.lines[0].text):
            return True
        left, right = measures.margins(line)
        em = line.size
        pitch = (last.base - line.base) / measures.leading(line)
        ended = ends_sentence(last.text) or last.text.endswith((":", "："))
        lower = line.text[:1].islower()
        short = _is_short(last, line, right)
        if pitch > 1.25:  # white between the lines
            loose = pitch > 1.9
            if lower and not ended and not short:
                return pitch > 2.6
            return loose or ended or short
        if line.label == kinds.CITATION:
            return _new_entry(block, line, ended=ended, short=short, left=left)
        indent = line.x0 - last.x0
        if len(block.lines) == 1:
            if block.lines[0].marker:  # an item's text goes on under its own beginning
                return line.x0 < last.x0 - 0.7 * em
            if indent > 0.7 * em and not ended and not short:
                return False  # hanging
        elif indent > 0.7 * em and last.x0 < block.lines[0].text_x0 + 0.7 * em:
            return ended or short or not lower
        if indent > 0.7 * em:
            return ended or short
        if indent < -0.7 * em and len(block.lines) > 1:
            return True
        if short:
            return ended or (not lower and last.x1 < left + 0.85 * (right - left))
        return False

    def _goes_on(self, block: Block, line: Line) -> bool:
        """The line goes on a paragraph that a column's or page's end, or a float, has cut."""
        last, measures = block.last, self._measures
        if line.page > last.page + 2:
            return False
        if block.code != line.code:
            return False
        if line.marker or not _same_size(last, line, 0.08):
            return False
        if block.code:  # a listing goes on after a page's end if nothing stands between
            return self._above is block and line.page > last.page
        lower = line.text[:1].islower()
        if last.text.endswith(_GOES_ON):
            return True
        ended = ends_sentence(last.text)
        if lower and not ended:
            return True
        if last.text.endswith((":", "：", ";")) and not lower:
            return False
        left, right = measures.margins(last)
        width = right - left
        full = last.x1 > right - 1.5 * last.size and last.x0 < left + 0.3 * width and width > MIN_COLUMN * last.size
        if not full or _is_numbered(line.text):
            return False
        indented = line.x0 > measures.margins(line)[0] + 0.6 * line.size
        if ended:
            return not indented and measures.indents and line.label == kinds.TEXT
        return not indented


def _is_numbered(text: str) -> bool:
    return _COUNTED.match(text) is not None


def _same_size(a: Line, b: Line, share: float) -> bool:
    return abs(a.size - b.size) <= share * max(a.size, b.size)


def _is_false_marker(block: Block, line: Line) -> bool:
    """A number that a line happens to begin with: it stands where the item's text goes on, not where items begin."""
    first, em = block.lines[0], line.size
    if line.marker_cells:
        return False
    if first.marker:
        return first.text_x0 - first.x0 > 0.7 * em and abs(line.x0 - first.text_x0) < 0.5 * em
    return line.x0 > first.x0 + 0.7 * em


def _is_short(last: Line, line: Line, right: float) -> bool:
    """The first word of the line would have found room at the end of the line before."""
    word = line.text.split(" ", 1)[0]
    if len(word) == len(line.text):
        width = line.x1 - line.x0 if len(word) < 20 else line.size
    else:
        width = (line.x1 - line.text_x0) * (len(word) + 1) / max(len(line.text), 1)
    return last.x1 + width + 0.5 * line.size < right


def _same_heading(block: Block, line: Line) -> bool:
    last = block.last
    if not _same_size(last, line, 0.1) or last.bold != line.bold:
        return False
    if (last.base - line.base) > 2.0 * line.size or _NUMBERED.match(line.text):
        return False
    # a heading of several lines is full, or its lines are centred on one another
    centred = abs((last.x0 + last.x1) - (line.x0 + line.x1)) < 2 * line.size
    hanging = line.x0 >= block.lines[0].text_x0 - 0.5 * line.size
    return centred or (hanging and len(last.text) > 15)


def _same_formula(block: Block, line: Line, body_size: float) -> bool:
    """Parts of one display: overlapping in height, or close below without a number between them."""
    bottom = min(k.y0 for k in block.lines)
    gap = bottom - line.y1
    if gap < -0.1 * line.size:
        return True
    if gap > 1.2 * max(line.size, body_size):
        return False
    return not (_EQUATION_NUMBER.search(block.last.text) and _EQUATION_NUMBER.search(line.text))


def _new_note(block: Block, line: Line) -> bool:
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


def _new_entry(block: Block, line: Line, *, ended: bool, short: bool, left: float) -> bool:
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
