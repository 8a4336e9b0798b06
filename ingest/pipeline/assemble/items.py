"""From blocks to items: text with its parts and spans."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from ingest.document.labels import LABELS
from ingest.document.model import Box, Item, Part
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.breaks import Block
from ingest.pipeline.assemble.code import code_lines
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.lines import Line
from ingest.pipeline.assemble.lists import is_enumerated, shown_marker
from ingest.pipeline.assemble.text import Vocabulary, join
from ingest.pipeline.assemble.view import View


def block_item(block: Block, vocabulary: Vocabulary) -> Item:
    """The item of a block of lines."""
    first = block.lines[0]
    with_marker = block.label not in (kinds.LIST_ITEM, kinds.CITATION)
    lines = [(line.marker + " " + line.text).strip() if with_marker else line.text for line in block.lines]
    if block.code:
        texts = code_lines(block.lines)
    elif block.label == kinds.FORMULA:
        texts = [text + " " for text in lines[:-1]] + lines[-1:]
    else:
        texts = [join(text, after, vocabulary) for text, after in itertools.pairwise(lines)] + lines[-1:]
    texts[-1] = texts[-1].rstrip("\u00ad")
    parts: list[Part] = []
    start = 0
    groups = itertools.groupby(zip(block.lines, texts, strict=True), key=lambda pair: (pair[0].page, pair[0].column))
    for _, group in groups:
        own = list(group)
        cells = [i for line, _ in own for i in line.cells]
        stop = start + sum(len(text) for _, text in own)
        view = own[0][0].view
        parts.append(_part(view, cells, view.hull(cells), (start, stop)))
        start = stop
    parts[0].marker_cells = first.marker_cells
    text = "".join(texts)
    orig = " ".join(raw for line in block.lines if (raw := _raw(line, with_marker)))
    longest = max(block.lines, key=lambda line: len(line.text))
    cell = max(longest.cells, key=lambda i: len(longest.view.texts[i]))
    return Item(
        label=LABELS[block.label],
        text=text,
        parts=parts,
        orig="" if orig == text else orig,
        marker=shown_marker(first.marker) if not with_marker else "",
        enumerated=not with_marker and is_enumerated(first.marker),
        code=block.code,
        score=_mean(line.view.scores[i] for line in block.lines for i in line.cells),
        font=_font(longest.view, cell),
        size=round(longest.size, 2),
    )


def float_item(element: Float, view: View) -> Item:
    """The item of a table or a picture; the text in a picture is that of its cells, in content order."""
    text = "" if element.table is not None else " ".join(t for i in element.cells if (t := view.texts[i]))
    longest = max(element.cells, key=lambda i: len(view.texts[i]), default=None)
    part = _part(view, element.cells, element.printed, (0, len(text)))
    return Item(
        label=LABELS[element.label],
        text=text,
        parts=[part],
        score=_mean(view.scores[i] for i in element.cells),
        font=_font(view, longest) if longest is not None else "",
        size=round(view.sizes[longest], 2) if longest is not None else 0.0,
        table=element.table,
    )


def _part(view: View, cells: list[int], box: Box, span: tuple[int, int]) -> Part:
    return Part(view.page.number, box, span, [view.printed[i] for i in cells], [view.texts[i] for i in cells])


def _raw(line: Line, with_marker: bool) -> str:
    """What the PDF has for the line."""
    texts = line.view.page.cells.text
    cells = line.cells if with_marker else line.cells[line.marker_cells :]
    return " ".join(texts[i] for i in cells)


def _mean(scores: Iterable[float]) -> float:
    found = list(scores)
    return round(sum(found) / len(found), 4) if found else 1.0


def _font(view: View, cell: int) -> str:
    fonts = view.page.fonts
    number = view.fonts[cell]
    return fonts[number] if 0 <= number < len(fonts) else ""
