"""A page as a small grey picture: what the layout network looks at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document.page import Page
from ingest.errors import BrokenPdf
from ingest.pipeline import pdfium

VERSION = "raster-1"
"""Raise whenever the same page gives another raster: networks are trained for one version."""

LONG_SIDE, SHORT_SIDE = 512, 400
"""Pixels. A4 and Letter fit at about 1.5 points a pixel: enough to tell a heading from a line of text."""

Raster = NDArray[np.uint8]
"""(512, 400) for pages as shown upright, (400, 512) for pages wider than high; 0 black, 255 white; rows from the top.
The page as shown fills the upper left corner as far as its proportions allow; the rest is white."""


def canvas(page: Page) -> tuple[int, int, float]:
    """(rows, columns, pixels per point) of the page's raster."""
    width, height = page.display_size
    rows, columns = (LONG_SIDE, SHORT_SIDE) if height >= width else (SHORT_SIDE, LONG_SIDE)
    return rows, columns, min(rows / height, columns / width)


def render_page(address: int, page: Page) -> Raster:
    """Raster of the loaded page at `address`. Raises BrokenPdf."""
    rows, columns, scale = canvas(page)
    pixels = np.full((rows, columns), 255, np.uint8)
    bitmap = pdfium.bitmap_create(columns, rows, pdfium.BITMAP_GRAY, pixels.ctypes.data, columns)
    if not bitmap:
        raise BrokenPdf(f"page {page.number}: no bitmap could be made")
    try:
        width, height = page.display_size
        size = max(1, round(width * scale)), max(1, round(height * scale))
        pdfium.render_bitmap(bitmap, address, 0, 0, *size, 0, pdfium.RENDER_PLAIN_IMAGES)
    finally:
        pdfium.bitmap_destroy(bitmap)
    return pixels
