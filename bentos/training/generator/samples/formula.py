"""Display formulas: boxes with a baseline, put together the way mathematics is set by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

SMALLER = 0.7
"""Size of indices relative to the text."""
RULE = 0.5


@dataclass(slots=True, frozen=True)
class Box:
    """Points; `height` above and `depth` below the baseline."""

    width: float
    height: float
    depth: float
    draw: Callable[[Canvas, float, float], None]


class Math:
    """Makes boxes at one size. `roman`, `italic`: names of registered fonts; Greek and signs come from Symbol."""

    def __init__(self, size: float, roman: str = "Times-Roman", italic: str = "Times-Italic") -> None:
        self.size, self.roman, self.italic = size, roman, italic

    @property
    def small(self) -> Math:
        return Math(self.size * SMALLER, self.roman, self.italic)

    def glyphs(self, text: str, font: str) -> Box:
        size = self.size

        def draw(canvas: Canvas, x: float, y: float) -> None:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)

        return Box(stringWidth(text, font, size), 0.7 * size, 0.22 * size, draw)

    def var(self, text: str) -> Box:
        return self.glyphs(text, self.italic)

    def num(self, text: str) -> Box:
        return self.glyphs(text, self.roman)

    def sym(self, text: str) -> Box:
        """Greek letters and signs, written as Unicode."""
        return self.glyphs(text, "Symbol")

    def op(self, sign: str) -> Box:
        """A relation or binary operator with the space around it."""
        return self.row(self.space(0.25), self.sym(sign), self.space(0.25))

    def space(self, ems: float) -> Box:
        return Box(ems * self.size, 0, 0, lambda canvas, x, y: None)

    def row(self, *boxes: Box) -> Box:
        def draw(canvas: Canvas, x: float, y: float) -> None:
            for box in boxes:
                box.draw(canvas, x, y)
                x += box.width

        return Box(sum(b.width for b in boxes), max(b.height for b in boxes), max(b.depth for b in boxes), draw)

    def scripts(self, base: Box, sub: Box | None = None, sup: Box | None = None) -> Box:
        low, high = 0.2 * self.size, max(0.36 * self.size, base.height - 0.42 * self.size)

        def draw(canvas: Canvas, x: float, y: float) -> None:
            base.draw(canvas, x, y)
            if sub:
                sub.draw(canvas, x + base.width, y - low)
            if sup:
                sup.draw(canvas, x + base.width + 0.04 * self.size, y + high)

        return Box(
            base.width + max(sub.width if sub else 0, sup.width if sup else 0) + 0.08 * self.size,
            max(base.height, high + sup.height if sup else 0),
            max(base.depth, low + sub.depth if sub else 0),
            draw,
        )

    def frac(self, above: Box, below: Box) -> Box:
        axis, gap = 0.25 * self.size, 0.14 * self.size
        width = max(above.width, below.width) + 0.3 * self.size

        def draw(canvas: Canvas, x: float, y: float) -> None:
            canvas.setLineWidth(RULE)
            canvas.line(x, y + axis, x + width, y + axis)
            above.draw(canvas, x + (width - above.width) / 2, y + axis + gap + above.depth)
            below.draw(canvas, x + (width - below.width) / 2, y + axis - gap - below.height)

        return Box(width, axis + gap + above.depth + above.height, gap + below.height + below.depth - axis, draw)

    def root(self, inner: Box) -> Box:
        lead, gap = 0.55 * self.size, 0.12 * self.size
        top, bottom = inner.height + gap, inner.depth

        def draw(canvas: Canvas, x: float, y: float) -> None:
            canvas.setLineWidth(RULE)
            path = canvas.beginPath()
            path.moveTo(x + 0.05 * self.size, y + 0.25 * self.size)
            path.lineTo(x + 0.18 * self.size, y + 0.32 * self.size)
            path.lineTo(x + 0.34 * self.size, y - bottom)
            path.lineTo(x + lead, y + top)
            path.lineTo(x + lead + inner.width + 0.1 * self.size, y + top)
            canvas.drawPath(path, stroke=1, fill=0)
            inner.draw(canvas, x + lead + 0.05 * self.size, y)

        return Box(lead + inner.width + 0.15 * self.size, top + 0.1 * self.size, bottom, draw)

    def big(self, sign: str, below: Box | None = None, above: Box | None = None) -> Box:
        """A sum, product or integral with its limits below and above."""
        body = Math(self.size * 1.6, self.roman, self.italic).sym(sign)
        width = max(body.width, below.width if below else 0, above.width if above else 0)
        drop, gap = 0.3 * self.size, 0.12 * self.size

        def draw(canvas: Canvas, x: float, y: float) -> None:
            body.draw(canvas, x + (width - body.width) / 2, y - drop)
            if below:
                below.draw(canvas, x + (width - below.width) / 2, y - drop - body.depth - below.height - gap)
            if above:
                above.draw(canvas, x + (width - above.width) / 2, y - drop + body.height + above.depth + gap)

        height = body.height - drop + (above.height + above.depth + gap if above else 0)
        depth = body.depth + drop + (below.height + below.depth + gap if below else 0)
        return Box(width + 0.15 * self.size, height, depth, draw)

    def fence(self, inner: Box, left: str = "(", right: str = ")") -> Box:
        """Brackets as tall as what they hold."""
        whole = max(inner.height + inner.depth, self.size)
        size = 1.02 * whole
        centre = (inner.height - inner.depth) / 2
        wl, wr = (stringWidth(s, self.roman, size) * 0.8 if s else 0.0 for s in (left, right))

        def draw(canvas: Canvas, x: float, y: float) -> None:
            for sign, at in ((left, x), (right, x + wl + inner.width)):
                if sign:
                    canvas.saveState()
                    canvas.translate(at, y + centre - 0.24 * size)
                    canvas.scale(0.8, 1)
                    canvas.setFont(self.roman, size)
                    canvas.drawString(0, 0, sign)
                    canvas.restoreState()
            inner.draw(canvas, x + wl, y)

        return Box(wl + inner.width + wr, max(inner.height, 0.75 * size), max(inner.depth, 0.25 * size), draw)


class Display(Flowable):  # type: ignore[misc]
    """A formula on a line of its own, centred, its number at the right margin."""

    def __init__(self, box: Box, math: Math, number: str = "", around: float = 7.0) -> None:
        super().__init__()
        self.box, self.math, self.number = box, math, number
        self.spaceBefore = self.spaceAfter = around

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, self.height = width, self.box.height + self.box.depth
        return width, self.height

    def draw(self) -> None:
        canvas: Any = self.canv
        canvas.setFillGray(0)
        canvas.setStrokeGray(0)
        self.box.draw(canvas, (self.width - self.box.width) / 2, self.box.depth)
        if self.number:
            canvas.setFont(self.math.roman, self.math.size)
            canvas.drawRightString(self.width, self.box.depth, f"({self.number})")
