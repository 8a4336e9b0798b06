"""Random figures: charts, and diagrams, maps, outlines, screens and raster images with words in them."""

from __future__ import annotations

import io
import itertools
import math
import random

import numpy as np

from bentos.training.generator.charts import bars, grid, heatmap, lines, panels, pie, scatter
from bentos.training.generator.drawing import Drawing, Point
from bentos.training.generator.words import Writer


def draw(writer: Writer, wide: bool = False) -> Drawing:
    """A random figure."""
    rng = writer.rng
    width = rng.uniform(330, 460) if wide else rng.uniform(170, 250)
    drawing = Drawing(width, width * rng.uniform(0.35, 0.75 if not wide else 0.5))
    rng.choice(_KINDS)(drawing, writer, 0, 0, drawing.width, drawing.height)
    return drawing


def _boxes(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    columns, rows = rng.randint(2, 4 if width < 300 else 6), rng.randint(1, 3)
    bw, bh = width / columns * 0.68, min(height / rows * 0.55, 34)
    size = rng.uniform(5.5, 8)
    fills = [rng.choice(("dce6f1", "f6e3d5", "e3efdd", "ffffff", "eeeeee")) for _ in range(3)]
    centers: list[Point] = []
    for r in range(rows):
        for c in range(columns):
            if rng.random() < 0.12 and len(centers) > 1:
                continue
            px, py = x + width * (c + 0.5) / columns, y + height * (r + 0.5) / rows
            centers.append((px, py))
            d.rect(px - bw / 2, py - bh / 2, bw, bh, rng.choice(fills))
            fit = max(int(bw / (0.55 * size)), 3)
            words = w.phrase(1, 3)[: 2 * fit]
            lines = [words[:fit], words[fit:]] if len(words) > fit else [words]
            for k, line in enumerate(lines):
                d.text(px, py + size * (0.35 + k - (len(lines) - 1) / 2), line, size)
    for (ax, ay), (bx, by) in itertools.pairwise(centers):
        if abs(ay - by) < 1:
            arrow(d, ax + bw / 2, ay, bx - bw / 2, by)
        elif rng.random() < 0.6:
            arrow(d, ax, ay + bh / 2, bx, by - bh / 2)


def arrow(d: Drawing, x0: float, y0: float, x1: float, y1: float) -> None:
    d.line([(x0, y0), (x1, y1)])
    angle = math.atan2(y1 - y0, x1 - x0)
    tips = [(x1 - 4 * math.cos(angle + t), y1 - 4 * math.sin(angle + t)) for t in (0.4, -0.4)]
    d.area([(x1, y1), *tips], "000000")


def raster(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """A picture without structure: smooth noise, in colour or grey, sometimes with marks on it."""
    rng = w.rng
    d.image = _clouds(rng, max(int(width / 2.4), 8), max(int(height / 2.4), 8))
    if rng.random() < 0.6:
        for _ in range(rng.randint(1, 4)):
            d.text(
                x + rng.uniform(0.2, 0.8) * width,
                y + rng.uniform(0.15, 0.9) * height,
                w.phrase(1, 2),
                rng.uniform(6, 9),
            )
    if rng.random() < 0.3:
        d.text(x + 8, y + 11, rng.choice(("(a)", "A", "a", "1")), 9, "start")


def _clouds(rng: random.Random, width: int, height: int) -> bytes:
    """PNG of smooth noise at several scales, with an edge or two, in few colours, so that it packs well."""
    from PIL import Image

    noise = np.random.default_rng(rng.randrange(2**32))
    channels = rng.choice((1, 3))
    layers = np.zeros((height, width, channels))
    for scale in (40, 14, 5):
        shape = height // scale + 2, width // scale + 2
        for c in range(channels):
            coarse = Image.fromarray((noise.random(shape) * 255).astype(np.uint8))
            layers[:, :, c] += np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), np.float64) * scale
    if rng.random() < 0.6:
        x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
        layers[(y > rng.uniform(0.3, 0.8) + 0.2 * np.sin(x * rng.uniform(2, 9)))] *= rng.uniform(0.3, 0.7)
    layers = (layers - layers.min()) / (np.ptp(layers) + 1e-9)
    pixels = (np.round(layers * 24) * 10.6).astype(np.uint8)
    image = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _map(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """Regions with names, as on a map."""
    rng = w.rng
    for _ in range(rng.randint(3, 7)):
        cx, cy = x + rng.uniform(0.15, 0.85) * width, y + rng.uniform(0.2, 0.8) * height
        radius = rng.uniform(0.08, 0.22) * height
        n = rng.randint(6, 11)
        ring = []
        for i in range(n):
            r = radius * rng.uniform(0.7, 1.3)
            ring.append((cx + r * math.cos(2 * math.pi * i / n), cy + r * math.sin(2 * math.pi * i / n)))
        d.area(ring, rng.choice(("dce6f1", "f6e3d5", "e3efdd", "eeeeee")), "666666")
        d.text(cx, cy + 2, w.phrase(1, 1)[:14], rng.uniform(5.5, 8))
    d.rect(x, y, width, height)


def _tree(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """A hierarchy of names."""
    rng = w.rng
    levels = rng.randint(2, 4)
    size = rng.uniform(5.5, 8)
    above: list[Point] = []
    for level in range(levels):
        count = 1 if level == 0 else min(len(above) * rng.randint(2, 3), 8)
        here = [(x + width * (i + 0.5) / count, y + height * (level + 0.5) / levels) for i in range(count)]
        for i, (px, py) in enumerate(here):
            if above:
                ax, ay = above[i * len(above) // count]
                d.line([(ax, ay + 4), (px, py - size)], "555555")
            d.text(px, py, w.phrase(1, 2)[: max(int(width / count / size * 1.6), 3)], size)
        above = here


def _flow(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """A chart of steps from top to bottom with questions and answers."""
    rng = w.rng
    steps = rng.randint(3, 6)
    d.height = height = max(height, 38 * steps)
    size = rng.uniform(5.5, 7.5)
    middle, tall, wide = x + width * rng.uniform(0.35, 0.5), height / steps, width * rng.uniform(0.4, 0.6)
    for k in range(steps):
        py = y + tall * (k + 0.5)
        if k and rng.random() < 0.35:
            half = tall * 0.36
            corners = [(middle, py - half), (middle + wide / 2, py), (middle, py + half), (middle - wide / 2, py)]
            d.area(corners, "f6e3d5", "000000")
            d.text(middle, py + size / 3, w.phrase(1, 2)[:18] + "?", size)
            d.line([(middle + wide / 2, py), (x + width * 0.92, py)])
            d.text(middle + wide / 2 + 8, py - 3, rng.choice(("no", "yes", "0", "> 1")), size)
            d.text(x + width * 0.92, py - 4, w.phrase(1, 1)[:12], size)
        else:
            d.rect(middle - wide / 2, py - tall * 0.32, wide, tall * 0.64, "dce6f1")
            for j in range(rng.choice((1, 2))):
                d.text(middle, py + size * (j * 1.15 - 0.1), w.phrase(1, 3)[: int(wide / size * 1.7)], size)
        if k + 1 < steps:
            arrow(d, middle, py + tall * 0.36, middle, py + tall * 0.66)


def _network(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """Nodes with short names, edges with weights."""
    rng = w.rng
    count, radius = rng.randint(4, 9), rng.uniform(6, 10)
    places = [(x + rng.uniform(0.08, 0.92) * width, y + rng.uniform(0.12, 0.88) * height) for _ in range(count)]
    for i, (px, py) in enumerate(places):
        for qx, qy in places[i + 1 :]:
            if rng.random() < 0.4:
                d.line([(px, py), (qx, qy)], "666666")
                if rng.random() < 0.5:
                    weight = rng.choice((f"{rng.random():.2f}", str(rng.randint(1, 30))))
                    d.text((px + qx) / 2 + 3, (py + qy) / 2 - 2, weight, 6)
    for i, (px, py) in enumerate(places):
        d.circle(px, py, radius, rng.choice(("ffffff", "dce6f1", "e3efdd")), "000000")
        d.text(px, py + 2.5, rng.choice((f"v{i}", chr(65 + i), str(i + 1), f"x{i}")), 7)


def _screen(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """A window of a program: title, menu, lines, buttons."""
    rng = w.rng
    size = rng.uniform(5, 7.5)
    d.rect(x, y, width, height, "f7f7f7", "444444")
    d.rect(x, y, width, 12, "d0d7e2", "444444")
    d.text(x + 5, y + 9, w.phrase(1, 4, title=True)[:40], size, "start")
    for k in range(rng.randint(3, 5)):
        d.text(x + 8 + 38 * k, y + 22, w.phrase(1, 1)[:8], size, "start")
    left = x + (rng.uniform(0.2, 0.35) * width if rng.random() < 0.5 else 8)
    line = y + 36
    while line < y + height - 14:
        if left > x + 20 and rng.random() < 0.7:
            d.text(x + 6, line, w.phrase(1, 2)[: int((left - x) / size * 1.5)], size, "start")
        d.text(left + 4, line, w.phrase(2, 7)[: int((x + width - left) / size * 1.6)], size, "start")
        line += size * rng.choice((1.5, 1.5, 2.6))
    d.rect(x + width - 48, y + height - 14, 42, 10, "dce6f1")
    d.text(x + width - 27, y + height - 7, "OK", size)


def _outline(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    """A device in outline: shapes with dimensions, letters and names on leaders."""
    rng = w.rng
    for _ in range(rng.randint(2, 5)):
        px, py = x + rng.uniform(0.1, 0.6) * width, y + rng.uniform(0.15, 0.6) * height
        wide, tall = rng.uniform(0.15, 0.35) * width, rng.uniform(0.15, 0.3) * height
        d.rect(px, py, wide, tall, rng.choice(("", "", "eeeeee")))
        if rng.random() < 0.6:
            d.line([(px, py + tall + 4), (px + wide, py + tall + 4)])
            size = f"{rng.randint(2, 900)} {rng.choice(('mm', 'cm', 'm', 'nm', 'kPa'))}"
            d.text(px + wide / 2, min(py + tall + 11, y + height), size, 6.5)
    for k in range(rng.randint(2, 7)):
        px, py = x + rng.uniform(0.1, 0.9) * width, y + rng.uniform(0.1, 0.9) * height
        qx, qy = px + rng.uniform(-0.15, 0.15) * width, py + rng.uniform(-0.15, 0.15) * height
        qx, qy = min(max(qx, x + 5), x + width - 5), min(max(qy, y + 8), y + height - 3)
        d.line([(px, py), (qx, qy)], "777777", 0.5)
        name = rng.choice((str(k + 1), chr(97 + k), w.phrase(1, 2)[:16], w.phrase(1, 1)[:10]))
        d.text(qx, qy - 1, name, rng.uniform(6, 8))


_KINDS = (
    lines, lines, lines, bars, bars, scatter, pie, panels, panels, grid, grid, heatmap, raster, raster, _boxes, _boxes,
    _map, _tree, _flow, _flow, _network, _screen, _outline, _outline,
)  # fmt: skip
"""Every kind, the common ones more than once."""
