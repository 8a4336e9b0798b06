"""The preamble: packages and page style, the commands that colour, the colours.

Both twins come from one file: `\\gencolored` decides whether the commands set the colour or repeat the current one, so
that the specials stand at the same places in both and the layout is the same.
"""

# ruff: noqa: E501  (LaTeX, one construct to a line)

from __future__ import annotations

from bentos.training.generator.drawing import tex
from bentos.training.generator.ids import color_of
from bentos.training.generator.latex.classes import (
    BEAMER_COLORS,
    BEAMER_FONTS,
    BEAMER_THEMES,
    MEMOIR_STYLES,
    TEXT_FONTS,
)
from bentos.training.generator.latex.groups import Groups
from bentos.training.generator.model import Zone

BABEL = {
    "de": "ngerman", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese", "nl": "dutch", "sv": "swedish",
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


def preamble(s: Groups, listings: bool) -> str:
    """Packages, style, commands and colours: all that stands before the document begins.

    To be written when all pieces of the body are known.
    """
    rng, layout, genre = s.rng, s.layout, s.document.genre
    lines = [layout.preamble] if layout.preamble else []
    language = s.document.language
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
    if listings and layout.name not in ("beamer",):
        lines.append(
            "\\usepackage{listings}\\lstset{basicstyle=\\ttfamily\\footnotesize,breaklines=true,"
            + rng.choice(("frame=single", "frame=lines", "numbers=left", ""))
            + "}"
        )
    if layout.theorems:
        lines.append("\\newtheorem{gentheorem}{Theorem}")
    if s.multicols:
        lines.append("\\usepackage{multicol}")
    free = layout.name in ("article", "extarticle", "report", "extreport", "book", "paper")
    if free:
        lines += _free_style(s)
    if layout.name == "memoir":
        lines.append(f"\\chapterstyle{{{rng.choice(MEMOIR_STYLES)}}}")
    if layout.name == "beamer":
        lines.append(f"\\usetheme{{{rng.choice(BEAMER_THEMES)}}}\\usefonttheme{{{rng.choice(BEAMER_FONTS)}}}")
        if rng.random() < 0.6:
            lines.append(f"\\usecolortheme{{{rng.choice(BEAMER_COLORS)}}}")
    if genre == "paper" and layout.name in ("article", "scrartcl", "elsarticle", "amsart") and rng.random() < 0.2:
        number = s.switch("lineno", Zone.OVERLAY)
        lines.append("\\usepackage{lineno}\\linenumbers")
        s.before_document.append(f"\\renewcommand\\linenumberfont{{\\normalfont\\tiny{number}}}\n")
    if rng.random() < 0.25 and free:
        lines.append(f"\\linespread{{{rng.choice((1.1, 1.25, 1.5, 1.7, 2.0))}}}")
    packages = "\n".join(lines) + "\n"
    return f"{packages}{_MACROS}{''.join(s.before_document)}{_colors(s)}"


def _free_style(s: Groups) -> list[str]:
    """What may be changed in the standard classes: margins, headings, captions, running heads, lists, paragraphs."""
    rng = s.rng
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
        head, foot = tex(s.document.running_title), tex(s.document.running_author)
        lines.append("\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}")
        lines.append(rng.choice((f"\\lhead{{{head}}}\\rhead{{\\thepage}}", f"\\chead{{{head}}}\\cfoot{{\\thepage}}", f"\\lhead{{\\leftmark}}\\rhead{{\\thepage}}\\lfoot{{{foot}}}",
                                 f"\\rfoot{{Page \\thepage}}\\lfoot{{{head}}}", f"\\lhead{{{foot}}}\\rhead{{{head}}}\\cfoot{{--- \\thepage\\ ---}}")))  # fmt: skip
        lines.append(f"\\renewcommand\\headrulewidth{{{rng.choice(('0pt', '0.4pt', '0.4pt'))}}}")
    if rng.random() < 0.3:
        lines.append("\\usepackage{parskip}")
    if rng.random() < 0.3:
        lines.append(
            "\\usepackage{enumitem}\\setlist{" + rng.choice(("nosep", "noitemsep", "leftmargin=*", "itemsep=4pt")) + "}"
        )
    if rng.random() < 0.2 and s.columns == 1:
        lines.append("\\raggedright")
    if s.columns == 2 and rng.random() < 0.3:
        lines.append("\\setlength\\columnseprule{0.4pt}")
    return lines


def _colors(s: Groups) -> str:
    """Definitions of the colours of all pieces."""
    return "".join(f"\\definecolor{{gen{n}}}{{HTML}}{{{color_of(n).upper()}}}\n" for n in range(len(s.pieces.pieces)))
