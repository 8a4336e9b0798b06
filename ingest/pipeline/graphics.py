"""What a page draws besides text: ruling lines, images, other paths.

Ruling lines feed table structure; images and drawings say where pictures are and whether a page without text is
blank or needs OCR.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.document.geometry import Boxes, as_boxes
from ingest.pipeline import pdfium

RULE_THICKNESS = 3.0
"""A bar thinner than this (points) is a ruling line, whether it was stroked or filled."""
RULE_LENGTH = 5.0
MAX_OBJECTS = 60_000
"""Objects read per page; a map can have millions, and what lies beyond adds nothing to structure."""
MAX_SEGMENTS = 600
"""A path with more segments is a drawing; fewer may be a grid of ruling lines."""
MAX_DEPTH = 8
"""Form XObjects nested deeper are not followed: a form can draw itself."""

_Matrix = NDArray[np.float64]
_IDENTITY: _Matrix = np.eye(3)
_Box = tuple[float, float, float, float]


@dataclass(slots=True)
class Graphics:
    """Boxes in points, unrotated frame."""

    rules: Boxes
    images: Boxes
    drawings: Boxes
    truncated: bool
    """The page has more than was read: too many objects, or forms nested too deep."""


@dataclass(slots=True)
class _Found:
    budget: int
    """Objects that may still be read."""
    rules: list[_Box] = field(default_factory=list)
    images: list[_Box] = field(default_factory=list)
    drawings: list[_Box] = field(default_factory=list)
    truncated: bool = False


def read_graphics(page: int) -> Graphics:
    """All ruling lines, images and drawings of a loaded page."""
    found = _Found(MAX_OBJECTS)
    _read(_page_objects(page), _IDENTITY, 0, found)
    return Graphics(as_boxes(found.rules), as_boxes(found.images), as_boxes(found.drawings), found.truncated)


def _page_objects(page: int) -> Iterator[int]:
    for i in range(pdfium.count_objects(page)):
        yield pdfium.get_object(page, i)


def _form_objects(form: int) -> Iterator[int]:
    for i in range(pdfium.form_count_objects(form)):
        yield pdfium.form_get_object(form, i)


def _read(objects: Iterator[int], matrix: _Matrix, depth: int, found: _Found) -> None:
    bounds = (ctypes.c_float * 4)()
    start = ctypes.addressof(bounds)
    refs = [start, start + 4, start + 8, start + 12]
    for item in objects:
        if found.budget == 0:
            found.truncated = True
            return
        found.budget -= 1
        kind = pdfium.object_type(item)
        if kind == pdfium.OBJECT_TEXT:
            continue
        if kind == pdfium.OBJECT_FORM:
            if depth < MAX_DEPTH:
                _read(_form_objects(item), _form_matrix(item) @ matrix, depth + 1, found)
            else:
                found.truncated = True
            continue
        if not pdfium.object_bounds(item, *refs):
            continue
        box = _transform((bounds[0], bounds[1], bounds[2], bounds[3]), matrix)
        if kind == pdfium.OBJECT_PATH:
            _read_path(item, box, matrix, found)
        else:
            found.images.append(box)


def _form_matrix(form: int) -> _Matrix:
    m = (ctypes.c_float * 6)()
    if not pdfium.object_matrix(form, m):
        return _IDENTITY
    return np.array([[m[0], m[1], 0], [m[2], m[3], 0], [m[4], m[5], 1]], np.float64)


def _transform(box: _Box, matrix: _Matrix) -> _Box:
    if matrix is _IDENTITY:
        return box
    x0, y0, x1, y1 = box
    corners = np.array([[x0, y0, 1], [x1, y0, 1], [x0, y1, 1], [x1, y1, 1]]) @ matrix
    low, high = corners.min(axis=0), corners.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _is_rule(box: _Box) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    return min(width, height) <= RULE_THICKNESS and max(width, height) >= RULE_LENGTH


def _read_path(path: int, box: _Box, matrix: _Matrix, found: _Found) -> None:
    if _is_rule(box):
        found.rules.append(box)
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.path_draw_mode(path, ctypes.byref(fill), ctypes.byref(stroke))
    if stroke.value or fill.value:
        bars = _bars(path, matrix, filled=not stroke.value)
        found.rules.extend(bars)
        if not bars or fill.value:
            found.drawings.append(box)


def _bars(path: int, matrix: _Matrix, *, filled: bool) -> list[_Box]:
    """The straight bars that a path consists of; none if it has any other stroke.

    A stroked path yields a bar per edge (a frame yields four); a filled one a bar per thin subpath.
    """
    count = pdfium.path_count_segments(path)
    if not 2 <= count <= MAX_SEGMENTS:
        return []
    x, y = ctypes.c_float(), ctypes.c_float()
    x_ref, y_ref = ctypes.byref(x), ctypes.byref(y)
    subpaths: list[list[tuple[float, float]]] = []
    for i in range(count):
        segment = pdfium.path_segment(path, i)
        kind = pdfium.segment_type(segment)
        if kind == pdfium.SEGMENT_BEZIER or not pdfium.segment_point(segment, x_ref, y_ref):
            return []
        if kind == pdfium.SEGMENT_MOVE or not subpaths:
            subpaths.append([])
        subpaths[-1].append((x.value, y.value))
    own = _form_matrix(path)  # a path's points are in its own frame
    whole = own @ matrix
    bars: list[_Box] = []
    for points in subpaths:
        if len(points) < 2:
            continue
        if filled:
            xs, ys = [p[0] for p in points], [p[1] for p in points]
            bar = _transform((min(xs), min(ys), max(xs), max(ys)), whole)
            if not _is_rule(bar):
                return []
            bars.append(bar)
            continue
        for (ax, ay), (bx, by) in itertools.pairwise(points):
            bar = _transform((min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)), whole)
            if min(bar[2] - bar[0], bar[3] - bar[1]) > 0.5:
                return []
            if max(bar[2] - bar[0], bar[3] - bar[1]) >= RULE_LENGTH:
                bars.append(bar)
        (ax, ay), (bx, by) = points[-1], points[0]
        if len(points) > 3:
            bars.append(_transform((min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)), whole))
    return [b for b in bars if _is_rule(b)]
