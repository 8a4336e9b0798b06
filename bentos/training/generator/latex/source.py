"""A document as LaTeX source: its blocks in their order, set for one class."""

# ruff: noqa: E501  (LaTeX, one construct to a line)

from __future__ import annotations

import random
import re
from pathlib import Path

from bentos.training.generator.drawing import tex
from bentos.training.generator.formulas import latex
from bentos.training.generator.latex.classes import LatexClass
from bentos.training.generator.latex.floats import Floats
from bentos.training.generator.latex.fronts import FRONTS, title_page
from bentos.training.generator.latex.groups import Groups
from bentos.training.generator.latex.preamble import preamble
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
    ListItem,
    Reference,
    Table,
    Text,
    TocLine,
    Zone,
)

_MARKERS = {
    "•": r"\textbullet", "◦": r"$\circ$", "▪": r"$\centerdot$", "■": r"$\blacksquare$", "►": r"$\blacktriangleright$",
    "✓": r"\checkmark", "□": r"$\square$", "→": r"$\to$", "❖": r"$\diamondsuit$", "➢": r"$\triangleright$", "–": "--", "—": "---",
    "·": r"$\cdot$",
}  # fmt: skip


class Source(Groups):
    """Writes one document for one class."""

    def __init__(self, document: Document, layout: LatexClass, options: str, rng: random.Random, folder: Path) -> None:
        super().__init__(document, layout, options, rng)
        self.depth = 0
        self.in_references = False
        self.native_labels = rng.random() < 0.5
        self.floats = Floats(self, folder)
        self.listings = rng.random() < 0.4
        self.numbered_sections = rng.random() < 0.8

    # whole document

    def render(self) -> str:
        """The source file."""
        body = self._body()
        return (
            f"\\pdfoutput=1\n\\documentclass[{self.options}]{{{self.layout.name}}}\n{preamble(self, self.listings)}"
            f"\\begin{{document}}\n\\gcs{{{self.default}}}\\makeatletter\\global\\let\\default@color\\current@color\\makeatother\n"
            f"{body}\n\\end{{document}}\n"
        )

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
                return self.floats.table(block)
            case Figure():
                return self.floats.figure(block)
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

    # formulas, code, references, contents, boxes

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
