"""Front matter in the dialects of the classes: titles, authors, affiliations, abstracts, keywords."""

# ruff: noqa: E501  (LaTeX, one construct to a line)

from __future__ import annotations

from collections.abc import Callable

from bentos.training.generator.drawing import tex
from bentos.training.generator.latex.groups import Groups
from bentos.training.generator.model import Front

_NO_ABSTRACT = ("book", "scrbook", "extbook", "letter", "octavo", "boek", "hitec", "tufte-book", "suftesi")
"""Classes without an environment for it."""


def _affiliation(s: Groups, f: Front, i: int) -> str:
    return s.piece("affiliation", tex(f.affiliations[i]))


def _abstract(s: Groups, f: Front) -> str:
    return "\n\n".join(s.text(p, "abstract") for p in f.abstract)


def _keywords(s: Groups, f: Front, separator: str = ", ") -> str:
    return s.piece("keyword", tex(separator.join(f.keywords)))


def _abstract_environment(s: Groups, f: Front, name: str = "abstract") -> str:
    if not f.abstract:
        return ""
    heading = s.switch("abstract-heading")
    return f"{heading}\\begin{{{name}}}\n{_abstract(s, f)}\n\\end{{{name}}}\n"


def _keyword_line(s: Groups, f: Front) -> str:
    if not f.keywords:
        return ""
    head = s.piece("keyword-heading", f"\\textbf{{{s.writer.label('keywords')}{s.rng.choice((':', '.', ' ---'))}}}")
    return f"\n\\par\\noindent {head} {_keywords(s, f, s.rng.choice((', ', '; ', ' -- ')))}\\par\n"


def _title(s: Groups, f: Front, command: str = "title", short: bool = False) -> str:
    line = s.piece("title", tex(f.title))
    option = f"[{tex(f.title[:40])}]" if short else ""
    if f.subtitle and s.layout.name not in ("tufte-handout", "tufte-book", "hitec"):
        line += "\\\\ " + s.piece("subtitle", "\\large " + tex(f.subtitle))
    return f"\\{command}{option}{{{line}}}\n"


def plain(s: Groups, f: Front) -> str:
    """\\title, \\author with \\and, \\date, \\maketitle, then an abstract."""
    # some classes take neither line ends nor \\and in \\author
    strict = s.layout.name.startswith(("tufte", "hitec", "refart", "refrep", "ltugproc", "ptptex"))
    how = "thanks" if strict else s.rng.choice(("lines", "lines", "thanks", "marks"))
    people = []
    for p in f.people:
        name = s.piece("author", tex(p.name))
        if how == "thanks" and p.marks:
            name += "\\thanks{" + ", ".join(_affiliation(s, f, a) for a in p.marks) + "}"
        elif how == "lines":
            name += "".join("\\\\ {\\small " + _affiliation(s, f, a) + "}" for a in p.marks)
        elif p.marks:
            name += s.piece("author", "$^{" + ",".join(str(a + 1) for a in p.marks) + "}$")
        if p.email and how != "marks" and not strict and s.rng.random() < 0.6:
            name += "\\\\ {\\small " + s.piece("email", "\\texttt{" + tex(p.email) + "}") + "}"
        people.append(name)
    if how == "marks":
        lines = "".join(
            "\\\\ {\\small " + s.piece("affiliation", f"$^{{{a + 1}}}$" + tex(t)) + "}"
            for a, t in enumerate(f.affiliations)
        )
        author = ", ".join(people) + lines
    else:
        author = (", " if strict else "\n\\and ").join(people)
    date = s.piece("date", tex(f.date)) if f.date else ""
    return (
        f"{_title(s, f)}\\author{{{author}}}\n\\date{{{date}}}\n\\maketitle\n"
        f"{_abstract_text(s, f) if s.layout.name in _NO_ABSTRACT else _abstract_environment(s, f)}{_keyword_line(s, f)}"
    )


def _abstract_text(s: Groups, f: Front) -> str:
    if not f.abstract:
        return ""
    head = s.piece("abstract-heading", f"\\textbf{{{s.writer.label('abstract')}}}")
    return f"\\begin{{quote}}\\small {head} {_abstract(s, f)}\\end{{quote}}\n"


def ams(s: Groups, f: Front) -> str:
    """\\address and \\email per author; the abstract before \\maketitle."""
    out = [_title(s, f, short=True)]
    for p in f.people:
        out.append(f"\\author[{tex(p.name)}]{{{s.piece('author', tex(p.name))}}}\n")
        out += [f"\\address{{{_affiliation(s, f, a)}}}\n" for a in p.marks]
        if p.email:
            out.append(f"\\email{{{s.piece('email', tex(p.email))}}}\n")
    if f.date:
        out.append(f"\\date{{{s.piece('date', tex(f.date))}}}\n")
    if f.keywords:
        out.append(f"\\keywords{{{_keywords(s, f)}}}\n")
    return "".join(out) + _abstract_environment(s, f) + "\\maketitle\n"


def amsbook(s: Groups, f: Front) -> str:
    names = "".join(f"\\author{{{s.piece('author', tex(p.name))}}}\n" for p in f.people)
    return _title(s, f) + names + "\\maketitle\n"


def ieee(s: Groups, f: Front) -> str:
    blocks = []
    for p in f.people[:4]:
        lines = [_affiliation(s, f, a) for a in p.marks]
        if p.email:
            lines.append(s.piece("email", tex(p.email)))
        blocks.append(
            "\\IEEEauthorblockN{" + s.piece("author", tex(p.name)) + "}\n\\IEEEauthorblockA{" + "\\\\ ".join(lines) + "}"
        )  # fmt: skip
    keywords = ""
    if f.keywords:
        keywords = s.switch("keyword-heading") + "\\begin{IEEEkeywords}\n" + _keywords(s, f) + "\n\\end{IEEEkeywords}\n"
    author = "\n\\and ".join(blocks)
    return f"{_title(s, f)}\\author{{{author}}}\n\\maketitle\n{_abstract_environment(s, f)}{keywords}"


def llncs(s: Groups, f: Front) -> str:
    people = " \\and ".join(
        s.piece("author", tex(p.name)) + ("\\inst{" + ",".join(str(a + 1) for a in p.marks) + "}" if p.marks else "")
        for p in f.people
    )
    mails = [p.email for p in f.people if p.email]
    places = [_affiliation(s, f, a) for a in range(len(f.affiliations))]
    if mails and places:
        places[0] += "\\\\ " + s.piece("email", "\\email{" + tex(", ".join(mails)) + "}")
    institutes = " \\and ".join(places) or "~"
    running = f"\\titlerunning{{{tex(f.title[:35])}}}\\authorrunning{{{tex(s.document.running_author)}}}\n"
    abstract = ""
    if f.abstract:
        keywords = f"\n\\keywords{{{_keywords(s, f, ' · ')}}}" if f.keywords else ""
        abstract = (
            f"{s.switch('abstract-heading')}\\begin{{abstract}}\n{_abstract(s, f)}{keywords}\n\\end{{abstract}}\n"
        )
    return f"{_title(s, f)}{running}\\author{{{people}}}\n\\institute{{{institutes}}}\n\\maketitle\n{abstract}"


def elsevier(s: Groups, f: Front) -> str:
    out = ["\\begin{frontmatter}\n", _title(s, f)]
    for p in f.people:
        marks = f"[{','.join(f'a{a}' for a in p.marks)}]" if p.marks else ""
        out.append(f"\\author{marks}{{{s.piece('author', tex(p.name))}}}\n")
        if p.email and s.rng.random() < 0.5:
            out.append(f"\\ead{{{tex(p.email)}}}\n")
    out += [f"\\address[a{a}]{{{_affiliation(s, f, a)}}}\n" for a in range(len(f.affiliations))]
    out.append(_abstract_environment(s, f))
    if f.keywords:
        words = " \\sep ".join(s.piece("keyword", tex(k)) for k in f.keywords)
        out.append(f"{s.switch('keyword-heading')}\\begin{{keyword}}\n{words}\n\\end{{keyword}}\n")
    return "".join(out) + "\\end{frontmatter}\n"


def revtex(s: Groups, f: Front) -> str:
    out = [f"\\title{{{s.piece('title', tex(f.title))}}}\n"]
    for p in f.people:
        out.append(f"\\author{{{s.piece('author', tex(p.name))}}}\n")
        if p.email and s.rng.random() < 0.4:
            out.append(f"\\email{{{tex(p.email)}}}\n")
        out += [f"\\affiliation{{{s.piece('affiliation', tex(f.affiliations[a]))}}}\n" for a in p.marks]
    if f.date and s.layout.name.startswith("revtex"):
        out.append(f"\\date{{{s.piece('date', tex(f.date))}}}\n")
    keywords = f"\\keywords{{{_keywords(s, f)}}}\n" if f.keywords else ""
    if s.layout.name.startswith("revtex"):
        return "".join(out) + _abstract_environment(s, f) + keywords + "\\maketitle\n"
    return "".join(out) + _abstract_environment(s, f) + keywords


def mnras(s: Groups, f: Front) -> str:
    people = ", ".join(
        s.piece("author", tex(p.name) + ("$^{" + ",".join(str(a + 1) for a in p.marks) + "}$" if p.marks else ""))
        for p in f.people
    )
    places = "".join(
        "\\\\\n" + s.piece("affiliation", f"$^{{{a + 1}}}$" + tex(t)) for a, t in enumerate(f.affiliations)
    )
    keywords = (
        f"{s.switch('keyword-heading')}\\begin{{keywords}}\n{_keywords(s, f, ' -- ')}\n\\end{{keywords}}\n"
        if f.keywords
        else ""
    )
    short = tex(s.document.running_author)
    return (
        f"\\title[{tex(f.title[:40])}]{{{s.piece('title', tex(f.title))}}}\n\\author[{short}]{{{people}{places}}}\n"
        f"\\date{{{s.piece('date', tex(f.date or 'Accepted XXX. Received YYY'))}}}\n\\maketitle\n{_abstract_environment(s, f)}{keywords}"
    )


def apa(s: Groups, f: Front) -> str:
    name = s.piece("author", tex(f.people[0].name)) if f.people else "~"
    place = _affiliation(s, f, 0) if f.affiliations else "~"
    abstract = f"\\abstract{{{_abstract(s, f)}}}\n" if f.abstract else "\\abstract{~}\n"
    keywords = f"\\keywords{{{_keywords(s, f)}}}\n" if f.keywords else ""
    return (
        f"\\title{{{s.piece('title', tex(f.title))}}}\n\\shorttitle{{{tex(f.title[:28])}}}\n\\author{{{name}}}\n"
        f"\\affiliation{{{place}}}\n{abstract}{keywords}\\maketitle\n"
    )


def achemso(s: Groups, f: Front) -> str:
    """What belongs before \\begin{document} is moved there by `Groups`."""
    out = [f"\\title{{{s.piece('title', tex(f.title))}}}\n"]
    for p in f.people:
        out.append(f"\\author{{{s.piece('author', tex(p.name))}}}\n")
        place = s.piece("affiliation", tex(f.affiliations[p.marks[0]])) if p.marks else "~"
        out.append(f"\\affiliation{{{place}}}\n\\email{{{tex(p.email or 'a@b.example')}}}\n")
    s.before_document.append("".join(out))
    return _abstract_environment(s, f)


def acm(s: Groups, f: Front) -> str:
    out = [f"\\title{{{s.piece('title', tex(f.title))}}}\n"]
    for p in f.people:
        out.append(f"\\author{{{s.piece('author', tex(p.name))}}}\n")
        place = s.piece("affiliation", tex(f.affiliations[p.marks[0]])) if p.marks else "~"
        city, land = s.piece("affiliation", s.writer.place()), s.piece("affiliation", s.writer.place())
        out.append(f"\\affiliation{{\\institution{{{place}}}\\city{{{city}}}\\country{{{land}}}}}\n")
        if p.email:
            out.append(f"\\email{{{tex(p.email)}}}\n")
    keywords = f"\\keywords{{{_keywords(s, f)}}}\n" if f.keywords else ""
    return "".join(out) + _abstract_environment(s, f) + keywords + "\\maketitle\n"


def spie(s: Groups, f: Front) -> str:
    people = ", ".join(s.piece("author", tex(p.name)) for p in f.people)
    places = "".join("\\\\ " + _affiliation(s, f, a) for a in range(len(f.affiliations)))
    keywords = f"\\keywords{{{_keywords(s, f)}}}\n" if f.keywords else ""
    return f"{_title(s, f)}\\author{{{people}{places}}}\n\\maketitle\n{_abstract_environment(s, f)}{keywords}"


def tugboat(s: Groups, f: Front) -> str:
    out = [f"\\title{{{s.piece('title', tex(f.title))}}}\n"]
    for p in f.people:
        out.append(f"\\author{{{s.piece('author', tex(p.name))}}}\n")
        if p.marks:
            out.append(f"\\address{{{_affiliation(s, f, p.marks[0])}}}\n")
        out.append(f"\\netaddress{{{tex(p.email or 'a@b.example')}}}\n")
    return "".join(out) + "\\maketitle\n" + _abstract_environment(s, f)


def beamer(s: Groups, f: Front) -> str:
    names = " \\and ".join(s.piece("author", tex(p.name)) for p in f.people)
    subtitle = f"\\subtitle{{{s.piece('subtitle', tex(f.subtitle))}}}\n" if f.subtitle else ""
    place = f"\\institute{{{_affiliation(s, f, 0)}}}\n" if f.affiliations else ""
    return (
        f"\\title[{tex(f.title[:24])}]{{{s.piece('title', tex(f.title))}}}\n{subtitle}\\author[{tex(s.document.running_author)}]{{{names}}}\n"
        f"{place}\\date{{{s.piece('date', tex(f.date))}}}\n\\begin{{frame}}\\titlepage\\end{{frame}}\n"
    )


def none(s: Groups, f: Front) -> str:
    return ""


def title_page(s: Groups, f: Front) -> str:
    """A page of its own, set by hand."""
    rng = s.rng
    align = rng.choice(("\\centering", "\\centering", "\\raggedright", "\\raggedleft"))
    size = rng.choice(("\\Huge", "\\huge", "\\LARGE", "\\Huge\\bfseries", "\\huge\\sffamily\\bfseries"))
    lines = [s.piece("titlepage", tex(t)) for t in f.lines]
    above = lines[: rng.randint(0, len(lines))]
    out = [f"{{{t}\\par}}\\vspace{{{rng.uniform(0.3, 2):.1f}cm}}" for t in above]
    rule = rng.choice(("", "", "\\rule{\\linewidth}{1pt}\\par"))
    out.append(
        f"\\vspace{{{rng.uniform(1, 5):.1f}cm}}{rule}{{{size} {s.piece('title', tex(f.title))}\\par}}{rule}\\vspace{{{rng.uniform(0.4, 1.5):.1f}cm}}"
    )
    if f.subtitle:
        out.append(f"{{\\Large {s.piece('subtitle', tex(f.subtitle))}\\par}}\\vspace{{{rng.uniform(0.4, 2):.1f}cm}}")
    out += [f"{{\\large {s.piece('author', tex(p.name))}\\par}}\\vspace{{0.3cm}}" for p in f.people]
    out.append(rng.choice(("\\vfill", "\\vspace{2cm}")))
    out += [f"{{{t}\\par}}\\vspace{{0.3cm}}" for t in lines[len(above) :]]
    if f.date:
        out.append(f"{{{s.piece('date', tex(f.date))}\\par}}")
    name = "titlingpage" if s.layout.name == "memoir" else "titlepage"
    return f"\\begin{{{name}}}{align}\n" + "\n".join(out) + f"\n\\end{{{name}}}\n"


FRONTS: dict[str, Callable[[Groups, Front], str]] = {
    "plain": plain, "ams": ams, "amsbook": amsbook, "ieee": ieee, "llncs": llncs, "elsevier": elsevier, "revtex": revtex,
    "mnras": mnras, "apa": apa, "achemso": achemso, "acm": acm, "spie": spie, "tugboat": tugboat,
    "beamer": beamer, "none": none,
}  # fmt: skip
