"""Which cells belong to pictures, and where the pictures really are.

The boxes of a layout network are coarse: one may hold two diagrams and the text between them. A box that other text
stands in is cut down to what is drawn and lettered in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.document import geometry
from ingest.document.geometry import Boxes, as_boxes, union
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.floats import Float, clusters, make_float
from ingest.pipeline.assemble.view import View

NEAR = 2.5
"""Line heights: cells labelled picture this near to one another, or to a picture, belong together."""
SHORT = 20
"""Characters of what may be a picture's lettering although it is labelled otherwise."""
MIN_SHARE = 0.003
"""Of the page: a smaller part of a picture that was cut up is none of its own."""


def find_pictures(view: View, boxes: Boxes, free: NDArray[np.bool_]) -> list[Float]:
    """A picture for each box, or several, and for cells labelled so outside of them; `free` as in `find_tables`."""
    groups: list[tuple[NDArray[np.float32], list[int], bool]] = []
    for box in _cut_down(view, boxes, free):
        inner = _members(view, box, free)
        free[inner] = False
        strangers = _strangers(view, box, free)
        groups.append((box, inner, len(strangers) > 0))
    loose = np.flatnonzero(free & (np.array(view.labels, np.intp) == kinds.PICTURE))
    near = NEAR * view.median_size
    if len(loose) and groups:
        # what is written just beside a picture belongs to it
        grown = np.stack([box for box, _, _ in groups]) + np.array([-near, -near, near, near], np.float32)
        share = geometry.inside(view.page.cells.boxes[loose], grown)
        beside = share.max(axis=1) > 0.5
        for i, k in zip(loose[beside].tolist(), share[beside].argmax(axis=1).tolist(), strict=True):
            groups[k][1].append(i)
        free[loose[beside]] = False
        loose = loose[~beside]
    found = []
    for box, inner, background in groups:
        x0, y0, x1, y1 = box.tolist()
        picture = make_float(view, kinds.PICTURE, sorted(inner), (x0, y0, x1, y1))
        picture.background = background
        found.append(picture)
    for group in clusters(view.boxes, loose, 2 * near, near):
        cells = group.tolist()
        free[cells] = False
        found.append(make_float(view, kinds.PICTURE, cells, view.hull(cells)))
    return found


def _inside(view: View, box: NDArray[np.float32], free: NDArray[np.bool_], share: float) -> list[int]:
    return np.flatnonzero(free & (geometry.inside(view.page.cells.boxes, box[None])[:, 0] >= share)).tolist()


def _is_lettering(view: View, cell: int) -> bool:
    """A cell within a picture belongs to it: labelled so, or short and not labelled with any certainty."""
    if view.labels[cell] in kinds.FLOATS:
        return True
    unsure = view.scores[cell] < 0.7 and view.labels[cell] not in (kinds.CAPTION, kinds.NONE)
    return unsure and len(view.texts[cell]) <= SHORT


def _members(view: View, box: NDArray[np.float32], free: NDArray[np.bool_]) -> list[int]:
    where = _inside(view, box, free, 0.7)
    own = sum(len(view.texts[i]) for i in where if view.labels[i] == kinds.PICTURE)
    other = sum(len(view.texts[i]) for i in where if view.labels[i] in kinds.WORDS)
    if own >= other:
        return [i for i in where if _is_lettering(view, i)]
    return [i for i in where if view.labels[i] == kinds.PICTURE]


def _strangers(view: View, box: NDArray[np.float32], free: NDArray[np.bool_]) -> list[int]:
    """Cells of running text that stand in the box."""
    return [i for i in _inside(view, box, free, 0.5) if view.labels[i] in kinds.WORDS and not _is_lettering(view, i)]


def _cut_down(view: View, boxes: Boxes, free: NDArray[np.bool_]) -> list[NDArray[np.float32]]:
    """The boxes; those that other text stands in are replaced by the hulls of what is drawn in them."""
    out: list[NDArray[np.float32]] = []
    for box in boxes:
        strangers = _strangers(view, box, free)
        out += _drawn(view, box, strangers, free) if strangers else [box]
    return out


def _drawn(
    view: View, box: NDArray[np.float32], strangers: list[int], free: NDArray[np.bool_]
) -> list[NDArray[np.float32]]:
    """Hulls of groups of images, drawings and lettering in the box; the box itself if nothing is drawn there."""
    page = view.page
    shapes = np.concatenate([page.images, page.drawings, page.rules])
    shapes = shapes[geometry.inside(shapes, box[None])[:, 0] > 0.8]
    # what text stands on is a frame or a shade
    text = page.cells.boxes[strangers]
    shapes = shapes[~(geometry.inside(text, shapes) > 0.5).any(axis=0)] if len(shapes) else shapes
    members = _members(view, box, free)
    parts = np.concatenate([shapes, page.cells.boxes[members]])
    if len(parts) == 0:
        return [box]
    near = NEAR * view.median_size
    hulls = [union(parts[group]) for group in clusters(parts, np.arange(len(parts)), near, near)]
    least = MIN_SHARE * page.width * page.height
    large = [hull for hull in hulls if float(geometry.area(hull)) >= least]
    return large or [union(as_boxes(hulls))]
