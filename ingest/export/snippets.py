"""The part of a text that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.export.text import UNSPACED

Span = tuple[int, int]
"""Characters start..stop."""

WIDTH = 240


def snippet(text: str, matches: Iterable[Span], width: int = WIDTH) -> str:
    """About `width` characters around as many matches as fit, cut between words, matches between `**`.

    Runs of white space become one space; `…` stands where text was cut off. Without a match: the text's beginning.
    """
    spans = _merge(matches)
    chosen = _densest(spans, width)
    first, last = (chosen[0][0], chosen[-1][1]) if chosen else (0, 0)
    start = max(0, min(first - (width - (last - first)) // 2, len(text) - width))
    start = min(start, first)
    stop = max(min(start + width, len(text)), last)
    start, stop = _word_start(text, start, first), _word_end(text, last, stop)
    out = ["…" if start > 0 else ""]
    at = start
    for span in spans:
        if start <= span[0] and span[1] <= stop:
            out += [text[at : span[0]], "**", text[span[0] : span[1]], "**"]
            at = span[1]
    out += [text[at:stop], "…" if stop < len(text) else ""]
    return " ".join("".join(out).split())


def unspaced_runs(query: str) -> re.Pattern[str] | None:
    """An expression for what a query has of scripts without spaces; None for nothing."""
    runs = sorted(set(UNSPACED.findall(query)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, runs))) if runs else None


def only_whole_runs(text: str, matches: Iterable[Span], runs: re.Pattern[str] | None) -> list[Span]:
    """Matches where characters of scripts without spaces count as in the query only: an index finds each by itself."""
    if runs is None:
        return list(matches)
    spans = [span for span in matches if not UNSPACED.match(text, span[0])]
    return spans + [run.span() for run in runs.finditer(text)]


def _merge(spans: Iterable[Span]) -> list[Span]:
    """In order, those that touch as one: characters of a word in a script without spaces."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _densest(spans: list[Span], width: int) -> list[Span]:
    """The most neighbours that fit into the width; the first such group."""
    best: list[Span] = spans[:1]
    stop = 0
    for start in range(len(spans)):
        while stop < len(spans) and spans[stop][1] <= spans[start][0] + width:
            stop += 1
        if stop - start > len(best):
            best = spans[start:stop]
    return best


def _word_start(text: str, start: int, limit: int) -> int:
    """The next beginning of a word, before `limit`; `start` itself if there is none."""
    if start == 0 or text[start - 1].isspace():
        return start
    return next((at + 1 for at in range(start, limit) if text[at].isspace()), start)


def _word_end(text: str, limit: int, stop: int) -> int:
    """The last end of a word, after `limit`; `stop` itself if there is none."""
    if stop == len(text) or text[stop].isspace():
        return stop
    return next((at for at in range(stop - 1, limit - 1, -1) if text[at].isspace()), stop)
