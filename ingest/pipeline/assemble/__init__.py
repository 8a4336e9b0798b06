"""Stage 6: labelled cells to a document. Every cell of every page ends in exactly one item.

    cells → floats (tables, pictures) and rows in reading order → lines of one label → blocks → items

Labels are a model's and some are wrong: single cells and lines that contradict what stands around them are corrected,
nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import as_boxes
from ingest.document.labels import LABELS, Label
from ingest.document.model import Box, Document, Item, PageSize, Table
from ingest.document.page import GRAPHICS_CUT, Page, TextState
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.breaks import Block
from ingest.pipeline.assemble.captions import attach_captions, find_captions
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.flow import Piece, read_flow
from ingest.pipeline.assemble.furniture import contents_lines, relabel_furniture
from ingest.pipeline.assemble.headings import agreed_labels, heading_levels, title_heading
from ingest.pipeline.assemble.items import block_item, float_item
from ingest.pipeline.assemble.line_numbers import find_line_numbers
from ingest.pipeline.assemble.lines import Element, Line, page_elements
from ingest.pipeline.assemble.lists import Nesting
from ingest.pipeline.assemble.measures import Measures
from ingest.pipeline.assemble.members import find_floats
from ingest.pipeline.assemble.smoothing import smooth
from ingest.pipeline.assemble.text import Vocabulary
from ingest.pipeline.assemble.view import View
from ingest.pipeline.language import guess_language

VERSION = "assemble-3"
"""Raise whenever the same labelled cells give another document."""


def assemble(
    pages: Sequence[Page],
    labels: Sequence[NDArray[np.uint8]],
    scores: Sequence[NDArray[np.float32]],
    tables: Mapping[int, Sequence[Table]],
    pictures: Mapping[int, NDArray[np.float32] | Sequence[Box]],
    *,
    name: str,
    sha256: str,
    versions: Mapping[str, str],
) -> Document:
    """The document of these pages.

    Per page: `labels` (n,) index into `LABELS` and `scores` (n,) 0..1, one of each cell, in content order. By page
    number: tables and boxes (m, 4) of pictures, unrotated frame.
    """
    views = [View.of(page, label, score) for page, label, score in zip(pages, labels, scores, strict=True)]
    find_line_numbers(views)
    of_page = {view.page.number: view for view in views}
    elements: list[list[Element]] = []
    for view in views:
        number = view.page.number
        floats = find_floats(view, tables.get(number, ()), as_boxes(pictures.get(number, ())))
        elements.append(page_elements(view, floats))
        smooth(elements[-1])
    relabel_furniture(elements)
    measures = Measures(elements)
    pieces = read_flow(elements, measures)
    _demote_titles(pieces)
    find_captions(pieces, measures)
    vocabulary = Vocabulary(line.text for piece in pieces if isinstance(piece, Block) for line in piece.lines)
    items = [
        float_item(piece, of_page[piece.page]) if isinstance(piece, Float) else block_item(piece, vocabulary)
        for piece in pieces
    ]
    _set_levels(pieces, items)
    _set_furniture(pieces, items)
    attach_captions(items, {view.page.number: view.page.height for view in views})
    return Document(
        name=name,
        sha256=sha256,
        pages=[PageSize(page.width, page.height, page.rotation) for page in pages],
        items=items,
        versions=dict(versions),
        title=_find_title(pieces),
        lost_pages={page.number: page.reason for page in pages if page.state is TextState.LOST},
        ocr_pages={page.number: page.reason for page in pages if page.state is TextState.NEEDS_OCR},
        cut_pages={page.number: page.reason for page in pages if page.code == GRAPHICS_CUT},
        language=guess_language(item.text for item in items if item.label is not Label.NONE),
    )


def _demote_titles(pieces: Sequence[Piece]) -> None:
    """A document has its title on one page; what is labelled so later on is a heading."""
    page = 0
    for piece in pieces:
        if isinstance(piece, Block) and piece.label == kinds.TITLE:
            page = page or piece.lines[0].page
            if piece.lines[0].page != page:
                piece.label = kinds.SUBTITLE_1


def _find_title(pieces: Sequence[Piece]) -> int | None:
    """Index of the title, labelled or, on the first page with text, by its looks."""
    blocks = [(k, p) for k, p in enumerate(pieces) if isinstance(p, Block) and p.label != kinds.NONE]
    for k, block in blocks:
        if block.label == kinds.TITLE:
            return k
    headings = [(k, block) for k, block in blocks if block.label in kinds.HEADINGS]
    if headings and title_heading([block for _, block in headings]):
        k, first = headings[0]
        if first.lines[0].page == blocks[0][1].lines[0].page:
            return k
    return None


def _set_levels(pieces: Sequence[Piece], items: Sequence[Item]) -> None:
    """Levels of headings, with labels that agree with them, and depths of list items."""
    headings = [(k, p) for k, p in enumerate(pieces) if isinstance(p, Block) and p.label in kinds.HEADINGS]
    blocks = [block for _, block in headings]
    levels = heading_levels(blocks)
    for (k, _), level, label in zip(headings, levels, agreed_labels(blocks, levels), strict=True):
        items[k].level, items[k].label = level, LABELS[label]
    nesting = Nesting()
    before: Line | None = None
    for k, piece in enumerate(pieces):
        if not isinstance(piece, Block):
            continue
        if piece.label == kinds.LIST_ITEM:
            line = piece.lines[0]
            new_column = before is not None and (before.page, before.column) != (line.page, line.column)
            items[k].level = nesting.depth(line.x0, line.marker, line.size, new_column=new_column)
            before = piece.last
        elif piece.label in kinds.HEADINGS or piece.label in (kinds.TITLE, kinds.TEXT, kinds.ABSTRACT):
            nesting.reset()
            before = None


def _set_furniture(pieces: Sequence[Piece], items: Sequence[Item]) -> None:
    """Which furniture stands at the head of its page, and which is a line of contents."""
    furniture = [(k, p.lines[0]) for k, p in enumerate(pieces) if isinstance(p, Block) and p.label == kinds.NONE]
    contents = contents_lines([line for _, line in furniture])
    for k, line in furniture:
        items[k].contents = id(line) in contents
        items[k].header = not items[k].contents and (line.y0 + line.y1) / 2 > line.view.height / 2
