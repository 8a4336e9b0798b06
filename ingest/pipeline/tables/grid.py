"""From pieces and ruling lines to the cells of a grid."""

from __future__ import annotations

import itertools
from collections import Counter
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes
from ingest.pipeline.tables import columns, heads, rows
from ingest.pipeline.tables.layout import Border, Grid, GridCell, Rect, boxes_of, hull_of
from ingest.pipeline.tables.pieces import GLUE, PREFIXES, SPACE, Piece, is_data, is_right_to_left, lines_of
from ingest.pipeline.tables.rows import Context, Line
from ingest.pipeline.tables.rulings import COVERED, Lines

CURRENCIES = PREFIXES | {"€"}
CURRENCY_GAP = 30.0
"""In font sizes: a sign at the edge of its column may stand so far before its number."""


def build(pieces: list[Piece], across: Lines, down: Lines, size: float) -> Grid:
    """The grid of some pieces (at least one) and the horizontal and vertical lines around them."""
    hull = hull_of(pieces)
    boxes = boxes_of(pieces)
    across = across.keep([k for k in range(len(across)) if not _underlines(across, k, boxes, size)])
    edges = _edges(hull, across, down, size)
    framed = _framed(edges, across, down)
    pieces = _cut_at_rules(pieces, down, size)
    lines_of(pieces)
    pieces = glue(pieces, down, size)
    xs = _column_borders(pieces, down, edges, framed, size)
    pieces = _place(pieces, xs, down, size)
    lines = _lines(pieces)
    context = _context(lines, pieces, len(xs) + 1, hull, size)
    start = heads.body_start(lines, context)
    if not framed:
        heads.spread(lines[: start + 1], across, context)
    ruled = framed or _latticed(hull, across, down)
    ys, head = _rows(lines, start, across, edges, context, ruled)
    grid = Grid(xs, ys, edges, across, down, framed, head=head)
    grid.cells = _cells(lines)
    return grid


def _underlines(across: Lines, k: int, boxes: Boxes, size: float) -> bool:
    """All stretches of the line underline words."""
    y = float(across.position[k])
    foot = boxes[:, 3] - 0.35 * (boxes[:, 3] - boxes[:, 1])
    over = boxes[(foot <= y) & (y <= boxes[:, 3] + 0.05 * size)]
    near = 0.4 * size
    return all(bool(((over[:, 0] - near <= a) & (b <= over[:, 2] + near)).any()) for a, b in across.spans[k])


def _edges(hull: Rect, across: Lines, down: Lines, size: float) -> Rect:
    """The hull, widened to the outer ruling lines."""
    xs, ys, near = down.position.tolist(), across.position.tolist(), 0.3 * size
    return (
        min((x for x in xs if x <= hull[0] + near), default=hull[0]),
        min((y for y in ys if y <= hull[1] + near), default=hull[1]),
        max((x for x in xs if x >= hull[2] - near), default=hull[2]),
        max((y for y in ys if y >= hull[3] - near), default=hull[3]),
    )


def _framed(edges: Rect, across: Lines, down: Lines) -> bool:
    """Lines run along all four edges, and there are others between them."""
    if len(across) < 2 or len(down) < 2 or len(across) + len(down) <= 4:
        return False
    left, top, right, bottom = edges
    sides = [down.drawn_at(left, top, bottom), down.drawn_at(right, top, bottom)]
    ends = [across.drawn_at(top, left, right), across.drawn_at(bottom, left, right)]
    return min(sides + ends) >= 0.8


def _latticed(hull: Rect, across: Lines, down: Lines) -> bool:
    """Lines cross the whole table both ways: at least one down and two across, inside."""
    x0, y0, x1, y1 = hull
    through = [k for k, x in enumerate(down.position.tolist()) if x0 < x < x1 and down.cover(k, y0, y1) >= 0.8]
    level = [k for k, y in enumerate(across.position.tolist()) if y0 < y < y1 and across.cover(k, x0, x1) >= 0.8]
    return len(through) >= 1 and len(level) >= 2


def _cut_at_rules(pieces: list[Piece], down: Lines, size: float) -> list[Piece]:
    """Pieces cut where a vertical line runs through them."""
    if len(down) == 0:
        return pieces
    done: list[Piece] = []
    todo = pieces[::-1]
    while todo:
        piece = todo.pop()
        low, high = np.searchsorted(down.position, [piece.x0 + 0.3 * size, piece.x1 - 0.3 * size])
        halves = None
        for k in range(int(low), int(high)):
            if piece.level and down.cover(k, piece.y0, piece.y1) >= COVERED:
                halves = piece.cut_at(float(down.position[k]), 1.5 * size)
                if halves:
                    break
        if halves:
            done.append(halves[0])
            todo.append(halves[1])
        else:
            done.append(piece)
    return done


def glue(pieces: list[Piece], down: Lines, size: float) -> list[Piece]:
    """Pieces of one line joined where the gap is no wider than a word space and no line stands between.

    A currency sign goes with the number after it, and dot leaders made of single dots with the label before.
    """
    glued: list[Piece] = []
    dots = Counter(p.line for p in pieces if not p.text.strip(" ."))
    for piece in sorted(pieces, key=lambda p: (p.line, p.x0)):
        before = glued[-1] if glued and glued[-1].line == piece.line else None
        if before and dots[piece.line] >= 3 and not piece.text.strip(" ."):
            before.text, before.ends_leader = f"{before.text} {piece.text}", True
        elif before and _sticks(before, piece, size) and not _ruled_between(down, before, piece):
            space = " " if piece.x0 - before.x1 > SPACE * size else ""
            backwards = is_right_to_left(before.text) and is_right_to_left(piece.text)
            first, second = (piece.text, before.text) if backwards else (before.text, piece.text)
            before.text = f"{first}{space}{second}"
            before.x1 = max(before.x1, piece.x1)
            before.y0, before.y1 = min(before.y0, piece.y0), max(before.y1, piece.y1)
            before.ends_leader = piece.ends_leader
        else:
            glued.append(piece)
    return glued


def _sticks(before: Piece, piece: Piece, size: float) -> bool:
    """Two neighbours on a line are one piece, if no line stands between them."""
    if not (before.level and piece.level) or before.ends_leader:
        return False
    if piece.text in PREFIXES:
        return False
    if min(before.y1, piece.y1) <= max(before.y0, piece.y0):
        return False
    gap = (piece.x0 - before.x1) / size
    return gap <= GLUE or (gap <= CURRENCY_GAP and before.text in CURRENCIES and is_data(piece.text))


def _ruled_between(down: Lines, a: Piece, b: Piece) -> bool:
    low, high = np.searchsorted(down.position, [(a.x0 + a.x1) / 2, (b.x0 + b.x1) / 2])
    top, bottom = min(a.y0, b.y0), max(a.y1, b.y1)
    return any(down.cover(k, top, bottom) >= COVERED for k in range(int(low), int(high)))


def _column_borders(pieces: list[Piece], down: Lines, edges: Rect, framed: bool, size: float) -> list[Border]:
    """Ruled borders, and between them the gaps that the text shows."""
    inner = [k for k, x in enumerate(down.position.tolist()) if edges[0] + 0.3 * size < x < edges[2] - 0.3 * size]
    ruled = [k for k in inner if down.cover(k, edges[1], edges[3]) >= 0.6]
    borders = [Border(float(down.position[k]), k) for k in inner]
    stops = [edges[0] - size, *(b.position for b in borders), edges[2] + size]
    found: list[Border] = []
    boxes = boxes_of(pieces)
    for left, right in itertools.pairwise(stops):
        within = (boxes[:, 0] >= left - 0.3 * size) & (boxes[:, 2] <= right + 0.3 * size)
        members = [pieces[i] for i in np.flatnonzero(within)]
        gaps = columns.find_gaps(members, size, least=0.5 if ruled else 0.0)
        if framed and ruled:
            gaps = columns.between_numbers(members, gaps)
        elif ruled:
            gaps = [g for g in gaps if g.right - g.left >= size]
        if ruled:
            gaps = [g for g in gaps if g.votes >= 3]
        found.extend(Border(g.middle) for g in gaps)
    return sorted([*borders, *found], key=lambda b: b.position)


def _place(pieces: list[Piece], xs: list[Border], down: Lines, size: float) -> list[Piece]:
    """Sets the first and last column of each piece; joined pieces are cut at the borders between them."""
    positions = np.array([b.position for b in xs])
    for piece in pieces:
        _set_columns(piece, xs, positions, down, size)
    numbers = columns.data_columns(
        pieces, np.array([p.c0 for p in pieces], np.intp), np.array([p.c1 for p in pieces], np.intp), len(xs) + 1
    )
    placed: list[Piece] = []
    for piece in pieces:
        parts = _cut_numbers(piece, positions, numbers, size) if piece.c1 > piece.c0 else [piece]
        if len(parts) > 1:
            for part in parts:
                part.line = piece.line
                _set_columns(part, xs, positions, down, size)
        placed.extend(parts)
    return placed


def _set_columns(piece: Piece, xs: list[Border], positions: NDArray[np.float64], down: Lines, size: float) -> None:
    slack = min(0.4 * size, 0.25 * (piece.x1 - piece.x0))
    first, last = (int(k) for k in np.searchsorted(positions, [piece.x0 + slack, piece.x1 - slack]))
    for k in range(first, last):
        if xs[k].line >= 0 and down.cover(xs[k].line, piece.y0, piece.y1) >= COVERED:
            # a word across a line: it belongs where most of it is
            bounds = [piece.x0, *positions[first:last].tolist(), piece.x1]
            first = last = first + int(np.argmax(np.diff(bounds)))
            break
    piece.c0, piece.c1 = first, max(first, last)


def _cut_numbers(piece: Piece, positions: NDArray[np.float64], numbers: list[bool], size: float) -> list[Piece]:
    """A piece over several columns cut at their borders, if that puts numbers into columns of numbers."""
    parts = [piece]
    for k in range(piece.c0, piece.c1):
        halves = parts[-1].cut_at(float(positions[k]), size)
        if halves is None:
            continue
        left, right = halves
        if (numbers[k + 1] and is_data(right.text.split()[0])) or (numbers[k] and is_data(left.text.split()[-1])):
            parts[-1:] = [left, right]
    return parts


def _lines(pieces: list[Piece]) -> list[Line]:
    """The text lines from the top."""
    by_number: dict[int, Line] = {}
    for piece in pieces:
        line = by_number.setdefault(piece.line, Line(0.0, 0.0))
        line.pieces.append(piece)
        if piece.c0 == piece.c1:
            line.cells.setdefault(piece.c0, []).append(piece)
        else:
            line.spanning.append((piece.c0, piece.c1, piece))
    for line in by_number.values():
        line.top = line.bottom = median(p.middle for p in line.pieces)
        for found in line.cells.values():
            found.sort(key=lambda p: p.x0)
    return [by_number[k] for k in sorted(by_number)]


def _context(lines: list[Line], pieces: list[Piece], count: int, hull: Rect, size: float) -> Context:
    limit, prose = [(hull[0], hull[2])] * count, [False] * count
    data = [False] * count
    owned: list[list[Piece]] = [[] for _ in range(count)]
    for piece in pieces:
        if piece.c0 == piece.c1:
            owned[piece.c0].append(piece)
    for c, own in enumerate(owned):
        if own:
            limit[c] = (min(p.x0 for p in own), max(p.x1 for p in own))
            prose[c] = 2 * sum(" " in p.text for p in own) > len(own)
            data[c] = 2 * sum(is_data(p.text) for p in own) >= len(own)
    return Context(size, limit, prose, data, rows.tightest_leading(lines, size))


def _rows(
    lines: list[Line], start: int, across: Lines, edges: Rect, context: Context, ruled: bool
) -> tuple[list[Border], int]:
    """Borders between rows, and how many rows are the head; sets the row of each piece."""
    size = context.size
    inner = [k for k, y in enumerate(across.position.tolist()) if edges[1] + 0.3 * size < y < edges[3] - 0.3 * size]
    stops = across.position[inner]
    bands = _bands(lines, stops)
    filled = [b for b in bands if b]
    ruled = ruled or (len(filled) >= 3 and all(rows.can_be_row(b, context) for b in filled))
    body = lines[start].pieces[0].line if start < len(lines) else len(lines)
    ys: list[Border] = []
    head = seen = 0
    row, floor = -1, 0.0
    for b, band in enumerate(bands):
        if b > 0:
            ys.append(Border(float(stops[b - 1]), inner[b - 1]))
        row += 1
        groups = rows.partition(
            band, context, ruled=ruled and not rows.is_block(band), head=min(max(start - seen, 0), len(band))
        )
        seen += len(band)
        for g, group in enumerate(groups):
            if g > 0:
                row += 1
                ys.append(Border((floor + min(p.y0 for l in group for p in l.pieces)) / 2))
            floor = max(p.y1 for l in group for p in l.pieces)
            for line in group:
                for piece in line.pieces:
                    piece.row = row
            if all(p.line < body for l in group for p in l.pieces):
                head = row + 1
    return ys, head


def _bands(lines: list[Line], stops: NDArray[np.float64]) -> list[list[Line]]:
    """The lines, and parts of lines, between each two of the rules at `stops`."""
    bands: list[list[Line]] = [[] for _ in range(len(stops) + 1)]
    for line in lines:
        parts: dict[int, Line] = {}
        for piece in line.pieces:
            b = int(np.searchsorted(stops, piece.middle))
            if b not in parts:
                parts[b] = Line(line.top, line.bottom)
                bands[b].append(parts[b])
            parts[b].pieces.append(piece)
        for c, found in line.cells.items():
            for piece in found:
                parts[int(np.searchsorted(stops, piece.middle))].cells.setdefault(c, []).append(piece)
        for first, last, piece in line.spanning:
            parts[int(np.searchsorted(stops, piece.middle))].spanning.append((first, last, piece))
    return bands


def _cells(lines: list[Line]) -> list[GridCell]:
    """Pieces of one row whose columns meet are one cell."""
    by_row: dict[int, list[GridCell]] = {}
    for line in lines:
        for c, found in line.cells.items():
            for piece in found:
                by_row.setdefault(piece.row, []).append(GridCell(piece.row, piece.row, c, c, [piece]))
        for first, last, piece in line.spanning:
            by_row.setdefault(piece.row, []).append(GridCell(piece.row, piece.row, first, last, [piece]))
    out: list[GridCell] = []
    for row in sorted(by_row):
        merged: list[GridCell] = []
        for cell in sorted(by_row[row], key=lambda c: (c.c0, c.c1)):
            if merged and cell.c0 <= merged[-1].c1:
                merged[-1].c1 = max(merged[-1].c1, cell.c1)
                merged[-1].pieces.extend(cell.pieces)
            else:
                merged.append(cell)
        out.extend(merged)
    return out
