"""Pieces of text as TeX groups: every piece stands in `\\gc{number}{…}`, and what a class prints by itself (numbers,
names of captions) takes the colour that `\\gcs{number}` switched on before.
"""

from __future__ import annotations

import random

from bentos.training.generator.drawing import tex
from bentos.training.generator.formulas import latex
from bentos.training.generator.ids import Meta, Pieces
from bentos.training.generator.latex.classes import LatexClass
from bentos.training.generator.model import Document, Inline, Run, Zone
from bentos.training.generator.words import Writer


class Groups:
    """The pieces of a document and the groups that colour them; what front matter, floats and text share."""

    def __init__(self, document: Document, layout: LatexClass, options: str, rng: random.Random) -> None:
        self.document, self.layout, self.options, self.rng = document, layout, options, rng
        self.writer = Writer.of(rng, document.language)
        self.pieces = Pieces()
        self.default = self.pieces.add("header", Zone.HEADER)
        self.before_document: list[str] = []
        """Commands that end the preamble."""
        self.columns = layout.columns(options)
        self.multicols = 0
        """Columns of an environment in a class of one column; 0: none."""
        if self.columns == 1 and document.genre in ("newsletter", "brochure") and rng.random() < 0.5:
            self.multicols = rng.choice((2, 2, 3))
        self.in_frame = False

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
            out.append(styled(run))
        joined = self.piece(orig, "".join(out), zone)
        for i, note in enumerate(notes):
            made = "" if self.in_frame else f"\\footnote{{{self.piece('footnote', tex(note), Zone.NOTE)}}}"
            joined = joined.replace(f"\0{i}\0", made)
        return joined


def styled(run: Run) -> str:
    """A run as LaTeX, without its colour."""
    inner = f"${latex(run.math)}$" if run.math else tex(run.text)
    for style in run.style:
        inner = {"b": "\\textbf{%s}", "i": "\\emph{%s}", "m": "\\texttt{%s}", "u": "\\texttt{%s}", "c": "\\textsc{%s}",
                 "^": "$^{\\mathrm{%s}}$", "_": "$_{\\mathrm{%s}}$"}[style] % inner  # fmt: skip
    return inner
