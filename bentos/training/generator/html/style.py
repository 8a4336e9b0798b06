"""Random typography for web pages: one draw of `Style` is one layout."""

# ruff: noqa: E501, SIM905  (rules of style sheets and lists of fonts, one to a line)

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from bentos.training.generator.languages import LANGUAGES
from bentos.training.generator.model import Document

SERIF = (
    "Liberation Serif|DejaVu Serif|EB Garamond|Linux Libertine O|Noto Serif|TeX Gyre Termes|TeX Gyre Pagella|TeX Gyre Bonum|"
    "TeX Gyre Schola|Caladea|Latin Modern Roman|Bitstream Charter|Utopia|Noto Serif Display"
).split("|")
SANS = (
    "Liberation Sans|DejaVu Sans|Open Sans|Roboto|Carlito|Noto Sans|TeX Gyre Heros|TeX Gyre Adventor|Linux Biolinum O|"
    "Latin Modern Sans|Roboto Condensed|DejaVu Sans Condensed|Open Sans Condensed|Liberation Sans Narrow"
).split("|")
MONO = "Liberation Mono|DejaVu Sans Mono|Noto Sans Mono|TeX Gyre Cursor|Latin Modern Mono|Courier".split("|")
BY_SCRIPT = {
    "cyrillic": ("Liberation Serif|DejaVu Serif|Noto Serif|Linux Libertine O", "Liberation Sans|DejaVu Sans|Open Sans|Roboto|Noto Sans"),
    "greek": ("Liberation Serif|DejaVu Serif|Noto Serif|Linux Libertine O|GFS Baskerville", "Liberation Sans|DejaVu Sans|Noto Sans"),
    "zh": ("Noto Serif CJK SC", "Noto Sans CJK SC"),
    "ja": ("Noto Serif CJK JP", "Noto Sans CJK JP"),
    "ko": ("Noto Serif CJK KR", "Noto Sans CJK KR"),
    "arabic": ("Noto Naskh Arabic", "Noto Sans Arabic|Noto Kufi Arabic|DejaVu Sans"),
    "hebrew": ("Noto Serif Hebrew|Liberation Serif", "Noto Sans Hebrew|Liberation Sans|DejaVu Sans"),
    "devanagari": ("Noto Serif Devanagari", "Noto Sans Devanagari"),
}  # fmt: skip

PAGES = {
    "a4": (595.3, 841.9), "letter": (612, 792), "a5": (419.5, 595.3), "b5": (498.9, 708.7), "trade": (396, 612),
    "legal": (612, 1008), "royal": (442, 663), "square": (560, 560), "landscape": (841.9, 595.3),
}  # fmt: skip
SLIDES = ((720, 405), (720, 540), (960, 540), (362.8, 272.1), (453.5, 255.1))

ACCENTS = "#1f4e79 #8b1a1a #2e6b3a #5b2a86 #b5541c #006d77 #333333 #a4133c #22577a #000000 #6c584c".split()


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

    def _margins(self) -> list[float]:
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
        return [top, right, bottom, left]

    def style(self) -> Style:
        rng, pick, genre = self.rng, self.rng.choice, self.document.genre
        chance = rng.random
        return Style(
            page=self.page,
            columns=self.columns,
            css="\n".join([self._page_css(), self._text_css(), self._heading_css(), self._list_css(), self._table_css(),
                           self._front_css(), self._other_css()]),
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

    def _page_css(self) -> str:
        (width, height), (top, right, bottom, left) = self.page, self.margins
        rng = self.rng
        gap = rng.uniform(12, 26)
        rule = f"border-left:0.5pt solid #888;padding-left:{gap / 2:.1f}pt" if rng.random() < 0.15 else ""
        line = rng.choice(
            ("", "", "border-bottom:0.5pt solid #000;padding-bottom:2pt", f"border-bottom:1pt solid {self.accent}")
        )
        foot_line = rng.choice(("", "", "", "border-top:0.5pt solid #000;padding-top:2pt"))
        size = self.size * rng.uniform(0.7, 0.95)
        style = rng.choice(
            ("", "font-style:italic", "text-transform:uppercase;letter-spacing:0.06em", "font-variant:small-caps")
        )
        color = rng.choice(("", "", "color:#666", f"color:{self.accent}"))
        mirrored = rng.random() < 0.4 and left == right
        shift = rng.uniform(6, 16) if mirrored else 0
        return f"""
@page {{ size:{width}pt {height}pt; margin:0 }}
html,body {{ margin:0; padding:0; background:#fff }}
.page {{ width:{width}pt; height:{height}pt; box-sizing:border-box; position:relative; overflow:hidden; display:flex;
  flex-direction:column; break-after:page; padding:{top}pt {right - shift}pt {bottom}pt {left + shift}pt }}
.page.even {{ padding-left:{left - shift}pt; padding-right:{right + shift}pt }}
.cols {{ flex:1; min-height:0; display:flex; gap:{gap:.1f}pt }}
.col {{ flex:1 1 0; min-width:0; height:100%; display:flex; flex-direction:column; position:relative }}
.col + .col {{ {rule} }}
.flow {{ display:flow-root; flex:0 0 auto }}
.notes {{ margin-top:auto; display:flow-root }}
.hd,.ft {{ position:absolute; display:flex; justify-content:space-between; font-size:{size:.1f}pt; {style}; {color};
  left:{left + shift}pt; right:{right - shift}pt; line-height:1.2 }}
.page.even .hd,.page.even .ft {{ left:{left - shift}pt; right:{right + shift}pt }}
.hd {{ top:{top * rng.uniform(0.35, 0.62):.1f}pt; {line} }}
.ft {{ bottom:{bottom * rng.uniform(0.35, 0.62):.1f}pt; {foot_line} }}
.hd:empty,.ft:empty {{ display:none }}
.top {{ display:flow-root; flex:0 0 auto }}
.lineno {{ position:absolute; font-size:{self.size * 0.7:.1f}pt; color:#777; line-height:1 }}
"""

    def _text_css(self) -> str:
        rng = self.rng
        align = "justify" if rng.random() < (0.2 if self.slides else 0.7) else "start"
        if rng.random() < 0.55 and not self.slides:
            para = f"margin:0;text-indent:{rng.uniform(0.8, 2.2):.1f}em"
            first = "text-indent:0" if rng.random() < 0.7 else ""
        else:
            para, first = f"margin:0 0 {rng.uniform(0.3, 1.1):.2f}em 0", ""
        hyphens = "auto" if rng.random() < 0.7 else "manual"
        return f"""
.page {{ font:{self.size}pt/{self.leading} '{self.body}'; hyphens:{hyphens}; overflow-wrap:break-word }}
.p,.q,.theorem,.abs {{ text-align:{align} }}
.p {{ {para} }}
.first {{ {first} }}
.rest {{ text-indent:0 !important; margin-top:0 !important }}
.rest.drop::first-letter {{ float:none; font-size:inherit; padding:0; line-height:inherit }}
.cut {{ margin-bottom:0 !important; {"text-align-last:justify" if align == "justify" else ""} }}
.numbered {{ display:flex; gap:{rng.uniform(0.6, 1.6):.1f}em; text-indent:0; margin:0 0 0.5em }}
.numbered > .n {{ flex:0 0 {rng.uniform(1.2, 2.6):.1f}em }}
.numbered.rest > .n {{ visibility:hidden }}
.b {{ font-weight:bold }} .i {{ font-style:italic }} .m {{ font-family:'{self.mono}'; font-size:0.9em }}
.u {{ {rng.choice(("text-decoration:underline", "color:#0645ad", "", f"font-family:'{self.mono}'"))} }} .c {{ font-variant:small-caps }}
sup,sub {{ font-size:0.65em; line-height:0 }}
.q {{ margin:0.7em {rng.uniform(0.5, 3):.1f}em; {rng.choice(("", "font-style:italic", f"border-inline-start:2pt solid {self.accent};padding-inline-start:0.8em"))};
  font-size:{rng.uniform(0.9, 1.05):.2f}em }}
.theorem {{ margin:0.7em 0; {rng.choice(("", "font-style:italic"))} }}
.drop::first-letter {{ float:left; font-size:{rng.choice((2.6, 3.4)):.1f}em; line-height:0.85; padding:0.05em 0.08em 0 0; color:var(--cap) }}
.drop {{ --cap:{rng.choice(("inherit", self.accent))} }}
.fn {{ display:none }}
.notes .fn {{ display:block; font-size:{self.size * rng.uniform(0.72, 0.88):.1f}pt; line-height:1.25; text-align:{align};
  {rng.choice(("", "padding-left:1em;text-indent:-1em"))} }}
.notes:not(:empty)::before {{ content:''; display:block; width:{rng.choice((20, 33, 33, 100))}%; border-top:{rng.choice(("0.4pt solid #000", "0.4pt solid #000", "0"))}; margin:0.8em 0 0.3em }}
.mn {{ position:absolute; left:calc(100% + 10pt); width:{self.page[0] * 0.17:.0f}pt; font-size:{self.size * 0.8:.1f}pt; line-height:1.2;
  text-indent:0; text-align:start; {rng.choice(("", "font-style:italic"))} }}
.anchor {{ position:relative }}
"""

    def _heading_css(self) -> str:
        rng = self.rng
        out = []
        ratio = rng.uniform(1.05, 1.4)
        transform = [rng.choice(("", "", "", "text-transform:uppercase", "font-variant:small-caps")) for _ in range(2)]
        center = rng.random() < 0.25
        colored = rng.random() < 0.5
        for level in range(5):
            size = self.size * max(ratio ** (3 - level) * (1.15 if level < 2 else 1), 0.95)
            weight = "bold" if rng.random() < (0.92 if level < 2 else 0.6) else "normal"
            slant = "italic" if weight == "normal" and rng.random() < 0.7 and level > 1 else "normal"
            align = "center" if center and level < 3 else "start"
            box = ""
            if level == 1:
                box = rng.choice(
                    ("", "", "", "", f"border-bottom:0.7pt solid {self.accent};padding-bottom:2pt", f"border-top:1pt solid {self.accent};padding-top:3pt",
                     f"background:{self.accent};color:#fff;padding:2pt 5pt", f"border-inline-start:4pt solid {self.accent};padding-inline-start:6pt",
                     "background:#e6e6e6;padding:2pt 4pt")
                )  # fmt: skip
            color = f"color:{self.accent}" if colored and "color:#fff" not in box else ""
            out.append(
                f".h{level} {{ font:{slant} normal {weight} {size:.1f}pt/1.2 '{self.heads}'; text-align:{align}; {color}; "
                f"margin:{rng.uniform(0.8, 1.9):.2f}em 0 {rng.uniform(0.2, 0.8):.2f}em; {transform[0] if level == 1 else transform[1] if level == 2 else ''}; {box}; "
                f"hyphens:manual }}"
            )
        out.append(f".h .num {{ margin-inline-end:{rng.uniform(0.4, 1.6):.1f}em }}")
        out.append(".flow > .h:first-child, .top > .h:first-child { margin-top:0 }")
        out.append(
            f".chapter {{ font-size:{self.size * rng.uniform(1.6, 2.6):.1f}pt; margin:{rng.uniform(0, 5):.1f}em 0 {rng.uniform(1, 2.5):.1f}em !important }}"
        )
        out.append(".chapter .line { display:block; font-size:0.6em; margin-bottom:0.6em }")
        out.append(
            f".part {{ text-align:center; font-size:{self.size * 2.4:.1f}pt; margin-top:35% !important }} .part .num {{ display:block; margin:0 0 0.6em }}"
        )
        out.append(
            f".run {{ font-weight:{rng.choice(('bold', 'bold', 'normal'))}; font-style:{rng.choice(('normal', 'italic'))} }}"
        )
        if self.slides:
            out.append(
                f".frametitle {{ font:{rng.choice(('bold', 'normal'))} {self.size * rng.uniform(1.3, 1.8):.1f}pt/1.15 '{self.heads}'; "
                f"text-align:{rng.choice(('start', 'start', 'center'))}; margin:0 0 {rng.uniform(0.6, 1.4):.1f}em !important }}"
            )
        return "\n".join(out)

    def _list_css(self) -> str:
        rng = self.rng
        hang, step = rng.uniform(1.1, 2.4), rng.uniform(1.0, 2.4)
        gap = rng.uniform(0, 0.6)
        base = rng.uniform(0, 1.8)
        levels = "\n".join(f".l{d} {{ margin-inline-start:{base + step * (d - 1):.2f}em }}" for d in (1, 2, 3))
        mark = rng.choice(("", "", f"color:{self.accent}", "font-weight:bold"))
        align = rng.choice(("start", "start", "end"))
        term = rng.choice(
            (f".li.term {{ display:flex; gap:1em }} .li.term > .mk {{ flex:0 0 {rng.uniform(4, 9):.0f}em; font-weight:bold }}",
             ".li.term > .mk { font-weight:bold; margin-inline-end:0.8em }", ".li.term > .mk { display:block; font-weight:bold } .li.term > .it { display:block; margin-inline-start:2em }")
        )  # fmt: skip
        return f"""
.li {{ margin-top:0; margin-bottom:{gap:.2f}em }}
.li:not(.term):not(.native) {{ display:flex }}
.li > .mk {{ flex:0 0 {hang:.2f}em; {mark}; text-align:{align}; {"padding-inline-end:0.4em" if align == "end" else ""}; box-sizing:content-box; white-space:nowrap }}
.li > .it {{ flex:1 1 auto; min-width:0 }}
.li .more {{ display:block; margin-top:0.4em }}
.li.native {{ display:list-item; list-style:disc; padding-inline-start:0; margin-inline-start:{hang:.2f}em }}
.li.native::marker {{ color:var(--mk) }}
.li.rest > .mk {{ visibility:hidden }}
{levels}
{term}
"""

    def _table_css(self) -> str:
        rng = self.rng
        kind = rng.choice(("booktabs", "booktabs", "grid", "grid", "zebra", "none", "rows", "outer", "head"))
        line = rng.choice(("#000", "#000", "#888", "#bbb", self.accent))
        width = rng.choice((0.4, 0.5, 0.75, 1.0))
        rules = {
            "booktabs": f"table {{ border-top:{width + 0.5}pt solid {line}; border-bottom:{width + 0.5}pt solid {line} }} thead {{ border-bottom:{width}pt solid {line} }}",
            "grid": f"td,th {{ border:{width}pt solid {line} }}",
            "zebra": f"tbody tr:nth-child(even) {{ background:#eef1f5 }} thead {{ border-bottom:{width}pt solid {line} }}",
            "none": "",
            "rows": f"tr {{ border-bottom:{width}pt solid {line} }}",
            "outer": f"table {{ border:{width}pt solid {line} }} thead {{ border-bottom:{width}pt solid {line} }} td + td {{ border-inline-start:{width}pt solid {line} }}",
            "head": f"thead {{ background:{self.accent}; color:#fff }} td {{ border-bottom:{width}pt solid #ccc }}",
        }[kind]  # fmt: skip
        size = rng.uniform(0.78, 1.0)
        full = "width:100%" if rng.random() < 0.5 else f"margin-inline:{rng.choice(('auto', 'auto', '0'))}"
        numeric = rng.choice(("end", "end", "center", "start"))
        head_align = rng.choice(("start", "center", "start"))
        shade = "thead { background:#e8e8e8 }" if kind in ("grid", "rows", "none") and rng.random() < 0.4 else ""
        pad = rng.uniform(0.5, 4), rng.uniform(2.5, 8)
        return f"""
.tab {{ margin:{rng.uniform(0.5, 1.2):.2f}em 0 }}
.tabr {{ display:flow-root }}
table {{ border-collapse:collapse; font-size:{size:.2f}em; line-height:{rng.uniform(1.1, 1.4):.2f}; {full}; {f"font-family:'{self.heads}'" if rng.random() < 0.3 else ""} }}
td,th {{ padding:{pad[0]:.1f}pt {pad[1]:.1f}pt; text-align:start; vertical-align:{rng.choice(("top", "top", "middle", "baseline"))}; font-weight:normal }}
th {{ font-weight:{rng.choice(("bold", "bold", "normal"))}; text-align:{head_align} }}
td.num {{ text-align:{numeric} }}
{rules}
{shade}
.tnote {{ font-size:{size * 0.88:.2f}em; margin-top:0.3em }}
"""

    def _front_css(self) -> str:
        rng = self.rng
        size = self.size * rng.uniform(1.5, 2.6) * (1.3 if self.slides else 1)
        return f"""
.front {{ margin-bottom:{rng.uniform(0.8, 2.2):.1f}em }}
.front .title {{ font:{rng.choice(("bold", "bold", "normal"))} {size:.1f}pt/1.15 '{self.heads}'; margin:{rng.uniform(0, 1.2):.1f}em 0 {rng.uniform(0.3, 0.8):.1f}em;
  {rng.choice(("", "", "text-transform:uppercase" if rng.random() < 0.4 else "", f"color:{self.accent}"))} }}
.front .subtitle {{ font-size:{size * rng.uniform(0.55, 0.75):.1f}pt; line-height:1.2; margin:0 0 0.8em; {rng.choice(("", "font-style:italic", f"color:{self.accent}"))} }}
.front.center .title,.front.center .subtitle,.front.center .people,.front.center .date,.front.rules .title,.front.rules .people,.front.whole.center .lines {{ text-align:center }}
.front.rules .title {{ border-top:{rng.choice((1, 2, 4))}pt solid #000; border-bottom:1pt solid #000; padding:0.5em 0 }}
.front.banner .title {{ background:{self.accent if self.accent != "#000000" else "#234"}; color:#fff; padding:0.6em 0.5em }}
.front.box {{ border:0.7pt solid {self.accent}; padding:0.8em }}
.people {{ font-size:{rng.uniform(0.95, 1.25):.2f}em; margin:0.5em 0 }}
.people .grid {{ display:grid; grid-template-columns:repeat(auto-fit, minmax(9em, 1fr)); gap:0.8em }}
.people .aff,.people .mail {{ font-size:{rng.uniform(0.78, 0.95):.2f}em; {rng.choice(("", "font-style:italic"))}; line-height:1.25 }}
.people .mail {{ {rng.choice(("", f"font-family:'{self.mono}'"))} }}
.people .stack > div {{ margin-bottom:0.4em }}
.people .au {{ {rng.choice(("", "", "font-weight:bold", "font-variant:small-caps"))} }}
.front .date {{ margin:0.5em 0; font-size:0.95em }}
.front .fur {{ font-size:{self.size * 0.78:.1f}pt; color:#555; line-height:1.3 }}
.front.whole {{ display:flex; flex-direction:column; min-height:{(self.page[1] - self.margins[0] - self.margins[2]) * 0.9:.0f}pt }}
.front.whole .title {{ margin-top:{rng.uniform(10, 35):.0f}%; font-size:{size * 1.15:.1f}pt }}
.front.whole .lines {{ margin-top:{rng.choice(("auto", "3em", "1.5em"))} }}
.abstract {{ margin:{rng.uniform(0.6, 1.4):.1f}em {rng.choice((0, 0, 1, 2, 3))}em; font-size:{rng.uniform(0.85, 1.0):.2f}em; {rng.choice(("", "", "font-style:italic", "font-weight:bold" if rng.random() < 0.3 else ""))};
  line-height:{self.leading * 0.95:.2f} }}
.abstract.box {{ border:0.6pt solid #777; padding:0.7em }} .abstract.shade {{ background:#eee; padding:0.7em }}
.abstract.split {{ display:flex; gap:1.5em; border-top:0.5pt solid #000; border-bottom:0.5pt solid #000; padding:0.5em 0 }}
.abstract.split > .kw {{ flex:0 0 28% }}
.abs {{ margin:0 0 0.3em }}
.abh,.kwh {{ font-weight:{rng.choice(("bold", "bold", "normal"))}; font-style:{rng.choice(("normal", "normal", "italic"))}; {rng.choice(("", "", "text-transform:uppercase", "font-variant:small-caps"))} }}
.abh.block,.kwh.block {{ display:block; margin-bottom:0.4em }} .abh.mid {{ text-align:center }}
.kw {{ margin-top:0.6em }} .kw .each {{ display:block }}
"""

    def _other_css(self) -> str:
        rng = self.rng
        box = rng.choice(
            ("background:#eef3f8", "background:#f4f1e6", "border:0.7pt solid #555", f"border-inline-start:3pt solid {self.accent}", "border-top:1pt solid #000;border-bottom:1pt solid #000",
             f"border:1pt solid {self.accent}")
        )  # fmt: skip
        caption_align = rng.choice(("start", "start", "center", "justify"))
        code = rng.choice(
            (
                "background:#f3f3f3",
                "border:0.5pt solid #999",
                "",
                "border-left:2pt solid #999",
                "border-top:0.5pt solid #000;border-bottom:0.5pt solid #000",
            )
        )
        refs = rng.uniform(0.78, 1.0)
        hang = rng.uniform(1.2, 2.4)
        return f"""
.fig {{ margin:{rng.uniform(0.6, 1.3):.2f}em 0; text-align:{rng.choice(("center", "center", "start"))} }}
.figr {{ display:inline-block; line-height:0 }} .figr svg {{ max-width:100%; font-family:'{self.heads}' }}
.fig.side {{ display:flex; gap:1em; align-items:{rng.choice(("center", "flex-end", "flex-start"))} }} .fig.side .cap {{ flex:1 }}
.float-end {{ float:inline-end; width:42%; margin:0.3em 0 0.6em 1em }} .float-start {{ float:inline-start; width:42%; margin:0.3em 1em 0.6em 0 }}
.cap {{ font-size:{rng.uniform(0.78, 0.98):.2f}em; line-height:1.25; text-align:{caption_align}; margin:0.5em {rng.choice((0, 0, 1.5))}em; {rng.choice(("", "", "", "font-style:italic", f"font-family:'{self.heads}'"))};
  hyphens:manual }}
.eq {{ display:flex; align-items:center; margin:{rng.uniform(0.4, 1.1):.2f}em 0 }} .eq .f {{ flex:1; text-align:{rng.choice(("center", "center", "center", "start"))} }} .eq.start .f {{ margin-left:2em }}
.eq math {{ font-size:{rng.uniform(1.0, 1.15):.2f}em }} math {{ font-family:'{rng.choice(("Latin Modern Math", "Latin Modern Math", "DejaVu Math TeX Gyre", "Noto Sans Math"))}' }}
.box {{ {box}; padding:0.6em 0.8em; margin:0.8em 0; font-size:{rng.uniform(0.88, 1.0):.2f}em; {f"font-family:'{self.heads}'" if rng.random() < 0.4 else ""}; text-align:start }}
.box .bh {{ font-weight:bold; margin-bottom:0.3em; {rng.choice(("", f"color:{self.accent}", "text-transform:uppercase"))} }} .box .p {{ text-indent:0; text-align:start }}
.pull {{ font-size:{rng.uniform(1.15, 1.6):.2f}em; line-height:1.25; {rng.choice(("font-style:italic", "font-weight:bold", ""))}; color:{self.accent}; margin:0.8em 0; text-align:{rng.choice(("center", "start"))};
  {rng.choice(("", "border-top:1pt solid;border-bottom:1pt solid;padding:0.4em 0"))} }}
.code {{ font-family:'{self.mono}'; font-size:{rng.uniform(0.74, 0.92):.2f}em; line-height:{rng.uniform(1.1, 1.35):.2f}; white-space:pre-wrap; {code}; padding:0.4em 0.6em; margin:0.7em 0; hyphens:manual; text-align:left; direction:ltr }}
.code .ln {{ color:#888; margin-right:1.2em }}
.ref {{ font-size:{refs:.2f}em; margin-bottom:{rng.uniform(0, 0.5):.2f}em; text-align:{rng.choice(("start", "justify"))}; hyphens:manual }}
.ref.mark {{ display:flex }} .ref.mark > .mk {{ flex:0 0 auto; min-width:{hang:.1f}em; padding-inline-end:0.4em }}
.ref:not(.mark) {{ {rng.choice(("padding-inline-start:1.6em;text-indent:-1.6em", "padding-inline-start:1.6em;text-indent:-1.6em", ""))} }}
.ref.rest {{ text-indent:0 }} .ref.rest > .mk {{ visibility:hidden }}
.toc {{ display:flex; align-items:baseline; gap:0.4em; margin:{rng.uniform(0, 0.4):.2f}em 0; text-align:start }}
.toc .fill {{ flex:1; overflow:hidden; white-space:nowrap; direction:ltr }} .toc.rule .fill {{ border-bottom:0.4pt dotted #000 }}
.toc.t1 {{ {rng.choice(("", "font-weight:bold", "font-weight:bold;margin-top:0.5em"))} }} .toc.t2 {{ margin-inline-start:{rng.uniform(0.8, 2):.1f}em }} .toc.t3 {{ margin-inline-start:{rng.uniform(2, 4):.1f}em }}
.toc .num {{ min-width:1.8em }}
.idx {{ font-size:0.88em; padding-inline-start:1em; text-indent:-1em }}
.contact {{ line-height:1.3 }} .dateline {{ margin:1em 0; {rng.choice(("", "text-align:end"))} }} .byline {{ font-style:{rng.choice(("normal", "italic"))}; font-size:0.95em; margin-bottom:0.4em }}
.float {{ margin-bottom:1em }}
"""


def describe(style: Style) -> dict[str, Any]:
    """The few facts about a style that are kept with the truth."""
    return {"columns": style.columns, "page": list(style.page), "front": style.front, "abstract": style.abstract}
