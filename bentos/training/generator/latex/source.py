"""A document as LaTeX source. Every piece of text stands in `\\gc{number}{…}`; what a class prints by itself (numbers,
names of captions) takes the colour that `\\gcs{number}` switched on before.

Both twins come from one file: `\\gencolored` decides whether these commands set the colour or repeat the current one,
so that the specials stand at the same places in both and the layout is the same.
"""

# ruff: noqa: E501  (LaTeX, one construct to a line)

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from bentos.training.generator.drawing import tex, tikz
from bentos.training.generator.formulas import latex
from bentos.training.generator.ids import Meta, Pieces, color_of, place_in_table
from bentos.training.generator.latex.classes import (
    BEAMER_COLORS,
    BEAMER_FONTS,
    BEAMER_THEMES,
    MEMOIR_STYLES,
    TEXT_FONTS,
    LatexClass,
)
from bentos.training.generator.latex.fronts import FRONTS, title_page
from bentos.training.generator.model import (
    Block,
    Box,
    Break,
    Code,
    Document,
    Figure,
    Formula,
    Front,
    Heading,
    Inline,
    ListItem,
    Reference,
    Run,
    Table,
    Text,
    TocLine,
    Zone,
)
from bentos.training.generator.words import Writer

BABEL = {
    "de": "ngerman", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese", "nl": "dutch", "sv": "swedish",
}  # fmt: skip

_MARKERS = {
    "•": r"\textbullet", "◦": r"$\circ$", "▪": r"$\centerdot$", "■": r"$\blacksquare$", "►": r"$\blacktriangleright$",
    "✓": r"\checkmark", "□": r"$\square$", "→": r"$\to$", "❖": r"$\diamondsuit$", "➢": r"$\triangleright$", "–": "--", "—": "---",
    "·": r"$\cdot$",
}  # fmt: skip

_MACROS = r"""
\makeatletter
\ifdefined\gencolored
  \DeclareRobustCommand\gcs[1]{\color{gen#1}}
\else
  \DeclareRobustCommand\gcs[1]{\color{.}}
\fi
\DeclareRobustCommand\gc[2]{\begingroup\gcs{#1}#2\endgroup}
% some text fonts come without these signs
\providecommand\checkmark{\ensuremath{\surd}}
\providecommand\square{\circ}
\providecommand\blacksquare{\bullet}
\providecommand\blacktriangleright{\triangleright}
\providecommand\centerdot{\cdot}
\newcommand\genfit[1]{\sbox0{#1}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}
\makeatother
"""


class Source:
    """Writes one document for one class."""

    def __init__(self, document: Document, layout: LatexClass, options: str, rng: random.Random, folder: Path) -> None:
        self.document, self.layout, self.options, self.rng, self.folder = document, layout, options, rng, folder
        self.writer = Writer.of(rng, document.language)
        self.pieces = Pieces()
        self.default = self.pieces.add("header", Zone.HEADER)
        self.before_document: list[str] = []
        self.columns = layout.columns(options)
        self.multicols = 0
        if self.columns == 1 and document.genre in ("newsletter", "brochure") and rng.random() < 0.5:
            self.multicols = rng.choice((2, 2, 3))
        self.has_abstract = layout.name not in (
            "book",
            "scrbook",
            "extbook",
            "letter",
            "octavo",
            "boek",
            "hitec",
            "tufte-book",
            "suftesi",
        )
        self.images = 0
        self.tables = 0
        self.depth = 0
        self.in_references = False
        self.in_frame = False
        self.native_labels = rng.random() < 0.5
        self.table_style = rng.choice(("booktabs", "booktabs", "grid", "hlines", "none", "shade"))
        self.caption_above = rng.random() < 0.7
        self.listings = rng.random() < 0.4
        self.numbered_sections = rng.random() < 0.8

    # pieces

    def piece(self, orig: str, inner: str, zone: Zone = Zone.BODY, meta: Meta | None = None) -> str:
        """A group in the colour of a new piece."""
        front = orig in ("title", "subtitle", "author")
        number = self.pieces.add(orig, zone, {"front": True} if front else meta)
        return f"\\gc{{{number}}}{{{inner}}}"

    def switch(self, orig: str, zone: Zone = Zone.BODY) -> str:
        """Switches the colour for what the class prints."""
        return f"\\gcs{{{self.pieces.add(orig, zone)}}}"

    def text(self, runs: Inline, orig: str, zone: Zone = Zone.BODY) -> str:
        """Runs as one piece."""
        notes: list[str] = []
        out = []
        for run in runs:
            if run.note:
                out.append(f"\0{len(notes)}\0")
                notes.append(run.note)
                continue
            out.append(_run(run))
        joined = self.piece(orig, "".join(out), zone)
        for i, note in enumerate(notes):
            made = "" if self.in_frame else f"\\footnote{{{self.piece('footnote', tex(note), Zone.NOTE)}}}"
            joined = joined.replace(f"\0{i}\0", made)
        return joined

    # whole document

    def render(self) -> str:
        """The source file."""
        body = self._body()
        return (
            f"\\pdfoutput=1\n\\documentclass[{self.options}]{{{self.layout.name}}}\n{self._preamble()}{_MACROS}{''.join(self.before_document)}"
            f"{self._colors()}\\begin{{document}}\n\\gcs{{{self.default}}}\\makeatletter\\global\\let\\default@color\\current@color\\makeatother\n"
            f"{body}\n\\end{{document}}\n"
        )

    def _colors(self) -> str:
        """Definitions of the colours of all pieces."""
        return "".join(
            f"\\definecolor{{gen{n}}}{{HTML}}{{{color_of(n).upper()}}}\n" for n in range(len(self.pieces.pieces))
        )

    def _preamble(self) -> str:
        rng, layout, genre = self.rng, self.layout, self.document.genre
        lines = [layout.preamble] if layout.preamble else []
        language = self.document.language
        font = rng.choice(TEXT_FONTS) if layout.fonts else ""
        if language != "en" or font:
            lines.append("\\usepackage[T1]{fontenc}")
            font = font or "lmodern"
        if language in BABEL and layout.name != "ltugboat":
            lines.append(f"\\usepackage[{BABEL[language]}]{{babel}}")
        if layout.name not in ("acmart",):
            lines.append("\\usepackage{amsmath}" + ("" if font in ("txfonts", "pxfonts") else "\\usepackage{amssymb}"))
        if font:
            lines.append(f"\\usepackage{{{font}}}")
            if font in ("helvet", "avant"):
                lines.append("\\renewcommand\\familydefault{\\sfdefault}")
        lines.append(
            "\\usepackage{graphicx}\\usepackage{xcolor}\\usepackage{tikz}\\usepackage{multirow}\\usepackage{booktabs}\\usepackage{array}"
        )
        lines.append("\\usepackage{textcomp}\\usepackage{colortbl}")
        if self.listings and layout.name not in ("beamer",):
            lines.append(
                "\\usepackage{listings}\\lstset{basicstyle=\\ttfamily\\footnotesize,breaklines=true,"
                + rng.choice(("frame=single", "frame=lines", "numbers=left", ""))
                + "}"
            )
        else:
            self.listings = False
        if layout.theorems:
            lines.append("\\newtheorem{gentheorem}{Theorem}")
        if self.multicols:
            lines.append("\\usepackage{multicol}")
        free = layout.name in ("article", "extarticle", "report", "extreport", "book", "paper")
        if free:
            lines += self._free_style()
        if layout.name == "memoir":
            lines.append(f"\\chapterstyle{{{rng.choice(MEMOIR_STYLES)}}}")
        if layout.name == "beamer":
            lines.append(f"\\usetheme{{{rng.choice(BEAMER_THEMES)}}}\\usefonttheme{{{rng.choice(BEAMER_FONTS)}}}")
            if rng.random() < 0.6:
                lines.append(f"\\usecolortheme{{{rng.choice(BEAMER_COLORS)}}}")
        if genre == "paper" and layout.name in ("article", "scrartcl", "elsarticle", "amsart") and rng.random() < 0.2:
            number = self.switch("lineno", Zone.OVERLAY)
            lines.append("\\usepackage{lineno}\\linenumbers")
            self.before_document.append(f"\\renewcommand\\linenumberfont{{\\normalfont\\tiny{number}}}\n")
        if rng.random() < 0.25 and free:
            lines.append(f"\\linespread{{{rng.choice((1.1, 1.25, 1.5, 1.7, 2.0))}}}")
        return "\n".join(lines) + "\n"

    def _free_style(self) -> list[str]:
        """What may be changed in the standard classes: margins, headings, captions, running heads, lists, paragraphs."""
        rng = self.rng
        lines = []
        if rng.random() < 0.7:
            lines.append(
                f"\\usepackage[margin={rng.uniform(1.6, 3.6):.1f}cm,top={rng.uniform(1.8, 3.4):.1f}cm,bottom={rng.uniform(1.8, 3.4):.1f}cm]{{geometry}}"
            )
        if rng.random() < 0.5:
            shape = rng.choice(
                ("\\sffamily\\bfseries", "\\scshape", "\\bfseries\\itshape", "\\sffamily", "\\bfseries\\centering")
            )
            lines.append(
                f"\\usepackage{{titlesec}}\\titleformat*{{\\section}}{{\\{rng.choice(('large', 'Large', 'normalsize'))}{shape}}}"
            )
            lines.append(f"\\titleformat*{{\\subsection}}{{\\{rng.choice(('large', 'normalsize'))}{shape}}}")
            lines.append(f"\\titleformat*{{\\subsubsection}}{{\\normalsize{shape}}}")
        if rng.random() < 0.5:
            lines.append(
                f"\\usepackage[{rng.choice(('small', 'footnotesize', 'small,labelfont=bf', 'labelfont=it,labelsep=period', 'labelsep=endash,font=sf', 'justification=raggedright,singlelinecheck=false'))}]{{caption}}"
            )
        if rng.random() < 0.5:
            head, foot = tex(self.document.running_title), tex(self.document.running_author)
            lines.append("\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}")
            lines.append(rng.choice((f"\\lhead{{{head}}}\\rhead{{\\thepage}}", f"\\chead{{{head}}}\\cfoot{{\\thepage}}", f"\\lhead{{\\leftmark}}\\rhead{{\\thepage}}\\lfoot{{{foot}}}",
                                     f"\\rfoot{{Page \\thepage}}\\lfoot{{{head}}}", f"\\lhead{{{foot}}}\\rhead{{{head}}}\\cfoot{{--- \\thepage\\ ---}}")))  # fmt: skip
            lines.append(f"\\renewcommand\\headrulewidth{{{rng.choice(('0pt', '0.4pt', '0.4pt'))}}}")
        if rng.random() < 0.3:
            lines.append("\\usepackage{parskip}")
        if rng.random() < 0.3:
            lines.append(
                "\\usepackage{enumitem}\\setlist{"
                + rng.choice(("nosep", "noitemsep", "leftmargin=*", "itemsep=4pt"))
                + "}"
            )
        if rng.random() < 0.2 and self.columns == 1:
            lines.append("\\raggedright")
        if self.columns == 2 and rng.random() < 0.3:
            lines.append("\\setlength\\columnseprule{0.4pt}")
        return lines

    def _body(self) -> str:
        out = []
        opened = False
        for i, block in enumerate(self.document.blocks):
            following = self.document.blocks[i + 1] if i + 1 < len(self.document.blocks) else None
            if not isinstance(block, ListItem):
                out.append(self._close_lists(0))
            if self.in_references and not isinstance(block, Reference):
                out.append("\\end{thebibliography}\n")
                self.in_references = False
            if self.multicols and not opened and not isinstance(block, Front):
                out.append(f"\\begin{{multicols}}{{{self.multicols}}}\n")
                opened = True
            out.append(self._block(block, following))
        out.append(self._close_lists(0))
        if self.in_references:
            out.append("\\end{thebibliography}\n")
        if self.in_frame:
            out.append("\\end{frame}\n")
        if opened:
            out.append("\\end{multicols}\n")
        joined = "".join(out)
        if self.layout.name == "letter":
            joined = "\\begin{letter}{~}\n" + joined + "\\end{letter}"
        return joined

    def _block(self, block: Block, following: Block | None) -> str:
        match block:
            case Break():
                return "" if self.layout.name == "beamer" else "\\clearpage\n"
            case Front():
                if (
                    block.page
                    and self.layout.front in ("plain", "amsbook")
                    and self.layout.name not in ("letter", "hitec")
                ):
                    return title_page(self, block)
                return FRONTS[self.layout.front](self, block)
            case Heading():
                return self._heading(block, following)
            case Text():
                return self._text_block(block)
            case ListItem():
                return self._item(block)
            case Formula():
                return self._formula(block)
            case Table():
                return self._table(block)
            case Figure():
                return self._figure(block)
            case Code():
                return self._code(block)
            case Reference():
                return self._reference(block)
            case TocLine():
                return self._toc(block)
            case Box():
                return self._box(block)

    def _heading(self, h: Heading, following: Block | None) -> str:
        if h.orig == "bib-heading" and isinstance(following, Reference):
            # the environment prints the heading
            self.in_references = True
            width = "99" if following.marker else ""
            heading = self.switch("bib-heading")
            labels = self.switch("citation")
            return f"{heading}\\begin{{thebibliography}}{{{width}}}{labels}\n"
        text = tex(h.text)
        if h.orig == "frametitle":
            close = "\\end{frame}\n" if self.in_frame else ""
            self.in_frame = True
            return f"{close}\\begin{{frame}}{{{self.piece('frametitle', text)}}}\n"
        command = self._command(h)
        star = "*" if h.orig in ("toc-heading", "bib-heading") or not self.numbered_sections or not h.number else ""
        colour = self.pieces.add(h.orig)
        short = "" if star else f"[{text}]"
        return f"\\gcs{{{colour}}}\\{command}{star}{short}{{\\gc{{{colour}}}{{{text}}}}}\n"

    def _command(self, h: Heading) -> str:
        names = self.layout.sections
        if h.orig == "part":
            return "part" if self.layout.name != "letter" else names[0]
        if self.layout.chapters and h.orig in ("chapter", "toc-heading", "bib-heading"):
            return "chapter"
        if self.layout.name == "letter":
            return "textbf"
        return names[min(h.level, 4) - 1]

    def _text_block(self, t: Text) -> str:
        if t.orig == "theorem" and self.layout.theorems:
            head = self.switch("theorem")
            return f"\\par{head}\\begin{{gentheorem}}{self.text(t.runs[1:], 'theorem')}\\end{{gentheorem}}\n"
        inner = self.text(t.runs, t.orig)
        if t.orig == "quote":
            return f"\\begin{{quote}}{inner}\\end{{quote}}\n"
        if t.orig == "pull-quote":
            return f"\\begin{{center}}\\large\\itshape {inner}\\end{{center}}\n"
        if t.orig == "date":
            return f"\\begin{{flushright}}{inner}\\end{{flushright}}\n"
        if t.orig == "index":
            return f"\\par\\noindent\\hangindent=1em {inner}\\par\n"
        if t.orig in ("contact", "author"):
            return f"\\par\\noindent {inner}\\par\n"
        if t.orig == "abstract-heading":
            return f"\\begin{{center}}\\bfseries {inner}\\end{{center}}\n"
        number = self.piece("contact", tex(t.number)) + "\\enspace " if t.number else ""
        start = "\\noindent" if t.continued else "\\leavevmode"
        return f"{start} {number}{inner}\n\n"

    # lists

    def _close_lists(self, depth: int) -> str:
        out = ""
        while self.depth > depth:
            out += f"\n\\end{{{self._list_name(self.depth)}}}\n"
            self.depth -= 1
        return out

    def _list_name(self, depth: int) -> str:
        return self._lists[depth - 1]

    _lists = ("itemize", "itemize", "itemize")

    def _item(self, item: ListItem) -> str:
        out = self._close_lists(item.depth)
        while self.depth < item.depth:
            if self.depth == 0:
                name = "description" if item.term else "enumerate" if item.marker[-1:] in ".)" else "itemize"
                self._lists = (
                    name,
                    "enumerate" if name == "itemize" and self.rng.random() < 0.3 else "itemize",
                    "itemize",
                )
            self.depth += 1
            out += f"\\begin{{{self._list_name(self.depth)}}}\n"
        name = self._list_name(self.depth)
        colour = self.pieces.add("itemid")
        marker = _MARKERS.get(item.marker, tex(item.marker).replace("①", "1"))
        marker = "".join(c if ord(c) < 0x2460 or ord(c) > 0x24FF else str(ord(c) - 0x245F) for c in marker)
        # labels that the class can make by itself
        plain_bullet = (
            item.marker in "•–-*·" if name == "itemize" else name == "enumerate" and item.marker[:1].isdigit()
        )
        label = "" if self.native_labels and plain_bullet else f"[\\gc{{{colour}}}{{{marker}}}]"
        more = "".join("\n\n" + self.text(m, "item") for m in item.more)
        return f"{out}\\gcs{{{colour}}}\\item{label} {self.text(item.runs, 'item')}{more}\n"

    # formulas, floats, code

    def _formula(self, f: Formula) -> str:
        colour = self.switch("formula")
        inner = latex(f.node)
        if f.node.kind == "lines":
            if self.rng.random() < 0.3:
                name, star = "eqnarray", "" if f.number else "*"
            else:
                # align has two columns
                name, star = "align", "" if f.number else "*"
                inner = re.sub(r"&([^&]*)&", r"&\1", inner)
            return f"{colour}\\begin{{{name}{star}}}{inner}\\end{{{name}{star}}}\n"
        if f.number:
            return f"{colour}\\begin{{equation}}{inner}\\end{{equation}}\n"
        return f"{colour}\\[{inner}\\]\n"

    def _caption(self, runs: Inline) -> str:
        if not runs:
            return ""
        colour = self.pieces.add("caption", Zone.FLOAT)
        inner = "".join(_run(run) for run in runs[1:]).strip()
        return f"\\gcs{{{colour}}}\\caption[]{{\\gc{{{colour}}}{{{inner}}}}}\n"

    def _float(
        self, kind: str, make: Callable[[], str], caption: Inline, above: bool, floating: bool, wide: bool
    ) -> str:
        """A float; caption and content are made in the order in which they are read."""
        if self.in_frame or self.multicols or not caption or self.layout.name == "letter":
            # no floats here: in place, with a caption set by hand
            first = self._caption_line(caption) if above else ""
            inner = make()
            second = "" if above else self._caption_line(caption)
            return f"\\begin{{center}}{first}\n{inner}\n{second}\\end{{center}}\n"
        star = "*" if wide and self.columns == 2 else ""
        place = self.rng.choice(("htbp", "t", "tbp", "!ht")) if floating else "!ht"
        first = self._caption(caption) if above else ""
        inner = make()
        second = "" if above else self._caption(caption)
        return f"\\begin{{{kind}{star}}}[{place}]\\centering\n{first}{inner}\n{second}\\end{{{kind}{star}}}\n"

    def _caption_line(self, caption: Inline) -> str:
        return f"\\par{{\\small {self.text(caption, 'caption', Zone.FLOAT)}\\par}}" if caption else ""

    def _table(self, t: Table) -> str:
        return self._float("table", lambda: self._tabular(t), t.caption, self.caption_above, t.floating, t.wide)

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
            tabular += f"\n\n{{\\footnotesize {self.piece('table', tex(t.notes), Zone.FLOAT)}\\par}}"
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
                    self.piece(
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

    def _figure(self, f: Figure) -> str:
        return self._float("figure", lambda: self._picture(f), f.caption, False, f.floating, f.wide)

    def _picture(self, f: Figure) -> str:
        region = color_of(self.pieces.add("object", Zone.FLOAT, {"region": True})).upper()
        words = self.pieces.add("ingraphic", Zone.FLOAT)
        room = {1: 360.0, 2: 225.0}[self.columns] if not (f.wide and self.columns == 2) else 460.0
        if self.multicols:
            room = 420 / self.multicols
        if self.in_frame:
            room = 240.0
        width = min(f.drawing.width, room) * max(f.share, 0.7)
        if f.drawing.height / f.drawing.width * width > (130 if self.in_frame else 260):
            width = (130 if self.in_frame else 260) * f.drawing.width / f.drawing.height
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

    def _code(self, c: Code) -> str:
        if self.in_frame:
            return ""
        colour = self.switch("code")
        lines = "\n".join(line.encode("ascii", "ignore").decode() for line in c.lines)
        name = "lstlisting" if self.listings else "verbatim"
        return f"{{\\small{colour}\\begin{{{name}}}\n{lines}\n\\end{{{name}}}\n}}\n"

    def _reference(self, r: Reference) -> str:
        option = ""
        if self.layout.natbib:
            option = f"[{{{tex(self.writer.surname())}({self.rng.randint(1960, 2024)})}}]"
        elif r.marker and not r.marker[-2:-1].isdigit() and "[" in r.marker and any(c.isalpha() for c in r.marker):
            option = f"[{tex(r.marker.strip('[]'))}]"
        key = f"k{len(self.pieces.pieces)}"
        if not self.in_references:
            return f"\\par\\noindent {self.text(r.runs, 'citation')}\\par\n"
        return f"\\bibitem{option}{{{key}}} {self.text(r.runs, 'citation')}\n"

    def _toc(self, line: TocLine) -> str:
        names = (
            ("chapter", "section", "subsection") if self.layout.chapters else ("section", "subsection", "subsubsection")
        )
        name = names[min(line.level, 3) - 1]
        number = f"\\numberline{{{tex(line.number)}}}" if line.number else ""
        colour = self.switch("toc")
        return f"\\par{{{colour}\\csname l@{name}\\endcsname{{{number}{tex(line.text)}}}{{{line.page}}}}}\n"

    def _box(self, box: Box) -> str:
        zone = Zone.BODY
        head = self.piece("box-heading", "\\textbf{" + tex(box.heading) + "}", zone) + "\\par " if box.heading else ""
        parts = []
        for block in box.blocks:
            if isinstance(block, Text):
                parts.append(self.text(block.runs, "sidebar", zone) + "\\par")
            else:
                parts.append(
                    self.piece("itemid", "\\textbullet", zone) + "\\ " + self.text(block.runs, "item", zone) + "\\par"
                )
        inner = f"\\begin{{minipage}}{{0.92\\linewidth}}\\parskip3pt {head}{' '.join(parts)}\\end{{minipage}}"
        frame = self.rng.choice(
            (
                "\\fbox{%s}",
                "\\fbox{%s}",
                "\\colorbox[gray]{0.92}{%s}",
                "\\rule{0.9\\linewidth}{0.5pt}\\par %s\\par\\rule{0.9\\linewidth}{0.5pt}",
            )
        )
        return f"\\begin{{center}}{frame % inner}\\end{{center}}\n"


def _run(run: Run) -> str:
    inner = f"${latex(run.math)}$" if run.math else tex(run.text)
    for style in run.style:
        inner = {"b": "\\textbf{%s}", "i": "\\emph{%s}", "m": "\\texttt{%s}", "u": "\\texttt{%s}", "c": "\\textsc{%s}",
                 "^": "$^{\\mathrm{%s}}$", "_": "$_{\\mathrm{%s}}$"}[style] % inner  # fmt: skip
    return inner
