"""Stage 1: a PDF page to a `Page` of cells, rules, images and drawings."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, area, clip
from ingest.document.page import GRAPHICS_CUT, Page, TextState
from ingest.errors import BrokenPdf
from ingest.pipeline import brackets, cells, graphics, pdfium
from ingest.pipeline.fragments import read_fragments

VERSION = "parse-6"
"""Raise whenever the same PDF gives other pages."""

MIN_PAGE_SIDE = 1.0
PICTURE_SHARE = 0.05
"""Share of the page that images must cover before a page without text is taken for a scan and not for blank."""
GARBAGE_SHARE = 0.3
"""Share of characters without meaning above which a text layer is useless."""
_GARBAGE = re.compile("[\ufffd\ue000-\uf8ff\x7f-\x9f]")
"""Characters that no reader can read: unmapped glyphs, private use, control codes."""


@contextmanager
def loaded_page(document: pypdfium2.PdfDocument, number: int) -> Iterator[int]:
    """Address of page `number` (1-based) of an open document. Raises BrokenPdf."""
    address = pdfium.load_page(ctypes.cast(document.raw, ctypes.c_void_p).value, number - 1)
    if not address:
        raise BrokenPdf(f"page {number} cannot be loaded")
    try:
        yield address
    finally:
        pdfium.close_page(address)


def parse_page(address: int, number: int) -> Page:
    """The page at `address` (see `loaded_page`)."""
    rotation = pdfium.page_rotation(address) * 90
    shown = pdfium.page_width(address), pdfium.page_height(address)
    width, height = (shown[1], shown[0]) if rotation in (90, 270) else shown
    page = Page(number=number, width=width, height=height, rotation=rotation)
    if min(width, height) < MIN_PAGE_SIDE:
        page.reason = f"the page is {width:g} x {height:g} points"
        return page
    text_page = pdfium.load_text(address)
    if not text_page:
        raise BrokenPdf(f"page {number}: its text cannot be loaded")
    try:
        fragments = brackets.join(read_fragments(text_page))
    finally:
        pdfium.close_text(text_page)
    drawn = graphics.read_graphics(address)
    origin = _origin(address)
    fragments.boxes -= origin
    page.cells, page.fonts = cells.join(fragments.keep(_on_page(fragments.boxes, page)))
    page.cells.boxes = clip(page.cells.boxes, width, height)
    page.rules, page.images, page.drawings = (
        clip(boxes[_on_page(boxes, page)], width, height)
        for boxes in (drawn.rules - origin, drawn.images - origin, drawn.drawings - origin)
    )
    page.state, page.reason = text_state(page)
    if drawn.truncated:
        page.code = GRAPHICS_CUT
        cut = f"more graphics than are read: {graphics.MAX_OBJECTS:,} objects, forms {graphics.MAX_DEPTH} deep"
        page.reason = f"{page.reason}; {cut}" if page.reason else cut
    return page


def _origin(address: int) -> NDArray[np.float32]:
    """(4,) lower left corner of what is shown of the page (its CropBox), twice: pdfium's boxes do not start there."""
    box = (ctypes.c_float * 4)()  # left, top, right, bottom
    if not pdfium.page_bounding_box(address, box):
        return np.zeros(4, np.float32)
    return np.array([box[0], box[3], box[0], box[3]], np.float32)


def _on_page(boxes: Boxes, page: Page) -> NDArray[np.bool_]:
    """(n,) the box touches what is shown of the page; the rest was never meant to be seen (crop marks, bleed)."""
    low, high = boxes[:, :2], boxes[:, 2:]
    return np.asarray((high >= 0).all(axis=1) & (low <= (page.width, page.height)).all(axis=1))


def text_state(page: Page) -> tuple[TextState, str]:
    """Whether the page has usable text, and in words why not."""
    text = "".join(page.cells.text)
    if text:
        garbage = len(_GARBAGE.findall(text)) / len(text)
        if garbage > GARBAGE_SHARE:
            return TextState.NEEDS_OCR, f"{garbage:.0%} of the characters of its text layer have no meaning"
        return TextState.TEXT, ""
    whole = page.width * page.height
    pictures = float(area(page.images).sum()) / whole
    if pictures > PICTURE_SHARE:
        return TextState.NEEDS_OCR, "images and no text: a scan"
    if len(page.drawings) + len(page.rules) > 50:
        return TextState.NEEDS_OCR, "drawings and no text: letters drawn as outlines, or a figure"
    return TextState.BLANK, ""
