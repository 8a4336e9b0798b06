"""A document as DoclingDocument JSON, written without docling_core.

The schema is that of docling-core 2.69 and later (1.10.0); see docs/output.md for how our labels map to its labels and
for what stands in `meta` under `ingest__*`. The same document gives the same bytes.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

import msgspec

from ingest.document.labels import Label
from ingest.document.model import Box, Document, Item, PageSize, Table

VERSION = "docling-1"
"""Raise whenever the same document is written otherwise."""
SCHEMA_VERSION = "1.10.0"

_Node = dict[str, Any]

_TEXT_LABELS = {
    Label.TITLE: "title",
    Label.SUBTITLE_1: "section_header",
    Label.SUBTITLE_2: "section_header",
    Label.LIST_ITEM: "list_item",
    Label.LIST_IDENTIFIER: "list_item",
    Label.FORMULA: "formula",
    Label.CAPTION: "caption",
    Label.CITATION: "reference",
    Label.FOOTNOTE: "footnote",
}
"""All others are `text`."""
_CONTENTS_LINE = re.compile(r"^(.*?)[\s.…·_]*(?:\s|[.…·_])([\divxlcIVXLC]{1,9})$", re.S)
_AUTHOR_BREAKS = re.compile(r"[,;·•&\n]|\s(?:and|und|et|y|e|en|och|og|и)\s")
_AUTHOR_MARKS = re.compile(r"[\d*∗†‡§¶‖#()\[\]]+")
_NAME = re.compile(r"[^\W\d_][\w.'’\-]*(?:\s+[^\W\d_][\w.'’\-]*){1,5}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,8}")


def export(document: Document) -> bytes:
    """JSON of the document; UTF-8."""
    return msgspec.json.encode(_Export(document).run())


def author_names(document: Document) -> list[str]:
    """Names in the items labelled author, as well as punctuation parts them; in the order of the document."""
    names: dict[str, None] = {}
    for item in document.items:
        if item.label is Label.AUTHOR:
            for piece in _AUTHOR_BREAKS.split(item.text):
                name = " ".join(_AUTHOR_MARKS.sub(" ", piece).split()).strip(" .")
                if _NAME.fullmatch(name) and name[0].upper() == name[0]:
                    names[name] = None
    return list(names)


class _Export:
    """Builds the tree of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._texts: list[_Node] = []
        self._tables: list[_Node] = []
        self._pictures: list[_Node] = []
        self._groups: list[_Node] = []
        self._body: _Node = _group("#/body", None, "_root_", "unspecified")
        self._lists: list[tuple[int, _Node]] = []
        """Open list groups, outermost first, with their depth."""

    def run(self) -> _Node:
        document = self._document
        owned = {c for item in document.items for c in item.captions}
        k = 0
        while k < len(document.items):
            item = document.items[k]
            if item.label is not Label.LIST_ITEM and item.label is not Label.NONE:
                self._lists.clear()
            if item.contents:
                k = self._add_contents(k)
                continue
            if k == document.title:
                self._node_text(self._node("texts", self._texts, self._body, "title", item), item)
            elif k not in owned:
                self._add(item)
            k += 1
        self._body["meta"] = self._document_meta()
        furniture = _group("#/furniture", None, "_root_", "unspecified")
        furniture["content_layer"] = "furniture"
        return {
            "schema_name": "DoclingDocument",
            "version": SCHEMA_VERSION,
            "name": PurePath(document.name).stem or document.name,
            "origin": {
                "mimetype": "application/pdf",
                "binary_hash": int(document.sha256[:16] or "0", 16),
                "filename": document.name,
            },
            "furniture": furniture,
            "body": self._body,
            "groups": self._groups,
            "texts": self._texts,
            "pictures": self._pictures,
            "tables": self._tables,
            "key_value_items": [],
            "form_items": [],
            "pages": {
                str(number): {"size": _size(size), "page_no": number}
                for number, size in enumerate(document.pages, start=1)
            },
        }

    def _document_meta(self) -> _Node:
        document = self._document
        meta: _Node = {"language": {"code": document.language}} if document.language else {}
        meta["ingest__sha256"] = document.sha256
        meta["ingest__versions"] = dict(sorted(document.versions.items()))
        meta["ingest__authors"] = author_names(document)
        meta["ingest__lost_pages"] = {str(page): why for page, why in sorted(document.lost_pages.items())}
        meta["ingest__ocr_pages"] = {str(page): why for page, why in sorted(document.ocr_pages.items())}
        if document.cut_pages:
            meta["ingest__cut_pages"] = {str(page): why for page, why in sorted(document.cut_pages.items())}
        meta["ingest__rotations"] = {str(k): p.rotation for k, p in enumerate(document.pages, start=1) if p.rotation}
        return meta

    def _add(self, item: Item) -> None:
        if item.label is Label.LIST_ITEM:
            self._add_list_item(item)
        elif item.table is not None:
            self._add_table(item, item.table)
        elif item.label is Label.PICTURE:
            self._add_picture(item)
        else:
            self._add_text(item, self._body)

    def _node(self, kind: str, nodes: list[_Node], parent: _Node, label: str, item: Item) -> _Node:
        """A new node of the list `nodes`, hung below its parent."""
        node: _Node = {
            "self_ref": f"#/{kind}/{len(nodes)}",
            "parent": {"$ref": parent["self_ref"]},
            "children": [],
            "content_layer": "furniture" if item.label is Label.NONE and not item.contents else "body",
            "label": label,
            "prov": self._provenance(item),
            "meta": _meta(item),
        }
        nodes.append(node)
        parent["children"].append({"$ref": node["self_ref"]})
        return node

    def _add_text(self, item: Item, parent: _Node) -> _Node:
        label = _TEXT_LABELS.get(item.label, "text")
        if item.code:
            label = "code"
        elif item.label is Label.NONE:
            label = "page_header" if item.header else "page_footer"
        node = self._node("texts", self._texts, parent, label, item)
        self._node_text(node, item)
        if label == "section_header":
            node["level"] = max(item.level, 1)
        elif label == "code":
            node |= {"captions": [], "references": [], "footnotes": [], "code_language": "unknown"}
        elif label == "list_item":
            node["enumerated"] = item.enumerated
            node["marker"] = item.marker or "-"
        elif label == "reference" and item.marker:  # docling has no marker here; it is text as printed
            node["text"] = f"{item.marker} {item.text}"
            node["orig"] = f"{item.marker} {node['orig']}"
            _shift(node["prov"], len(item.marker) + 1)
        return node

    @staticmethod
    def _node_text(node: _Node, item: Item) -> None:
        node["orig"] = item.orig or item.text
        node["text"] = item.text

    def _add_list_item(self, item: Item) -> None:
        """A list item in the group of its depth; a deeper group hangs below the item before it."""
        depth = max(item.level, 1)
        while self._lists and self._lists[-1][0] > depth:
            self._lists.pop()
        if not self._lists or self._lists[-1][0] < depth:
            parent = self._body
            if self._lists:
                parent = self._lists[-1][1]
                last = parent["children"][-1]["$ref"] if parent["children"] else ""
                if last.startswith("#/texts/"):
                    parent = self._texts[int(last.rsplit("/", 1)[1])]
            group = _group(f"#/groups/{len(self._groups)}", parent, "list", "list")
            self._groups.append(group)
            parent["children"].append({"$ref": group["self_ref"]})
            self._lists.append((depth, group))
        self._add_text(item, self._lists[-1][1])

    def _add_captions(self, item: Item, node: _Node) -> None:
        captions = [self._add_text(self._document.items[c], node) for c in item.captions]
        node["captions"] = [{"$ref": caption["self_ref"]} for caption in captions]
        node["references"], node["footnotes"] = [], []

    def _add_table(self, item: Item, table: Table) -> None:
        node = self._node("tables", self._tables, self._body, "table", item)
        self._add_captions(item, node)
        cells = []
        for cell in table.cells:
            data = _cell(cell.row, cell.col, cell.row_span, cell.col_span, cell.text)
            data["column_header"], data["row_header"] = cell.column_header, cell.row_header
            if cell.box is not None:
                data["bbox"] = self._bbox(table.page, cell.box)
            cells.append(data)
        node["data"] = {"table_cells": cells, "num_rows": table.rows, "num_cols": table.cols}

    def _add_picture(self, item: Item) -> None:
        node = self._node("pictures", self._pictures, self._body, "picture", item)
        self._add_captions(item, node)
        if item.text:
            inner = self._node("texts", self._texts, node, "text", item)
            inner["orig"] = inner["text"] = item.text
        _shift(node["prov"], 0, empty=True)

    def _add_contents(self, start: int) -> int:
        """Successive lines of a table of contents as one `document_index` per page; where they end."""
        items = self._document.items
        page = items[start].parts[0].page
        stop = start
        while stop < len(items) and items[stop].contents and items[stop].parts[0].page == page:
            stop += 1
        run = items[start:stop]
        whole = Item(
            Label.NONE,
            "",
            [part for item in run for part in item.parts],
            contents=True,
            score=round(sum(item.score for item in run) / len(run), 4),
            font=run[0].font,
            size=run[0].size,
        )
        node = self._node("tables", self._tables, self._body, "document_index", whole)
        boxes = [part["bbox"] for part in node["prov"]]
        hull = {
            "l": min(b["l"] for b in boxes),
            "t": max(b["t"] for b in boxes),
            "r": max(b["r"] for b in boxes),
            "b": min(b["b"] for b in boxes),
            "coord_origin": "BOTTOMLEFT",
        }
        node["prov"] = [{"page_no": page, "bbox": hull, "charspan": [0, 0]}]
        node["captions"], node["references"], node["footnotes"] = [], [], []
        cells = []
        for row, (item, box) in enumerate(zip(run, boxes, strict=True)):
            found = _CONTENTS_LINE.match(item.text)
            entry, number = (found[1].rstrip(" .…·_"), found[2]) if found else (item.text, "")
            cells.append({**_cell(row, 0, 1, 1, entry), "bbox": box})
            cells.append(_cell(row, 1, 1, 1, number))
        node["data"] = {"table_cells": cells, "num_rows": len(run), "num_cols": 2}
        return stop

    def _provenance(self, item: Item) -> list[_Node]:
        return [
            {"page_no": part.page, "bbox": self._bbox(part.page, part.box), "charspan": list(part.span)}
            for part in item.parts
        ]

    def _bbox(self, page: int, box: Box) -> _Node:
        """A box in the frame of the page as shown, which is the frame of docling's page sizes and images."""
        x0, y0, x1, y1 = _displayed(box, self._document.pages[page - 1])
        return {
            "l": round(x0, 2),
            "t": round(y1, 2),
            "r": round(x1, 2),
            "b": round(y0, 2),
            "coord_origin": "BOTTOMLEFT",
        }


def _group(ref: str, parent: _Node | None, name: str, label: str) -> _Node:
    node: _Node = {"self_ref": ref, "children": [], "content_layer": "body", "name": name, "label": label}
    if parent is not None:
        node["parent"] = {"$ref": parent["self_ref"]}
    return node


def _meta(item: Item) -> _Node:
    """Provenance that the schema has no field for."""
    cells = [
        [part.page, round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)]
        for part in item.parts
        for x0, y0, x1, y1 in part.cells
    ]
    return {
        "ingest__label": item.label.value,
        "ingest__score": item.score,
        "ingest__font": item.font,
        "ingest__size": item.size,
        "ingest__cells": cells,
    }


def _cell(row: int, col: int, row_span: int, col_span: int, text: str) -> _Node:
    return {
        "row_span": row_span,
        "col_span": col_span,
        "start_row_offset_idx": row,
        "end_row_offset_idx": row + row_span,
        "start_col_offset_idx": col,
        "end_col_offset_idx": col + col_span,
        "text": text,
        "column_header": False,
        "row_header": False,
        "row_section": False,
        "fillable": False,
    }


def _shift(provenance: list[_Node], by: int, *, empty: bool = False) -> None:
    """Move the character spans of an item whose text begins `by` characters later; `empty`: it has no text."""
    for k, part in enumerate(provenance):
        start, stop = part["charspan"]
        part["charspan"] = [0, 0] if empty else [start + by if k else 0, stop + by]


def _size(page: PageSize) -> _Node:
    width, height = (page.height, page.width) if page.rotation in (90, 270) else (page.width, page.height)
    return {"width": round(width, 2), "height": round(height, 2)}


def _displayed(box: Box, page: PageSize) -> Box:
    """The box turned by the page's rotation; see `ingest.document.geometry.to_display`."""
    x0, y0, x1, y1 = box
    if page.rotation == 90:
        return y0, page.width - x1, y1, page.width - x0
    if page.rotation == 180:
        return page.width - x1, page.height - y1, page.width - x0, page.height - y0
    if page.rotation == 270:
        return page.height - y1, x0, page.height - y0, x1
    return box
