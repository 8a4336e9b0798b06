"""The title block of an article, the title page of a longer work."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bentos.training.generator.model import Front, Person, Zone
from bentos.training.generator.words import Writer

if TYPE_CHECKING:
    from bentos.training.generator.html.markup import Markup


def front(m: Markup, f: Front) -> str:
    """Blocks for title, authors, abstract and keywords, in one of many arrangements."""
    style, rng = m.style, m.rng
    wide = ' data-wide="1"' if style.title_wide else ""
    parts = []
    above = [t for t in f.furniture if rng.random() < 0.6]
    if above:
        parts.append(_furniture(m, above))
    parts.append(f'<div class="title">{m.piece("title", escape(f.title))}</div>')
    if f.subtitle:
        parts.append(f'<div class="subtitle">{m.piece("subtitle", escape(f.subtitle))}</div>')
    footnotes = ""
    if f.people:
        people, footnotes = _people(m, f)
        parts.append(f'<div class="people">{people}</div>')
    if f.date:
        parts.append(f'<div class="date">{m.piece("date", escape(f.date))}</div>')
    if f.lines:
        lines = "".join(f"<div>{m.piece('titlepage', escape(t))}</div>" for t in f.lines)
        parts.append(f'<div class="lines">{lines}</div>')
    below = [t for t in f.furniture if t not in above]
    if below:
        parts.append(_furniture(m, below))
    parts.append(footnotes)
    page = " whole" if f.page else ""
    head = f'<div class="front {style.front}{page}" data-kind="whole"{wide}>{"".join(parts)}</div>'
    if f.page:
        return head + '<div data-break="1"></div>'
    if not f.abstract and not f.keywords:
        return head
    # the abstract spans the columns only below a title that does
    spans = wide if rng.random() < 0.5 else ""
    return head + _abstract(m, f, spans)


def _furniture(m: Markup, lines: list[str]) -> str:
    return (
        '<div class="fur">'
        + "".join(f"<div>{m.piece('header', escape(t), zone=Zone.BODY)}</div>" for t in lines)
        + "</div>"
    )


def _people(m: Markup, f: Front) -> tuple[str, str]:
    """Markup of the authors and, if that is the style, of footnotes that hold their affiliations."""
    kind = m.style.authors
    marks = m.rng.choice(("1", "1", "a", "*"))
    if kind == "grid" and len(f.people) > 6:
        kind = "line"
    if kind in ("grid", "stack"):
        cells = []
        for p in f.people:
            inner = f'<div class="au">{m.piece("author", escape(p.name))}</div>'
            inner += "".join(
                f'<div class="aff">{m.piece("affiliation", escape(f.affiliations[a]))}</div>' for a in p.marks
            )
            cells.append(f"<div>{inner}{_mail(m, p)}</div>")
        return f'<div class="{kind}">{"".join(cells)}</div>', ""
    names = []
    for i, p in enumerate(f.people):
        raised = ",".join(_mark(marks, a) for a in p.marks) if len(f.affiliations) > 1 or kind == "footnote" else ""
        last = i + 2 == len(f.people)
        comma = "" if i + 1 == len(f.people) else (" and " if last else ", ")
        names.append(escape(p.name) + (f"<sup>{raised}</sup>" if raised else "") + comma)
    line = f'<div class="au">{m.piece("author", "".join(names))}</div>'
    if kind == "footnote":
        notes = "".join(
            m.piece("affiliation", f"<sup>{_mark(marks, a)}</sup> {escape(text)}", "fn", Zone.NOTE)
            for a, text in enumerate(f.affiliations)
        )
        return line, notes
    affiliations = []
    for a, text in enumerate(f.affiliations):
        raised = f"<sup>{_mark(marks, a)}</sup>" if len(f.affiliations) > 1 else ""
        affiliations.append(f'<div class="aff">{m.piece("affiliation", raised + escape(text))}</div>')
    mails = "".join(_mail(m, p) for p in f.people) if m.style.emails != "none" else ""
    return line + "".join(affiliations) + mails, ""


def _mark(kind: str, i: int) -> str:
    return {"1": str(i + 1), "a": chr(97 + i), "*": "*†‡§¶#"[i % 6]}[kind]


def _mail(m: Markup, p: Person) -> str:
    if not p.email or m.style.emails == "none":
        return ""
    return f'<div class="mail">{m.piece("email", escape(p.email))}</div>'


def _abstract(m: Markup, f: Front, flags: str) -> str:
    style = m.style
    w = Writer.of(m.rng, m.document.language)
    kind = style.abstract
    sign = m.rng.choice((".", ":", "—", " – "))
    words: list[str] = []
    # beside the abstract, keywords stand first and are read first
    keywords = _keywords(m, f, w, sign) if f.keywords and kind == "split" else ""
    if f.abstract:
        label = escape(w.label("abstract"))
        if kind == "run-in":
            words.append('<div class="abs">' + m.piece("abstract-heading", label + sign, "abh") + " ")
        elif kind != "none":
            middle = " mid" if kind == "center-heading" else ""
            words.append(f'<div class="abh block{middle}">{m.piece("abstract-heading", label)}</div><div class="abs">')
        else:
            words.append('<div class="abs">')
        words.append(m.runs(f.abstract[0], "abstract") + "</div>")
        words += [f'<div class="abs">{m.runs(p, "abstract")}</div>' for p in f.abstract[1:]]
    name = {"box": " box", "split": " split"}.get(kind, "")
    if keywords:
        return f'<div class="abstract{name}" data-kind="whole"{flags}>{keywords}<div>{"".join(words)}</div></div>'
    name = name.replace(" split", "")
    keywords = _keywords(m, f, w, sign) if f.keywords else ""
    inner = "".join(words)
    apart = m.rng.random() < 0.5
    shade = " shade" if name == "" and m.rng.random() < 0.1 else name
    if apart:
        inner += keywords
        keywords = ""
    block = f'<div class="abstract{shade}" data-kind="text"{flags}>{inner}</div>'
    return block + (f'<div class="abstract" data-kind="whole"{flags}>{keywords}</div>' if keywords else "")


def _keywords(m: Markup, f: Front, w: Writer, sign: str) -> str:
    label = escape(w.label("keywords"))
    separator = m.rng.choice((", ", "; ", " · ", " – "))
    kind = m.rng.choice(("run-in", "run-in", "block", "list", "none"))
    if kind == "list":
        each = "".join(f'<span class="each">{m.piece("keyword", escape(k))}</span>' for k in f.keywords)
        return f'<div class="kw"><div class="kwh block">{m.piece("keyword-heading", label)}</div>{each}</div>'
    text = escape(separator.join(f.keywords))
    if kind == "block":
        head = f'<div class="kwh block">{m.piece("keyword-heading", label)}</div>'
        return f'<div class="kw">{head}{m.piece("keyword", text)}</div>'
    if kind == "none" and m.style.abstract != "none":
        return f'<div class="kw">{m.piece("keyword", text)}</div>'
    return f'<div class="kw">{m.piece("keyword-heading", label + sign, "kwh")} {m.piece("keyword", text)}</div>'
