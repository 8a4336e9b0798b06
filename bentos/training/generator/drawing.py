"""Random figures as lists of primitives: charts, diagrams, raster images with words in them.

Coordinates run from (0, 0) at the upper left to (width, height), in points at natural size.
"""

from __future__ import annotations

import base64
import io
import itertools
import math
import random
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

import numpy as np

from bentos.training.generator.words import Writer

Point = tuple[float, float]

_PALETTES = (
    ("4e79a7", "f28e2b", "e15759", "76b7b2", "59a14f", "edc948"),
    ("222222", "777777", "aaaaaa", "444444", "cccccc", "999999"),
    ("003f5c", "7a5195", "ef5675", "ffa600", "2f9e8f", "bc5090"),
    ("1b9e77", "d95f02", "7570b3", "e7298a", "66a61e", "e6ab02"),
)


@dataclass(slots=True)
class Shape:
    """`kind` is line (points, open), area (points, filled), rect, circle, text or image."""

    kind: str
    points: list[Point]
    color: str = "000000"
    fill: str = ""
    size: float = 7.0
    """Line width, radius, or size of the type."""
    text: str = ""
    anchor: str = "middle"
    turn: int = 0
    """Degrees; of text."""


@dataclass(slots=True)
class Drawing:
    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    image: bytes = b""
    """PNG that fills the drawing below its shapes."""

    def line(self, points: list[Point], color: str = "000000", size: float = 0.7) -> None:
        self.shapes.append(Shape("line", points, color, size=size))

    def area(self, points: list[Point], fill: str, color: str = "") -> None:
        self.shapes.append(Shape("area", points, color, fill, 0.6))

    def rect(self, x: float, y: float, w: float, h: float, fill: str = "", color: str = "000000") -> None:
        self.shapes.append(Shape("rect", [(x, y), (x + w, y + h)], color, fill, 0.7))

    def circle(self, x: float, y: float, radius: float, fill: str, color: str = "") -> None:
        self.shapes.append(Shape("circle", [(x, y)], color, fill, radius))

    def text(self, x: float, y: float, text: str, size: float = 7, anchor: str = "middle", turn: int = 0) -> None:
        """Text whose baseline starts, is centred or ends at (x, y)."""
        self.shapes.append(Shape("text", [(x, y)], "000000", size=size, text=text, anchor=anchor, turn=turn))


def draw(writer: Writer, wide: bool = False) -> Drawing:
    """A random figure."""
    rng = writer.rng
    width = rng.uniform(330, 460) if wide else rng.uniform(170, 250)
    drawing = Drawing(width, width * rng.uniform(0.35, 0.75 if not wide else 0.5))
    kind = rng.choice((_lines, _lines, _bars, _scatter, _pie, _boxes, _boxes, _raster, _raster, _panels, _map))
    kind(drawing, writer, 0, 0, drawing.width, drawing.height)
    return drawing


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
        d.text(left - 5, py + size * 0.35, f"{high * i / n:g}", size, "end")
    for i in range(rng.randint(4, 7)):
        px = left + (right - left) * i / 6
        d.line([(px, bottom), (px, bottom + 3)])
        d.text(px, bottom + 3 + size, f"{i * rng.choice((1, 2, 5))}", size)
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


def _lines(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    left, top, right, bottom = _axes(d, w, x, y, width, height)
    colors = list(rng.choice(_PALETTES)[: rng.randint(1, 4)])
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


def _bars(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    left, top, right, bottom = _axes(d, w, x, y, width, height)
    groups, series = rng.randint(3, 8), rng.randint(1, 3)
    colors = list(rng.choice(_PALETTES)[:series])
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


def _scatter(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    left, top, right, bottom = _axes(d, w, x, y, width, height)
    for color in rng.choice(_PALETTES)[: rng.randint(1, 3)]:
        cx, cy = rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7)
        for _ in range(rng.randint(15, 60)):
            px, py = min(max(rng.gauss(cx, 0.15), 0.02), 0.98), min(max(rng.gauss(cy, 0.15), 0.02), 0.98)
            d.circle(left + px * (right - left), bottom - py * (bottom - top), 1.6, color)


def _pie(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    rng = w.rng
    cx, cy, radius = x + width * 0.4, y + height / 2, height * 0.42
    colors = rng.choice(_PALETTES)
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
            _arrow(d, ax + bw / 2, ay, bx - bw / 2, by)
        elif rng.random() < 0.6:
            _arrow(d, ax, ay + bh / 2, bx, by - bh / 2)


def _arrow(d: Drawing, x0: float, y0: float, x1: float, y1: float) -> None:
    d.line([(x0, y0), (x1, y1)])
    angle = math.atan2(y1 - y0, x1 - x0)
    tips = [(x1 - 4 * math.cos(angle + t), y1 - 4 * math.sin(angle + t)) for t in (0.4, -0.4)]
    d.area([(x1, y1), *tips], "000000")


def _raster(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
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


def _panels(d: Drawing, w: Writer, x: float, y: float, width: float, height: float) -> None:
    for k in range(2):
        part = x + k * width / 2
        w.rng.choice((_lines, _bars, _scatter))(d, w, part, y + 10, width / 2 - 6, height - 10)
        d.text(part + 6, y + 8, f"({'ab'[k]})", 8, "start")


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


def svg(d: Drawing, width: float, piece: str = "") -> str:
    """An `<svg>` element `width` points wide; `piece` is an attribute for its texts."""
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}pt" height="{width * d.height / d.width:.1f}pt" '
        f'viewBox="0 0 {d.width:.1f} {d.height:.1f}">'
    ]
    if d.image:
        data = base64.b64encode(d.image).decode()
        out.append(
            f'<image href="data:image/png;base64,{data}" width="{d.width:.1f}" height="{d.height:.1f}" '
            'preserveAspectRatio="none"/>'
        )
    out += [_svg(s, piece) for s in d.shapes]
    return "".join(out) + "</svg>"


def _svg(s: Shape, piece: str) -> str:
    stroke = f' stroke="#{s.color}"' if s.color else ""
    fill = f' fill="#{s.fill}"' if s.fill else ' fill="none"'
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in s.points)
    x, y = s.points[0]
    if s.kind == "line":
        return f'<polyline points="{path}" fill="none"{stroke} stroke-width="{s.size:.1f}"/>'
    if s.kind == "area":
        return f'<polygon points="{path}"{fill}{stroke}/>'
    if s.kind == "rect":
        (x0, y0), (x1, y1) = s.points
        return f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}"{fill}{stroke}/>'
    if s.kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s.size:.1f}"{fill}{stroke}/>'
    turn = f' transform="rotate({-s.turn} {x:.1f} {y:.1f})"' if s.turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{s.size:.1f}" text-anchor="{s.anchor}"{turn}{piece}>'
        f"{escape(s.text)}</text>"
    )


def tikz(d: Drawing, width: float, piece: int) -> str:
    """A tikzpicture `width` points wide, its texts in `\\gc{piece}{…}`."""
    scale = width / d.width
    out = [f"\\begin{{tikzpicture}}[x={scale:.4f}bp,y=-{scale:.4f}bp]"]
    for s in d.shapes:
        path = " -- ".join(f"({x:.1f},{y:.1f})" for x, y in s.points)
        options = [f"line width={s.size if s.kind == 'line' else 0.6:.1f}bp"]
        options += (
            [f"draw={{rgb,255:red,{int(s.color[:2], 16)};green,{int(s.color[2:4], 16)};blue,{int(s.color[4:], 16)}}}"]
            if s.color
            else []
        )
        if s.fill:
            options.append(
                f"fill={{rgb,255:red,{int(s.fill[:2], 16)};green,{int(s.fill[2:4], 16)};blue,{int(s.fill[4:], 16)}}}"
            )
        joined = ",".join(options)
        if s.kind == "line":
            out.append(f"\\path[{joined}] {path};")
        elif s.kind == "area":
            out.append(f"\\path[{joined}] {path} -- cycle;")
        elif s.kind == "rect":
            (x0, y0), (x1, y1) = s.points
            out.append(f"\\path[{joined}] ({x0:.1f},{y0:.1f}) rectangle ({x1:.1f},{y1:.1f});")
        elif s.kind == "circle":
            out.append(f"\\path[{joined}] ({s.points[0][0]:.1f},{s.points[0][1]:.1f}) circle ({s.size * scale:.1f}bp);")
        else:
            (x, y), size = s.points[0], f"{s.size * scale:.1f}"
            anchor = {"middle": "base", "start": "base west", "end": "base east"}[s.anchor]
            out.append(
                f"\\node[anchor={anchor},rotate={s.turn},inner sep=0,font=\\fontsize{{{size}}}{{{size}}}"
                f"\\selectfont] at ({x:.1f},{y:.1f}) {{\\gc{{{piece}}}{{{tex(s.text)}}}}};"
            )
    return "\n".join([*out, "\\end{tikzpicture}"])


_TEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
        "^": r"\^{}", "~": r"\~{}", "€": r"\texteuro{}", "±": r"$\pm$", "−": "--", "“": "``", "”": "''", "§": r"\S{}",
        "•": r"\textbullet{}", "→": r"$\to$", "✓": r"$\surd$", "■": r"$\bullet$", "□": r"$\circ$"}  # fmt: skip


def tex(text: str) -> str:
    """Text with TeX's special characters escaped."""
    return "".join(_TEX.get(c, c) for c in text)
