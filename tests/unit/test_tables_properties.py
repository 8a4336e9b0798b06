"""Tables made at random are read as they were made, however their page is turned, scaled or shuffled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingest.document.page import Cells, Page, TextState
from ingest.pipeline.tables import find_tables, recover
from tests.support.grids import Entry, lay_out, placed, wanted

# Examples cost milliseconds here and far more on a busy machine, so they have no deadline.
some = settings(max_examples=40, deadline=None)

WORDS = ["amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "haven", "islet", "jetty", "knoll", "lagoon"]
words = st.sampled_from(WORDS)
numbers = st.one_of(st.integers(0, 99999).map(str), st.decimals(0, 999, places=1).map(str))
sentences = st.lists(words, min_size=1, max_size=3).map(" ".join)


@st.composite
def ruled_tables(draw: st.DrawFn) -> list[Entry]:
    """Cells with spans that tile a grid; some empty, some of several lines."""
    rows, cols = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    free = np.ones((rows, cols), np.bool_)
    entries = []
    for r in range(rows):
        for c in range(cols):
            if not free[r, c]:
                continue
            row_span, col_span = draw(st.sampled_from([(1, 1)] * 8 + [(1, 2), (2, 1), (2, 2), (1, 3)]))
            row_span, col_span = min(row_span, rows - r), min(col_span, cols - c)
            while not free[r : r + row_span, c : c + col_span].all():
                row_span = col_span = 1
            free[r : r + row_span, c : c + col_span] = False
            least = 0 if row_span * col_span == 1 and r + c > 0 else 1
            lines = draw(st.lists(sentences, min_size=least, max_size=2))
            entries.append(Entry(r, c, "\n".join(lines), row_span, col_span))
    assume(len({e.row for e in entries if e.text}) > 1 and len({e.col for e in entries if e.text}) > 1)
    return entries


@st.composite
def number_tables(draw: st.DrawFn) -> tuple[list[Entry], str]:
    """A row of heads, a label for each row and numbers, at most one of four left out; and how columns are aligned."""
    rows, cols = draw(st.integers(4, 14)), draw(st.integers(3, 7))
    entries = [Entry(0, c, draw(words)) for c in range(cols)]
    for r in range(1, rows):
        entries.append(Entry(r, 0, draw(sentences)))
        gap = draw(st.integers(1, 4 * cols))
        entries += [Entry(r, c, draw(numbers)) for c in range(1, cols) if c != gap or r < 3]
    return entries, "l" + "".join(draw(st.sampled_from("rrc")) for _ in range(cols - 1))


def shuffled(page: Page, order: list[int]) -> Page:
    c = page.cells
    return replace(
        page,
        cells=Cells(
            boxes=c.boxes[order],
            text=[c.text[i] for i in order],
            size=c.size[order],
            font=c.font[order],
            style=c.style[order],
            share=c.share[order],
            color=c.color[order],
            angle=c.angle[order],
        ),
    )


def scaled(page: Page, by: float) -> Page:
    return replace(
        page,
        width=page.width * by,
        height=page.height * by,
        cells=replace(page.cells, boxes=page.cells.boxes * by, size=page.cells.size * by),
        rules=page.rules * by,
    )


@some
@given(ruled_tables(), st.sampled_from([0, 90, 180, 270]), st.sampled_from(["", "r", "c"]))
def test_a_ruled_table_is_read_as_it_was_drawn(entries: list[Entry], rotation: int, align: str) -> None:
    cols = max(e.col + e.col_span for e in entries)
    page, box = lay_out(entries, ruled=True, align=align * cols, rotation=rotation)
    assert placed(recover(page, box)) == wanted(entries)


@some
@given(number_tables(), st.floats(1.2, 2.2), st.sampled_from([0, 90, 180, 270]))
def test_numbers_in_columns_need_no_rules(table: tuple[list[Entry], str], leading: float, rotation: int) -> None:
    entries, align = table
    page, box = lay_out(entries, ruled=False, align=align, leading=leading, padding=9, rotation=rotation)
    assert placed(recover(page, box)) == wanted(entries)


@some
@given(number_tables(), st.booleans(), st.randoms(use_true_random=False))
def test_content_order_does_not_matter(table: tuple[list[Entry], str], ruled: bool, random: object) -> None:
    page, box = lay_out(table[0], ruled=ruled, align=table[1])
    order = np.random.default_rng(hash(str(random)) % 2**32).permutation(len(page.cells)).tolist()
    assert recover(shuffled(page, order), box) == recover(page, box)
    assert find_tables(shuffled(page, order)) == find_tables(page)


@some
@given(number_tables(), st.booleans(), st.sampled_from([0.25, 0.5, 2.0, 4.0]))
def test_scale_does_not_matter(table: tuple[list[Entry], str], ruled: bool, by: float) -> None:
    page, box = lay_out(table[0], ruled=ruled, align=table[1])
    x0, y0, x1, y1 = box
    other = recover(scaled(page, by), (x0 * by, y0 * by, x1 * by, y1 * by))
    assert placed(other) == placed(recover(page, box))
    assert len(find_tables(scaled(page, by))) == len(find_tables(page))


@some
@given(number_tables(), st.booleans())
def test_a_table_is_found_where_it_stands(table: tuple[list[Entry], str], ruled: bool) -> None:
    last = [e.text for e in table[0] if e.row > 0 and e.col == max(e.col for e in table[0])]
    assume(ruled or not all(text.isdigit() for text in last))  # which could be the pages of a list of contents
    page, _ = lay_out(table[0], ruled=ruled, align=table[1], padding=9)
    (box,) = find_tables(page)
    assert placed(recover(page, box)) == wanted(table[0])


@st.composite
def scattered_pages(draw: st.DrawFn) -> Page:
    """Text and lines anywhere, turned and overlapping."""
    n, m = draw(st.integers(0, 40)), draw(st.integers(0, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low = rng.uniform(0, 500, (n, 2))
    start = rng.uniform(0, 500, (m, 2))
    length = rng.uniform(5, 400, (m, 1)) * np.array([[1.0, 0.0], [0.0, 1.0]])[rng.integers(0, 2, m)]
    cells = Cells(
        boxes=np.concatenate([low, low + rng.uniform(1, 150, (n, 2))], axis=1).astype(np.float32),
        text=[draw(st.text("ab1 .-$", min_size=1, max_size=8).filter(str.strip)) for _ in range(n)],
        size=rng.choice([0, 1, 8, 10, 40], n).astype(np.float32),
        font=np.zeros(n, np.int16),
        style=rng.integers(0, 64, n).astype(np.uint8),
        share=np.zeros((n, 3), np.uint8),
        color=np.zeros(n, np.uint32),
        angle=rng.choice([0, 0, 0, 45, 90, 270], n).astype(np.int16),
    )
    return Page(
        number=3,
        width=600,
        height=600,
        rotation=draw(st.sampled_from([0, 90, 180, 270])),
        cells=cells,
        rules=np.concatenate([start, start + length], axis=1).astype(np.float32),
        drawings=rng.uniform(0, 500, (m, 4)).astype(np.float32),
        state=TextState.TEXT,
    )


@some
@given(scattered_pages())
def test_whatever_stands_in_a_box_fills_a_grid_and_loses_no_character(page: Page) -> None:
    table = recover(page, (0, 0, 600, 600), range(len(page.cells)))
    seen = np.zeros((table.rows, table.cols), int)
    for cell in table.cells:
        seen[cell.row : cell.row + cell.row_span, cell.col : cell.col + cell.col_span] += 1
    assert (seen == 1).all()
    assert Counter("".join(c.text for c in table.cells).replace(" ", "")) == Counter(
        "".join(page.cells.text).replace(" ", "")
    )
    for box in find_tables(page, np.array([[50, 50, 500, 500]], np.float32)):
        found = recover(page, box)
        assert found.rows >= 1 and found.cols >= 1
