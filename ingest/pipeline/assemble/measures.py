"""What is usual in a document: leading, margins of columns, whether paragraphs are indented, the body's font."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.code import mark_code
from ingest.pipeline.assemble.lines import Element, Line
from ingest.pipeline.assemble.text import ends_sentence

TYPEWRITTEN = 0.85
"""Share of fixed-width text from which on it is how the document is set, and no sign of program text."""
USUAL_LEADING = 1.2
"""Of the font size, where a document has no two lines of a size to measure."""


class Measures:
    """Measured on all lines of a document before any block is made; marks the lines that are program text."""

    def __init__(self, pages: Sequence[Sequence[Element]]) -> None:
        self._margins: dict[_Region, tuple[float, float]] = {}
        self._hanging: set[_Region] = set()
        pitches: dict[float, list[float]] = defaultdict(list)
        sizes: Counter[float] = Counter()
        mono = first = indented = 0
        for elements in pages:
            regions: dict[_Region, list[Line]] = defaultdict(list)
            for above, line in _with_line_above(elements):
                regions[_region(line)].append(line)
                if line.label == kinds.TEXT:
                    sizes[_half(line.size)] += len(line.text)
                    mono += len(line.text) if line.mono else 0
                if above is None:
                    continue
                pitch = above.base - line.base
                if 0.8 * line.size < pitch < 2.5 * line.size and abs(above.size - line.size) < 0.05 * line.size:
                    pitches[_half(line.size)].append(pitch)
                if line.label == kinds.TEXT and not line.mono and ends_sentence(above.text):
                    new = above.x1 < line.x1 - 2 * line.size
                    first += new
                    indented += new and line.x0 > above.x0 + 0.7 * line.size
            for region, lines in regions.items():
                self._margins[region] = _edges(lines)
                if _hang(lines, *self._margins[region]):
                    self._hanging.add(region)
        self._leading = {size: _usual(found) for size, found in pitches.items()}
        self.body_size: float = sizes.most_common(1)[0][0] if sizes else 10.0
        """Font size of most of the text."""
        self.indents: bool = indented >= 3 and indented > 0.5 * first
        """New paragraphs are indented, so that what is not indented goes on."""
        if mono <= TYPEWRITTEN * sizes.total():
            for elements in pages:
                mark_code(elements, self._body_leading())

    def _body_leading(self) -> float:
        """Usual distance of lines, in font sizes."""
        return self._leading.get(self.body_size, USUAL_LEADING * self.body_size) / self.body_size

    def leading(self, line: Line) -> float:
        """Distance of lines of this size within a paragraph, in points."""
        return self._leading.get(_half(line.size)) or USUAL_LEADING * max(line.size, 1.0)

    def margins(self, line: Line) -> tuple[float, float]:
        """Left and right edge of the text in the line's column."""
        return self._margins.get(_region(line)) or (line.x0, line.x1)

    def hangs(self, line: Line) -> bool:
        """Paragraphs of the line's column hang: all lines but the first are indented, as in bibliographies."""
        return _region(line) in self._hanging


_Region = tuple[int, int, bool]


def _with_line_above(elements: Sequence[Element]) -> Iterator[tuple[Line | None, Line]]:
    """Each line of running text with the one of its column and label above it, if nothing stands between."""
    above: Line | None = None
    for line in elements:
        if not isinstance(line, Line):
            above = None
        elif line.label in kinds.PROSE:
            joined = above is not None and above.label == line.label and above.column == line.column
            yield (above if joined else None), line
            above = line
        elif line.label != kinds.NONE:
            above = None


def _half(size: float) -> float:
    return round(size * 2) / 2


def _region(line: Line) -> _Region:
    """Lines that share margins: those of a column, but for the abstract, which is often narrower."""
    return line.page, line.column, line.label == kinds.ABSTRACT


def _edges(lines: list[Line]) -> tuple[float, float]:
    """Left and right edges of lines, without the few that stick out."""
    left, right = sorted(k.x0 for k in lines), sorted(k.x1 for k in lines)
    spare = len(lines) // 20
    return left[spare], right[-1 - spare]


def _hang(lines: list[Line], left: float, right: float) -> bool:
    """Most lines at the left margin are full and followed by an indented one."""
    full = left + 0.8 * (right - left)
    out = [line.x0 < left + 0.5 * line.size for line in lines]
    pairs = list(zip(lines, out, out[1:], strict=False))
    first = sum(at_left for _, at_left, _ in pairs)
    hanging = sum(at_left and not next_at_left and line.x1 > full for line, at_left, next_at_left in pairs)
    return first >= 3 and hanging > 0.6 * first


def _usual(pitches: list[float]) -> float:
    """Median of the closer three quarters: space between paragraphs is among the others."""
    return median(sorted(pitches)[: (len(pitches) * 3 + 3) // 4])
