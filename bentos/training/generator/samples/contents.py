"""Lines of a table of contents, and code listings: flowables that manual and book share."""

from __future__ import annotations

from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable


class Leader(Flowable):  # type: ignore[misc]
    """A line of a table of contents: text, dots, page number."""

    def __init__(
        self, text: str, page: str, font: str, size: float, indent: float, before: float, dots: bool = True
    ) -> None:
        super().__init__()
        self.text, self.page, self.font, self.size = text, page, font, size
        self.indent, self.dots = indent, dots
        self.spaceBefore = before

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width = width
        return width, self.size * 1.35

    def draw(self) -> None:
        canvas: Any = self.canv
        canvas.setFillGray(0)
        canvas.setFont(self.font, self.size)
        base = 0.3 * self.size
        canvas.drawString(self.indent, base, self.text)
        canvas.drawRightString(self.width, base, self.page)
        if not self.dots:
            return
        step = 0.62 * self.size
        start = self.indent + stringWidth(self.text, self.font, self.size) + step
        stop = self.width - stringWidth(self.page, self.font, self.size) - 0.6 * step
        x = self.width - step * int((self.width - start) / step)
        dots = canvas.beginText()
        dots.setFont(self.font, self.size)
        while x < stop - 0.3 * step:
            dots.setTextOrigin(x, base)
            dots.textOut(".")
            x += step
        canvas.drawText(dots)


class Listing(Flowable):  # type: ignore[misc]
    """Program text in a fixed-width font on a grey ground; a long one is split over pages."""

    def __init__(self, code: str, size: float = 8.2, ground: str = "#f2f2ee") -> None:
        super().__init__()
        self.lines = code.strip("\n").split("\n")
        self.size, self.ground = size, ground
        self.spaceBefore, self.spaceAfter = 5, 8

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width = width
        return width, len(self.lines) * self.size * 1.25 + 10

    def split(self, width: float, height: float) -> list[Listing]:
        room = int((height - 10) / (self.size * 1.25))
        if room < 3 or len(self.lines) - room < 2:
            return []
        return [Listing("\n".join(part), self.size, self.ground) for part in (self.lines[:room], self.lines[room:])]

    def draw(self) -> None:
        canvas: Any = self.canv
        height = len(self.lines) * self.size * 1.25 + 10
        canvas.setFillColor(HexColor(self.ground))
        canvas.rect(0, 0, self.width, height, stroke=0, fill=1)
        canvas.setFillGray(0)
        canvas.setFont("Courier", self.size)
        for i, line in enumerate(self.lines):
            canvas.drawString(8, height - 5 - self.size * (1.25 * i + 1), line)
