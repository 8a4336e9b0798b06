"""Figures drawn as vectors: line charts, bar charts, block diagrams."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib.colors import Color, black, white
from reportlab.platypus import Flowable

INK = (Color(0.10, 0.28, 0.46), Color(0.72, 0.30, 0.12), Color(0.25, 0.45, 0.25), Color(0.45, 0.35, 0.55))
PALE = (Color(0.87, 0.91, 0.95), Color(0.97, 0.90, 0.85), Color(0.89, 0.94, 0.88), Color(0.92, 0.90, 0.95))


class Figure(Flowable):  # type: ignore[misc]
    """A drawing of a fixed size, centred in its column."""

    def __init__(self, width: float, height: float, paint: Callable[[Any], None]) -> None:
        super().__init__()
        self.hAlign = "CENTER"
        self.width, self.height, self.paint = width, height, paint

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        self.canv.saveState()
        self.canv.setStrokeColor(black)
        self.canv.setFillColor(black)
        self.paint(self.canv)
        self.canv.restoreState()


def chart(
    size: tuple[float, float],
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    axes: tuple[str, str],
    limits: tuple[float, float, float, float],
    ticks: tuple[Sequence[float], Sequence[float]],
    font: str = "Helvetica",
) -> Figure:
    """Curves with a legend in a frame. `limits`: x0, x1, y0, y1."""
    width, height = size
    left, bottom, right, top = 34.0, 28.0, width - 8, height - 8
    x0, x1, y0, y1 = limits

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (x - x0) / (x1 - x0) * (right - left), bottom + (y - y0) / (y1 - y0) * (top - bottom)

    def paint(c: Any) -> None:
        c.setLineWidth(0.6)
        c.rect(left, bottom, right - left, top - bottom)
        c.setFont(font, 7)
        for x in ticks[0]:
            px, _ = at(x, y0)
            c.line(px, bottom, px, bottom + 3)
            c.drawCentredString(px, bottom - 9, f"{x:g}")
        for y in ticks[1]:
            _, py = at(x0, y)
            c.line(left, py, left + 3, py)
            c.drawRightString(left - 3, py - 2.5, f"{y:g}")
        c.drawCentredString((left + right) / 2, bottom - 20, axes[0])
        c.saveState()
        c.translate(9, (bottom + top) / 2)
        c.rotate(90)
        c.drawCentredString(0, 0, axes[1])
        c.restoreState()
        for k, (name, points) in enumerate(curves):
            c.setStrokeColor(INK[k % 4])
            c.setLineWidth(1.1)
            c.setDash([[], [4, 2], [1.5, 1.5], [6, 2, 1.5, 2]][k % 4])
            path = c.beginPath()
            for j, (x, y) in enumerate(points):
                (path.moveTo if j == 0 else path.lineTo)(*at(x, y))
            c.drawPath(path, stroke=1, fill=0)
            y = top - 10 - 10 * k
            c.line(right - 92, y + 2.5, right - 74, y + 2.5)
            c.setDash([])
            c.drawString(right - 70, y, name)

    return Figure(width, height, paint)


def bars(
    size: tuple[float, float], names: Sequence[str], values: Sequence[float], unit: str, top_value: float,
    font: str = "Helvetica",
) -> Figure:  # fmt: skip
    """Upright bars with their values on top."""
    width, height = size
    left, bottom, top = 30.0, 20.0, height - 12

    def paint(c: Any) -> None:
        step = (width - left - 6) / len(names)
        c.setFont(font, 7)
        for k in range(5):
            y = bottom + k / 4 * (top - bottom)
            c.setStrokeGray(0.8)
            c.setLineWidth(0.4)
            c.line(left, y, width - 4, y)
            c.drawRightString(left - 4, y - 2.5, f"{top_value * k / 4:g}")
        c.drawString(2, top + 5, unit)
        for k, (name, value) in enumerate(zip(names, values, strict=True)):
            x, tall = left + step * (k + 0.2), value / top_value * (top - bottom)
            c.setFillColor(INK[0])
            c.rect(x, bottom, step * 0.6, tall, stroke=0, fill=1)
            c.setFillColor(black)
            c.drawCentredString(x + step * 0.3, bottom - 10, name)
            c.drawCentredString(x + step * 0.3, bottom + tall + 3, f"{value:g}")

    return Figure(width, height, paint)


def blocks(
    size: tuple[float, float],
    boxes: Sequence[tuple[float, float, float, float, str]],
    arrows: Sequence[tuple[float, float, float, float]],
    notes: Sequence[tuple[float, float, str]] = (),
    font: str = "Helvetica",
) -> Figure:
    """A block diagram: boxes (x, y, width, height, text with `|` between lines), arrows from point to point, notes."""

    def paint(c: Any) -> None:
        for k, (x, y, w, h, text) in enumerate(boxes):
            c.setFillColor(PALE[k % 4])
            c.setLineWidth(0.7)
            c.roundRect(x, y, w, h, 3, stroke=1, fill=1)
            c.setFillColor(black)
            c.setFont(font, 7.5)
            lines = text.split("|")
            for j, line in enumerate(lines):
                c.drawCentredString(x + w / 2, y + h / 2 - 2.5 + (len(lines) - 1) * 4.5 - 9 * j, line)
        c.setFont(font, 6.5)
        for x, y, note in notes:
            c.drawString(x, y, note)
        for x0, y0, x1, y1 in arrows:
            _arrow(c, x0, y0, x1, y1)

    return Figure(size[0], size[1], paint)


def _arrow(c: Any, x0: float, y0: float, x1: float, y1: float) -> None:
    angle = math.atan2(y1 - y0, x1 - x0)
    c.setLineWidth(0.8)
    c.line(x0, y0, x1, y1)
    path = c.beginPath()
    path.moveTo(x1, y1)
    for turn in (2.75, -2.75):
        path.lineTo(x1 + 5 * math.cos(angle + turn), y1 + 5 * math.sin(angle + turn))
    path.close()
    c.drawPath(path, stroke=0, fill=1)


def well(size: tuple[float, float], font: str = "Helvetica") -> Figure:
    """A stilling well in section: sea, tube, intake, float, encoder."""
    width, height = size

    def paint(c: Any) -> None:
        sea = height * 0.52
        c.setFillColor(PALE[0])
        c.rect(0, 0, width, sea, stroke=0, fill=1)
        c.setFillColor(Color(0.6, 0.58, 0.55))
        c.rect(width * 0.72, 0, width * 0.28, height * 0.8, stroke=0, fill=1)
        x, w = width * 0.42, width * 0.16
        c.setFillColor(white)
        c.rect(x, 14, w, height * 0.78, stroke=0, fill=1)
        c.setFillColor(PALE[0])
        c.rect(x, 14, w, sea - 18, stroke=0, fill=1)
        c.setLineWidth(2)
        c.line(x, 22, x, 14 + height * 0.78)
        c.line(x + w, 14, x + w, 14 + height * 0.78)
        c.line(x, 14, x + w, 14)
        c.setLineWidth(0.8)
        c.setFillColor(INK[1])
        c.ellipse(x + w * 0.2, sea - 10, x + w * 0.8, sea + 2, fill=1)
        c.line(x + w * 0.5, sea + 2, x + w * 0.5, height - 22)
        c.setFillColor(white)
        c.circle(x + w * 0.5, height - 14, 8, fill=1)
        c.setFillColor(black)
        path = c.beginPath()
        for k in range(40):
            px = k / 39 * x
            py = sea + 4 * math.sin(k * 0.8)
            (path.moveTo if k == 0 else path.lineTo)(px, py)
        c.drawPath(path, stroke=1, fill=0)
        c.setFont(font, 7)
        for tx, ty, ax, ay, text in (
            (10, height - 16, x + w * 0.5 - 9, height - 14, "encoder wheel"),
            (10, height * 0.68, x + w * 0.25, sea - 2, "float"),
            (10, 30, x - 1, 18, "intake"),
        ):
            c.drawString(tx, ty, text)
            c.setLineWidth(0.4)
            c.line(tx + 4 + c.stringWidth(text, font, 7), ty + 2, ax, ay)
        c.drawString(width * 0.78, height * 0.4, "quay")
        c.drawString(14, sea - 14, "open sea")

    return Figure(width, height, paint)
