"""Random looks of office documents: paragraph styles, page layouts, table borders."""

# ruff: noqa: E501, SIM905  (markup and its attributes, one to a line)

from __future__ import annotations

import random
from dataclasses import dataclass, field

from bentos.training.generator.languages import LANGUAGES
from bentos.training.generator.model import Document
from bentos.training.generator.typography import ACCENTS, BY_SCRIPT, MONO, SANS, SERIF

OFFICE = "Carlito|Caladea|Liberation Sans|Liberation Serif|Open Sans|Roboto|DejaVu Sans|Noto Sans|Noto Serif|Linux Libertine O".split(
    "|"
)
PAGES = ((595.3, 841.9), (612, 792), (595.3, 841.9), (612, 792), (841.9, 595.3), (419.5, 595.3), (612, 1008))
SLIDES = ((720, 405), (720, 540), (960, 540))

Props = dict[str, str]


@dataclass(slots=True)
class Look:
    """A paragraph style: properties of the paragraph and of its text."""

    paragraph: Props = field(default_factory=dict)
    text: Props = field(default_factory=dict)


@dataclass(slots=True)
class Style:
    """One draw of an office template."""

    page: tuple[float, float]
    margins: tuple[float, float, float, float]
    """Top, right, bottom, left."""
    columns: int
    looks: dict[str, Look]
    font: str
    heads: str
    mono: str
    size: float
    accent: str
    table: str
    header: tuple[str, str, str]
    footer: tuple[str, str, str]
    caption_above: bool
    hang: float
    step: float
    heading_bar: bool
    dots: bool


def sample(rng: random.Random, document: Document) -> Style:
    """A template fit for the document."""
    pick, chance = rng.choice, rng.random
    script = LANGUAGES[document.language].script
    if script in BY_SCRIPT:
        fonts = [f for group in BY_SCRIPT[script] for f in group.split("|")]
    else:
        fonts = OFFICE if chance() < 0.7 else SERIF + SANS
    font = pick(fonts)
    heads = font if chance() < 0.5 else pick(fonts)
    size = pick((9, 10, 10, 10.5, 11, 11, 11, 12, 12))
    accent = pick(ACCENTS) if chance() < 0.6 else "#000000"
    slides = document.genre == "slides"
    page = pick(SLIDES) if slides else pick(PAGES)
    side = pick((54, 57, 72, 72, 85, 42))
    margins = (pick((50, 72, 72, 60)), side, pick((50, 72, 60)), side + (pick((0, 0, 0, 20))))
    columns = 1
    if (
        not slides
        and page[0] > 500
        and chance() < {"paper": 0.35, "newsletter": 0.8, "brochure": 0.5}.get(document.genre, 0.08)
    ):
        columns = 3 if document.genre == "newsletter" and chance() < 0.3 else 2
    if columns > 1:
        size = min(size, 10)
    style = Style(
        page, margins, columns, {}, font, heads, pick(MONO), size, accent,
        pick(("grid", "grid", "head", "zebra", "rows", "none", "light")), _running(rng), _running(rng, foot=True),
        chance() < 0.5, pick((14, 18, 18, 22)), pick((14, 18, 18, 24)), chance() < 0.15, chance() < 0.75,
    )  # fmt: skip
    style.looks = _looks(rng, style, slides)
    return style


def _running(rng: random.Random, foot: bool = False) -> tuple[str, str, str]:
    empty = ("", "", "")
    heads = (empty, empty, ("{title}", "", ""), ("", "", "{title}"), ("{author}", "", "{title}"), ("", "{title}", ""))
    feet = (("", "{page}", ""), ("", "", "{page}"), ("{title}", "", "Page {page} of {pages}"), ("{author}", "", "{page}"),
            ("{date}", "{title}", "{page}"), empty, ("", "- {page} -", ""), ("", "", "{page} | Page"))  # fmt: skip
    return rng.choice(feet if foot else heads)


def _looks(rng: random.Random, style: Style, slides: bool) -> dict[str, Look]:
    pick, chance, size = rng.choice, rng.random, style.size
    justify = pick(("justify", "start", "start"))
    after = pick((0, 4, 6, 6, 8, 10))
    body: Props = {
        "fo:text-align": justify,
        "fo:margin-bottom": f"{after}pt",
        "fo:line-height": pick(("100%", "108%", "115%", "115%", "130%", "150%")),
    }
    if after == 0:
        body["fo:text-indent"] = pick(("0pt", "14pt", "18pt", "28pt"))
    spacing = {"fo:margin-bottom": f"{max(after, 4)}pt", "fo:line-height": body["fo:line-height"]}
    looks = {"text": Look(body, {"fo:font-size": f"{size}pt"})}
    ratio = pick((1.15, 1.25, 1.3))
    for level in (1, 2, 3, 4):
        props = {
            "fo:font-size": f"{size * ratio ** max(4 - level - (level > 2), 0.3):.1f}pt",
            "style:font-name": style.heads,
        }
        if chance() < 0.8:
            props["fo:font-weight"] = "bold"
        elif chance() < 0.5:
            props["fo:font-style"] = "italic"
        if chance() < 0.6:
            props["fo:color"] = style.accent
        if level == 1 and chance() < 0.15:
            props["fo:text-transform"] = "uppercase"
        if level == 2 and chance() < 0.1:
            props["fo:font-variant"] = "small-caps"
        paragraph = {"fo:margin-top": f"{pick((6, 12, 12, 18, 24))}pt", "fo:margin-bottom": f"{pick((0, 3, 4, 6, 8))}pt", "fo:keep-with-next": "always",
                     "fo:text-align": "center" if level == 1 and chance() < 0.15 else "start"}  # fmt: skip
        if level == 1 and style.heading_bar:
            paragraph |= {"fo:background-color": "#dde5ee", "fo:padding": "3pt"}
        elif level == 1 and chance() < 0.2:
            paragraph |= {"fo:border-bottom": f"0.75pt solid {style.accent}", "fo:padding-bottom": "2pt"}
        looks[f"h{level}"] = Look(paragraph, props)
    align = pick(("center", "center", "start"))
    title = size * pick((1.6, 1.9, 2.2, 2.6)) * (1.4 if slides else 1)
    looks["title"] = Look(
        {"fo:text-align": align, "fo:margin-bottom": f"{pick((4, 8, 14))}pt", "fo:margin-top": f"{pick((0, 0, 20))}pt"},
        {
            "fo:font-size": f"{title:.1f}pt",
            "style:font-name": style.heads,
            "fo:font-weight": pick(("bold", "bold", "normal")),
            "fo:color": style.accent,
        },
    )
    looks["subtitle"] = Look(
        {"fo:text-align": align, "fo:margin-bottom": "8pt"},
        {"fo:font-size": f"{title * 0.62:.1f}pt", "fo:font-style": pick(("normal", "italic"))},
    )
    looks["author"] = Look(
        {"fo:text-align": align, "fo:margin-bottom": "3pt"}, {"fo:font-size": f"{size * pick((1, 1.1, 1.2)):.1f}pt"}
    )
    looks["affiliation"] = Look(
        {"fo:text-align": align, "fo:margin-bottom": "2pt"},
        {"fo:font-size": f"{size * pick((0.85, 0.9, 1)):.1f}pt", "fo:font-style": pick(("normal", "italic"))},
    )
    looks["date"] = Look({"fo:text-align": align, "fo:margin-bottom": "10pt"}, {"fo:font-size": f"{size}pt"})
    indent = pick((0, 0, 14, 28))
    looks["abstract"] = Look({"fo:text-align": justify, "fo:margin-left": f"{indent}pt", "fo:margin-right": f"{indent}pt", "fo:margin-bottom": "6pt"},
                             {"fo:font-size": f"{size * pick((0.9, 0.9, 1)):.1f}pt", "fo:font-style": pick(("normal", "normal", "italic"))})  # fmt: skip
    looks["quote"] = Look(
        {"fo:margin-left": "28pt", "fo:margin-right": "28pt", **spacing},
        {"fo:font-style": pick(("italic", "normal")), "fo:font-size": f"{size}pt"},
    )
    looks["pull-quote"] = Look(
        {"fo:text-align": "center", "fo:margin-top": "8pt", "fo:margin-bottom": "10pt"},
        {"fo:font-size": f"{size * 1.3:.1f}pt", "fo:color": style.accent},
    )
    looks["caption"] = Look({"fo:text-align": pick(("start", "center")), "fo:margin-top": "4pt", "fo:margin-bottom": f"{pick((4, 8, 10))}pt"},
                            {"fo:font-size": f"{size * pick((0.8, 0.85, 0.9)):.1f}pt", "fo:font-style": pick(("normal", "italic", "italic")), "fo:font-weight": pick(("normal", "normal", "bold"))})  # fmt: skip
    looks["formula"] = Look(
        {"fo:text-align": "center", "fo:margin-top": "6pt", "fo:margin-bottom": "6pt"},
        {"fo:font-size": f"{size}pt", "fo:font-style": "italic"},
    )
    looks["code"] = Look({"fo:margin-bottom": "0pt", "fo:margin-left": "10pt", **({"fo:background-color": "#f2f2f2"} if chance() < 0.5 else {})},
                         {"style:font-name": style.mono, "fo:font-size": f"{size * 0.82:.1f}pt"})  # fmt: skip
    hang = pick((0, 18, 24, 28))
    looks["citation"] = Look(
        {"fo:margin-left": f"{hang}pt", "fo:text-indent": f"-{hang}pt", "fo:margin-bottom": f"{pick((0, 2, 4))}pt"},
        {"fo:font-size": f"{size * pick((0.85, 0.9, 1)):.1f}pt"},
    )
    looks["footnote"] = Look(
        {"fo:margin-left": "10pt", "fo:text-indent": "-10pt"}, {"fo:font-size": f"{size * 0.82:.1f}pt"}
    )
    looks["cell"] = Look({"fo:text-align": "start"}, {"fo:font-size": f"{size * pick((0.8, 0.85, 0.9, 1)):.1f}pt"})
    looks["number"] = Look({"fo:text-align": pick(("end", "end", "center"))}, dict(looks["cell"].text))
    looks["head"] = Look({"fo:text-align": pick(("start", "center"))}, {**looks["cell"].text, "fo:font-weight": "bold"})
    looks["sidebar"] = Look({"fo:background-color": pick(("#eef3f8", "#f5f0e0", "#eeeeee")), "fo:padding": "5pt", "fo:border": pick(("none", f"0.75pt solid {style.accent}")),
                             "fo:margin-left": "6pt", "fo:margin-right": "6pt"}, {"fo:font-size": f"{size * 0.95:.1f}pt"})  # fmt: skip
    looks["furniture"] = Look(
        {},
        {
            "fo:font-size": f"{size * pick((0.75, 0.8, 0.9)):.1f}pt",
            "fo:color": pick(("#000000", "#666666", style.accent)),
        },
    )
    return looks
