"""Numbers of lines in the margins of manuscripts: furniture, whatever their labels.

A strip of the page that holds nothing but whole numbers, each one step above the one over it, on many pages.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.view import View

MANY, ALONE = 5, 20
"""Numbers of a strip at least, and of one in a document of one page."""
SHARE = 0.3
"""Of the document's pages that must have a strip."""
REGULAR = 0.8
"""Share of a strip's numbers that follow the one above by the usual step."""
STEPS = (1, 2, 5)
EXTENT = 0.5
"""Of the height of all that the page has: marks of notes and of items count, too, but not all the way down."""
NEAR = 1.5
"""Points by which the edges of numbers in a strip differ at most."""
LONGEST = 5
"""Digits."""
_MAY_BE = kinds.WORDS | {kinds.IDENTIFIER, kinds.FORMULA, kinds.NONE}


class _Strip(NamedTuple):
    x0: float
    x1: float
    cells: list[int]


def find_line_numbers(views: Sequence[View]) -> None:
    """Label line numbers as furniture, and note them in `View.line_numbers`, in place."""
    strips = [_strips(view) for view in views]
    numbered = sum(1 for found in strips if found)
    if len(views) > 1:
        if numbered < max(2, SHARE * len(views)):
            return
    elif not any(len(strip.cells) >= ALONE for found in strips for strip in found):
        return
    # few places, however many pages: a book's strips stand at one or two
    places = {(round(strip.x0), round(strip.x1)) for found in strips for strip in found}
    for view, found in zip(views, strips, strict=True):
        cells = {i for strip in found for i in strip.cells}
        # the last page may have too few lines to tell by itself
        cells |= {i for i in _numbers(view) if any(_within(view, i, place) for place in places)}
        view.line_numbers = {i for i in cells if view.labels[i] in _MAY_BE}
        for i in view.line_numbers:
            view.labels[i] = kinds.NONE


def _numbers(view: View) -> list[int]:
    return [i for i, text in enumerate(view.texts) if len(text) <= LONGEST and text.isdecimal()]


def _within(view: View, cell: int, place: tuple[int, int]) -> bool:
    x0, x1 = place
    aligned = abs(view.x1[cell] - x1) < NEAR or abs(view.x0[cell] - x0) < NEAR
    return aligned and x0 - NEAR < view.x0[cell] and view.x1[cell] < x1 + NEAR


def _strips(view: View) -> list[_Strip]:
    numbers = _numbers(view)
    if len(numbers) < MANY:
        return []
    out: list[_Strip] = []
    for edge in (view.x1, view.x0):
        taken = {i for strip in out for i in strip.cells}
        left = sorted((i for i in numbers if i not in taken), key=lambda i: edge[i])
        for cells in _aligned(left, edge):
            strip = _Strip(min(view.x0[i] for i in cells), max(view.x1[i] for i in cells), cells)
            if len(cells) >= MANY and _counts(view, cells) and _is_long(view, cells) and _is_free(view, strip):
                out.append(strip)
    return out


def _aligned(cells: list[int], edge: list[float]) -> list[list[int]]:
    out: list[list[int]] = []
    for i in cells:
        if out and edge[i] - edge[out[-1][-1]] < NEAR:
            out[-1].append(i)
        else:
            out.append([i])
    return out


def _counts(view: View, cells: list[int]) -> bool:
    """From the top down the numbers rise by one step."""
    values = [int(view.texts[i]) for i in sorted(cells, key=lambda i: -view.y0[i])]
    rises = Counter(b - a for a, b in itertools.pairwise(values))
    step, count = rises.most_common(1)[0]
    return step in STEPS and count >= REGULAR * (len(values) - 1)


def _is_long(view: View, cells: list[int]) -> bool:
    height = max(view.y1[i] for i in cells) - min(view.y0[i] for i in cells)
    return height > EXTENT * (max(view.y1) - min(view.y0))


def _is_free(view: View, strip: _Strip) -> bool:
    """Nothing else stands in the strip between its first number and its last."""
    low, high = min(view.y0[i] for i in strip.cells), max(view.y1[i] for i in strip.cells)
    others = set(range(len(view))).difference(strip.cells)
    return not any(
        view.x0[i] < strip.x1 and view.x1[i] > strip.x0 and view.y1[i] > low and view.y0[i] < high for i in others
    )
