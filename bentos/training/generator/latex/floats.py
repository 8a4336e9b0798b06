"""Tables and figures with their captions, as floats or in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bentos.training.generator.drawing import tex, tikz
from bentos.training.generator.ids import color_of, place_in_table
from bentos.training.generator.latex.groups import Groups, styled
from bentos.training.generator.model import Figure, Inline, Table, Zone


class Floats:
    """Writes the tables and figures of a document in one style; raster images go into `folder`."""

    def __init__(self, groups: Groups, folder: Path) -> None:
        self.groups, self.folder, self.rng = groups, folder, groups.rng
        self.images = 0
        self.tables = 0
        self.table_style = self.rng.choice(("booktabs", "booktabs", "grid", "hlines", "none", "shade"))
        self.caption_above = self.rng.random() < 0.7

    def table(self, t: Table) -> str:
        """A table and its caption."""
        return self._float("table", lambda: self._tabular(t), t.caption, self.caption_above, t.floating, t.wide)

    def figure(self, f: Figure) -> str:
        """A figure and its caption."""
        return self._float("figure", lambda: self._picture(f), f.caption, False, f.floating, f.wide)

    def _float(
        self, kind: str, make: Callable[[], str], caption: Inline, above: bool, floating: bool, wide: bool
    ) -> str:
        """A float; caption and content are made in the order in which they are read."""
        if self.groups.in_frame or self.groups.multicols or not caption or self.groups.layout.name == "letter":
            # no floats here: in place, with a caption set by hand
            first = self._caption_line(caption) if above else ""
            inner = make()
            second = "" if above else self._caption_line(caption)
            return f"\\begin{{center}}{first}\n{inner}\n{second}\\end{{center}}\n"
        star = "*" if wide and self.groups.columns == 2 else ""
        place = self.rng.choice(("htbp", "t", "tbp", "!ht")) if floating else "!ht"
        first = self._caption(caption) if above else ""
        inner = make()
        second = "" if above else self._caption(caption)
        return f"\\begin{{{kind}{star}}}[{place}]\\centering\n{first}{inner}\n{second}\\end{{{kind}{star}}}\n"

    def _caption(self, runs: Inline) -> str:
        if not runs:
            return ""
        colour = self.groups.pieces.add("caption", Zone.FLOAT)
        inner = "".join(styled(run) for run in runs[1:]).strip()
        return f"\\gcs{{{colour}}}\\caption[]{{\\gc{{{colour}}}{{{inner}}}}}\n"

    def _caption_line(self, caption: Inline) -> str:
        return f"\\par{{\\small {self.groups.text(caption, 'caption', Zone.FLOAT)}\\par}}" if caption else ""

    def _tabular(self, t: Table) -> str:
        columns = t.columns
        longest = [t.longest(c) for c in range(columns)]
        bar = "|" if self.table_style == "grid" else ""
        numeric = self.rng.choice("rcc")
        spec = []
        for c in range(columns):
            texts = [r[c] for r in t.rows if r[c] is not None]
            if longest[c] > 34:
                spec.append(f"p{{{min(0.3, 0.8 / columns):.2f}\\linewidth}}")
            else:
                spec.append(numeric if c and any(x and x.numeric for x in texts) else "l")
        rows = self._table_rows(t, columns)
        size = self.rng.choice(("", "\\small", "\\footnotesize", ""))
        tabular = f"{{{size}\\genfit{{\\begin{{tabular}}{{{bar}{bar.join(spec)}{bar}}}\n{rows}\\end{{tabular}}}}}}"
        if t.notes:
            tabular += f"\n\n{{\\footnotesize {self.groups.piece('table', tex(t.notes), Zone.FLOAT)}\\par}}"
        return tabular

    def _table_rows(self, t: Table, columns: int) -> str:
        self.tables += 1
        style = self.table_style
        top = {"booktabs": "\\toprule", "grid": "\\hline", "hlines": "\\hline", "none": "", "shade": ""}[style]
        middle = {"booktabs": "\\midrule", "grid": "\\hline", "hlines": "\\hline", "none": "", "shade": "\\hline"}[
            style
        ]
        bottom = {"booktabs": "\\bottomrule", "grid": "\\hline", "hlines": "\\hline", "none": "", "shade": ""}[style]
        out = [top]
        covered: dict[int, int] = {}
        for r, row in enumerate(t.rows):
            cells = []
            c = 0
            while c < columns:
                cell = row[c]
                if cell is None:
                    cells.append("")
                    c += 1
                    continue
                meta = place_in_table(self.tables, r, c, cell)
                inner = (
                    self.groups.piece(
                        "table",
                        ("\\textbf{%s}" if cell.head and style != "none" else "%s") % tex(cell.text),
                        Zone.FLOAT,
                        meta,
                    )
                    if cell.text
                    else ""
                )
                if cell.row_span > 1:
                    inner = f"\\multirow{{{cell.row_span}}}{{*}}{{{inner}}}"
                    covered[c] = r + cell.row_span
                if cell.col_span > 1:
                    bars = "|" if style == "grid" else ""
                    inner = f"\\multicolumn{{{cell.col_span}}}{{{bars if c == 0 else ''}c{bars}}}{{{inner}}}"
                cells.append(inner)
                c += cell.col_span
            shade = "\\rowcolor[gray]{0.93}" if style == "shade" and r % 2 else ""
            out.append(shade + " & ".join(cells) + " \\\\")
            if r + 1 == t.head_rows:
                out.append(middle)
            elif style == "grid":
                lines = "\\hline" if not any(end > r + 1 for end in covered.values()) else f"\\cline{{2-{columns}}}"
                out.append(lines)
        if style != "grid":
            out.append(bottom)
        return "\n".join(out) + "\n"

    def _picture(self, f: Figure) -> str:
        region = color_of(self.groups.pieces.add("object", Zone.FLOAT, {"region": True})).upper()
        words = self.groups.pieces.add("ingraphic", Zone.FLOAT)
        room = {1: 360.0, 2: 225.0}[self.groups.columns] if not (f.wide and self.groups.columns == 2) else 460.0
        if self.groups.multicols:
            room = 420 / self.groups.multicols
        if self.groups.in_frame:
            room = 240.0
        width = min(f.drawing.width, room) * max(f.share, 0.7)
        if f.drawing.height / f.drawing.width * width > (130 if self.groups.in_frame else 260):
            width = (130 if self.groups.in_frame else 260) * f.drawing.width / f.drawing.height
        picture = tikz(f.drawing, width, words)
        d = f.drawing
        area = f"(0,0) rectangle ({d.width:.1f},{d.height:.1f})"
        fill = f"{{rgb,255:red,{int(region[:2], 16)};green,{int(region[2:4], 16)};blue,{int(region[4:], 16)}}}"
        ground = f"\\ifdefined\\gencolored\\fill[fill={fill}] {area};\\else\\path {area};\\fi\n"
        if d.image:
            self.images += 1
            name = f"image{self.images}.png"
            (self.folder / name).write_bytes(d.image)
            scale = width / d.width
            ground += (
                f"\\node[anchor=north west,inner sep=0] at (0,0) {{\\includegraphics[width={d.width * scale:.2f}bp,"
                f"height={d.height * scale:.2f}bp]{{{name}}}}};\n"
            )
        head, tail = picture.split("\n", 1)
        return f"{head}\n{ground}{tail}"
