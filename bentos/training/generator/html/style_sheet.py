"""Random rules of a style sheet around what a style has settled: page, faces, size, colour."""

# ruff: noqa: E501  (rules of style sheets, one to a line)

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BaseStyle:
    """What all rules start from; lengths in points."""

    page: tuple[float, float]
    margins: tuple[float, float, float, float]
    """Top, right, bottom, left."""
    body: str
    """Font of the text."""
    heads: str
    mono: str
    size: float
    leading: float
    """Height of a line in font sizes."""
    accent: str
    slides: bool


def style_sheet(rng: random.Random, base: BaseStyle) -> str:
    """All rules that the markup relies on."""
    rules = (_page_rules, _text_rules, _heading_rules, _list_rules, _table_rules, _front_rules, _other_rules)
    return "\n".join(write(rng, base) for write in rules)


def _page_rules(rng: random.Random, base: BaseStyle) -> str:
    (width, height), (top, right, bottom, left) = base.page, base.margins
    gap = rng.uniform(12, 26)
    rule = f"border-left:0.5pt solid #888;padding-left:{gap / 2:.1f}pt" if rng.random() < 0.15 else ""
    line = rng.choice(
        ("", "", "border-bottom:0.5pt solid #000;padding-bottom:2pt", f"border-bottom:1pt solid {base.accent}")
    )
    foot_line = rng.choice(("", "", "", "border-top:0.5pt solid #000;padding-top:2pt"))
    size = base.size * rng.uniform(0.7, 0.95)
    style = rng.choice(
        ("", "font-style:italic", "text-transform:uppercase;letter-spacing:0.06em", "font-variant:small-caps")
    )
    color = rng.choice(("", "", "color:#666", f"color:{base.accent}"))
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
.lineno {{ position:absolute; font-size:{base.size * 0.7:.1f}pt; color:#777; line-height:1 }}
"""


def _text_rules(rng: random.Random, base: BaseStyle) -> str:
    align = "justify" if rng.random() < (0.2 if base.slides else 0.7) else "start"
    if rng.random() < 0.55 and not base.slides:
        para = f"margin:0;text-indent:{rng.uniform(0.8, 2.2):.1f}em"
        first = "text-indent:0" if rng.random() < 0.7 else ""
    else:
        para, first = f"margin:0 0 {rng.uniform(0.3, 1.1):.2f}em 0", ""
    hyphens = "auto" if rng.random() < 0.7 else "manual"
    return f"""
.page {{ font:{base.size}pt/{base.leading} '{base.body}'; hyphens:{hyphens}; overflow-wrap:break-word }}
.p,.q,.theorem,.abs {{ text-align:{align} }}
.p {{ {para} }}
.first {{ {first} }}
.rest {{ text-indent:0 !important; margin-top:0 !important }}
.rest.drop::first-letter {{ float:none; font-size:inherit; padding:0; line-height:inherit }}
.cut {{ margin-bottom:0 !important; {"text-align-last:justify" if align == "justify" else ""} }}
.numbered {{ display:flex; gap:{rng.uniform(0.6, 1.6):.1f}em; text-indent:0; margin:0 0 0.5em }}
.numbered > .n {{ flex:0 0 {rng.uniform(1.2, 2.6):.1f}em }}
.numbered.rest > .n {{ visibility:hidden }}
.b {{ font-weight:bold }} .i {{ font-style:italic }} .m {{ font-family:'{base.mono}'; font-size:0.9em }}
.u {{ {rng.choice(("text-decoration:underline", "color:#0645ad", "", f"font-family:'{base.mono}'"))} }} .c {{ font-variant:small-caps }}
sup,sub {{ font-size:0.65em; line-height:0 }}
.q {{ margin:0.7em {rng.uniform(0.5, 3):.1f}em; {rng.choice(("", "font-style:italic", f"border-inline-start:2pt solid {base.accent};padding-inline-start:0.8em"))};
  font-size:{rng.uniform(0.9, 1.05):.2f}em }}
.theorem {{ margin:0.7em 0; {rng.choice(("", "font-style:italic"))} }}
.drop::first-letter {{ float:left; font-size:{rng.choice((2.6, 3.4)):.1f}em; line-height:0.85; padding:0.05em 0.08em 0 0; color:var(--cap) }}
.drop {{ --cap:{rng.choice(("inherit", base.accent))} }}
.fn {{ display:none }}
.notes .fn {{ display:block; font-size:{base.size * rng.uniform(0.72, 0.88):.1f}pt; line-height:1.25; text-align:{align};
  {rng.choice(("", "padding-left:1em;text-indent:-1em"))} }}
.notes:not(:empty)::before {{ content:''; display:block; width:{rng.choice((20, 33, 33, 100))}%; border-top:{rng.choice(("0.4pt solid #000", "0.4pt solid #000", "0"))}; margin:0.8em 0 0.3em }}
.mn {{ position:absolute; left:calc(100% + 10pt); width:{base.page[0] * 0.17:.0f}pt; font-size:{base.size * 0.8:.1f}pt; line-height:1.2;
  text-indent:0; text-align:start; {rng.choice(("", "font-style:italic"))} }}
.anchor {{ position:relative }}
"""


def _heading_rules(rng: random.Random, base: BaseStyle) -> str:
    out = []
    ratio = rng.uniform(1.05, 1.4)
    transform = [rng.choice(("", "", "", "text-transform:uppercase", "font-variant:small-caps")) for _ in range(2)]
    center = rng.random() < 0.25
    colored = rng.random() < 0.5
    for level in range(5):
        size = base.size * max(ratio ** (3 - level) * (1.15 if level < 2 else 1), 0.95)
        weight = "bold" if rng.random() < (0.92 if level < 2 else 0.6) else "normal"
        slant = "italic" if weight == "normal" and rng.random() < 0.7 and level > 1 else "normal"
        align = "center" if center and level < 3 else "start"
        box = ""
        if level == 1:
            box = rng.choice(
                ("", "", "", "", f"border-bottom:0.7pt solid {base.accent};padding-bottom:2pt", f"border-top:1pt solid {base.accent};padding-top:3pt",
                 f"background:{base.accent};color:#fff;padding:2pt 5pt", f"border-inline-start:4pt solid {base.accent};padding-inline-start:6pt",
                 "background:#e6e6e6;padding:2pt 4pt")
            )  # fmt: skip
        color = f"color:{base.accent}" if colored and "color:#fff" not in box else ""
        out.append(
            f".h{level} {{ font:{slant} normal {weight} {size:.1f}pt/1.2 '{base.heads}'; text-align:{align}; {color}; "
            f"margin:{rng.uniform(0.8, 1.9):.2f}em 0 {rng.uniform(0.2, 0.8):.2f}em; {transform[0] if level == 1 else transform[1] if level == 2 else ''}; {box}; "
            f"hyphens:manual }}"
        )
    out.append(f".h .num {{ margin-inline-end:{rng.uniform(0.4, 1.6):.1f}em }}")
    out.append(".flow > .h:first-child, .top > .h:first-child { margin-top:0 }")
    out.append(
        f".chapter {{ font-size:{base.size * rng.uniform(1.6, 2.6):.1f}pt; margin:{rng.uniform(0, 5):.1f}em 0 {rng.uniform(1, 2.5):.1f}em !important }}"
    )
    out.append(".chapter .line { display:block; font-size:0.6em; margin-bottom:0.6em }")
    out.append(
        f".part {{ text-align:center; font-size:{base.size * 2.4:.1f}pt; margin-top:35% !important }} .part .num {{ display:block; margin:0 0 0.6em }}"
    )
    out.append(
        f".run {{ font-weight:{rng.choice(('bold', 'bold', 'normal'))}; font-style:{rng.choice(('normal', 'italic'))} }}"
    )
    if base.slides:
        out.append(
            f".frametitle {{ font:{rng.choice(('bold', 'normal'))} {base.size * rng.uniform(1.3, 1.8):.1f}pt/1.15 '{base.heads}'; "
            f"text-align:{rng.choice(('start', 'start', 'center'))}; margin:0 0 {rng.uniform(0.6, 1.4):.1f}em !important }}"
        )
    return "\n".join(out)


def _list_rules(rng: random.Random, base: BaseStyle) -> str:
    hang, step = rng.uniform(1.1, 2.4), rng.uniform(1.0, 2.4)
    gap = rng.uniform(0, 0.6)
    indent = rng.uniform(0, 1.8)
    levels = "\n".join(f".l{d} {{ margin-inline-start:{indent + step * (d - 1):.2f}em }}" for d in (1, 2, 3))
    mark = rng.choice(("", "", f"color:{base.accent}", "font-weight:bold"))
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


def _table_rules(rng: random.Random, base: BaseStyle) -> str:
    kind = rng.choice(("booktabs", "booktabs", "grid", "grid", "zebra", "none", "rows", "outer", "head"))
    line = rng.choice(("#000", "#000", "#888", "#bbb", base.accent))
    width = rng.choice((0.4, 0.5, 0.75, 1.0))
    rules = {
        "booktabs": f"table {{ border-top:{width + 0.5}pt solid {line}; border-bottom:{width + 0.5}pt solid {line} }} thead {{ border-bottom:{width}pt solid {line} }}",
        "grid": f"td,th {{ border:{width}pt solid {line} }}",
        "zebra": f"tbody tr:nth-child(even) {{ background:#eef1f5 }} thead {{ border-bottom:{width}pt solid {line} }}",
        "none": "",
        "rows": f"tr {{ border-bottom:{width}pt solid {line} }}",
        "outer": f"table {{ border:{width}pt solid {line} }} thead {{ border-bottom:{width}pt solid {line} }} td + td {{ border-inline-start:{width}pt solid {line} }}",
        "head": f"thead {{ background:{base.accent}; color:#fff }} td {{ border-bottom:{width}pt solid #ccc }}",
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
table {{ border-collapse:collapse; font-size:{size:.2f}em; line-height:{rng.uniform(1.1, 1.4):.2f}; {full}; {f"font-family:'{base.heads}'" if rng.random() < 0.3 else ""} }}
td,th {{ padding:{pad[0]:.1f}pt {pad[1]:.1f}pt; text-align:start; vertical-align:{rng.choice(("top", "top", "middle", "baseline"))}; font-weight:normal }}
th {{ font-weight:{rng.choice(("bold", "bold", "normal"))}; text-align:{head_align} }}
td.num {{ text-align:{numeric} }}
{rules}
{shade}
.tnote {{ font-size:{size * 0.88:.2f}em; margin-top:0.3em }}
"""


def _front_rules(rng: random.Random, base: BaseStyle) -> str:
    size = base.size * rng.uniform(1.5, 2.6) * (1.3 if base.slides else 1)
    return f"""
.front {{ margin-bottom:{rng.uniform(0.8, 2.2):.1f}em }}
.front .title {{ font:{rng.choice(("bold", "bold", "normal"))} {size:.1f}pt/1.15 '{base.heads}'; margin:{rng.uniform(0, 1.2):.1f}em 0 {rng.uniform(0.3, 0.8):.1f}em;
  {rng.choice(("", "", "text-transform:uppercase" if rng.random() < 0.4 else "", f"color:{base.accent}"))} }}
.front .subtitle {{ font-size:{size * rng.uniform(0.55, 0.75):.1f}pt; line-height:1.2; margin:0 0 0.8em; {rng.choice(("", "font-style:italic", f"color:{base.accent}"))} }}
.front.center .title,.front.center .subtitle,.front.center .people,.front.center .date,.front.rules .title,.front.rules .people,.front.whole.center .lines {{ text-align:center }}
.front.rules .title {{ border-top:{rng.choice((1, 2, 4))}pt solid #000; border-bottom:1pt solid #000; padding:0.5em 0 }}
.front.banner .title {{ background:{base.accent if base.accent != "#000000" else "#234"}; color:#fff; padding:0.6em 0.5em }}
.front.box {{ border:0.7pt solid {base.accent}; padding:0.8em }}
.people {{ font-size:{rng.uniform(0.95, 1.25):.2f}em; margin:0.5em 0 }}
.people .grid {{ display:grid; grid-template-columns:repeat(auto-fit, minmax(9em, 1fr)); gap:0.8em }}
.people .aff,.people .mail {{ font-size:{rng.uniform(0.78, 0.95):.2f}em; {rng.choice(("", "font-style:italic"))}; line-height:1.25 }}
.people .mail {{ {rng.choice(("", f"font-family:'{base.mono}'"))} }}
.people .stack > div {{ margin-bottom:0.4em }}
.people .au {{ {rng.choice(("", "", "font-weight:bold", "font-variant:small-caps"))} }}
.front .date {{ margin:0.5em 0; font-size:0.95em }}
.front .fur {{ font-size:{base.size * 0.78:.1f}pt; color:#555; line-height:1.3 }}
.front.whole {{ display:flex; flex-direction:column; min-height:{(base.page[1] - base.margins[0] - base.margins[2]) * 0.9:.0f}pt }}
.front.whole .title {{ margin-top:{rng.uniform(10, 35):.0f}%; font-size:{size * 1.15:.1f}pt }}
.front.whole .lines {{ margin-top:{rng.choice(("auto", "3em", "1.5em"))} }}
.abstract {{ margin:{rng.uniform(0.6, 1.4):.1f}em {rng.choice((0, 0, 1, 2, 3))}em; font-size:{rng.uniform(0.85, 1.0):.2f}em; {rng.choice(("", "", "font-style:italic", "font-weight:bold" if rng.random() < 0.3 else ""))};
  line-height:{base.leading * 0.95:.2f} }}
.abstract.box {{ border:0.6pt solid #777; padding:0.7em }} .abstract.shade {{ background:#eee; padding:0.7em }}
.abstract.split {{ display:flex; gap:1.5em; border-top:0.5pt solid #000; border-bottom:0.5pt solid #000; padding:0.5em 0 }}
.abstract.split > .kw {{ flex:0 0 28% }}
.abs {{ margin:0 0 0.3em }}
.abh,.kwh {{ font-weight:{rng.choice(("bold", "bold", "normal"))}; font-style:{rng.choice(("normal", "normal", "italic"))}; {rng.choice(("", "", "text-transform:uppercase", "font-variant:small-caps"))} }}
.abh.block,.kwh.block {{ display:block; margin-bottom:0.4em }} .abh.mid {{ text-align:center }}
.kw {{ margin-top:0.6em }} .kw .each {{ display:block }}
"""


def _other_rules(rng: random.Random, base: BaseStyle) -> str:
    box = rng.choice(
        ("background:#eef3f8", "background:#f4f1e6", "border:0.7pt solid #555", f"border-inline-start:3pt solid {base.accent}", "border-top:1pt solid #000;border-bottom:1pt solid #000",
         f"border:1pt solid {base.accent}")
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
.figr {{ display:inline-block; line-height:0 }} .figr svg {{ max-width:100%; font-family:'{base.heads}' }}
.fig.side {{ display:flex; gap:1em; align-items:{rng.choice(("center", "flex-end", "flex-start"))} }} .fig.side .cap {{ flex:1 }}
.float-end {{ float:inline-end; width:42%; margin:0.3em 0 0.6em 1em }} .float-start {{ float:inline-start; width:42%; margin:0.3em 1em 0.6em 0 }}
.cap {{ font-size:{rng.uniform(0.78, 0.98):.2f}em; line-height:1.25; text-align:{caption_align}; margin:0.5em {rng.choice((0, 0, 1.5))}em; {rng.choice(("", "", "", "font-style:italic", f"font-family:'{base.heads}'"))};
  hyphens:manual }}
.eq {{ display:flex; align-items:center; margin:{rng.uniform(0.4, 1.1):.2f}em 0 }} .eq .f {{ flex:1; text-align:{rng.choice(("center", "center", "center", "start"))} }} .eq.start .f {{ margin-left:2em }}
.eq math {{ font-size:{rng.uniform(1.0, 1.15):.2f}em }} math {{ font-family:'{rng.choice(("Latin Modern Math", "Latin Modern Math", "DejaVu Math TeX Gyre", "Noto Sans Math"))}' }}
.box {{ {box}; padding:0.6em 0.8em; margin:0.8em 0; font-size:{rng.uniform(0.88, 1.0):.2f}em; {f"font-family:'{base.heads}'" if rng.random() < 0.4 else ""}; text-align:start }}
.box .bh {{ font-weight:bold; margin-bottom:0.3em; {rng.choice(("", f"color:{base.accent}", "text-transform:uppercase"))} }} .box .p {{ text-indent:0; text-align:start }}
.pull {{ font-size:{rng.uniform(1.15, 1.6):.2f}em; line-height:1.25; {rng.choice(("font-style:italic", "font-weight:bold", ""))}; color:{base.accent}; margin:0.8em 0; text-align:{rng.choice(("center", "start"))};
  {rng.choice(("", "border-top:1pt solid;border-bottom:1pt solid;padding:0.4em 0"))} }}
.code {{ font-family:'{base.mono}'; font-size:{rng.uniform(0.74, 0.92):.2f}em; line-height:{rng.uniform(1.1, 1.35):.2f}; white-space:pre-wrap; {code}; padding:0.4em 0.6em; margin:0.7em 0; hyphens:manual; text-align:left; direction:ltr }}
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
