"""PDF pages with one table of statistics each, drawn at random in the manner of official reports.

Labels that wrap, dot leaders, currency signs in the first row, titles between rows, heads of one to three lines and
over several columns, numbers left out; ruled fully, as in books, under the head only, or not at all; a caption above
and running text around.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from ingest.document.model import Box

Placed = tuple[int, int, int, int, str]
"""Row, column, row span, column span, text without white space."""

WORDS = re.findall(
    r"\w+",
    "population income total rate employment housing county services federal state local annual persons families "
    "change index product energy other industry mining trade durable goods wholesale retail manufacturing and of with "
    "less than high school diploma median household percent number sales",
)


@dataclass
class _Drawing:
    canvas: Canvas
    rng: random.Random
    font: str
    size: float
    cells: list[Placed] = field(default_factory=list)
    hull: list[float] = field(default_factory=lambda: [1e6, 1e6, 0.0, 0.0])

    def bold(self) -> str:
        return {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold"}[self.font]

    def width(self, text: str, font: str = "") -> float:
        return float(stringWidth(text, font or self.font, self.size))

    def text(self, x: float, y: float, text: str, align: str = "l", font: str = "") -> None:
        """Draw a line of a cell."""
        width = self.width(text, font)
        x = {"l": x, "r": x - width, "c": x - width / 2}[align]
        self.canvas.setFont(font or self.font, self.size)
        self.canvas.drawString(x, y, text)
        low, high = y - 0.2 * self.size, y + 0.75 * self.size
        h = self.hull
        self.hull = [min(h[0], x), min(h[1], low), max(h[2], x + width), max(h[3], high)]

    def place(self, row: int, col: int, *lines: str, span: int = 1) -> None:
        self.cells.append((row, col, 1, span, "".join("".join(lines).split())))

    def rule(self, x0: float, x1: float, y: float) -> None:
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x0, y, x1, y)

    def words(self, count: int) -> str:
        return " ".join(self.rng.choice(WORDS) for _ in range(count))

    def paragraph(self, y: float, lines: int) -> None:
        self.canvas.setFont(self.font, 10)
        for k in range(lines):
            line = ""
            while stringWidth(line, self.font, 10) < 470:
                line += self.rng.choice(WORDS) + " "
            self.canvas.drawString(60, y - 12 * k, line)


def draw(seed: int, path: Path) -> tuple[Box, list[Placed]]:
    """Write the page; the box around the table's text, and its cells."""
    rng = random.Random(seed)
    canvas = Canvas(str(path), pagesize=(612, 792))
    d = _Drawing(canvas, rng, rng.choice(["Helvetica", "Times-Roman"]), rng.choice([7.0, 8.0, 9.0, 10.0]))
    rules = rng.choice(["none", "head", "book", "full"])
    leading = d.size * rng.uniform(1.1, 1.5)
    left, right, stub = rng.uniform(50, 90), rng.uniform(480, 560), rng.uniform(110, 190)
    count = min(rng.randint(2, 7), int((right - left - stub) / (4.5 * d.size)))
    step = (right - left - stub) / count
    ends = [left + stub + (k + 1) * step for k in range(count)]
    top = y = rng.uniform(560, 700)
    d.paragraph(y + 60, 3)
    if rng.random() < 0.6:
        canvas.setFont(d.bold(), d.size + 1)
        canvas.drawCentredString((left + right) / 2, y + 2.2 * d.size, f"Table {rng.randint(1, 20)}. {d.words(5)}")
    if rules != "none":
        d.rule(left, right, top + d.size)
    y, row = _head(d, y, leading, left, ends, step, rules)
    y = _body(d, y, row, leading, left, stub, ends, step, rules)
    if rules == "book":
        d.rule(left, right, y + leading - 0.4 * d.size)
    y -= 1.2 * leading
    canvas.setFont(d.font, d.size - 1)
    canvas.drawString(left, y, "Source: " + d.words(6))
    d.paragraph(y - 20, 4)
    canvas.showPage()
    canvas.save()
    return (d.hull[0], d.hull[1], d.hull[2], d.hull[3]), d.cells


def _head(
    d: _Drawing, y: float, leading: float, left: float, ends: list[float], step: float, rules: str
) -> tuple[float, int]:
    """Draw the head; the first line below it and the number of its rows."""
    rng, row = d.rng, 0
    if len(ends) >= 4 and rng.random() < 0.5:
        half = len(ends) // 2
        for a, b in ((0, half - 1), (half, len(ends) - 1)):
            over = d.words(rng.randint(1, 2)).title()
            d.text((ends[a] - step + ends[b]) / 2, y, over, "c")
            d.place(0, a + 1, over, span=b - a + 1)
            d.rule(ends[a] - step + 0.8 * d.size, ends[b] - 0.2 * d.size, y - 0.35 * d.size)
        y -= 1.15 * leading
        row = 1
    most, years, align = rng.randint(1, 3), rng.random() < 0.4, rng.choice("rc")
    titles: list[list[str]] = []
    for k in range(len(ends)):
        fitting = [w.title() for w in WORDS if d.width(w.title()) < step - d.size]
        titles.append([str(1990 + k)] if years else rng.choices(fitting, k=rng.randint(1, most)))
    label = [d.words(1).title()] if rng.random() < 0.6 else []
    lines = max(len(t) for t in [*titles, label])
    for k, title in enumerate(titles):
        x = ends[k] if align == "r" else ends[k] - step / 2 + 0.6 * d.size
        for n, line in enumerate(title):
            d.text(x, y - 0.9 * leading * (lines - len(title) + n), line, align)
        d.place(row, k + 1, *title)
    y -= 0.9 * leading * (lines - 1)
    for line_of_label in label:
        d.text(left, y, line_of_label)
        d.place(row, 0, line_of_label)
    if rules != "none":
        y -= 0.4 * d.size
        d.rule(left, ends[-1], y)
    return y - leading, row + 1


def _body(
    d: _Drawing,
    y: float,
    row: int,
    leading: float,
    left: float,
    stub: float,
    ends: list[float],
    step: float,
    rules: str,
) -> float:
    """Draw the rows; the line below them."""
    rng = d.rng
    leaders, dollars = rng.random() < 0.35, rng.random() < 0.3 and step > 6 * d.size
    digits = [rng.choice([0, 1, 1, 2]) for _ in ends]
    most = [rng.choice([10, 100, 1000, 10000]) for _ in ends]
    for c in range(len(ends)):
        while most[c] > 10 and d.width(f"({most[c]:,.{digits[c]}f})") > step - 2 * d.size:
            most[c] //= 10
    for k in range(rng.randint(4, 20)):
        if y < 100:
            break
        if k > 0 and rng.random() < 0.12:
            section = d.words(rng.randint(1, 3)).title()
            d.text(left, y, section, font=d.bold())
            d.place(row, 0, section)
            y, row = y - leading, row + 1
        lines = _wrapped(d, d.words(rng.randint(1, 6)).capitalize(), stub - 2.5 * d.size)
        for n in range(len(lines)):
            indent = d.size if n else 0.0
            if leaders and n == len(lines) - 1:
                while d.width(lines[n] + ".") < stub - indent:
                    lines[n] += "."
            d.text(left + indent, y, lines[n])
            y -= leading if n < len(lines) - 1 else 0.0
        d.place(row, 0, *lines)
        for c, end in enumerate(ends):
            if rng.random() < 0.06:
                continue
            value = "-" if rng.random() < 0.04 else f"{rng.uniform(0, most[c]):,.{digits[c]}f}"
            value = f"({value})" if rng.random() < 0.05 else value
            d.text(end, y, value, "r")
            if dollars and k == 0:
                d.text(end - step + 1.2 * d.size, y, "$")
                value = "$" + value
            d.place(row, c + 1, value)
        if rules == "full":
            d.rule(left, ends[-1], y - 0.35 * d.size)
        y, row = y - leading * (1.35 if rules == "full" else 1.0), row + 1
    return y


def _wrapped(d: _Drawing, text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and d.width(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
