"""From a converted document (DoclingDocument JSON) to the records that are searched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from ingest.document.labels import Label
from ingest.errors import InvalidOutput
from ingest.export.index import IndexedDocument, Record

MAX_CHARS = 2000
"""A longer text becomes several records."""

_LABELS = {
    "title": Label.TITLE,
    "section_header": Label.SUBTITLE_1,
    "list_item": Label.LIST_ITEM,
    "formula": Label.FORMULA,
    "table": Label.TABLE,
    "picture": Label.PICTURE,
    "chart": Label.PICTURE,
    "caption": Label.CAPTION,
    "reference": Label.CITATION,
    "footnote": Label.FOOTNOTE,
    "page_header": Label.NONE,
    "page_footer": Label.NONE,
    "document_index": Label.NONE,
}
"""Of docling's labels, where the item does not carry ours; the rest is text."""
_HEADING_CHARS = 200

_Item = dict[str, Any]


def document_records(
    docling: _Item, *, collection: str, doc_id: str, path: str, sha256: str, fingerprint: str, run_id: str
) -> IndexedDocument:
    """A document as it is published: a record for each piece of body text, in reading order; furniture is left out.

    `docling` is a decoded DoclingDocument. The title is that of its first title, else the name of its file: not
    that in the converted document, which is the one that its bytes had when they were first seen.
    Raises InvalidOutput if it does not have the structure of one.
    """
    try:
        title, records = _records(docling, doc_id)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise InvalidOutput(f"{path}: the converted document is not well formed: {error!r}") from error
    return IndexedDocument(
        collection=collection,
        doc_id=doc_id,
        path=path,
        title=title or PurePosixPath(path).stem,
        sha256=sha256,
        fingerprint=fingerprint,
        run_id=run_id,
        records=records,
    )


def _records(docling: _Item, doc_id: str) -> tuple[str, list[Record]]:
    """Title, if an item is one, and records."""
    records: list[Record] = []
    headings: list[tuple[int, str]] = []
    title = ""
    for item in _body(docling):
        label = _label(item)
        text = _text(item)
        if label is Label.NONE or not text.strip():
            continue
        level = _level(item, label)
        if level is not None:
            while headings and headings[-1][0] >= level:
                headings.pop()
        if (label is Label.TITLE or item.get("label") == "title") and not title:
            title = " ".join(text.split())
        section = " > ".join(heading for _, heading in headings)
        for start, piece in _pieces(text):
            page, bbox = _place(docling, item, start)
            records.append(
                Record(
                    record_id=f"{doc_id}:{len(records)}",
                    ref=item["self_ref"],
                    label=label.value,
                    text=piece,
                    page=page,
                    bbox=bbox,
                    section=section,
                )
            )
        if level:
            headings.append((level, " ".join(text.split())[:_HEADING_CHARS]))
    return title, records


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """What `split_text` makes, trimmed, with where it starts in the text; not what is blank."""
    start = 0
    for piece in split_text(text):
        if piece.strip():
            yield start, piece.strip()
        start += len(piece)


def split_text(text: str, limit: int = MAX_CHARS) -> Iterator[str]:
    """Pieces of at most `limit` characters that join to the text, cut after a line, sentence or word if possible."""
    start = 0
    while len(text) - start > limit:
        cut = _cut(text, start + limit // 2, start + limit)
        yield text[start:cut]
        start = cut
    yield text[start:]


_BREAKS = tuple(re.compile(pattern) for pattern in (r"(?s).*\n", r"(?s).*([.!?][\"')\]]*\s|[。！？．])", r"(?s).*\s"))
"""Best first; each finds the last one of its kind."""


def _cut(text: str, low: int, high: int) -> int:
    window = text[low:high]
    for pattern in _BREAKS:
        if found := pattern.match(window):
            return low + found.end()
    return high


def _body(docling: _Item) -> Iterator[_Item]:
    """Items of the body in reading order, each once; captions and footnotes that no list of children names included."""
    seen: set[str] = set()
    pending = [child["$ref"] for child in reversed(docling["body"].get("children", ()))]
    while pending:
        ref = pending.pop()
        if ref in seen:
            continue
        seen.add(ref)
        _, kind, number = ref.split("/")
        item: _Item = docling[kind][int(number)]
        if item.get("content_layer", "body") != "body":
            continue
        yield item
        below = [child["$ref"] for field in ("captions", "children", "footnotes") for child in item.get(field, ())]
        pending += reversed(below)


def _label(item: _Item) -> Label:
    ours = (item.get("meta") or {}).get("ingest__label")
    if ours is not None:
        return Label(ours)
    label = _LABELS.get(item.get("label", ""), Label.TEXT)
    return Label.SUBTITLE_2 if label is Label.SUBTITLE_1 and item.get("level", 1) > 1 else label


def _level(item: _Item, label: Label) -> int | None:
    """Of a heading: 0 for the title, which ends all sections and begins none, else 1 and more."""
    if label is Label.TITLE or item.get("label") == "title":
        return 0
    if item.get("label") == "section_header" or label in (Label.SUBTITLE_1, Label.SUBTITLE_2):
        return max(1, int(item.get("level") or (2 if label is Label.SUBTITLE_2 else 1)))
    return None


def _text(item: _Item) -> str:
    if "data" in item:
        return _table_text(item["data"])
    return str(item.get("text") or item.get("orig") or "")


def _table_text(data: _Item) -> str:
    """Cells joined by tabs, rows by newlines; a cell that spans several stands where it begins."""
    rows: dict[int, list[tuple[int, str]]] = {}
    for cell in data.get("table_cells", ()):
        text = " ".join(cell["text"].split())
        rows.setdefault(cell["start_row_offset_idx"], []).append((cell["start_col_offset_idx"], text))
    lines = ("\t".join(text for _, text in sorted(row)) for _, row in sorted(rows.items()))
    return "\n".join(line for line in lines if line.strip())


def _place(docling: _Item, item: _Item, start: int) -> tuple[int, tuple[float, float, float, float]]:
    """Page and box of the part that holds the text's character `start`: page 0 if the item has no place."""
    chosen = None
    for part in item.get("prov") or ():
        if chosen is None or chosen["charspan"][0] < part["charspan"][0] <= start:
            chosen = part
    if chosen is None:
        return 0, (0.0, 0.0, 0.0, 0.0)
    box, page = chosen["bbox"], chosen["page_no"]
    top, bottom = box["t"], box["b"]
    if box.get("coord_origin", "TOPLEFT") == "TOPLEFT":
        height = docling["pages"][str(page)]["size"]["height"]
        top, bottom = height - top, height - bottom
    return page, (box["l"], bottom, box["r"], top)
