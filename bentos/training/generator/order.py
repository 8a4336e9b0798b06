"""Reading order of what stands on a page: source order, with floats read where they stand."""

from __future__ import annotations

from dataclasses import dataclass

from bentos.training.generator.model import Zone


@dataclass(slots=True)
class Placed:
    """A line of a piece, or a region, on a page."""

    piece: int
    zone: Zone
    box: tuple[float, float, float, float]
    text: str
    size: float
    orig: str = ""
    """Fine name where it is not the piece's."""
    trust: str = ""
    """Trust where it is not the piece's."""


def reading_order(placed: list[Placed]) -> list[Placed]:
    """Heads, body with floats, notes, feet, overlays.

    A float (all neighbouring pieces of one figure or table) comes before the first body line that stands below it in
    its column, or else after the last line above it.
    """
    body = [p for p in _sorted(placed) if p.zone == Zone.BODY]
    ordered: list[Placed] = list(body)
    for group in _groups([p for p in _sorted(placed) if p.zone == Zone.FLOAT]):
        ordered = _insert(ordered, group)
    ends = {z: [p for p in _sorted(placed) if p.zone == z] for z in Zone}
    return [*ends[Zone.HEADER], *ordered, *ends[Zone.NOTE], *ends[Zone.FOOTER], *ends[Zone.OVERLAY]]


def _sorted(placed: list[Placed]) -> list[Placed]:
    # the lines of a piece keep the order of the content stream
    return sorted(placed, key=lambda p: p.piece)


def _groups(floats: list[Placed]) -> list[list[Placed]]:
    """Floats that follow each other in the source and touch on the page."""
    groups: list[list[Placed]] = []
    for item in floats:
        if groups and item.piece - groups[-1][-1].piece <= 2 and _near(item, groups[-1]):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _hull(items: list[Placed]) -> tuple[float, float, float, float]:
    boxes = [i.box for i in items]
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _near(item: Placed, group: list[Placed], gap: float = 40.0) -> bool:
    x0, y0, x1, y1 = _hull(group)
    bx0, by0, bx1, by1 = item.box
    return bx0 <= x1 + gap and bx1 >= x0 - gap and by0 <= y1 + gap and by1 >= y0 - gap


def _insert(body: list[Placed], group: list[Placed]) -> list[Placed]:
    x0, y0, x1, y1 = _hull(group)
    middle = (y0 + y1) / 2
    beside = [
        i
        for i, p in enumerate(body)
        if min(p.box[2], x1) - max(p.box[0], x0) > 0.15 * min(p.box[2] - p.box[0], x1 - x0)
    ]
    below = [i for i in beside if (body[i].box[1] + body[i].box[3]) / 2 < middle]
    above = [i for i in beside if (body[i].box[1] + body[i].box[3]) / 2 >= middle]
    if below:
        at = min(below)
        # a line of the middle of a paragraph: the float waits for what was begun above it in the same piece
        while at > 0 and body[at - 1].piece == body[at].piece and at - 1 in above:
            at += 1
            if at >= len(body) or body[at].piece != body[at - 1].piece:
                break
    else:
        at = max(above) + 1 if above else len(body)
    return [*body[:at], *group, *body[at:]]
