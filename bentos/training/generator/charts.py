"""Random charts, drawn into a part of a drawing."""

from __future__ import annotations

import math

from bentos.training.generator.drawing import Drawing
from bentos.training.generator.words import Writer

PALETTES = (
    ("4e79a7", "f28e2b", "e15759", "76b7b2", "59a14f", "edc948"),
    ("222222", "777777", "aaaaaa", "444444", "cccccc", "999999"),
    ("003f5c", "7a5195", "ef5675", "ffa600", "2f9e8f", "bc5090"),
    ("1b9e77", "d95f02", "7570b3", "e7298a", "66a61e", "e6ab02"),
)


def _axes(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    rng = w.rng
    left, bottom, right, top = x + 30, y + height - 24, x + width - 6, y + 8
    size = rng.uniform(5.5, 8)
    if rng.random() < 0.5:
        d.rect(left, top, right - left, bottom - top)
    else:
        d.line([(left, top), (left, bottom), (right, bottom)])
    grid = rng.random() < 0.4
    high = 10 ** rng.randint(0, 3) * rng.choice((1, 2, 5))
    n = rng.randint(3, 6)
    for i in range(n + 1):
        py = bottom - (bottom - top) * i / n
        d.line([(left - 3, py), (left, py)])
        if grid and i:
            d.line([(left, py), (right, py)], "cccccc", 0.4)
        d.text(left - 5, py + size * 0.35, f"{high * i / n:.3g}", size, "end")
    unit = rng.choice((1, 2, 5, 10, 0.1))
    for i in range(rng.randint(4, 7)):
        px = left + (right - left) * i / 6
        d.line([(px, bottom), (px, bottom + 3)])
        d.text(px, bottom + 3 + size, f"{i * unit:g}", size)
    d.text((left + right) / 2, y + height - 2, w.phrase(1, 3), size)
    if rng.random() < 0.8:
        d.text(x + size, (top + bottom) / 2, w.phrase(1, 3), size, turn=90)
    if rng.random() < 0.3:
        d.text((left + right) / 2, top - 1, w.phrase(2, 4, title=True), size + 1)
    return left, top, right, bottom


def _legend(d: Drawing, w: Writer, colors: list[str], right: float, top: float) -> None:
    size = w.rng.uniform(5.5, 7.5)
    for k, color in enumerate(colors):
        y = top + 6 + k * (size + 3)
        d.line([(right - 62, y), (right - 48, y)], color, 1.4)
        d.text(right - 45, y + size * 0.35, w.phrase(1, 2)[:14], size, "start")


def lines(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    left, top, right, bottom = _axes(d, w, x, y, width, height)
    colors = list(rng.choice(PALETTES)[: rng.randint(1, 4)])
    for color in colors:
        level, slope, wave = rng.uniform(0.1, 0.5), rng.uniform(-0.1, 0.5), rng.uniform(0, 0.15)
        points = []
        for i in range(41):
            t = i / 40
            v = level + slope * t + wave * math.sin(t * rng.uniform(5.5, 6.5) * 2) + rng.gauss(0, 0.012)
            points.append((left + t * (right - left), bottom - min(max(v, 0.02), 0.98) * (bottom - top)))
        d.line(points, color, 1.2)
    if rng.random() < 0.7:
        _legend(d, w, colors, right, top)


def bars(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    left, top, right, bottom = _axes(d, w, x, y, width, height)
    groups, series = rng.randint(3, 8), rng.randint(1, 3)
    colors = list(rng.choice(PALETTES)[:series])
    step = (right - left) / groups
    for g in range(groups):
        for s in range(series):
            tall = rng.uniform(0.1, 0.95) * (bottom - top)
            d.rect(
                left + step * (g + 0.15 + 0.7 * s / series), bottom - tall, 0.65 * step / series, tall, colors[s], ""
            )
            if series == 1 and rng.random() < 0.5:
                d.text(left + step * (g + 0.5), bottom - tall - 2, w.number("int")[:4], 5.5)
    if series > 1:
        _legend(d, w, colors, right, top)


def scatter(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    left, top, right, bottom = _axes(d, w, x, y, width, height)
    for color in rng.choice(PALETTES)[: rng.randint(1, 3)]:
        cx, cy = rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7)
        for _ in range(rng.randint(15, 60)):
            px, py = min(max(rng.gauss(cx, 0.15), 0.02), 0.98), min(max(rng.gauss(cy, 0.15), 0.02), 0.98)
            d.circle(left + px * (right - left), bottom - py * (bottom - top), 1.6, color)


def pie(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    cx, cy, radius = x + width * 0.4, y + height / 2, height * 0.42
    colors = rng.choice(PALETTES)
    shares = [rng.uniform(0.3, 1.5) for _ in range(rng.randint(3, 6))]
    angle = 0.0
    for k, share in enumerate(shares):
        sweep = 2 * math.pi * share / sum(shares)
        arc = [
            (cx + radius * math.cos(angle + sweep * i / 16), cy + radius * math.sin(angle + sweep * i / 16))
            for i in range(17)
        ]
        d.area([(cx, cy), *arc], colors[k % 6], "ffffff")
        middle = angle + sweep / 2
        d.text(
            cx + 0.65 * radius * math.cos(middle),
            cy + 0.65 * radius * math.sin(middle),
            f"{100 * share / sum(shares):.0f}%",
            6.5,
        )
        d.text(x + width * 0.78, y + 14 + 11 * k, w.phrase(1, 2)[:16], 6.5, "start")
        d.rect(x + width * 0.78 - 10, y + 8 + 11 * k, 6, 6, colors[k % 6], "")
        angle += sweep


def panels(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    for k in range(2):
        part = x + k * width / 2
        w.rng.choice((lines, bars, scatter))(d, w, part, y + 10, width / 2 - 6, height - 10)
        d.text(part + 6, y + 8, f"({'ab'[k]})", 8, "start")


def grid(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """Small charts in rows, each with its letter."""
    rows, columns = w.rng.choice(((2, 2), (1, 3), (2, 3)))
    if rows > 1:
        d.height = height = max(height, 0.6 * width)
    for k in range(rows * columns):
        px, py = x + k % columns * width / columns, y + k // columns * height / rows
        w.rng.choice((lines, bars, scatter, heatmap))(d, w, px, py + 9, width / columns - 6, height / rows - 12)
        d.text(px + 8, py + 8, f"({chr(97 + k)})", 7.5)


def heatmap(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """Coloured cells with numbers, names at the left and below."""
    rng = w.rng
    rows, columns = rng.randint(3, 7), rng.randint(3, 8)
    left, top = x + rng.uniform(24, 44), y + 4
    cw, ch = (x + width - left) / columns, (y + height - 16 - top) / rows
    size = min(cw / 3, ch * 0.55, 8)
    decimals = rng.choice((0, 1, 2))
    for r in range(rows):
        d.text(left - 3, top + ch * (r + 0.5) + size / 3, w.phrase(1, 1)[:9], size, "end")
        for c in range(columns):
            share = rng.random()
            shade = f"{round(255 - 140 * share):02x}{round(255 - 80 * share):02x}ff"
            d.rect(left + c * cw, top + r * ch, cw, ch, shade, "ffffff")
            value = f"{share:.{decimals}f}" if decimals else f"{share * 100:.0f}"
            d.text(left + (c + 0.5) * cw, top + ch * (r + 0.5) + size / 3, value, size)
    for c in range(columns):
        d.text(left + (c + 0.5) * cw, y + height - 7, w.phrase(1, 1)[:7], size)
