"""Boxes on a page: arrays of `[x0, y0, x1, y1]`, float32, PDF points, origin bottom left.

The frame is the unrotated page: the lower left corner of what is shown (the CropBox, or the MediaBox where there is
no CropBox) is the origin, whatever /Rotate says. What a reader sees is the *display* frame: the same page turned by
/Rotate, origin at the lower left corner of what is shown. Layout and reading order are questions about the display
frame; everything that leaves the package is in the unrotated one.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Boxes: TypeAlias = NDArray[np.float32]
"""(n, 4) boxes; a single box is (4,)."""

EMPTY: Boxes = np.zeros((0, 4), np.float32)


def as_boxes(boxes: object) -> Boxes:
    """(n, 4) float32 array with x0 <= x1 and y0 <= y1, from anything array-like (also from nothing)."""
    array = np.asarray(boxes, np.float32).reshape(-1, 4)
    return np.concatenate([np.minimum(array[:, :2], array[:, 2:]), np.maximum(array[:, :2], array[:, 2:])], axis=1)


def union(boxes: Boxes) -> Boxes:
    """(4,) hull of (n, 4) boxes, n >= 1."""
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)]).astype(np.float32)


def area(boxes: Boxes) -> NDArray[np.float32]:
    """(n,) areas in square points."""
    size: NDArray[np.float32] = np.clip(boxes[..., 2:] - boxes[..., :2], 0, None)
    return size[..., 0] * size[..., 1]


def overlap(a: Boxes, b: Boxes) -> NDArray[np.float32]:
    """(n, m) areas shared by each of a (n, 4) and each of b (m, 4)."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    size = np.clip(high - low, 0, None)
    return np.asarray(size[..., 0] * size[..., 1], np.float32)


def inside(a: Boxes, b: Boxes) -> NDArray[np.float32]:
    """(n, m) share of each of a (n, 4) that lies in each of b (m, 4); 0 to 1."""
    return np.asarray(overlap(a, b) / np.maximum(area(a), 1e-6)[:, None], np.float32)


def clip(boxes: Boxes, width: float, height: float) -> Boxes:
    """The boxes cut at the page's edges."""
    limit = np.array([width, height, width, height], np.float32)
    return np.clip(boxes, 0, limit)


def to_display(boxes: Boxes, width: float, height: float, rotation: int) -> Boxes:
    """Boxes of the unrotated frame (width x height points) in the display frame; rotation 0, 90, 180, 270 clockwise."""
    x0, y0, x1, y1 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    if rotation == 90:
        turned = (y0, width - x1, y1, width - x0)
    elif rotation == 180:
        turned = (width - x1, height - y1, width - x0, height - y0)
    elif rotation == 270:
        turned = (height - y1, x0, height - y0, x1)
    else:
        return boxes
    return np.stack(turned, axis=1).astype(np.float32)


def from_display(boxes: Boxes, width: float, height: float, rotation: int) -> Boxes:
    """Inverse of `to_display`; width and height are those of the unrotated frame."""
    if rotation in (90, 270):
        return to_display(boxes, height, width, 360 - rotation)
    return to_display(boxes, width, height, rotation)


def display_size(width: float, height: float, rotation: int) -> tuple[float, float]:
    """Size of the page as shown, in points."""
    return (height, width) if rotation in (90, 270) else (width, height)
