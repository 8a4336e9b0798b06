"""Plots as SVG, written by hand: three kinds are needed, and a plotting library weighs more than the networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

COLOURS = ("#2f6f9f", "#d98032", "#5b9a5b")
_INK, _GRID = "#333333", "#dddddd"


class _Drawing:
    """Shapes on a white sheet; y grows downwards."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="sans-serif" font-size="11" fill="{_INK}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        ]
        self.text(width / 2, 18, title, anchor="middle", size=13)

    def text(
        self, x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, turn: int = 0, fill: str = _INK
    ) -> None:
        turned = f' transform="rotate({turn} {x:g} {y:g})"' if turn else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"{turned}>'
            f"{escape(text)}</text>"
        )

    def rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self._parts.append(f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" fill="{fill}"/>')

    def line(self, points: Sequence[tuple[float, float]], colour: str = _INK, width: float = 1, dash: str = "") -> None:
        path = " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashed}/>'
        )

    def svg(self) -> str:
        return "\n".join([*self._parts, "</svg>", ""])


def confusion(matrix: NDArray[np.float64], rows: Sequence[str], columns: Sequence[str], title: str) -> str:
    """Shares of each row as shaded squares, in per cent; rows without anything are left out."""
    kept = np.flatnonzero(matrix.sum(axis=1) > 0)
    share = matrix[kept] / matrix[kept].sum(axis=1, keepdims=True)
    left, top, side = 120, 120, 30
    drawing = _Drawing(left + side * len(columns) + 20, top + side * len(kept) + 30, title)
    for c, name in enumerate(columns):
        drawing.text(left + side * (c + 0.6), top - 6, name, turn=-45)
    for r, row in enumerate(kept.tolist()):
        drawing.text(left - 6, top + side * (r + 0.6), rows[row], anchor="end")
        for c in range(len(columns)):
            value = float(share[r, c])
            shade = round(255 - 200 * value**0.6)
            drawing.rect(
                left + side * c, top + side * r, side - 1, side - 1, f"rgb({shade},{round(shade / 2 + 127)},255)"
            )
            if value >= 0.005:
                fill = "#ffffff" if value > 0.6 else _INK
                drawing.text(
                    left + side * (c + 0.5) - 0.5,
                    top + side * (r + 0.62),
                    f"{100 * value:.0f}",
                    anchor="middle",
                    size=9,
                    fill=fill,
                )
    drawing.text(left, top + side * len(kept) + 18, "rows: truth; columns: predicted; per cent of the row")
    return drawing.svg()


def bars(names: Sequence[str], series: Mapping[str, Sequence[float]], title: str) -> str:
    """Groups of bars, values 0 to 1."""
    left, top, height, step = 40, 40, 220, 14 * len(series) + 12
    drawing = _Drawing(left + step * len(names) + 20, top + height + 120, title)
    _shares_axis(drawing, left, left + step * len(names), top, height)
    for s, (name, values) in enumerate(series.items()):
        colour = COLOURS[s % len(COLOURS)]
        for k, value in enumerate(values):
            drawing.rect(left + step * k + 6 + 14 * s, top + height * (1 - value), 13, height * value, colour)
        drawing.rect(left + 110 * s, top + height + 98, 10, 10, colour)
        drawing.text(left + 110 * s + 14, top + height + 107, name)
    for k, name in enumerate(names):
        drawing.text(left + step * (k + 0.5), top + height + 14, name, anchor="end", turn=-40)
    return drawing.svg()


def reliability(series: Mapping[str, tuple[Sequence[float], Sequence[float]]], title: str) -> str:
    """Accuracy over mean score of bins, and the diagonal on which a calibrated model lies."""
    left, top, side = 50, 40, 320
    drawing = _Drawing(left + side + 20, top + side + 70, title)
    _shares_axis(drawing, left, left + side, top, side)
    drawing.line([(left, top + side), (left + side, top)], _INK, 1, "4 3")
    for s, (name, (scores, accuracies)) in enumerate(series.items()):
        colour = COLOURS[s % len(COLOURS)]
        drawing.line(
            [(left + side * x, top + side * (1 - y)) for x, y in zip(scores, accuracies, strict=True)], colour, 2
        )
        drawing.rect(left + 160 * s, top + side + 48, 10, 10, colour)
        drawing.text(left + 160 * s + 14, top + side + 57, name)
    for k in range(0, 11, 2):
        drawing.text(left + side * k / 10, top + side + 16, f"{k / 10:.1f}", anchor="middle")
    drawing.text(left + side / 2, top + side + 34, "score", anchor="middle")
    drawing.text(14, top + side / 2, "share that is right", anchor="middle", turn=-90)
    return drawing.svg()


def _shares_axis(drawing: _Drawing, left: float, right: float, top: float, height: float) -> None:
    for k in range(0, 11, 2):
        y = top + height * (1 - k / 10)
        drawing.line([(left, y), (right, y)], _GRID)
        drawing.text(left - 5, y + 4, f"{k / 10:.1f}", anchor="end")
