"""Facts: one flat row of numbers about each converted document, which is all that the gate looks at.

Made in the process that converted the document, while its pages are still in memory; later levels (the gate, drift,
reports) never open a document again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from ingest.document.labels import LABELS, Label
from ingest.document.model import Document, Item
from ingest.document.page import Page, TextState
from ingest.quality import characters, integrity

LOW_SCORE = 0.5
"""The label of an item below this is hardly better than a guess."""


class Facts(msgspec.Struct, kw_only=True):
    """One converted document (outcome `converted` or `partial`). Scalars only.

    doc_id, path, sha256, cpu_s and memory_mb are known to the caller; the rest comes from `document_facts`.
    """

    doc_id: str = ""
    path: str = ""
    sha256: str = ""

    pages: int = 0
    """Pages of the source PDF."""
    pages_output: int = 0
    """Pages that the converted document knows of, lost ones included."""
    pages_text: int = 0
    pages_blank: int = 0
    pages_needs_ocr: int = 0
    pages_lost: int = 0
    pages_silent: int = 0
    """Pages with usable text in the PDF of which nothing came out."""

    chars_pdf: int = 0
    """Characters in the cells of all pages, without white space."""
    chars_output: int = 0
    """Characters in the items, tables and furniture included, without white space."""
    chars_compared: int = 0
    """Letters, digits and symbols on pages with usable text: what the next three are shares of."""
    coverage: float = 1.0
    """Text of the output per text of the PDF: `1 - text_lost + text_doubled`."""
    text_lost: float = 0.0
    """Share of the text of the PDF that is not in the output, page by page."""
    text_doubled: float = 0.0
    """Text of the output that is not in the PDF, or there less often, as a share of the PDF's text."""
    garbage_ratio: float = 0.0
    """Share of the output's characters that mean nothing to a reader."""
    language: str = ""

    items: int = 0
    headings: int = 0
    paragraphs: int = 0
    tables: int = 0
    table_cells: int = 0
    pictures: int = 0
    lists: int = 0
    """Runs of list items that follow one another."""
    list_items: int = 0
    formulas: int = 0
    captions: int = 0
    citations: int = 0
    footnotes: int = 0
    furniture: int = 0
    has_title: bool = False

    share_title: float = 0.0
    """This and the next: share of the output's characters that have the label."""
    share_author: float = 0.0
    share_affiliation: float = 0.0
    share_abstract: float = 0.0
    share_keyword: float = 0.0
    share_subtitle_level_1: float = 0.0
    share_subtitle_level_2: float = 0.0
    share_text: float = 0.0
    share_list_item: float = 0.0
    share_list_identifier: float = 0.0
    share_formula: float = 0.0
    share_table: float = 0.0
    share_picture: float = 0.0
    share_caption: float = 0.0
    share_citation: float = 0.0
    share_footnote: float = 0.0
    share_none: float = 0.0

    label_score: float = 0.0
    """Mean score of the labels, by characters."""
    low_score_share: float = 0.0
    """Share of the characters whose label scores below LOW_SCORE."""

    order_ok: bool = True
    """Every cell of every page is in one item, and only there."""
    boxes_ok: bool = True
    """All boxes lie on their page, all spans within their text."""
    tables_ok: bool = True
    """Grids have no overlaps and nothing outside."""

    cpu_s: float = 0.0
    memory_mb: float = 0.0


def share_field(label: Label) -> str:
    """Name of the field that holds the label's share."""
    return f"share_{label.value.replace('-', '_')}"


def document_facts(pages: Sequence[Page], document: Document, *, source_pages: int | None = None) -> Facts:
    """Facts of a document and the pages that it was made from, lost and blank ones included.

    `source_pages` is what the PDF says of itself; without it the given pages are taken for all.
    """
    facts = Facts(
        pages=len(pages) if source_pages is None else source_pages,
        pages_output=len(document.pages),
        language=document.language,
        order_ok=integrity.order_ok(document, pages),
        boxes_ok=integrity.boxes_ok(document),
        tables_ok=integrity.tables_ok(document),
    )
    states = [page.state for page in pages]
    facts.pages_text = states.count(TextState.TEXT)
    facts.pages_blank = states.count(TextState.BLANK)
    facts.pages_needs_ocr = states.count(TextState.NEEDS_OCR)
    facts.pages_lost = states.count(TextState.LOST)
    _set_counts(facts, document.items)
    _set_text(facts, pages, document.items)
    _set_labels(facts, document.items)
    return facts


def _set_counts(facts: Facts, items: Sequence[Item]) -> None:
    labels = [item.label for item in items]
    facts.items = len(items)
    facts.headings = labels.count(Label.SUBTITLE_1) + labels.count(Label.SUBTITLE_2)
    facts.paragraphs = labels.count(Label.TEXT) + labels.count(Label.ABSTRACT)
    facts.tables = labels.count(Label.TABLE)
    facts.table_cells = sum(len(item.table.cells) for item in items if item.table)
    facts.pictures = labels.count(Label.PICTURE)
    facts.list_items = labels.count(Label.LIST_ITEM)
    facts.lists = sum(b is Label.LIST_ITEM and a is not b for a, b in pairwise([None, *labels]))
    facts.formulas = labels.count(Label.FORMULA)
    facts.captions = labels.count(Label.CAPTION)
    facts.citations = labels.count(Label.CITATION)
    facts.footnotes = labels.count(Label.FOOTNOTE)
    facts.furniture = labels.count(Label.NONE)
    facts.has_title = any(item.label is Label.TITLE and item.text.strip() for item in items)


def _set_text(facts: Facts, pages: Sequence[Page], items: Sequence[Item]) -> None:
    written: dict[int, list[str]] = {}
    for item in items:
        for number, text in _by_page(item):
            written.setdefault(number, []).append(text)
    total = characters.Comparison()
    for page in pages:
        output = characters.Tally("".join(written.pop(page.number, ())))
        printed = characters.Tally("".join(page.cells.text))
        facts.pages_silent += total.add(printed, output, usable=page.state is TextState.TEXT)
    for texts in written.values():  # of pages that do not exist
        total.add(characters.Tally(""), characters.Tally("".join(texts)), usable=True)
    facts.chars_pdf, facts.chars_output = total.printed, total.written
    facts.chars_compared = total.compared
    if total.compared:
        facts.text_lost = total.lost / total.compared
        facts.text_doubled = total.doubled / total.compared
        facts.coverage = 1 - facts.text_lost + facts.text_doubled
    facts.garbage_ratio = total.garbage / max(total.written, 1)


def _by_page(item: Item) -> list[tuple[int, str]]:
    """What an item says, cut by the pages that it stands on."""
    if item.table is not None:
        return [(item.table.page, "".join(cell.text for cell in item.table.cells))]
    if not item.parts:
        return [(0, item.text)]
    first = (item.parts[0].page, item.marker)
    if len(item.parts) == 1:
        return [first, (item.parts[0].page, item.text)]
    return [first, *((part.page, item.text[slice(*part.span)]) for part in item.parts)]


def _set_labels(facts: Facts, items: Sequence[Item]) -> None:
    lengths = dict.fromkeys(LABELS, 0)
    scored = low = 0.0
    for item in items:
        length = sum(len(cell.text) for cell in item.table.cells) if item.table else len(item.text)
        lengths[item.label] += length
        lengths[Label.LIST_IDENTIFIER] += len(item.marker)
        scored += item.score * length
        low += length if item.score < LOW_SCORE else 0
    total = sum(lengths.values())
    if total == 0:
        return
    for label, length in lengths.items():
        setattr(facts, share_field(label), length / total)
    plain = max(total - sum(len(item.marker) for item in items), 1)
    facts.label_score, facts.low_score_share = scored / plain, low / plain
