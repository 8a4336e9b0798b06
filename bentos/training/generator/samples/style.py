"""Paragraph styles, hyphenation and blocks that several samples share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph, Table

SOFT_HYPHEN = "\u00ad"
_DIGRAPHS = {"ch", "sh", "th", "ph", "wh", "ck", "ng", "gh", "qu", "st", "tr", "pr", "br", "cr", "dr", "fr", "gr", "pl"}
_ENDINGS = re.compile(r"(tion|sion|ment|ness|able|ible|ing|ture|ship|less|ward)s?$")


class Sheet:
    """The paragraph styles of one document."""

    def __init__(self, family: str, bold: str, italic: str, size: float, leading: float, *, indent: float = 0) -> None:
        def style(name: str, font: str = family, scale: float = 1.0, **more: Any) -> ParagraphStyle:
            return ParagraphStyle(
                name,
                fontName=font,
                fontSize=size * scale,
                leading=leading * scale,
                bulletFontName=family,
                bulletFontSize=size * scale,
                allowWidows=0,
                allowOrphans=0,
                **more,
            )

        self.family, self.bold, self.italic, self.size, self.leading = family, bold, italic, size, leading
        self.text = style(
            "text", alignment=TA_JUSTIFY, firstLineIndent=indent, spaceAfter=0 if indent else 0.5 * leading
        )
        self.first = style("first", alignment=TA_JUSTIFY, spaceAfter=0 if indent else 0.5 * leading)
        self.abstract = style("abstract", scale=0.92, alignment=TA_JUSTIFY, leftIndent=18, rightIndent=18, spaceAfter=4)
        self.title = style("title", bold, 1.8, alignment=TA_CENTER, spaceAfter=10)
        self.authors = style("authors", scale=1.1, alignment=TA_CENTER, spaceAfter=4)
        self.affiliation = style("affiliation", italic, 0.92, alignment=TA_CENTER, spaceAfter=2)
        self.h1 = style("h1", bold, 1.25, alignment=TA_LEFT, spaceBefore=1.1 * leading, spaceAfter=0.5 * leading)
        self.h2 = style("h2", bold, 1.08, alignment=TA_LEFT, spaceBefore=0.9 * leading, spaceAfter=0.35 * leading)
        self.h3 = style("h3", italic, 1.0, alignment=TA_LEFT, spaceBefore=0.7 * leading, spaceAfter=0.3 * leading)
        self.caption = style("caption", scale=0.88, alignment=TA_LEFT, spaceBefore=5, spaceAfter=5)
        self.note = style("note", scale=0.82, alignment=TA_JUSTIFY, spaceAfter=0)
        self.cell = style("cell", scale=0.88, alignment=TA_LEFT)
        self.head_cell = style("head-cell", bold, 0.88, alignment=TA_LEFT)
        self.number_cell = style("number-cell", scale=0.88, alignment=TA_RIGHT)
        self.number_head = style("number-head", bold, 0.88, alignment=TA_RIGHT)
        self.reference = style("reference", scale=0.88, alignment=TA_LEFT, leftIndent=18, bulletIndent=0, spaceAfter=2)

    def item(self, depth: int, hang: float = 14.0) -> ParagraphStyle:
        """A list item, its identifier hanging in the margin; depth 1 is the outermost."""
        return ParagraphStyle(
            f"item-{depth}",
            parent=self.text,
            firstLineIndent=0,
            leftIndent=hang * depth + 4,
            bulletIndent=hang * (depth - 1) + 4,
            spaceAfter=0.2 * self.leading,
        )


def hyphenate(markup: str) -> str:
    """Soft hyphens in the long words of a paragraph's markup, between consonants that stand between vowels."""
    # reportlab loses the space between a word with a soft hyphen and a change of font
    words = r"(<[^>]*>|&\w+;|https?://\S+)|\b([A-Za-z]{7,})\b(?!\s*[<&])"
    return re.sub(words, lambda m: m[1] or _word(m[2]), markup)


def _word(word: str) -> str:
    low, cuts = word.lower(), []
    ending = _ENDINGS.search(low)
    if ending and ending.start() >= 3:
        cuts.append(ending.start())
    for i in range(2, len(word) - 3):
        before, left, right, after = low[i - 1], low[i], low[i + 1], low[i + 2]
        vowels = "aeiouy"
        between = before in vowels and left not in vowels and right not in vowels and after in vowels
        if between and left + right not in _DIGRAPHS and right != "l" and i + 1 >= 3:
            cuts.append(i + 1)
    kept: list[int] = []
    for cut in sorted(set(cuts)):
        if 3 <= cut <= len(word) - 3 and (not kept or cut - kept[-1] >= 3):
            kept.append(cut)
    for cut in reversed(kept):
        word = word[:cut] + SOFT_HYPHEN + word[cut:]
    return word


def para(text: str, style: ParagraphStyle, bullet: str | None = None) -> Any:
    """A paragraph of marked-up text, hyphenated where it is justified."""
    size = style.fontSize
    text = text.replace("<super>", f'<super size="{0.68 * size:.1f}" rise="{0.36 * size:.1f}">')
    text = text.replace("<sub>", f'<sub size="{0.68 * size:.1f}" rise="{0.18 * size:.1f}">')
    return Paragraph(hyphenate(text) if style.alignment == TA_JUSTIFY else text, style, bulletText=bullet)


def table(
    rows: list[list[Any]],
    sheet: Sheet,
    widths: list[float],
    commands: list[Any],
    right: Sequence[int] = (),
    **more: Any,
) -> Any:
    """A table whose strings are set as paragraphs; its first `repeatRows` rows are the head, `right` columns "
    "numbers."""
    heads = more.setdefault("repeatRows", 1)

    def cell(r: int, c: int, value: Any) -> Any:
        if not isinstance(value, str) or not value:
            return value
        if c in right:
            return para(value, sheet.number_head if r < heads else sheet.number_cell)
        return para(value, sheet.head_cell if r < heads else sheet.cell)

    cells = [[cell(r, c, value) for c, value in enumerate(row)] for r, row in enumerate(rows)]
    base = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ("LEFTPADDING", (0, 0), (-1, -1), 4),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
    ]
    made = Table(cells, colWidths=widths, style=base + commands, **more)
    made.hAlign = "CENTER"
    return made
