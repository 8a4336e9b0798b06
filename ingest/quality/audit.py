"""The audit: elements of a sample of a run's documents, read back from where they are published from.

Facts tell of every document, elements of a few: a run's sample is bounded in documents and in elements, so that it
costs the same whether the run has a thousand documents or a million.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

import msgspec

from ingest.document.labels import Label
from ingest.errors import InvalidOutput
from ingest.quality.checks import Check, percent
from ingest.quality.elements import SOME_CHARS, Element, elements
from ingest.quality.facts import Facts
from ingest.quality.tables import Columns

MAX_ELEMENTS = 50_000
"""Of a sample."""
MAX_SIZE = 100_000
"""Elements and table cells of one document of it. Both bound its memory, whatever documents a run has."""
ROUNDING = 0.51
"""Points that a box may stick out of its page: half a point, as when it was made, and what two decimals cost."""

TABLE_FILLED_MIN = 0.25
CAPTION_GAP_MAX = 0.25
CROWDING_MAX = 0.3
"""Characters per square point: those of 10-point type are a fiftieth."""
TABLES_MOSTLY = CAPTIONS_MOSTLY = 0.9
ORDER_MOSTLY = CROWDING_MOSTLY = 0.98
"""On 135 real documents 1 of 827 tables is emptier, no caption farther away, 41 of 26,542 elements stand on a page
before one that was read, and 1 of 19,006 is more crowded."""

_HEADINGS = ("section_header", "title")
_KINDS: dict[Label, Sequence[str]] = {
    Label.TITLE: ("title",),
    Label.SUBTITLE_1: _HEADINGS,
    Label.SUBTITLE_2: _HEADINGS,
    Label.TEXT: ("text", "code"),
    Label.LIST_ITEM: ("list_item",),
    Label.LIST_IDENTIFIER: ("list_item",),
    Label.FORMULA: ("formula",),
    Label.TABLE: ("table", "text"),
    Label.PICTURE: ("picture", "text"),
    Label.CAPTION: ("caption",),
    Label.CITATION: ("reference",),
    Label.FOOTNOTE: ("footnote",),
    Label.NONE: ("page_header", "page_footer", "document_index"),
}
"""What docs/output.md promises; the labels that are not here are plain text."""
KINDS = [f"{label} as {kind}" for label in Label for kind in _KINDS.get(label, ("text",))]


class Sample(msgspec.Struct, kw_only=True):
    """What was audited."""

    doc_ids: list[str] = []
    columns: Columns = {}
    """The rows of `ingest.quality.elements.Element`, as columns."""
    unreadable: dict[str, str] = {}
    """Path -> why, of documents that were chosen and cannot be read back."""


def take(facts: Iterable[Facts], count: int, seed: str, read: Callable[[Facts], bytes]) -> Sample:
    """Elements of `count` documents at most; `read` gives a document's DoclingDocument JSON.

    The sample is drawn by a hash of seed and content: the same seed draws the same documents, another one others. A
    document that there is no room for is left out.
    """
    sample = Sample()
    rows: list[Element] = []
    room = MAX_ELEMENTS
    for row in sorted(facts, key=lambda row: hashlib.sha256(f"{seed}\0{row.sha256}".encode()).digest()):
        if len(sample.doc_ids) == count:
            break
        if row.items > room or row.items + row.table_cells > MAX_SIZE:
            continue
        try:
            rows += elements(read(row), row.doc_id)
        except InvalidOutput as error:
            sample.unreadable[row.path] = str(error)
            continue
        room -= row.items
        sample.doc_ids.append(row.doc_id)
    sample.columns = {name: [getattr(row, name) for row in rows] for name in Element.__struct_fields__}
    return sample


def element_checks() -> list[Check]:
    """Of every row; values that are NaN are not judged."""
    return [
        _between("audit-reading-order", "The reading order leads to every element exactly once", "reached", 1, 1),
        _between("audit-boxes", "Every box lies on its page as it is shown", "outside", None, ROUNDING),
        _between("audit-places", "Every element says on which page it stands", "page", 1, None),
        _between(
            "audit-spans", "The parts of an element share out its text: nothing over, nothing twice", "span_gap", 0, 0
        ),
        _between("audit-text", "Whatever is not a picture has text", "chars", 1, None),
        _between("audit-cells", "What has text names the text cells that it was made from", "cells", 1, None),
        _between("audit-scores", "The score of every label is between 0 and 1", "score", 0, 1),
        Check(
            name="audit-labels",
            level="element",
            description="Every element has one of the labels, and the docling label that goes with it",
            expectation="ExpectColumnValuesToBeInSet",
            arguments={"column": "label", "value_set": KINDS},
        ),
        _mostly(
            "audit-order-forward",
            "the elements stand on no page before one that was read",
            ORDER_MOSTLY,
            "pages_back",
            0,
            0,
        ),
        _mostly(
            "audit-tables-filled",
            f"the tables have text in {percent(TABLE_FILLED_MIN)} of their grid",
            TABLES_MOSTLY,
            "filled",
            TABLE_FILLED_MIN,
            None,
        ),
        _mostly(
            "audit-captions-near",
            f"the captions stand within {percent(CAPTION_GAP_MAX)} of the page's height from their table or picture",
            CAPTIONS_MOSTLY,
            "caption_gap",
            None,
            CAPTION_GAP_MAX,
        ),
        _mostly(
            "audit-text-fits",
            f"the elements of {SOME_CHARS} characters or more have at most {CROWDING_MAX:g} of them on a square point",
            CROWDING_MOSTLY,
            "crowding",
            None,
            CROWDING_MAX,
        ),
    ]


def _between(name: str, description: str, column: str, low: float | None, high: float | None) -> Check:
    return Check(
        name=name,
        level="element",
        description=description,
        expectation="ExpectColumnValuesToBeBetween",
        arguments={"column": column, "min_value": low, "max_value": high},
    )


def _mostly(name: str, description: str, share: float, column: str, low: float | None, high: float | None) -> Check:
    found = _between(name, f"At least {percent(share)} of {description}", column, low, high)
    return msgspec.structs.replace(found, severity="warning", arguments={**found.arguments, "mostly": share})
