"""From lines to blocks: headings, paragraphs, list items, formulas … each from one or more lines.

A paragraph ends where the next line is indented, stands further off, follows a line that ended early, or has another
size. What columns and pages cut in two is put together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.breaks import (
    Block,
    is_false_marker,
    is_numbered,
    is_short,
    new_entry,
    new_note,
    same_formula,
    same_heading,
    same_size,
)
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.lines import Element, Line
from ingest.pipeline.assemble.measures import Measures
from ingest.pipeline.assemble.text import CAPTION_START, ends_sentence

_GOES_ON = tuple("-\u2010\u00ad,，、([/–")
MIN_COLUMN = 15.0
"""Font sizes: in narrower columns a line that reaches the margin says nothing."""


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
            return same_formula(block, line, self._measures.body_size)
        pitch = last.base - line.base
        if not -0.2 * last.size < pitch < 3.2 * max(last.size, line.size):
            return False
        if line.label in kinds.PROSE:
            if block.code or line.code:
                return block.code and line.code and abs(line.size - last.size) < 0.1 * last.size
            return not self._new_paragraph(block, line)
        if line.label == kinds.CAPTION:
            return not CAPTION_START.match(line.text) and pitch < 2 * max(last.size, line.size)
        if line.label in kinds.HEADINGS:
            return same_heading(block, line)
        return pitch < 2.2 * max(last.size, line.size) and same_size(last, line, 0.15)

    def _new_paragraph(self, block: Block, line: Line) -> bool:
        last, measures = block.last, self._measures
        if line.marker:
            if not is_false_marker(block, line):
                return True
            line.drop_marker()
        if line.label == kinds.FOOTNOTE and new_note(block, line):
            return True
        if not same_size(last, line, 0.2) and min(len(line.text), len(last.text)) > 3:
            return True
        if line.label != kinds.CITATION and is_numbered(line.text) and is_numbered(block.lines[0].text):
            return True
        left, right = measures.margins(line)
        em = line.size
        pitch = (last.base - line.base) / measures.leading(line)
        ended = ends_sentence(last.text) or last.text.endswith((":", "："))
        lower = line.text[:1].islower()
        short = is_short(last, line, right)
        if pitch > 1.25:  # white between the lines
            loose = pitch > 1.9
            if lower and not ended and not short:
                return pitch > 2.6
            return loose or ended or short
        if line.label == kinds.CITATION or (line.label == kinds.TEXT and measures.hangs(line)):
            return new_entry(block, line, ended=ended, short=short)
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
        if line.marker or not same_size(last, line, 0.08):
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
        if not full or is_numbered(line.text):
            return False
        indented = line.x0 > measures.margins(line)[0] + 0.6 * line.size
        if ended:
            return not indented and measures.indents and line.label == kinds.TEXT
        return not indented
