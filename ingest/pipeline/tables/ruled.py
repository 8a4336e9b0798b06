"""Boxes of tables from their ruling lines: lattices, and stacks of level rules as in books."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.pipeline.tables.layout import Rect
from ingest.pipeline.tables.rulings import Lines

TOUCH = 0.3
"""In font sizes: lines that end this near to another meet it."""
MAX_SEGMENTS = 600
"""Longest segments per direction that are looked at."""
SHORT_RULE = 5.0
"""In font sizes: shorter level rules do not bound a table."""
BROKEN = 2.5
"""In font sizes: level rules with a smaller gap between them are one broken rule."""

Segments = NDArray[np.float64]
"""(n, 3) position, start, end."""


def segments(lines: Lines) -> Segments:
    """All spans of the lines, the longest if there are too many."""
    if len(lines) == 0:
        return np.zeros((0, 3))
    flat = np.concatenate(
        [[(p, a, b) for a, b in spans] for p, spans in zip(lines.position.tolist(), lines.spans, strict=True)]
    )
    if len(flat) > MAX_SEGMENTS:
        longest = np.argsort(flat[:, 1] - flat[:, 2], kind="stable")[:MAX_SEGMENTS]
        flat = flat[np.sort(longest)]
    return flat


def lattices(across: Segments, down: Segments, size: float) -> list[Rect]:
    """Hulls of connected groups of level and upright segments, five or more, two of them level and one upright."""
    if len(across) == 0 or len(down) == 0:
        return []
    near = TOUCH * size
    y, x0, x1 = across[:, 0, None], across[:, 1, None], across[:, 2, None]
    x, y0, y1 = down[None, :, 0], down[None, :, 1], down[None, :, 2]
    meet = (x >= x0 - near) & (x <= x1 + near) & (y >= y0 - near) & (y <= y1 + near)
    label = np.arange(len(across))
    while True:
        # the smallest label of what meets each upright, then of what those meet
        upright = np.where(meet, label[:, None], len(across)).min(axis=0)
        level = np.minimum(np.where(meet, upright[None, :], len(across)).min(axis=1), label)
        if (level == label).all():
            break
        label = level
    found = []
    for k in np.unique(label):
        h, v = across[label == k], down[upright == k]
        if len(h) >= 2 and len(v) >= 1 and len(h) + len(v) > 4:
            found.append(
                (
                    float(min(h[:, 1].min(), v[:, 0].min())),
                    float(min(h[:, 0].min(), v[:, 1].min())),
                    float(max(h[:, 2].max(), v[:, 0].max())),
                    float(max(h[:, 0].max(), v[:, 2].max())),
                )
            )
    return found


def stacks(across: Segments, size: float) -> list[Segments]:
    """Level rules one below the other with the same ends, from the top; two or more."""
    rules = _unbroken(across, size)
    rules = rules[rules[:, 2] - rules[:, 1] >= SHORT_RULE * size]
    groups: list[list[int]] = []
    for i in range(len(rules)):
        for group in groups:
            if np.abs(rules[i, 1:] - rules[group[-1], 1:]).max() <= size:
                group.append(i)
                break
        else:
            groups.append([i])
    return [rules[g] for g in groups if len(g) >= 2]


def _unbroken(across: Segments, size: float) -> Segments:
    """Segments at one height joined over small gaps; the parts are kept too."""
    whole = []
    for position in np.unique(across[:, 0]):
        at = across[across[:, 0] == position]
        start = 0
        for i in range(1, len(at) + 1):
            if i == len(at) or at[i, 1] - at[i - 1, 2] > BROKEN * size:
                whole.append((position, at[start, 1], at[i - 1, 2]))
                start = i
    return np.array(whole).reshape(-1, 3)
