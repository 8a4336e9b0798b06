"""Random blocks: paragraphs, lists, tables, figures, references, code, front matter."""

# ruff: noqa: SIM905  (list of numerals)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bentos.training.generator import formulas
from bentos.training.generator.diagrams import draw
from bentos.training.generator.model import (
    Box,
    Cell,
    Code,
    Figure,
    Formula,
    Front,
    Inline,
    ListItem,
    Person,
    Reference,
    Run,
    Table,
    Text,
)
from bentos.training.generator.words import Writer

ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()
BULLETS = ("•", "•", "•", "–", "-", "*", "◦", "▪", "■", "►", "✓", "□", "→", "·", "o", "❖", "➢", "—")
COUNTERS = (
    "1.",
    "1)",
    "(1)",
    "a)",
    "(a)",
    "a.",
    "A.",
    "i.",
    "(i)",
    "i)",
    "I.",
    "[1]",
    "1",
    "R1",
    "Step 1:",
    "①",
    "1.1",
)


def marker(kind: str, i: int, above: str = "") -> str:
    """Identifier number i (from 0) in the style of `kind`, e.g. `(a)` -> `(c)` for 2."""
    if kind == "①":
        return chr(0x2460 + i % 20)
    if kind == "1.1":
        return f"{above.rstrip('.') or '1'}.{i + 1}"
    for old, new in (
        ("1", str(i + 1)), ("a", chr(97 + i % 26)), ("A", chr(65 + i % 26)),
        ("I", ROMAN[i % 20].upper()), ("i", ROMAN[i % 20])
    ):  # fmt: skip
        if old in kind and kind not in BULLETS:
            return kind.replace(old, new, 1)
    return kind


class Author:
    """Makes blocks for one document; its habits (citation style, richness in maths …) are drawn once."""

    def __init__(self, writer: Writer) -> None:
        rng = writer.rng
        self.writer, self.rng = writer, rng
        self.math = rng.choice((0.0, 0.0, 0.1, 0.3))
        """Share of sentences with inline maths."""
        self.emphasis = rng.choice((0.0, 0.03, 0.08))
        self.notes = rng.choice((0.0, 0.0, 0.1, 0.25))
        """Share of paragraphs with a footnote."""
        self.long = rng.choice((2, 4, 5, 7))
        """Sentences of a common paragraph."""
        self.citing = rng.choice(("number", "number", "year", "raised", "none"))
        self.figure_word = rng.choice((writer.label("figure"), writer.label("figure"), "Fig.", "FIGURE", "Figure"))
        self.table_word = rng.choice((writer.label("table"), writer.label("table"), "TABLE", "Tab."))
        self.caption_sign = rng.choice((".", ":", " –", " |", "", "."))
        self.caption_bold = rng.random() < 0.5
        self.caption_words = rng.choice((8, 20, 35, 60, 120))
        """Of a long caption: those of some papers tell all."""
        self.mentions = rng.choice((0.0, 0.05, 0.15, 0.3))
        """Share of sentences that name a figure, a table, a formula."""
        self.counts = {"figure": 0, "table": 0, "formula": 0}

    def runs(self, sentences: int) -> Inline:
        """Sentences with inline maths, emphasis, citations, links."""
        rng, w = self.rng, self.writer
        gap = "" if w.joined else " "
        out: Inline = []
        text = ""
        for _ in range(sentences):
            text += w.sentence(rich=0.25) + gap
            if rng.random() < self.math:
                out += [Run(text + w.join(w.words(3)) + gap), Run("", math=formulas.inline(rng))]
                text = gap + w.join(w.words(4)) + w.language.stop + gap
            if rng.random() < self.mentions:
                text += self._mention() + gap
            if rng.random() < self.emphasis:
                style = rng.choice(("i", "i", "b", "m", "u"))
                out += [Run(text), Run(w.url() if style == "u" else w.term(), style)]
                text = gap + w.sentence(5, 14) + gap
            if self.citing == "raised" and rng.random() < 0.25:
                out += [Run(text.rstrip()), Run(f"{rng.randint(1, 40)}", "^")]
                text = gap
        if text.strip():
            out.append(Run(text.rstrip()))
        return out

    def _mention(self) -> str:
        """A sentence that names a figure; where that begins a line, it looks like a caption."""
        rng, w = self.rng, self.writer
        word = rng.choice((self.figure_word, self.figure_word, self.table_word, w.label("theorem"), "Eq."))
        number = rng.choice((f"{rng.randint(1, 12)}", f"{rng.randint(1, 5)}.{rng.randint(1, 9)}"))
        gap = "" if w.joined else " "
        name = word + gap + (f"({number})" if word == "Eq." else number)
        rest = w.join(w.words(rng.randint(5, 18))) + w.language.stop
        match rng.randrange(4):
            case 0:
                return f"{name}{gap}{rest}"
            case 1:
                return w.join(w.words(rng.randint(3, 12))) + f"{gap}{name}{w.language.stop}"
            case 2:
                return w.join(w.words(rng.randint(3, 12))) + f" ({name}){w.language.stop}"
            case _:
                return w.join(w.words(rng.randint(2, 8))) + f"{gap}{name}{w.language.comma}{gap}{rest}"

    def continuation(self) -> Text:
        """What follows a formula: "where x is …", in lower case."""
        runs = self.runs(self.rng.randint(1, 3))
        first = runs[0]
        runs[0] = replace(first, text=first.text[:1].lower() + first.text[1:])
        return Text("text", runs, continued=True)

    def paragraph(self, orig: str = "text", sentences: int = 0) -> Text:
        rng = self.rng
        runs = self.runs(sentences or max(1, round(rng.lognormvariate(0, 0.5) * self.long)))
        if orig == "text" and rng.random() < self.notes:
            runs.append(Run("", note=self.writer.sentences(rng.choice((1, 1, 2, 3)))))
        return Text(orig, runs)

    def list_items(self, depth: int = 3) -> Iterator[ListItem]:
        """A list, perhaps with lists inside."""
        rng, w = self.rng, self.writer
        kinds = [rng.choice(BULLETS if rng.random() < 0.5 else COUNTERS) for _ in range(3)]
        if rng.random() < 0.18:
            for _ in range(rng.randint(2, 6)):
                sign = rng.choice(("", "", ":", "."))
                yield ListItem(w.phrase(1, 3) + sign, self.runs(rng.choice((1, 1, 2, 3))), 1, term=True)
            return
        short = rng.random() < 0.4
        nested = rng.random() < 0.3
        for i in range(rng.randint(2, 7)):
            yield self._item(marker(kinds[0], i), 1, short)
            if not nested or depth < 2 or rng.random() > 0.4:
                continue
            for j in range(rng.randint(2, 4)):
                yield self._item(marker(kinds[1], j, str(i + 1)), 2, short)
                if depth > 2 and rng.random() < 0.2:
                    for k in range(rng.randint(2, 3)):
                        yield self._item(marker(kinds[2], k, f"{i + 1}.{j + 1}"), 3, short)

    def _item(self, mark: str, depth: int, short: bool) -> ListItem:
        rng, w = self.rng, self.writer
        runs: Inline = [Run(w.phrase(2, 8))] if short else self.runs(rng.choice((1, 1, 1, 2, 3, 5)))
        if not short and rng.random() < 0.15:
            runs.insert(0, Run(w.phrase(1, 3) + rng.choice((":", ".")) + " ", "b"))
        more = [self.runs(rng.randint(1, 2))] if not short and rng.random() < 0.05 else []
        return ListItem(mark, runs, depth, more)

    def formula(self) -> Formula:
        number = ""
        if self.rng.random() < 0.6:
            self.counts["formula"] += 1
            number = f"({self.counts['formula']})"
        return Formula(formulas.display(self.rng), number)

    def caption(self, kind: str) -> Inline:
        rng, w = self.rng, self.writer
        self.counts[kind] += 1
        word = self.figure_word if kind == "figure" else self.table_word
        gap = "" if w.joined else " "
        head = f"{word}{gap}{self.counts[kind]}{self.caption_sign}"
        runs: Inline = [Run(head, "b" if self.caption_bold else ""), Run(gap or " ")]
        if rng.random() < 0.35:
            return [*runs, Run(w.phrase(2, 9))]
        words = rng.uniform(0.2, 1) * self.caption_words
        while sum(len(run.text.split()) for run in runs) < words:
            runs += [*self.runs(1), Run(gap)]
        return runs

    def figure(self, wide: bool = False) -> Figure:
        rng = self.rng
        return Figure(
            draw(self.writer, wide), self.caption("figure"), wide, rng.random() < 0.7, rng.choice((1, 1, 0.85, 0.6))
        )

    def table(self, wide: bool = False, big: bool = False) -> Table:
        """A grid with a head, sometimes spans, sometimes cells of several lines."""
        rng, w = self.rng, self.writer
        cols = rng.randint(4, 8) if wide else rng.randint(2, 5)
        count = rng.randint(14, 34) if big else rng.randint(2, 11)
        kinds = ["text"] + [
            rng.choice(("int", "float", "percent", "pm", "money", "text", "float")) for _ in range(cols - 1)
        ]
        if rng.random() < 0.2:
            kinds = ["text"] * cols
        wordy = rng.random() < 0.25
        prose = rng.random() < 0.15
        if prose:
            cols = min(cols, 4)
            kinds, count = ["text"] * cols, min(count, 7)
        rows: list[list[Cell | None]] = []
        head_rows = rng.choices((0, 1, 2), (1, 8, 2))[0]
        if head_rows == 2 and cols >= 3:
            first: list[Cell | None] = [Cell(w.phrase(1, 2), row_span=2, head=True)]
            second: list[Cell | None] = [None]
            c = 1
            while c < cols:
                span = min(rng.randint(1, 3), cols - c)
                first += [Cell(w.phrase(1, 2), col_span=span, head=True), *[None] * (span - 1)]
                second += [Cell(w.phrase(1, 2), head=True) for _ in range(span)]
                c += span
            rows += [first, second]
        elif head_rows:
            head_rows = 1
            rows.append(
                [Cell("" if c == 0 and rng.random() < 0.25 else w.phrase(1, 2), head=True) for c in range(cols)]
            )
        empty = rng.choice((0.0, 0.05, 0.2))
        for _ in range(count):
            row: list[Cell | None] = []
            if rng.random() < 0.04:
                rows.append([Cell(w.phrase(1, 4), col_span=cols), *[None] * (cols - 1)])
                continue
            for c, kind in enumerate(kinds):
                if c and rng.random() < empty:
                    row.append(Cell(rng.choice(("", "–", "n/a"))))
                elif prose and c:
                    row.append(Cell(w.sentences(rng.choice((1, 1, 2, 3)))))
                elif kind == "text":
                    row.append(Cell(w.phrase(4, 14) if wordy and c else w.phrase(1, 3)))
                else:
                    row.append(Cell(w.number(kind), numeric=True))
            rows.append(row)
        notes = w.sentences(rng.randint(1, 2)) if rng.random() < 0.12 else ""
        return Table(rows, head_rows, self.caption("table"), wide, not big and rng.random() < 0.6, notes)

    def code(self) -> Code:
        """Lines that look like a program, a configuration file or a terminal."""
        rng, w = self.rng, self.writer
        plain = Writer.of(rng, "en")
        names = [plain.word()[:12].lower() for _ in range(8)]
        lines: list[str] = []
        depth = 0
        for _ in range(rng.randint(3, 22)):
            a, b, c = rng.choice(names), rng.choice(names), rng.choice(names)
            line = rng.choice(
                [f"{a} = {b}({c}, {rng.randint(0, 99)})", f"{a}.{b}({c})", f"if {a} > {rng.randint(0, 9)}:",
                 f"for {a} in {b}:",
                 f"return {a}", f"def {a}({b}, {c}):", f"# {plain.phrase(2, 6)}", f'print("{a} %d" % {b})', "",
                 f"{a}: {rng.randint(1, 999)}", f"$ {a} --{b} {c}.txt", f"int {a} = {b}[{rng.randint(0, 9)}];"]
            )  # fmt: skip
            lines.append("    " * depth + line if line else "")
            depth = min(depth + 1, 3) if line.endswith(":") else max(depth - rng.choice((0, 0, 1)), 0)
        if not any(lines):
            lines[0] = "pass"
        caption: Inline = []
        if rng.random() < 0.3:
            caption = [Run(f"Listing {rng.randint(1, 9)}: ", "b" if self.caption_bold else ""), Run(w.phrase(2, 7))]
        return Code(lines, rng.random() < 0.25, caption)

    def references(self, count: int) -> Iterator[Reference]:
        """A bibliography, all of whose entries follow one of many styles."""
        rng, w = self.rng, self.writer
        style = rng.choice(("[1]", "[1]", "1.", "(1)", "1", "[Ab99]", "", "", ""))
        initials, order = rng.random() < 0.7, rng.choice(("plain", "year", "quoted", "short"))
        bold_volume, italic_journal = rng.random() < 0.3, rng.random() < 0.6
        for i in range(count):
            year = rng.randint(1961, 2025)
            people = [w.name(initials) for _ in range(rng.choices((1, 2, 3, 5), (4, 4, 3, 1))[0])]
            who = ", ".join(people[:-1]) + (rng.choice((" and ", " & ", ", ")) if len(people) > 1 else "") + people[-1]
            if rng.random() < 0.12:
                who = people[0] + " et al."
            title = w.phrase(4, 14)
            journal = Run(w.journal(), "i" if italic_journal else "")
            volume = Run(f"{rng.randint(1, 99)}", "b" if bold_volume else "")
            pages = f"{rng.randint(1, 400)}–{rng.randint(401, 900)}"
            runs: Inline
            if order == "year":
                runs = [
                    Run(f"{who} ({year}). {title}. "),
                    journal,
                    Run(", "),
                    volume,
                    Run(f"({rng.randint(1, 12)}), {pages}."),
                ]
            elif order == "quoted":
                runs = [Run(f"{who}, “{title},” "), journal, Run(", vol. "), volume, Run(f", pp. {pages}, {year}.")]
            elif order == "short":
                runs = [Run(f"{who}, "), journal, Run(" "), volume, Run(f", {rng.randint(1, 999)} ({year}).")]
            else:
                runs = [Run(f"{who}. {title}. "), journal, Run(", "), volume, Run(f":{pages}, {year}.")]
            if rng.random() < 0.2:
                runs.append(Run(f" doi:10.{rng.randint(1000, 9999)}/{w.place().lower()}.{rng.randint(100, 99999)}"))
            elif rng.random() < 0.15:
                runs.append(Run(" " + w.url(), "u"))
            mark = f"[{w.surname()[:2]}{year % 100:02d}]" if style == "[Ab99]" else marker(style, i) if style else ""
            yield Reference(mark, runs)

    def box(self) -> Box:
        rng, w = self.rng, self.writer
        blocks: list[Text | ListItem] = [self.paragraph("sidebar", rng.randint(1, 4))]
        if rng.random() < 0.35:
            blocks += [self._item("•", 1, True) for _ in range(rng.randint(2, 5))]
        tone = rng.choice(("note", "warning", "example", "plain"))
        heading = rng.choice((w.phrase(1, 4, title=True), w.label("note"), w.label("warning"), w.label("example"), ""))
        return Box(heading, blocks, rng.random() < 0.4, tone)

    def front(self) -> Front:
        """Title, authors, affiliations, abstract, keywords of an article."""
        rng, w = self.rng, self.writer
        count = rng.choices((1, 2, 3, 4, 6, 9), (2, 3, 3, 2, 1, 0.5))[0]
        affiliations = [w.institution() for _ in range(min(rng.choices((0, 1, 2, 3, 4), (0.5, 4, 3, 2, 1))[0], count))]
        people = []
        for _ in range(count):
            name = w.name(rng.random() < 0.2)
            marks = [rng.randrange(len(affiliations))] if affiliations else []
            if marks and rng.random() < 0.12 and len(affiliations) > 1:
                marks = sorted({*marks, rng.randrange(len(affiliations))})
            people.append(Person(name, marks, w.email(name) if rng.random() < 0.4 else ""))
        # every affiliation belongs to somebody
        for a in range(len(affiliations)):
            if all(a not in p.marks for p in people):
                people[a % count].marks = sorted({*people[a % count].marks, a})
        abstract = [self._abstract() for _ in range(rng.choices((0, 1, 2, 4), (1, 8, 1, 0.5))[0])]
        furniture = []
        if rng.random() < 0.5:
            furniture = rng.sample(
                [f"{w.journal()} {rng.randint(1, 60)} ({rng.randint(1, 12)}), {rng.randint(1990, 2025)}",
                 f"https://doi.org/10.{rng.randint(1000, 9999)}/{w.place().lower()}.{rng.randint(1000, 99999)}",
                 f"Received {w.date()}; accepted {w.date()}",
                 f"ISSN {rng.randint(1000, 9999)}-{rng.randint(1000, 9999)}",
                 f"© {rng.randint(1990, 2025)} {w.surname()} et al.", "Research Article",
                 "ORIGINAL PAPER", "Open Access"],
                rng.randint(1, 3),
            )  # fmt: skip
        return Front(
            w.phrase(4, 14, rng.random() < 0.5), w.phrase(3, 8) if rng.random() < 0.15 else "", people, affiliations,
            w.date() if rng.random() < 0.3 else "", abstract,
            [w.term() for _ in range(rng.randint(3, 7))] if rng.random() < 0.55 else [], furniture=furniture,
        )  # fmt: skip

    def _abstract(self) -> Inline:
        saved, self.emphasis = self.emphasis, 0.0
        runs = self.runs(self.rng.randint(3, 9))
        self.emphasis = saved
        return runs

    def title_page(self) -> Front:
        """The title page of a report, a thesis or a book."""
        rng, w = self.rng, self.writer
        lines = rng.sample(
            [f"{w.label('university')} {w.place()}", f"{w.label('department')} {w.term(title=True)}", w.phrase(3, 8),
             f"{w.place()}, {rng.randint(1980, 2025)}", f"Version {rng.randint(1, 9)}.{rng.randint(0, 9)}",
             f"Report No. {rng.randint(1, 99)}/{rng.randint(1990, 2025)}", f"Supervisor: {w.name()}",
             "A thesis submitted in partial fulfilment of the requirements for the degree of Doctor of Philosophy"],
            rng.randint(1, 4),
        )  # fmt: skip
        people = [Person(w.name(), []) for _ in range(rng.choices((0, 1, 2, 3), (2, 6, 2, 1))[0])]
        return Front(
            w.phrase(2, 10, rng.random() < 0.5), w.phrase(3, 10) if rng.random() < 0.5 else "", people, [],
            w.date() if rng.random() < 0.7 else "", page=True, lines=lines,
        )  # fmt: skip
