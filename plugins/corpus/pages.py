"""Views as HTML. Everything that comes from outside (names of files, reasons) is escaped by the templates."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).parent
STATIC = {"corpus.css": "text/css; charset=utf-8", "corpus.js": "text/javascript; charset=utf-8"}


def when(ms: int) -> str:
    """Time of day of a time in milliseconds, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(ms / 1000)) if ms else ""


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def share_bars(documents: dict[str, int]) -> list[tuple[str, float, float]]:
    """(outcome, left end, width) of the parts of a bar that is 100 wide."""
    total = sum(documents.values())
    bars, left = [], 0.0
    for name, count in documents.items():
        width = 100 * count / total
        bars.append((name, round(left, 3), round(width, 3)))
        left += width
    return bars


_environment = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters.update(when=when, duration=duration, number=lambda n: f"{n:,}", share_bars=share_bars)


def render(template: str, root: str, **values: Any) -> str:
    """`root`: where the plugin is mounted, for links."""
    return _environment.get_template(template).render(root=root, **values)


def static(name: str) -> bytes:
    return (FOLDER / "static" / name).read_bytes()
