"""The only module that talks to pdfium: opening documents, and typed handles of the functions that parsing calls.

pypdfium2's own prototypes return ctypes pointer objects, which cost more than the calls themselves when they are
made thousands of times a page, and which cannot be compared. The handles here take and return plain addresses
(`int`), which halves the time of parsing. pdfium is not thread-safe: one thread per process calls into it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pypdfium2
from pypdfium2 import raw

from ingest.errors import BrokenPdf, EncryptedPdf, NoPages, NotAPdf

PDFIUM_VERSION: str = str(pypdfium2.PDFIUM_INFO)

_void, _int, _uint, _float, _size = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_float, ctypes.c_size_t


def _handle(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A pdfium function with a prototype of our own."""
    return ctypes.cast(function, ctypes.CFUNCTYPE(result, *arguments))


load_page = _handle(raw.FPDF_LoadPage, _void, _void, _int)
close_page = _handle(raw.FPDF_ClosePage, None, _void)
page_rotation = _handle(raw.FPDFPage_GetRotation, _int, _void)
page_bounding_box = _handle(raw.FPDF_GetPageBoundingBox, _int, _void, _void)
page_width = _handle(raw.FPDF_GetPageWidthF, _float, _void)
page_height = _handle(raw.FPDF_GetPageHeightF, _float, _void)

load_text = _handle(raw.FPDFText_LoadPage, _void, _void)
close_text = _handle(raw.FPDFText_ClosePage, None, _void)
count_chars = _handle(raw.FPDFText_CountChars, _int, _void)
get_text = _handle(raw.FPDFText_GetText, _int, _void, _int, _int, _void)
char_unicode = _handle(raw.FPDFText_GetUnicode, _uint, _void, _int)
char_box = _handle(raw.FPDFText_GetCharBox, _int, _void, _int, _void, _void, _void, _void)
char_loose_box = _handle(raw.FPDFText_GetLooseCharBox, _int, _void, _int, _void)
char_matrix = _handle(raw.FPDFText_GetMatrix, _int, _void, _int, _void)
char_object = _handle(raw.FPDFText_GetTextObject, _void, _void, _int)
char_font_size = _handle(raw.FPDFText_GetFontSize, ctypes.c_double, _void, _int)

text_font = _handle(raw.FPDFTextObj_GetFont, _void, _void)
text_render_mode = _handle(raw.FPDFTextObj_GetTextRenderMode, _int, _void)
font_name = _handle(raw.FPDFFont_GetBaseFontName, _size, _void, _void, _size)
font_flags = _handle(raw.FPDFFont_GetFlags, _int, _void)
font_weight = _handle(raw.FPDFFont_GetWeight, _int, _void)
font_italic_angle = _handle(raw.FPDFFont_GetItalicAngle, _int, _void, _void)

count_objects = _handle(raw.FPDFPage_CountObjects, _int, _void)
get_object = _handle(raw.FPDFPage_GetObject, _void, _void, _int)
form_count_objects = _handle(raw.FPDFFormObj_CountObjects, _int, _void)
form_get_object = _handle(raw.FPDFFormObj_GetObject, _void, _void, ctypes.c_ulong)
object_type = _handle(raw.FPDFPageObj_GetType, _int, _void)
object_bounds = _handle(raw.FPDFPageObj_GetBounds, _int, _void, _void, _void, _void, _void)
object_matrix = _handle(raw.FPDFPageObj_GetMatrix, _int, _void, _void)
object_fill_color = _handle(raw.FPDFPageObj_GetFillColor, _int, _void, _void, _void, _void, _void)
path_count_segments = _handle(raw.FPDFPath_CountSegments, _int, _void)
path_segment = _handle(raw.FPDFPath_GetPathSegment, _void, _void, _int)
path_draw_mode = _handle(raw.FPDFPath_GetDrawMode, _int, _void, _void, _void)
segment_point = _handle(raw.FPDFPathSegment_GetPoint, _int, _void, _void, _void)
segment_type = _handle(raw.FPDFPathSegment_GetType, _int, _void)

bitmap_create = _handle(raw.FPDFBitmap_CreateEx, _void, _int, _int, _int, _void, _int)
bitmap_destroy = _handle(raw.FPDFBitmap_Destroy, None, _void)
render_bitmap = _handle(raw.FPDF_RenderPageBitmap, None, _void, _void, _int, _int, _int, _int, _int, _int)

BITMAP_GRAY, RENDER_PLAIN_IMAGES = raw.FPDFBitmap_Gray, raw.FPDF_RENDER_NO_SMOOTHIMAGE
OBJECT_TEXT, OBJECT_PATH, OBJECT_FORM = raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_FORM
SEGMENT_BEZIER, SEGMENT_MOVE = raw.FPDF_SEGMENT_BEZIERTO, raw.FPDF_SEGMENT_MOVETO
RENDER_INVISIBLE = raw.FPDF_TEXTRENDERMODE_INVISIBLE

HEADER_WINDOW = 1024
"""Bytes in which `%PDF-` must start; pdfium looks no further."""


@contextmanager
def open_document(path: Path, password: str | None = None) -> Iterator[pypdfium2.PdfDocument]:
    """An open document with at least one page.

    Raises NotAPdf, EncryptedPdf, BrokenPdf or NoPages; each message names the file and the cure.
    """
    name = path.name
    with path.open("rb") as file:
        head = file.read(HEADER_WINDOW)
    if b"%PDF-" not in head:
        raise NotAPdf(f"{name}: no %PDF- header in its first {HEADER_WINDOW} bytes ({_what_is(head)})")
    try:
        document = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise EncryptedPdf(
                f"{name}: needs a password to open; decrypt it first (for example with qpdf --decrypt)"
            ) from error
        raise BrokenPdf(f"{name}: pdfium cannot open it: {error}; try to repair it (for example with qpdf)") from error
    try:
        if len(document) == 0:
            raise NoPages(f"{name}: the document has no pages")
        yield document
    finally:
        document.close()


def _what_is(head: bytes) -> str:
    """What a file that is no PDF looks like, for the message."""
    if not head:
        return "the file is empty"
    if not head.strip(b"\0"):
        return "it starts with NUL bytes"
    for magic, what in (
        (b"<", "it looks like HTML or XML"),
        (b"PK\3\4", "it looks like a zip or an office document"),
        (b"\xd0\xcf\x11\xe0", "it looks like an old office document"),
        (b"{\\rtf", "it looks like RTF"),
        (b"\x89PNG", "it looks like a PNG image"),
        (b"\xff\xd8\xff", "it looks like a JPEG image"),
    ):
        if head.lstrip().startswith(magic):
            return what
    return "unknown format"
