"""Cron expressions: whether one is right, without the library that the orchestrator has for them."""

from __future__ import annotations

import re

PRESETS = ("@hourly", "@daily", "@weekly", "@monthly", "@quarterly", "@yearly")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _DAYS),
)
_PART = re.compile(r"(?:\*|(?P<low>\w+)(?:-(?P<high>\w+))?)(?:/(?P<step>\d+))?", re.ASCII)


def cron_mistake(expression: str) -> str:
    """What is wrong with a cron expression of five fields, in a sentence; "" for nothing."""
    if expression in PRESETS:
        return ""
    parts = expression.split()
    if len(parts) != len(_FIELDS):
        return f"a cron expression has five fields, as in 30 1 * * *, or is one of {', '.join(PRESETS)}"
    for text, (name, low, high, names) in zip(parts, _FIELDS, strict=True):
        for part in text.split(","):
            if not _is_right(part, low, high, names):
                return f"{part!r} is no {name} ({low} to {high})"
    return ""


def _is_right(part: str, low: int, high: int, names: tuple[str, ...]) -> bool:
    found = _PART.fullmatch(part)
    if found is None or found["step"] == "0":
        return False
    ends = [_number(text, low, names) for text in (found["low"], found["high"]) if text is not None]
    return all(low <= end <= high for end in ends) and ends == sorted(ends)


def _number(text: str, low: int, names: tuple[str, ...]) -> int:
    """-1 for what is neither a number nor a name."""
    if text.lower() in names:
        return names.index(text.lower()) + (low if low == 1 else 0)
    return int(text) if text.isdigit() else -1
