"""Tables: rows of cells and the styles of their borders, grounds and columns."""

# ruff: noqa: E501  (markup and its attributes, one to a line)

from __future__ import annotations

from bentos.training.generator.ids import place_in_table
from bentos.training.generator.model import Table, Zone
from bentos.training.generator.odf.spans import Spans
from bentos.training.generator.odf.style import Style


def table(s: Spans, t: Table, number: int, room: float) -> tuple[str, str]:
    """(element, its automatic styles) of a document's table of this number, at most `room` points wide."""
    columns = t.columns
    longest = [4 + min(t.longest(c), 40) for c in range(columns)]
    total = min(room, sum(longest) * s.style.size * 0.62) if s.rng.random() < 0.4 else room
    name = f"tab{number}"
    head_color = "#ffffff" if s.style.table in ("head", "zebra") and s.style.accent != "#000000" else "#000000"
    s.style.looks["head"].text["fo:color"] = head_color
    made = "".join(f'<table:table-column table:style-name="{name}c{c}"/>' for c in range(columns))
    rows = []
    for r, row in enumerate(t.rows):
        cells = []
        for c, cell in enumerate(row):
            if cell is None:
                cells.append("<table:covered-table-cell/>")
                continue
            look = "head" if cell.head else "number" if cell.numeric else "cell"
            grid = place_in_table(number, r, c, cell)
            inner = s.piece("table", cell.text, Zone.FLOAT, look=look, meta=grid) if cell.text else ""
            spans = f' table:number-columns-spanned="{cell.col_span}" table:number-rows-spanned="{cell.row_span}"'
            kind = "ch" if cell.head else "cb" if r % 2 else "ca"
            cells.append(
                f'<table:table-cell table:style-name="{kind}"{spans}><text:p text:style-name="{look}">{inner}</text:p></table:table-cell>'
            )
        rows.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
    head = f"<table:table-header-rows>{''.join(rows[: t.head_rows])}</table:table-header-rows>" if t.head_rows else ""
    element = f'<table:table table:name="{name}" table:style-name="{name}">{made}{head}{"".join(rows[t.head_rows :])}</table:table>'
    align = s.rng.choice(("center", "left")) if total < room else "margins"
    styles = (
        f'<style:style style:name="{name}" style:family="table"><style:table-properties style:width="{total:.0f}pt" table:align="{align}" fo:margin-bottom="6pt"/></style:style>'
        + "".join(
            f'<style:style style:name="{name}c{c}" style:family="table-column"><style:table-column-properties style:column-width="{total * longest[c] / sum(longest):.1f}pt"/></style:style>'
            for c in range(columns)
        )
    )
    return element, styles


def cell_styles(style: Style) -> str:
    """Cells of the head (`ch`) and of even and odd rows (`ca`, `cb`)."""
    accent, kind = style.accent, style.table
    line = "0.5pt solid #000000" if kind == "grid" else "0.5pt solid #999999"
    sides: dict[str, str] = {
        "grid": f'fo:border="{line}"', "light": 'fo:border="0.5pt solid #bfbfbf"', "rows": f'fo:border-bottom="{line}"', "none": "",
        "head": 'fo:border-bottom="0.5pt solid #cccccc"', "zebra": "",
    }  # fmt: skip
    head = sides[kind]
    if kind in ("head", "zebra"):
        head += f' fo:background-color="{accent if accent != "#000000" else "#d9d9d9"}"'
    elif kind == "rows":
        head = f'fo:border-bottom="1pt solid {accent}" fo:border-top="1pt solid {accent}"'
    elif kind == "grid":
        head += ' fo:background-color="#e7e6e6"'
    odd = sides[kind] + (' fo:background-color="#f2f2f2"' if kind == "zebra" else "")
    out = ""
    for name, props in (("ch", head), ("ca", sides[kind]), ("cb", odd)):
        out += f'<style:style style:name="{name}" style:family="table-cell"><style:table-cell-properties fo:padding="2.5pt" {props}/></style:style>'
    return out
