"""Which cells belong to tables and pictures; what stands in neither goes into the text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.document.geometry import Boxes
from ingest.document.model import Table
from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.floats import Float
from ingest.pipeline.assemble.pictures import find_pictures
from ingest.pipeline.assemble.tabular import find_tables, unboxed_tables
from ingest.pipeline.assemble.view import View


def find_floats(view: View, tables: Sequence[Table], pictures: Boxes) -> list[Float]:
    """Floats of a page; cells labelled table or picture that belong to none are relabelled text."""
    free = np.ones(len(view), np.bool_)
    found = find_tables(view, tables, free)
    found += find_pictures(view, pictures, free)
    found += unboxed_tables(view, free)
    labels = np.array(view.labels)
    for i in np.flatnonzero(free & ((labels == kinds.TABLE) | (labels == kinds.PICTURE))).tolist():
        view.labels[i] = kinds.TEXT
    return found
