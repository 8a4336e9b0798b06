"""Random typography for web pages: one draw of `Style` is one layout."""

# ruff: noqa: E501  (fields of a style, one to a line)

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from bentos.training.generator.html.style_sheet import BaseStyle, style_sheet
from bentos.training.generator.languages import LANGUAGES
from bentos.training.generator.model import Document
from bentos.training.generator.typography import ACCENTS, BY_SCRIPT, MONO, SANS, SERIF

PAGES = {
    "a4": (595.3, 841.9), "letter": (612, 792), "a5": (419.5, 595.3), "b5": (498.9, 708.7), "trade": (396, 612),
    "legal": (612, 1008), "royal": (442, 663), "square": (560, 560), "landscape": (841.9, 595.3),
}  # fmt: skip
SLIDES = ((720, 405), (720, 540), (960, 540), (362.8, 272.1), (453.5, 255.1))


@dataclass(slots=True)
class Style:
    """What the markup needs to know; everything else is in `css`."""

    page: tuple[float, float]
    columns: int
    css: str
    caption_above: dict[str, bool]
    caption_side: bool
    title_wide: bool
    front: str
    """Variant of the title block."""
    abstract: str
    authors: str
    emails: str
    chapter_line: bool
    """`Chapter 1` on a line of its own."""
    run_in: int
    """Headings from this level on stand in the paragraph's first line; 9: none."""
    margin_notes: bool
    line_numbers: int
    """Every n-th line is numbered; 0: none."""
    head: dict[str, str]
    """Running heads: `left`, `right`, `first` pages, `at` the top and the `foot`; parts separated by `|`."""
    side_float: bool
    dots: str
    """Leader of contents lines: dots, rule, none."""
    leading_end: bool
    """Equation numbers at the right; otherwise left."""
    note_marks: str
    native_markers: bool


def sample(rng: random.Random, document: Document) -> Style:
    """A layout fit for the document's genre and script."""
    return _Sampler(rng, document).style()


class _Sampler:
    def __init__(self, rng: random.Random, document: Document) -> None:
        self.rng, self.document = rng, document
        self.script = LANGUAGES[document.language].script
        self.slides = document.genre == "slides"
        pick = rng.choice
        self.accent = pick(ACCENTS) if rng.random() < 0.6 else "#000000"
        serif, sans = [f.split("|") for f in BY_SCRIPT[self.script]] if self.script in BY_SCRIPT else [SERIF, SANS]
        upright = rng.random() < {"paper": 0.75, "book": 0.9, "thesis": 0.75, "slides": 0.1}.get(document.genre, 0.4)
        self.body = pick(serif if upright else sans)
        self.heads = self.body if rng.random() < 0.6 else pick(sans if upright else serif)
        self.mono = pick(MONO)
        self.size = round(rng.uniform(8.2, 12.5) if rng.random() < 0.85 else rng.uniform(7, 14), 1)
        self.leading = round(rng.uniform(1.12, 1.6), 2)
        if self.slides:
            self.page = pick(SLIDES)
            self.size = round(self.page[1] / rng.uniform(22, 34), 1)
        else:
            weights = (8, 7, 1.5, 1.5, 1.2, 0.4, 1, 0.4, 0.5)
            if document.genre == "book":
                weights = (2, 2, 4, 3, 5, 0, 4, 0.3, 0)
            self.page = PAGES[rng.choices([*PAGES], weights)[0]]
        self.columns = self._columns()
        narrow = self.page[0] / self.columns
        if narrow < 260:
            self.size = min(self.size, 9.5)
        self.margins = self._margins()

    def _columns(self) -> int:
        if self.page[0] < 450 or self.slides:
            return 1
        two = {
            "paper": 0.5,
            "newsletter": 0.75,
            "brochure": 0.4,
            "report": 0.15,
            "standard": 0.12,
            "manual": 0.12,
            "cv": 0.1,
        }
        if self.rng.random() > two.get(self.document.genre, 0.04):
            return 1
        return 3 if self.rng.random() < (0.35 if self.document.genre in ("newsletter", "brochure") else 0.08) else 2

    def _margins(self) -> tuple[float, float, float, float]:
        """Top, right, bottom, left in points."""
        rng, (width, height) = self.rng, self.page
        side = width * rng.uniform(0.07, 0.17)
        if self.columns > 1:
            side = width * rng.uniform(0.055, 0.1)
        top, bottom = height * rng.uniform(0.07, 0.13), height * rng.uniform(0.07, 0.13)
        left = right = side
        if rng.random() < 0.12 and self.columns == 1 and not self.slides:
            left += width * 0.14
        self.margin_notes = left == right and self.columns == 1 and rng.random() < 0.12 and not self.slides
        if self.margin_notes:
            right += width * 0.2
        return top, right, bottom, left

    def style(self) -> Style:
        rng, pick, genre = self.rng, self.rng.choice, self.document.genre
        chance = rng.random
        return Style(
            page=self.page,
            columns=self.columns,
            css=style_sheet(rng, BaseStyle(self.page, self.margins, self.body, self.heads, self.mono, self.size, self.leading,
                                           self.accent, self.slides)),
            caption_above={"table": chance() < 0.7, "figure": chance() < 0.12},
            caption_side=chance() < 0.06 and self.columns == 1,
            title_wide=chance() < 0.9,
            front=pick(("center", "center", "left", "left", "banner", "rules", "box")),
            abstract=pick(("heading", "heading", "run-in", "run-in", "center-heading", "none", "box", "split" if self.columns == 1 else "box")),
            authors=pick(("line", "line", "line", "grid", "stack", "stack", "footnote")),
            emails=pick(("list", "inline", "none", "none")),
            chapter_line=chance() < 0.5,
            run_in=pick((9, 9, 9, 4, 4, 3, 2)) if genre in ("paper", "standard", "report", "manual") else 9,
            margin_notes=self.margin_notes,
            line_numbers=pick((1, 5)) if chance() < (0.14 if genre == "paper" else 0.04) and not self.slides else 0,
            head=self._running_heads(),
            side_float=chance() < 0.35 and self.columns == 1,
            dots=pick(("dots", "dots", "dots", "none", "rule")),
            leading_end=chance() < 0.9,
            note_marks=pick(("1", "1", "1", "*", "a", "(1)")),
            native_markers=chance() < 0.15,
        )  # fmt: skip

    def _running_heads(self) -> dict[str, str]:
        rng = self.rng
        title, chapter, author = "{title}", "{chapter}", "{author}"
        date = f"{rng.randint(1990, 2025)}"
        if self.slides:
            foot = rng.choice(("", "||{page}", "{author}|{title}|{page}", "{title}||{page}/{pages}", "|{page}|"))
            return {"left": "", "right": "", "first": "", "foot-left": foot, "foot-right": foot, "foot-first": ""}
        kind = rng.randrange(8)
        tops = [
            ("", ""), ("", ""), (f"{{page}}||{title}", f"{chapter}||{{page}}"), (f"{title}||", f"{title}||"),
            (f"{author}||{{page}}", f"{title}||{{page}}"), (f"|{chapter}|", f"|{title}|"), (f"{{page}}|{author}|", f"|{title}|{{page}}"),
            (f"{title}||{date}", f"{title}||{date}"),
        ]  # fmt: skip
        left, right = tops[kind]
        if "{page}" in left:
            foots: tuple[str, ...] = ("", "", f"{title}|{author}|{date}")
        else:
            foots = ("|{page}|", "|{page}|", "||{page}", "{page}||", "|– {page} –|", f"{title}||{{page}}", "||{page} / {pages}",
                     f"{date}|{author}|Page {{page}} of {{pages}}")  # fmt: skip
        foot = rng.choice(foots)
        mirrored = "|".join(reversed(foot.split("|"))) if rng.random() < 0.3 else foot
        first = rng.choice(("", "", "same"))
        return {
            "left": left, "right": right, "first": right if first else "",
            "foot-left": mirrored, "foot-right": foot, "foot-first": foot if rng.random() < 0.7 else "",
        }  # fmt: skip


def describe(style: Style) -> dict[str, Any]:
    """The few facts about a style that are kept with the truth."""
    return {"columns": style.columns, "page": list(style.page), "front": style.front, "abstract": style.abstract}
