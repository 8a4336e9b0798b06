"""Lines of text: cells of one label that stand on one line, joined."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ingest.document.labels import SURE_BULLETS
from ingest.document.page import Style
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.harmony import harmonise
from ingest.pipeline.assemble.lists import split_marker
from ingest.pipeline.assemble.text import is_cjk
from ingest.pipeline.assemble.view import View
from ingest.pipeline.reading_order import reading_columns

SPACE = 0.12
"""Gap, in font sizes, from which on cells of a line are separate words."""
APART = 12.0
"""Gap over which they are no longer one line at all."""
_MAY_BE_ITEMS = kinds.WORDS - {kinds.CAPTION, kinds.CITATION, kinds.FOOTNOTE}
_MONO, _BOLD = int(Style.MONO), int(Style.BOLD)


@dataclass(slots=True)
class Line:
    """A line, or the part of one that has one label. Coordinates in the reading frame."""

    view: View
    cells: list[int]
    label: int
    text: str
    """Cleaned, without the marker."""
    marker: str
    """Bullet, number or letter in front of a list item or of an entry of a bibliography."""
    marker_cells: int
    """How many of the cells, from the first on, are nothing but the marker."""
    x0: float
    y0: float
    x1: float
    y1: float
    text_x0: float
    """Where the text begins behind the marker."""
    base: float
    """Lower edge of the longest cell: two lines of a paragraph are one leading apart there."""
    size: float
    style: int
    """Style bits of the longest cell."""
    column: int
    """Number of the text column within the page."""
    code: bool = False
    """Program text."""

    @property
    def page(self) -> int:
        return self.view.page.number

    @property
    def score(self) -> float:
        return min(self.view.scores[i] for i in self.cells)

    def relabel(self, label: int) -> None:
        """Give the line, and its cells, another label; a marker becomes a part of the text."""
        self.label = label
        for i in self.cells:
            self.view.labels[i] = label
        if self.marker and label not in (kinds.LIST_ITEM, kinds.CITATION):
            self.drop_marker()

    def take_marker(self) -> None:
        """The first cell is the marker of a list item."""
        first, *rest = self.cells
        self.relabel(kinds.LIST_ITEM)
        self.view.labels[first] = kinds.IDENTIFIER
        self.marker, self.marker_cells = self.view.texts[first], 1
        self.text, self.text_x0 = join_cells(self.view, rest), self.view.x0[rest[0]]

    def drop_marker(self) -> None:
        """What looked like a marker is the beginning of the text."""
        self.text, self.marker, self.marker_cells = f"{self.marker} {self.text}".strip(), "", 0
        self.text_x0 = self.x0

    def at_edge(self, share: float) -> bool:
        """The line stands within this share of the page's height at its head or foot."""
        middle = (self.y0 + self.y1) / 2
        return not share * self.view.height < middle < (1 - share) * self.view.height

    @property
    def mono(self) -> bool:
        return bool(self.style & _MONO)

    @property
    def bold(self) -> bool:
        return bool(self.style & _BOLD)


Element = Line | Float


def page_elements(view: View, floats: list[Float]) -> list[Element]:
    """Lines and floats of a page in reading order; labels that their line contradicts are corrected on the way."""
    columns = _columns(view, [f for f in floats if not f.background], {i for f in floats for i in f.cells})
    elements: list[Element] = [f for f in floats if f.background]
    for number, column in enumerate(columns):
        for row in _rows(view, column):
            if isinstance(row, Float):
                elements.append(row)
            else:
                elements += [_line(view, [i], number) for i in row if i in view.line_numbers]
                if words := [i for i in row if i not in view.line_numbers]:
                    harmonise(view, words)
                    elements += _lines(view, words, number)
    return elements


Unit = int | Float
"""What is put in order: a cell of its own, or a float with all its cells."""


def _columns(view: View, floats: list[Float], taken: set[int]) -> list[list[Unit]]:
    units: list[tuple[int, Unit]] = [(i, i) for i in range(len(view)) if i not in taken]
    # the place of a float in the content order is that of its first cell; of one without cells, the end
    units += [(min(f.cells, default=len(view)), f) for f in floats]
    units.sort(key=lambda unit: unit[0])
    if not units:
        return []
    boxes = np.array([view.boxes[u] if isinstance(u, int) else u.box for _, u in units], np.float32)
    labels = np.array([view.labels[u] if isinstance(u, int) else kinds.PICTURE for _, u in units], np.uint8)
    return [[units[k][1] for k in column] for column in reading_columns(boxes, view.width, view.height, labels)]


def _rows(view: View, column: list[Unit]) -> Iterator[list[int] | Float]:
    """Runs of cells that stand on one line from left to right."""
    row: list[int] = []
    for unit in column:
        if isinstance(unit, Float):
            if row:
                yield row
                row = []
            yield unit
        elif row and _same_row(view, row, unit):
            row.append(unit)
        else:
            if row:
                yield row
            row = [unit]
    if row:
        yield row


def _same_row(view: View, row: list[int], cell: int) -> bool:
    last = row[-1]
    shared = min(view.y1[last], view.y1[cell]) - max(view.y0[last], view.y0[cell])
    low = min(view.y1[last] - view.y0[last], view.y1[cell] - view.y0[cell])
    size = max(view.sizes[last], view.sizes[cell])
    if shared < 0.45 * low:
        return False
    if view.x0[cell] < view.x1[last] - 0.7 * size:
        # what is drawn over the line, an accent for one, is a part of it
        return len(view.texts[cell]) <= 2 and view.x0[row[0]] <= view.x0[cell] and view.x1[cell] <= view.x1[last]
    # sideways text stands on a line of its own
    return max(view.y1[last] - view.y0[last], view.y1[cell] - view.y0[cell]) < 4 * size


def _lines(view: View, row: list[int], column: int) -> Iterator[Line]:
    """The row in pieces of one label; an identifier goes with what follows it, furniture stays whole."""
    start = 0
    for k in range(1, len(row) + 1):
        if k < len(row):
            before, label = view.labels[row[k - 1]], view.labels[row[k]]
            if label == before or (before == kinds.IDENTIFIER and label in (kinds.LIST_ITEM, kinds.CITATION)):
                near = view.x0[row[k]] - view.x1[row[k - 1]] < APART * view.sizes[row[k]]
                if near or before == kinds.IDENTIFIER or label in (kinds.NONE, kinds.FORMULA):
                    continue
        yield _line(view, row[start:k], column)
        start = k


def _line(view: View, cells: list[int], column: int) -> Line:
    label = view.labels[cells[-1]]
    marker, marker_cells = "", 0
    if view.labels[cells[0]] == kinds.IDENTIFIER:
        marker, marker_cells = view.texts[cells[0]], 1
        if len(cells) == 1:
            label = kinds.LIST_ITEM
    words = cells[marker_cells:]
    text = join_cells(view, words)
    if label in _MAY_BE_ITEMS and text[:1] in SURE_BULLETS:
        label = kinds.LIST_ITEM
    if not marker and label in (kinds.LIST_ITEM, kinds.CITATION):
        marker, text = split_marker(text)
    longest = max(words or cells, key=lambda i: len(view.texts[i]))
    return Line(
        view=view,
        cells=cells,
        label=label,
        text=text,
        marker=marker,
        marker_cells=marker_cells,
        x0=min(view.x0[i] for i in cells),
        y0=min(view.y0[i] for i in cells),
        x1=max(view.x1[i] for i in cells),
        y1=max(view.y1[i] for i in cells),
        text_x0=view.x0[(words or cells)[0]],
        base=view.y0[longest],
        size=view.sizes[longest],
        style=view.styles[longest],
        column=column,
    )


def join_cells(view: View, cells: list[int]) -> str:
    """Text of cells on one line, with spaces where the gap is one."""
    if not cells:
        return ""
    parts = [view.texts[cells[0]]]
    for before, cell in itertools.pairwise(cells):
        text = view.texts[cell]
        if not text:
            continue
        gap, size = view.x0[cell] - view.x1[before], max(view.sizes[cell], view.sizes[before])
        space = SPACE if not (is_cjk(text[0]) and is_cjk(parts[-1][-1:])) else 0.6
        if gap > space * size:
            parts.append(" ")
        parts.append(text)
    return "".join(parts)
