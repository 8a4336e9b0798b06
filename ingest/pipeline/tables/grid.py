"""From pieces and ruling lines to the cells of a grid."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ingest.pipeline.tables import columns, rows
from ingest.pipeline.tables.columns import Gap
from ingest.pipeline.tables.pieces import GLUE, SPACE, Piece, lines_of
from ingest.pipeline.tables.rows import Context, Line
from ingest.pipeline.tables.rulings import Lines

COVERED = 0.5
"""Share of a cell's side that must be drawn for the side to count as ruled."""
STRADDLE = 0.3
"""Share of a piece's height that must lie on either side of a line for it to stand across."""


@dataclass(slots=True)
class Border:
    """Between two neighbouring columns (or rows): where, and the ruling line that draws it, if any."""

    position: float
    line: int = -1


@dataclass(slots=True)
class GridCell:
    """A filled cell: rows r0..r1, columns c0..c1, both ends included."""

    r0: int
    r1: int
    c0: int
    c1: int
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True)
class Grid:
    """Borders between rows and columns, the edges of the whole, and the filled cells."""

    xs: list[Border]
    ys: list[Border]
    edges: tuple[float, float, float, float]
    """Left, top, right, bottom."""
    cells: list[GridCell]
    header: int
    """Rows of the head."""
    framed: bool = False
    """Drawn all around and divided by rules: every cell is where its rules are."""

    def x(self, k: int) -> float:
        """Position of column border k, 0 is the left edge."""
        return self.edges[0] if k == 0 else self.edges[2] if k > len(self.xs) else self.xs[k - 1].position

    def y(self, k: int) -> float:
        return self.edges[1] if k == 0 else self.edges[3] if k > len(self.ys) else self.ys[k - 1].position


def build(pieces: list[Piece], across: Lines, down: Lines, size: float) -> Grid:
    """The grid of some pieces (at least one) and the horizontal and vertical lines around them."""
    hull = _hull(pieces)
    across = across.keep([k for k in range(len(across)) if not _underlines(across, k, pieces, size)])
    down = down.keep([k for k in range(len(down)) if hull[1] < down.spans[k][-1, 1] and down.spans[k][0, 0] < hull[3]])
    pieces = _cut_at_rules(pieces, down, size)
    lines_of(pieces)
    pieces = _glue(pieces, down, size)
    edges = _edges(hull, across, down, size)
    framed = _framed(edges, across, down)
    xs = _column_borders(pieces, down, hull, size, framed)
    pieces, first, last = _place(pieces, xs, down, size)
    lines = _lines(pieces, first, last)
    context = _context(lines, pieces, first, last, xs, hull, size)
    ys, row_of, header = _rows(lines, across, hull, context, framed)
    grid = Grid(xs, ys, edges, [], header, framed)
    grid.cells = _cells(grid, pieces, first, last, row_of, across)
    if framed:
        _merge_open(grid, down)
    _stack(grid, across, down, size)
    _grow(grid, across, down)
    return grid


def _hull(pieces: list[Piece]) -> tuple[float, float, float, float]:
    return (
        min(p.x0 for p in pieces),
        min(p.y0 for p in pieces),
        max(p.x1 for p in pieces),
        max(p.y1 for p in pieces),
    )


def _underlines(across: Lines, k: int, pieces: list[Piece], size: float) -> bool:
    """All spans of the line underline words."""
    y = float(across.position[k])
    over = [p for p in pieces if p.y1 - 0.35 * (p.y1 - p.y0) <= y <= p.y1 + 0.05 * size]
    near = 0.4 * size
    return all(any(p.x0 - near <= a and b <= p.x1 + near for p in over) for a, b in across.spans[k].tolist())


def _cut_at_rules(pieces: list[Piece], down: Lines, size: float) -> list[Piece]:
    """Pieces cut where a vertical line runs through them."""
    if len(down) == 0:
        return pieces
    done: list[Piece] = []
    todo = pieces[::-1]
    while todo:
        piece = todo.pop()
        low = int(np.searchsorted(down.position, piece.x0 + 0.3 * size))
        high = int(np.searchsorted(down.position, piece.x1 - 0.3 * size))
        halves = None
        for k in range(low, high):
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


def _glue(pieces: list[Piece], down: Lines, size: float) -> list[Piece]:
    """Pieces of one line joined where the gap is no wider than a word space and no line stands between."""
    glued: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.line, p.x0)):
        before = glued[-1] if glued else None
        if (
            before is None
            or before.line != piece.line
            or not (before.level and piece.level)
            or before.ends_leader
            or piece.x0 - before.x1 > GLUE * size
            or min(before.y1, piece.y1) - max(before.y0, piece.y0) <= 0
            or _ruled_between(down, before, piece)
        ):
            glued.append(piece)
            continue
        space = " " if piece.x0 - before.x1 > SPACE * size else ""
        before.text = f"{before.text}{space}{piece.text}"
        before.x1 = max(before.x1, piece.x1)
        before.y0, before.y1 = min(before.y0, piece.y0), max(before.y1, piece.y1)
        before.ends_leader = piece.ends_leader
    return glued


def _ruled_between(down: Lines, a: Piece, b: Piece) -> bool:
    low, high = np.searchsorted(down.position, [(a.x0 + a.x1) / 2, (b.x0 + b.x1) / 2])
    top, bottom = min(a.y0, b.y0), max(a.y1, b.y1)
    return any(down.cover(k, top, bottom) >= COVERED for k in range(int(low), int(high)))


def _framed(edges: tuple[float, float, float, float], across: Lines, down: Lines) -> bool:
    """Lines run along all four edges and at least one from top to bottom or side to side between them."""
    if len(across) < 2 or len(down) < 2:
        return False
    left, top, right, bottom = edges
    sides = [_drawn_at(down, left, top, bottom), _drawn_at(down, right, top, bottom)]
    ends = [_drawn_at(across, top, left, right), _drawn_at(across, bottom, left, right)]
    return min(sides + ends) >= 0.8 and len(across) + len(down) > 4


def _drawn_at(lines: Lines, position: float, start: float, end: float) -> float:
    k = int(np.argmin(np.abs(lines.position - position)))
    return lines.cover(k, start, end) if lines.position[k] == position else 0.0


def _merge_open(grid: Grid, down: Lines) -> None:
    """In a framed table, join neighbours in a row between which the vertical lines of other rows are left out."""
    closed = np.zeros(len(grid.xs) + 1)
    open_ = np.zeros(len(grid.xs) + 1)
    pairs: list[tuple[GridCell, GridCell]] = []
    for a, b in zip(grid.cells, grid.cells[1:], strict=False):
        if a.r0 != b.r0:
            continue
        top, bottom = grid.y(a.r0), grid.y(a.r0 + 1)
        borders = range(a.c1 + 1, b.c0 + 1)
        ruled = [_side_ruled(grid, down, k, top, bottom) for k in borders]
        if any(ruled):
            closed[a.c1 + 1 : b.c0 + 1] += 1
        elif all(grid.xs[k - 1].line >= 0 for k in borders):
            open_[a.c1 + 1 : b.c0 + 1] += 1
            pairs.append((a, b))
    gone: set[int] = set()
    for a, b in reversed(pairs):
        if (closed[a.c1 + 1 : b.c0 + 1] >= open_[a.c1 + 1 : b.c0 + 1]).all():
            a.c1 = b.c1
            a.pieces.extend(b.pieces)
            gone.add(id(b))
    grid.cells = [c for c in grid.cells if id(c) not in gone]


def _column_borders(
    pieces: list[Piece], down: Lines, hull: tuple[float, float, float, float], size: float, framed: bool
) -> list[Border]:
    """Ruled borders, and between them the gaps that the text shows."""
    inner = [
        k for k, x in enumerate(down.position.tolist()) if hull[0] + 0.3 * size < x < hull[2] - 0.3 * size
    ]
    ruled = [k for k in inner if down.cover(k, hull[1], hull[3]) >= 0.6]
    borders = [Border(float(down.position[k]), k) for k in inner]
    stops = [hull[0] - size, *(b.position for b in borders), hull[2] + size]
    found: list[Border] = []
    for left, right in zip(stops, stops[1:], strict=False):
        members = [p for p in pieces if p.x0 >= left - 0.3 * size and p.x1 <= right + 0.3 * size]
        gaps = columns.find_gaps(members, size, least=0.5 if ruled else 0.0)
        if framed:
            gaps = columns.between_numbers(members, gaps)
        if ruled:
            gaps = [g for g in gaps if g.right - g.left >= size and g.votes >= 3]
        found.extend(Border(g.middle) for g in gaps)
    return sorted([*borders, *found], key=lambda b: b.position)


def _place(
    pieces: list[Piece], xs: list[Border], down: Lines, size: float
) -> tuple[list[Piece], list[int], list[int]]:
    """First and last column of each piece; joined pieces are cut at the borders between them."""
    positions = np.array([b.position for b in xs])

    def span(piece: Piece) -> tuple[int, int]:
        slack = min(0.4 * size, 0.25 * (piece.x1 - piece.x0))
        first = int(np.searchsorted(positions, piece.x0 + slack))
        last = int(np.searchsorted(positions, piece.x1 - slack))
        closed = [k for k in range(first, last) if xs[k].line >= 0 and down.cover(xs[k].line, piece.y0, piece.y1) >= COVERED]
        if closed:  # could not be cut: stays where most of it is
            bounds = [piece.x0, *positions[first:last].tolist(), piece.x1]
            first += int(np.argmax(np.diff(bounds)))
            return first, first
        return first, max(first, last)

    spans = [span(p) for p in pieces]
    numbers = columns.data_columns(
        pieces, np.array([s[0] for s in spans], np.intp), np.array([s[1] for s in spans], np.intp), len(xs) + 1
    )
    out: list[Piece] = []
    first: list[int] = []
    last: list[int] = []
    for piece, (a, b) in zip(pieces, spans, strict=True):
        parts = _cut_numbers(piece, a, b, positions, numbers, size) if b > a else [piece]
        for part in parts:
            f, l = span(part) if len(parts) > 1 else (a, b)
            out.append(part)
            first.append(f)
            last.append(l)
    return out, first, last


def _cut_numbers(
    piece: Piece, first: int, last: int, positions: np.ndarray, numbers: list[bool], size: float
) -> list[Piece]:
    """A piece over several columns cut at their borders, if that puts numbers into columns of numbers."""
    parts = [piece]
    for k in range(first, last):
        halves = parts[-1].cut_at(float(positions[k]), size)
        if halves is None:
            continue
        left, right = halves
        fits = (numbers[k + 1] and columns.is_data(right.text.split()[0])) or (
            numbers[k] and columns.is_data(left.text.split()[-1])
        )
        if fits:
            parts[-1:] = [left, right]
    return parts


def _lines(pieces: list[Piece], first: list[int], last: list[int]) -> list[Line]:
    """The text lines from the top."""
    by_number: dict[int, Line] = {}
    for piece, a, b in zip(pieces, first, last, strict=True):
        line = by_number.setdefault(piece.line, Line(0.0))
        line.pieces.append(piece)
        if a == b:
            line.cells.setdefault(a, []).append(piece)
        else:
            line.spanning.append((a, b, piece))
    for line in by_number.values():
        line.y = float(np.median([p.middle for p in line.pieces]))
        for found in line.cells.values():
            found.sort(key=lambda p: p.x0)
    return [by_number[k] for k in sorted(by_number)]


def _context(
    lines: list[Line],
    pieces: list[Piece],
    first: list[int],
    last: list[int],
    xs: list[Border],
    hull: tuple[float, float, float, float],
    size: float,
) -> Context:
    count = len(xs) + 1
    limit = []
    for c in range(count):
        own = [p for p, a, b in zip(pieces, first, last, strict=True) if a == b == c]
        limit.append((min(p.x0 for p in own), max(p.x1 for p in own)) if own else (hull[0], hull[2]))
    numbers = columns.data_columns(pieces, np.array(first, np.intp), np.array(last, np.intp), count)
    return Context(size, limit, numbers, rows.tightest_leading(lines, size))


def _body_start(lines: list[Line], context: Context) -> int:
    """Number of lines before the first with numbers in most of its columns of numbers."""
    if not any(context.data):
        return 1 if lines and lines[0].pieces and all(p.bold for p in lines[0].pieces) else 0
    for i, line in enumerate(lines):
        expected = [c for c in line.cells if context.data[c]]
        if len(line.data() & set(expected)) * 2 > len(expected) or (expected and i > len(lines) // 2):
            return i
    return 0


def _rows(
    lines: list[Line], across: Lines, hull: tuple[float, float, float, float], context: Context, framed: bool
) -> tuple[list[Border], dict[int, int], int]:
    """Borders between rows, the row of each piece (by identity), and how many rows are the head."""
    size = context.size
    start = _body_start(lines, context)
    inner = [k for k, y in enumerate(across.position.tolist()) if hull[1] + 0.3 * size < y < hull[3] - 0.3 * size]
    stops = np.array([across.position[k] for k in inner])
    bands: list[list[Line]] = [[] for _ in range(len(inner) + 1)]
    band_lines: list[dict[int, Line]] = [{} for _ in bands]
    for number, line in enumerate(lines):
        for piece in line.pieces:
            b = int(np.searchsorted(stops, piece.middle))
            part = band_lines[b].get(number)
            if part is None:
                part = band_lines[b][number] = Line(line.y)
                bands[b].append(part)
            part.pieces.append(piece)
        for c, found in line.cells.items():
            for piece in found:
                b = int(np.searchsorted(stops, piece.middle))
                band_lines[b][number].cells.setdefault(c, []).append(piece)
        for entry in line.spanning:
            b = int(np.searchsorted(stops, entry[2].middle))
            band_lines[b][number].spanning.append(entry)
    sizes = [len(b) for b in bands if b]
    ruled = framed or (len(sizes) >= 5 and float(np.median(sizes)) <= 3)
    ys: list[Border] = []
    row_of: dict[int, int] = {}
    header = 0
    row = -1
    seen = 0
    previous: list[Line] = []
    for b, band in enumerate(bands):
        if not band:
            continue
        groups = rows.partition(band, context, ruled=ruled and not rows.is_block(band), header=max(start - seen, 0))
        seen += len(band)
        for g, group in enumerate(groups):
            row += 1
            if row > 0:
                if g == 0:
                    k = next(k for k in reversed(inner) if across.position[k] <= stops[b - 1])
                    ys.append(Border(float(across.position[k]), k))
                else:
                    bottom = max(p.y1 for l in previous for p in l.pieces)
                    top = min(p.y0 for l in group for p in l.pieces)
                    ys.append(Border((bottom + top) / 2))
            previous = group
            for line in group:
                for piece in line.pieces:
                    row_of[id(piece)] = row
        if seen <= start:
            header = row + 1
    return ys, row_of, header


def _edges(
    hull: tuple[float, float, float, float], across: Lines, down: Lines, size: float
) -> tuple[float, float, float, float]:
    """The hull, widened to the outer ruling lines."""
    xs, ys = down.position.tolist(), across.position.tolist()
    return (
        min([x for x in xs if x <= hull[0] + 0.3 * size], default=hull[0]),
        min([y for y in ys if y <= hull[1] + 0.3 * size], default=hull[1]),
        max([x for x in xs if x >= hull[2] - 0.3 * size], default=hull[2]),
        max([y for y in ys if y >= hull[3] - 0.3 * size], default=hull[3]),
    )


def _cells(
    grid: Grid, pieces: list[Piece], first: list[int], last: list[int], row_of: dict[int, int], across: Lines
) -> list[GridCell]:
    """Pieces of one row whose columns meet are one cell."""
    by_row: dict[int, list[GridCell]] = {}
    for piece, a, b in zip(pieces, first, last, strict=True):
        r = row_of[id(piece)]
        by_row.setdefault(r, []).append(GridCell(r, r, a, b, [piece]))
    out: list[GridCell] = []
    for r in sorted(by_row):
        merged: list[GridCell] = []
        for cell in sorted(by_row[r], key=lambda c: (c.c0, c.c1)):
            if merged and cell.c0 <= merged[-1].c1:
                merged[-1].c1 = max(merged[-1].c1, cell.c1)
                merged[-1].pieces.extend(cell.pieces)
            else:
                merged.append(cell)
        out.extend(merged)
    return out


def _side_ruled(grid: Grid, down: Lines, k: int, top: float, bottom: float) -> bool:
    """Column border k (0 and the last are the outer edges, which count as ruled) is drawn from top to bottom."""
    if k == 0 or k > len(grid.xs):
        return True
    line = grid.xs[k - 1].line
    return line >= 0 and down.cover(line, top, bottom) >= COVERED


def _edge_ruled(grid: Grid, across: Lines, k: int, left: float, right: float) -> bool:
    """The same of row border k."""
    if k == 0 or k > len(grid.ys):
        return True
    line = grid.ys[k - 1].line
    return line >= 0 and across.cover(line, left, right) >= COVERED


def _stack(grid: Grid, across: Lines, down: Lines, size: float) -> None:
    """Join cells one above the other whose text runs on where the line between their rows is left out."""
    if len(down) == 0:
        return
    at = {(c.r0, c.c0, c.c1): c for c in grid.cells}
    for cell in sorted(grid.cells, key=lambda c: (c.c0, c.r0)):
        if (cell.r0, cell.c0, cell.c1) not in at:
            continue
        while cell.r1 + 1 <= len(grid.ys):
            below = at.get((cell.r1 + 1, cell.c0, cell.c1))
            border = cell.r1 + 1
            left, right = grid.x(cell.c0), grid.x(cell.c1 + 1)
            if below is None or grid.ys[border - 1].line < 0 or _edge_ruled(grid, across, border, left, right):
                break
            gap = min(p.y0 for p in below.pieces) - max(p.y1 for p in cell.pieces)
            top, bottom = grid.y(cell.r0), grid.y(below.r1 + 1)
            boxed = _side_ruled(grid, down, cell.c0, top, bottom) and _side_ruled(grid, down, cell.c1 + 1, top, bottom)
            if gap > 0.5 * size or not boxed:
                break
            cell.pieces.extend(below.pieces)
            cell.r1 = below.r1
            del at[(below.r0, below.c0, below.c1)]
    grid.cells = sorted(at.values(), key=lambda c: (c.r0, c.c0))


def _grow(grid: Grid, across: Lines, down: Lines) -> None:
    """Widen cells over empty neighbours where a line that stands elsewhere is left out."""
    rows_, cols = len(grid.ys) + 1, len(grid.xs) + 1
    taken = np.zeros((rows_, cols), np.bool_)
    for c in grid.cells:
        taken[c.r0 : c.r1 + 1, c.c0 : c.c1 + 1] = True
    for c in grid.cells:
        top, bottom = grid.y(c.r0), grid.y(c.r1 + 1)
        for step in (1, -1):
            while True:
                n = c.c1 + 1 if step > 0 else c.c0 - 1
                border = n if step > 0 else c.c0
                if not 0 <= n < cols or taken[c.r0 : c.r1 + 1, n].any():
                    break
                open_ = grid.xs[border - 1].line >= 0 and not _side_ruled(grid, down, border, top, bottom)
                left, right = grid.x(n), grid.x(n + 1)
                boxed = _edge_ruled(grid, across, c.r0, left, right) and _edge_ruled(grid, across, c.r1 + 1, left, right)
                if not (open_ and boxed):
                    break
                taken[c.r0 : c.r1 + 1, n] = True
                c.c0, c.c1 = min(c.c0, n), max(c.c1, n)
        left, right = grid.x(c.c0), grid.x(c.c1 + 1)
        for step in (1, -1):
            while len(down):
                n = c.r1 + 1 if step > 0 else c.r0 - 1
                border = n if step > 0 else c.r0
                if not 0 <= n < rows_ or taken[n, c.c0 : c.c1 + 1].any():
                    break
                open_ = grid.ys[border - 1].line >= 0 and not _edge_ruled(grid, across, border, left, right)
                top, bottom = grid.y(n), grid.y(n + 1)
                boxed = _side_ruled(grid, down, c.c0, top, bottom) and _side_ruled(grid, down, c.c1 + 1, top, bottom)
                if not (open_ and boxed):
                    break
                taken[n, c.c0 : c.c1 + 1] = True
                c.r0, c.r1 = min(c.r0, n), max(c.r1, n)
