"""Figures as lists of primitives, and how they are written as SVG and TikZ.

Coordinates run from (0, 0) at the upper left to (width, height), in points at natural size.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

Point = tuple[float, float]


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
