"""The document classes that are used: options, how they want their front matter, what must be loaded.

Only classes that work with the fonts of a plain TeX Live are listed; `works` was found by setting a document in each.
"""

# ruff: noqa: E501, SIM905  (one class to a line, lists of names)

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LatexClass:
    """One document class."""

    name: str
    genres: tuple[str, ...]
    front: str = "plain"
    """Name of the writer of its front matter in `fronts`."""
    options: tuple[str, ...] = ("",)
    """Choices; one is drawn."""
    preamble: str = ""
    chapters: bool = False
    natbib: bool = False
    fonts: bool = True
    """Other text fonts may be loaded."""
    theorems: bool = True
    sections: tuple[str, str, str, str] = ("section", "subsection", "subsubsection", "paragraph")
    two_columns: tuple[str, ...] = ("twocolumn",)
    """Words in the options that mean two columns; `*` alone: always."""

    def columns(self, options: str) -> int:
        words = options.split(",")
        return 2 if self.two_columns == ("*",) or any(w in words for w in self.two_columns) else 1


_PAPER = ("paper",)
_SHORT = ("paper", "report", "manual", "standard", "letter", "invoice")
_LONG = ("report", "thesis", "book", "manual")

_SIZES = tuple(f"{s},{p}" for s in ("10pt", "11pt", "12pt") for p in ("a4paper", "letterpaper"))
_TWO = tuple(f"{o},twocolumn" for o in _SIZES)

CLASSES: tuple[LatexClass, ...] = (
    LatexClass("article", _SHORT, options=_SIZES + _TWO),
    LatexClass("article", ("newsletter", "brochure", "cv"), options=_SIZES + _TWO),
    LatexClass("extarticle", _SHORT, options=("8pt,a4paper", "9pt,letterpaper", "14pt,a4paper", "9pt,a4paper,twocolumn")),
    LatexClass("scrartcl", _SHORT, options=(*_SIZES, *_TWO, "parskip=half,a4paper", "paper=a5,9pt", "headings=small,DIV=12")),
    LatexClass("scrartcl", ("newsletter", "brochure", "cv"), options=_SIZES + _TWO),
    LatexClass("amsart", _PAPER, "ams", ("", "11pt", "12pt,a4paper", "reqno", "leqno"), theorems=False),
    LatexClass("amsproc", _PAPER, "ams", ("", "11pt"), theorems=False),
    LatexClass("IEEEtran", _PAPER, "ieee", ("conference", "journal", "technote", "conference,a4paper", "journal,compsoc",
               "peerreview"), fonts=False, two_columns=("conference", "journal", "technote")),
    LatexClass("llncs", _PAPER, "llncs", ("", "runningheads"), theorems=False),
    LatexClass("elsarticle", _PAPER, "elsevier", ("preprint,12pt", "1p", "3p", "5p,twocolumn", "review,10pt", "3p,twocolumn"),
               natbib=True),
    LatexClass("revtex4-2", _PAPER, "revtex", ("aps,prl,twocolumn", "aps,prb,reprint", "aps,pra,preprint", "aip,jcp,reprint",
               "aps,rmp,reprint", "aps,pre,onecolumn"), natbib=True, fonts=False, two_columns=("twocolumn", "reprint")),
    LatexClass("revtex4-1", _PAPER, "revtex", ("aps,prl,reprint", "aip,apl,preprint"), natbib=True, fonts=False,
               two_columns=("reprint",)),
    LatexClass("mnras", _PAPER, "mnras", ("fleqn,usenatbib", "fleqn,usenatbib,a4paper"), natbib=True, fonts=False,
               two_columns=("*",)),
    LatexClass("apa6", _PAPER, "apa", ("man", "doc"), fonts=False),
    LatexClass("apa7", _PAPER, "apa", ("man", "jou", "doc"), fonts=False, two_columns=("jou",)),
    LatexClass("achemso", _PAPER, "achemso", ("", "layout=twocolumn"), natbib=True, fonts=False,
               two_columns=("layout=twocolumn",)),
    LatexClass("acmart", _PAPER, "acm", ("sigconf", "acmsmall", "manuscript", "acmlarge", "acmtog", "sigplan"), natbib=True,
               fonts=False, theorems=False, two_columns=("sigconf", "acmtog", "sigplan")),
    LatexClass("spie", _PAPER, "spie", ("", "a4paper"), fonts=False),
    LatexClass("paper", _PAPER, "plain", ("", "11pt", "twocolumn")),
    LatexClass("proc", _PAPER, "plain", ("", "a4paper"), two_columns=("*",)),
    LatexClass("artikel1", _SHORT, "plain", ("", "11pt,a4paper")),
    LatexClass("artikel2", _SHORT, "plain", ("", "a4paper")),
    LatexClass("artikel3", _SHORT, "plain", ("", "11pt,a4paper")),
    LatexClass("ltugboat", _PAPER, "tugboat", ("",), fonts=False, theorems=False, two_columns=("*",)),
    LatexClass("IEEEconf", _PAPER, "plain", ("",), fonts=False, two_columns=("*",)),
    LatexClass("ascelike", _PAPER, "plain", ("Journal", "Proceedings"), fonts=False),
    LatexClass("smfart", _PAPER, "ams", ("", "a4paper"), theorems=False),
    LatexClass("hitec", ("manual", "report", "standard"), "plain", ("", "10pt")),
    LatexClass("refart", ("manual", "report"), "plain", ("", "a4paper")),
    LatexClass("refrep", ("manual", "report"), "plain", ("", "a4paper"), chapters=True),
    LatexClass("tufte-handout", ("report", "paper", "manual"), "plain", ("", "a4paper"), fonts=False, natbib=True,
               sections=("section", "subsection", "paragraph", "paragraph")),
    LatexClass("tufte-book", ("book", "report"), "plain", ("",), chapters=True, fonts=False, natbib=True,
               sections=("section", "subsection", "paragraph", "paragraph")),
    LatexClass("report", _LONG, options=_SIZES, chapters=True),
    LatexClass("extreport", _LONG, options=("9pt,a4paper", "14pt,letterpaper"), chapters=True),
    LatexClass("book", _LONG, options=(*_SIZES, "10pt,a5paper", "10pt,b5paper"), chapters=True),
    LatexClass("scrreprt", _LONG, options=(*_SIZES, "parskip,11pt", "headings=small"), chapters=True),
    LatexClass("scrbook", _LONG, options=(*_SIZES, "paper=a5,10pt", "open=any,headings=normal"), chapters=True),
    LatexClass("memoir", _LONG, options=("10pt,a4paper,openany", "11pt,letterpaper,openany", "9pt,a5paper,openany",
               "12pt,oneside,openany", "article,11pt"), chapters=True),
    LatexClass("aiaa-tc", _PAPER, fonts=False),
    LatexClass("asaetr", _PAPER, fonts=False),
    LatexClass("sugconf", _PAPER, fonts=False),
    LatexClass("ltugproc", _PAPER, fonts=False),
    LatexClass("ptptex", _PAPER, fonts=False),
    LatexClass("nih", ("report", "paper"), fonts=False),
    LatexClass("stex", _SHORT),
    LatexClass("ltxdoc", ("manual", "report")),
    LatexClass("amsdtx", ("manual", "report")),
    LatexClass("fancyhandout", ("manual", "report", "paper"), fonts=False),
    LatexClass("iodhbwm", ("report", "standard"), fonts=False),
    LatexClass("leaflet", ("brochure",), two_columns=()),
    LatexClass("pressrelease", ("letter", "report"), fonts=False),
    LatexClass("turabian-researchpaper", _PAPER, fonts=False),
    LatexClass("abstbook", _LONG, chapters=True, fonts=False),
    LatexClass("basque-book", ("book", "thesis"), chapters=True, fonts=False),
    LatexClass("caesar_book", ("book", "thesis"), chapters=True, fonts=False),
    LatexClass("labbook", ("thesis", "report"), chapters=True, fonts=False),
    LatexClass("extbook", _LONG, options=("9pt,a5paper", "14pt,a4paper"), chapters=True),
    LatexClass("boek3", ("book", "thesis"), chapters=True),
    LatexClass("rapport1", _LONG, chapters=True),
    LatexClass("smfbook", ("book", "thesis"), "amsbook", chapters=True, theorems=False),
    LatexClass("toptesi", ("thesis",), chapters=True, fonts=False),
    LatexClass("uiucthesis", ("thesis",), chapters=True),
    LatexClass("ut-thesis", ("thesis",), chapters=True),
    LatexClass("york-thesis", ("thesis",), chapters=True),
    LatexClass("amsbook", ("book", "thesis"), "amsbook", ("", "11pt"), chapters=True, theorems=False),
    LatexClass("rapport3", _LONG, "plain", ("", "a4paper"), chapters=True),
    LatexClass("boek", ("book", "thesis"), "plain", ("", "a4paper"), chapters=True),
    LatexClass("octavo", ("book",), "plain", ("crown", "demy", "foolscap"), chapters=True),
    LatexClass("ncc", ("report", "paper"), "plain", ("",)),
    LatexClass("letter", ("letter",), "none", ("", "11pt,a4paper", "12pt")),
    LatexClass("beamer", ("slides",), "beamer", ("", "aspectratio=169", "10pt", "12pt", "8pt,aspectratio=1610"), fonts=False,
               theorems=False),
)  # fmt: skip

MEMOIR_STYLES = "bianchi bringhurst chappell crosshead culver dash default demo3 ell ger hangnum komalike lyhne madsen ntglike pedersen southall tandh thatcher veelo verville wilsondob".split()
BEAMER_THEMES = (
    "AnnArbor Antibes Bergen Berkeley Berlin Boadilla CambridgeUS Copenhagen Darmstadt Dresden EastLansing Frankfurt Goettingen "
    "Hannover Ilmenau JuanLesPins Luebeck Madrid Malmoe Marburg Montpellier PaloAlto Pittsburgh Rochester Singapore Szeged "
    "Warsaw default boxes metropolis SimplePlus"
).split()
BEAMER_COLORS = (
    "default albatross beaver beetle crane dolphin dove fly lily orchid rose seagull seahorse sidebartab spruce whale wolverine"
).split()
BEAMER_FONTS = "default serif structurebold structureitalicserif structuresmallcapsserif professionalfonts".split()

TEXT_FONTS = (
    "", "", "lmodern", "lmodern", "mathptmx", "mathptmx", "mathpazo", "charter", "utopia", "bookman", "newcent", "txfonts",
    "pxfonts", "helvet", "avant",
)  # fmt: skip


def choose(rng: random.Random, genre: str) -> tuple[LatexClass, str]:
    """A class for a genre and its options."""
    fit = [c for c in CLASSES if genre in c.genres]
    # by name first, so that classes with many entries are not drawn more often
    name = rng.choice(sorted({c.name for c in fit}))
    found = rng.choice([c for c in fit if c.name == name])
    return found, rng.choice(found.options)
