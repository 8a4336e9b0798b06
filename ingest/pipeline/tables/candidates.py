"""What speaks for and against a table: the shape of the grid that a box would have, and what stands around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median

import numpy as np

from ingest.document.page import Style
from ingest.pipeline.tables.layout import Grid
from ingest.pipeline.tables.pieces import LEADER, Piece, is_data

TABLE_CAPTION = re.compile(
    r"\s*(table|tab\.|tabelle|tableau|tabla|tabela|tabella|quadro|cuadro|таблица|表|표)\s*[\dIVXA-Z]", re.I
)
FIGURE_CAPTION = re.compile(
    r"\s*(fig|figure|abb|abbildung|figura|рис|图|図|algorithm|algorithmus|listing|procedure|box)[. ]*[\dIVX]", re.I
)
_IDENTIFIER = re.compile(r"[\[(]?(?:[\da-z]{1,3}|[ivx]{1,5})[\]).:]+|[•◦▪■●○–*-]|\[[^\]]{1,12}\]", re.I)
_NO_ALIGNMENT = 3.0
LEAST_PIECES = 5
"""Fewer pieces of text between rules are no table."""
DRAWINGS_PER_PIECE = 5
"""With more drawings that hold no text a box is a figure."""


@dataclass(slots=True)
class Shape:
    """A box seen as a grid. Shares are 0 to 1, lengths in font sizes."""

    rows: int
    """That hold text."""
    columns: int
    filled: float
    """Share of the positions that hold text."""
    data: float
    """Share of numbers among the filled cells beside the first column."""
    words: float
    """Mean words of a filled cell."""
    alignment: float
    """How far the pieces of a column are usually from its best common edge or middle; 3 where nothing can be said."""
    per_line: float
    """Mean pieces of a text line by columns."""
    several: float
    """Share of text lines with several pieces."""
    labels: float
    """Share of the first column that is a number or bullet of a list."""
    contents: bool
    """The last column counts pages, or dot leaders run to it from a single column."""
    mathematical: float
    """Share of characters in type of mathematics."""
    code: float
    """Share of characters in fixed-width type."""
    sizes: float
    """Standard deviation of the type sizes by their median."""
    pieces: int
    framed: bool
    divided: bool
    """A ruling line stands between two of its rows or columns."""
    covered: float
    """Share of the grid that its ruling lines usually run across."""
    level_rules: int


def shape_of(grid: Grid, pieces: list[Piece]) -> Shape:
    texts = [" ".join(p.text for p in c.pieces) for c in grid.cells]
    rows = {r for c in grid.cells for r in range(c.r0, c.r1 + 1)}
    columns = {k for c in grid.cells for k in range(c.c0, c.c1 + 1)}
    area = sum((c.r1 - c.r0 + 1) * (c.c1 - c.c0 + 1) for c in grid.cells)
    beside = [is_data(t) for c, t in zip(grid.cells, texts, strict=True) if c.c0 > 0]
    first = [t for c, t in zip(grid.cells, texts, strict=True) if c.c0 == 0]
    last = [t for c, t in zip(grid.cells, texts, strict=True) if c.c1 == len(grid.xs)]
    per_line = np.bincount([p.line for p in pieces])
    per_line = per_line[per_line > 0]
    characters = np.array([len(p.text) for p in pieces], np.float64)
    styles = np.array([p.style for p in pieces])
    sizes = np.array([p.size for p in pieces])
    return Shape(
        rows=len(rows),
        columns=len(columns),
        filled=area / ((len(grid.ys) + 1) * (len(grid.xs) + 1)),
        data=sum(beside) / len(beside) if beside else 0.0,
        words=sum(len(t.split()) for t in texts) / len(texts),
        alignment=_alignment(grid),
        per_line=float(per_line.mean()) / len(columns),
        several=float((per_line > 1).mean()),
        labels=sum(_IDENTIFIER.fullmatch(t) is not None for t in first) / len(first) if first else 0.0,
        contents=_counts_pages(grid, last) or _leads_to_pages(pieces, len(columns)),
        mathematical=float(characters @ ((styles & Style.MATH) > 0) / characters.sum()),
        code=float(characters @ ((styles & Style.MONO) > 0) / characters.sum()),
        sizes=float(sizes.std()) / median(p.size for p in pieces),
        pieces=len(pieces),
        framed=grid.framed,
        divided=any(b.line >= 0 for b in [*grid.xs, *grid.ys]),
        covered=_covered(grid),
        level_rules=len(grid.across),
    )


def _alignment(grid: Grid) -> float:
    by_column: dict[int, list[Piece]] = {}
    for cell in grid.cells:
        if cell.c0 == cell.c1:
            by_column.setdefault(cell.c0, []).extend(cell.pieces)
    found = []
    for own in by_column.values():
        if len(own) >= 3:
            edges = [p.x0 for p in own], [p.x1 for p in own], [(p.x0 + p.x1) / 2 for p in own]
            found.append(min(_spread(e) for e in edges) / median(p.size for p in own))
    return sum(found) / len(found) if found else _NO_ALIGNMENT


def _spread(values: list[float]) -> float:
    """Median distance from the median."""
    middle = median(values)
    return median(abs(v - middle) for v in values)


def _covered(grid: Grid) -> float:
    left, top, right, bottom = grid.edges
    across = [grid.across.cover(b.line, left, right) for b in grid.ys if b.line >= 0]
    down = [grid.down.cover(b.line, top, bottom) for b in grid.xs if b.line >= 0]
    return median([*across, *down]) if across or down else 0.0


def _counts_pages(grid: Grid, last: list[str]) -> bool:
    """The last of two or three columns holds whole numbers that grow."""
    pages = [int(t) for t in last if re.fullmatch(r"\d{1,4}", t)]
    if len(grid.xs) > 2 or len(pages) < 3 or len(pages) < 0.6 * len(last):
        return False
    return pages[-1] > pages[0] and float(np.mean(np.diff(pages) >= 0)) >= 0.9


def _leads_to_pages(pieces: list[Piece], columns: int) -> bool:
    leaders = sum(p.ends_leader or LEADER.search(p.text) is not None for p in pieces)
    return columns <= 2 and 5 * leaders > len(pieces) and sum(p.text.isdigit() for p in pieces) >= leaders / 2


@dataclass(slots=True)
class Around:
    """What stands by a box."""

    captioned: bool
    """"Table 1" or its like stands above or below it."""
    figure: bool
    """"Figure 1", "Algorithm 1" …"""
    drawings: int
    """Drawings in the box that hold no text."""


def worth_a_grid(pieces: int, around: Around) -> bool:
    """A box is worth a closer look: it has some text, and is not a drawing with labels."""
    return pieces >= LEAST_PIECES and around.drawings <= DRAWINGS_PER_PIECE * pieces


def can_be_table(shape: Shape) -> bool:
    """What a layout network takes for a table can be one: it has rows and columns, and is no list."""
    return shape.rows >= 2 and shape.columns >= 2 and not (shape.columns == 2 and shape.labels > 0.8)


def is_lattice(shape: Shape, around: Around) -> bool:
    """A group of crossing lines is a table and no frame, chart or drawing."""
    if shape.rows < 2 or shape.columns < 2 or shape.several < 0.1:
        return False
    if shape.mathematical > 0.4 or not shape.divided or shape.contents:
        return False
    if not shape.framed and shape.covered < 0.4:
        return False
    if around.captioned:
        return shape.filled >= 0.3
    if around.figure:
        return shape.filled >= 0.8 and shape.framed
    return shape.filled >= (0.5 if shape.framed else 0.6)


def is_stack(shape: Shape, around: Around) -> bool:
    """What stands between level rules is a table and no algorithm, formula or text."""
    if shape.rows < 2 or shape.columns < 2 or shape.filled < 0.5 or shape.per_line < 0.3:
        return False
    if 0.5 < shape.alignment < _NO_ALIGNMENT:
        return False
    if around.captioned:
        return shape.labels < 0.9
    if shape.mathematical > 0.3 or shape.labels > 0.5 or shape.sizes > 0.2 or shape.code > 0.5:
        return False
    if around.figure and shape.data < 0.4:
        return False
    if shape.data >= 0.3 and shape.pieces >= 6:
        return True
    return shape.words <= 8 and shape.several >= 0.4 and shape.level_rules >= 3 and shape.filled >= 0.7


def promising(lines: list[list[Piece]]) -> bool:
    """Lines of pieces without a caption are worth a grid: enough of them are numbers, or there are many columns."""
    pieces = [p for line in lines for p in line]
    if len(pieces) < 8 or sum((p.style & Style.MATH) > 0 for p in pieces) > 0.3 * len(pieces):
        return False
    return max(map(len, lines)) >= 4 or 5 * sum(is_data(p.text) for p in pieces) >= len(pieces)


def is_aligned(shape: Shape, around: Around) -> bool:
    """Lines without rules are a table: columns of numbers, or many short aligned texts, or a caption says so."""
    if shape.rows < 2 or shape.columns < 2 or shape.filled < 0.45 or shape.per_line > 1.15:
        return False
    if shape.alignment > 0.35 and not (shape.rows < 4 and shape.alignment == _NO_ALIGNMENT):
        return False
    if shape.mathematical > 0.1 or shape.code > 0.5 or shape.sizes > 0.12 or shape.labels > 0.4 or shape.contents:
        return False
    if around.figure or around.drawings > shape.pieces:
        return False
    if around.captioned and (shape.data >= 0.2 or shape.words <= 5):
        return True
    if shape.rows >= 4 and shape.data >= 0.4 and (shape.columns >= 3 or shape.rows >= 5):
        return True
    if shape.rows >= 3 and shape.data >= 0.6 and shape.columns >= 4:
        return True
    return shape.columns >= 4 and shape.rows >= 5 and shape.words <= 3.5 and shape.filled >= 0.8
