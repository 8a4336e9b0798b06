"""A document as Markdown and as HTML, to be read. Furniture is left out."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator

from ingest.document.labels import Label
from ingest.document.model import Document, Item, Table, TableCell

_HEADINGS = (Label.SUBTITLE_1, Label.SUBTITLE_2)
_LINK = re.compile(r"\[(?=[^\[\]]*\](?:\(|:|\[))")
_TAG = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w{1,31};)|\\(?=[!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"(?<!\w)_|_(?!\w)|[*`~]")
_LINE_START = re.compile(r"(?m)^(\s*)(#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|={3,}|-{3,}|\d{1,9}(?=[.)](?:\s|$)))")
_LIST_NUMBER = re.compile(r"(\d{1,9})[.)]$")


def to_markdown(document: Document) -> str:
    """GitHub-flavoured Markdown; tables with spans are HTML tables, which Markdown cannot express."""
    return _render(document, _Markdown())


def to_html(document: Document) -> str:
    """One self-contained HTML page."""
    title = document.name if document.title is None else document.items[document.title].text
    language = f' lang="{document.language}"' if document.language else ""
    direction = ' dir="rtl"' if document.language in ("ar", "fa", "he", "ur") else ""
    return (
        f'<!DOCTYPE html>\n<html{language}{direction}>\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{_render(document, _Html())}</body>\n</html>\n"
    )


_STYLE = (
    "body{max-width:48em;margin:2em auto;padding:0 1em;font-family:serif;line-height:1.4}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .5em;vertical-align:top}"
    "pre{background:#f4f4f4;padding:.5em;overflow-x:auto}figcaption,.note{font-size:.9em}"
    ".bare{list-style:none}.formula{text-align:center}.byline{font-style:italic}"
)


class _Markdown:
    """How pieces look in Markdown."""

    separator = "\n\n"

    def heading(self, level: int, text: str) -> str:
        return f"{'#' * min(level, 6)} {_inline(_one_line(text))}"

    def paragraph(self, item: Item) -> str:
        if item.label in (Label.AUTHOR, Label.AFFILIATION):
            return _emphasis(_inline(_one_line(item.text)))
        text = _escape(item.text)
        if item.label is Label.CITATION and item.marker:
            return f"{_escape(item.marker)} {text}"
        return text

    def formula(self, item: Item) -> str:
        return _escape(item.text)

    def code(self, text: str) -> str:
        fence = "```"
        while fence in text:
            fence += "`"
        return f"{fence}\n{text}\n{fence}"

    def items(self, items: list[Item]) -> str:
        return "\n".join(_markdown_list(items))

    def caption(self, text: str) -> str:
        return _emphasis(_inline(_one_line(text)))

    def table(self, table: Table, captions: list[str]) -> str:
        spans = any(cell.row_span > 1 or cell.col_span > 1 for cell in table.cells)
        body = _html_table(table, []) if spans else _pipe_table(table)
        return "\n\n".join([*(self.caption(c) for c in captions), body])

    def picture(self, captions: list[str]) -> str:
        return "\n\n".join(["<!-- picture -->", *(self.caption(c) for c in captions)])

    def missing(self, page: int, reason: str) -> str:
        return f"<!-- page {page}: {reason.replace('--', '- -')} -->"


class _Html:
    """How pieces look in HTML."""

    separator = "\n"

    def heading(self, level: int, text: str) -> str:
        return f"<h{min(level, 6)}>{html.escape(text)}</h{min(level, 6)}>"

    def paragraph(self, item: Item) -> str:
        text = html.escape(item.text)
        if item.label in (Label.AUTHOR, Label.AFFILIATION):
            return f'<p class="byline">{text}</p>'
        if item.label is Label.FOOTNOTE:
            return f'<p class="note">{text}</p>'
        if item.label is Label.CITATION and item.marker:
            return f"<p>{html.escape(item.marker)} {text}</p>"
        return f"<p>{text}</p>"

    def formula(self, item: Item) -> str:
        return f'<p class="formula">{html.escape(item.text)}</p>'

    def code(self, text: str) -> str:
        return f"<pre><code>{html.escape(text)}</code></pre>"

    def items(self, items: list[Item]) -> str:
        out: list[str] = []
        k = 0
        while k < len(items):
            made, k = _html_list(items, k)
            out += made
        return "".join(out)

    def caption(self, text: str) -> str:
        return f'<p class="note">{html.escape(text)}</p>'

    def table(self, table: Table, captions: list[str]) -> str:
        return _html_table(table, captions)

    def picture(self, captions: list[str]) -> str:
        return f"<figure>{''.join(f'<figcaption>{html.escape(c)}</figcaption>' for c in captions)}</figure>"

    def missing(self, page: int, reason: str) -> str:
        return f'<p class="note">[Page {page}: {html.escape(reason)}]</p>'


def _render(document: Document, to: _Markdown | _Html) -> str:
    owned = {c for item in document.items for c in item.captions}
    below = 0 if document.title is None else 1
    blocks: list[str] = []
    run: list[Item] = []
    missing = sorted({**document.ocr_pages, **document.lost_pages}.items())
    for k, item in enumerate(document.items):
        while missing and item.parts and item.label is not Label.NONE and item.parts[0].page > missing[0][0]:
            blocks += _flush(run, to.items)
            blocks.append(to.missing(*missing.pop(0)))
        if item.label is Label.NONE or k in owned:
            continue
        if item.label is Label.LIST_ITEM:
            run.append(item)
            continue
        blocks += _flush(run, to.items)
        blocks.append(to.heading(1, item.text) if k == document.title else _block(document, item, below, to))
    blocks += _flush(run, to.items)
    blocks += [to.missing(page, reason) for page, reason in missing]
    return to.separator.join(b for b in blocks if b) + "\n" if blocks else ""


def _flush(run: list[Item], make: Callable[[list[Item]], str]) -> list[str]:
    made = [make(run)] if run else []
    run[:] = []
    return made


def _block(document: Document, item: Item, below: int, to: _Markdown | _Html) -> str:
    captions = [document.items[c].text for c in item.captions]
    if item.label is Label.TITLE:
        return to.heading(1, item.text)
    if item.label in _HEADINGS:
        return to.heading(item.level + below, item.text)
    if item.table is not None:
        return to.table(item.table, captions)
    if item.label is Label.PICTURE:
        return to.picture(captions)
    if item.label is Label.CAPTION:
        return to.caption(item.text)
    if item.code:
        return to.code(item.text)
    if item.label is Label.FORMULA:
        return to.formula(item)
    return to.paragraph(item)


def _escape(text: str) -> str:
    """A paragraph of plain text as Markdown: nothing in it is taken for markup, line breaks are kept."""
    escaped = _LINE_START.sub(lambda m: m[1] + (m[2] + "\\" if m[2].isdigit() else "\\" + m[2]), _inline(text))
    return escaped.replace("\n", "\\\n")


def _inline(text: str) -> str:
    """Text within a line; only what could be markup is escaped, so that it stays readable as it stands."""
    escaped = _LINK.sub(r"\\[", _TAG.sub(r"\\\g<0>", text))
    found = _EMPHASIS.findall(text)
    for mark in set(found):
        if found.count(mark) > 1:
            pattern = r"(?<!\w)_|_(?!\w)" if mark == "_" else re.escape(mark)
            escaped = re.sub(pattern, rf"\\{mark}", escaped)
    return escaped


def _emphasis(text: str) -> str:
    return f"*{text.strip()}*" if text.strip() else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _markdown_list(items: Iterable[Item]) -> Iterator[str]:
    """Items as Markdown: numbers stay numbers, other markers that count are shown in the text."""
    indents = [0]
    for item in items:
        depth = max(item.level, 1)
        del indents[depth:]
        indents += [indents[-1]] * (depth - len(indents))
        number = _LIST_NUMBER.match(item.marker) if item.enumerated else None
        bullet = f"{number[1]}." if number else "-"
        shown = f"{_escape(item.marker)} " if item.enumerated and number is None else ""
        pad = " " * indents[-1]
        text = f"{shown}{_escape(item.text)}".replace("\n", "\n" + pad + " " * (len(bullet) + 1))
        yield f"{pad}{bullet} {text}".rstrip()
        indents.append(indents[-1] + len(bullet) + 1)


def _html_list(items: list[Item], start: int) -> tuple[list[str], int]:
    """Markup of the list that begins at `start`, and where it ends; deeper items make lists within items."""
    depth = items[start].level
    tag = "ol" if items[start].enumerated else "ul"
    out = [f"<{tag}>"]
    k = start
    while k < len(items) and items[k].level == depth and items[k].enumerated == (tag == "ol"):
        item = items[k]
        number = _LIST_NUMBER.match(item.marker) if item.enumerated else None
        value = f' value="{int(number[1])}"' if number else ""
        shown = f"{html.escape(item.marker)} " if item.enumerated and not number else ""
        bare = ' class="bare"' if shown else ""
        out.append(f"<li{value}{bare}>{shown}{html.escape(item.text)}")
        k += 1
        while k < len(items) and items[k].level > depth:
            inner, k = _html_list(items, k)
            out += inner
        out.append("</li>")
    out.append(f"</{tag}>")
    return out, k


def _pipe_table(table: Table) -> str:
    grid = [["" for _ in range(table.cols)] for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.col] = _inline(_one_line(cell.text)).replace("|", "\\|")
    rows = [f"| {' | '.join(row)} |" for row in grid]
    rows.insert(1, f"|{' --- |' * table.cols}")
    return "\n".join(rows)


def _html_table(table: Table, captions: list[str]) -> str:
    out = ["<table>"]
    out += [f"<caption>{html.escape(' '.join(captions))}</caption>"] if captions else []
    rows: list[list[TableCell]] = [[] for _ in range(table.rows)]
    for cell in sorted(table.cells, key=lambda c: (c.row, c.col)):
        rows[cell.row].append(cell)
    for cells in rows:
        out.append(f"<tr>{''.join(map(_html_cell, cells))}</tr>")
    out.append("</table>")
    return "\n".join(out)


def _html_cell(cell: TableCell) -> str:
    tag = "th" if cell.column_header or cell.row_header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
    return f"<{tag}{spans}>{html.escape(_one_line(cell.text))}</{tag}>"
