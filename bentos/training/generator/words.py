"""Text without meaning and with the shape of text: words, sentences, names, dates, citations in many languages.

A language is a handful of real function words and stems from which longer words are put together. What a model of
layout sees of text is lengths, characters, digits and punctuation, and those follow real papers: sentences of 8 to 40
words, about half of them function words, a number or a citation now and then.
"""

# ruff: noqa: SIM905  (lists of words)

from __future__ import annotations

import random
from dataclasses import dataclass

from bentos.training.generator.languages import LANGUAGES, Language

MONTHS_EN = "January February March April May June July August September October November December".split()

_FIRST = (
    "Anna Bert Carla David Elena Farid Greta Hiro Ines Jonas Katya Liam Mei Nuno Olga Pedro Rosa Samir Tara Ulrich "
    "Vera "
    "Wei Xenia Yusuf Zoe Marie-Claire Jean-Paul Noor Ada Ivo Sofía André Søren Łukasz Çağla Amélie Jürgen"
).split()
_LAST = (
    "Adler Brandt Costa Duarte Eklund Farrow Gallo Hansen Ivanova Jansen Kato Lindqvist Moreau Novák Okafor Petrov "
    "Quist "
    "Rossi Santos Tanaka Ueda Vogel Wagner Xu Yilmaz Zhang van-der-Berg O'Neill García Müller Kowalski Papadopoulos "
    "Chen "
    "Li Singh Haddad Nguyen Kim Dubois Bergström MacAllister de-la-Cruz"
).split()
_PLACES = (
    "Ansgar Belmont Corvia Dunmore Eastport Fallow Garrick Holm Istra Jarrow Kelso Lorne Marrow Norwick Oakham "
    "Penrith Quay "
    "Rostrand Selby Tarn Ulm Varna Westmere York Zell"
).split()
_JOURNALS = (
    "Annals of|Journal of|Transactions on|Letters in|Reviews of|Advances in|Archives of|Bulletin of|Proceedings of the"
).split("|")
_FIELDS = (
    "Applied Systems|Coastal Physics|Network Science|Soil Chemistry|Field Methods|Structural Design|Public Policy|Data "
    "Engineering|Clinical Practice|Mathematical Biology|Rural Economics|Optics|Language Studies|Urban Planning|Energy"
).split("|")


@dataclass(slots=True)
class Writer:
    """Makes text in one language from one random stream. One instance per document: it keeps a vocabulary."""

    rng: random.Random
    code: str
    vocabulary: list[str]
    language: Language

    @classmethod
    def of(cls, rng: random.Random, code: str) -> Writer:
        writer = cls(rng, code, [], LANGUAGES[code])
        # frequent words are short
        words = [writer._content_word() for _ in range(260)]
        writer.vocabulary = sorted(words, key=lambda w: len(w) * rng.uniform(0.5, 1.5))
        return writer

    @property
    def joined(self) -> bool:
        """The script has no spaces between words."""
        return self.language.spaceless

    def _content_word(self) -> str:
        rng, stems = self.rng, self.language.stems
        parts = rng.choices((1, 2, 3, 4), self.language.lengths)[0]
        word = "".join(rng.choice(stems) for _ in range(parts))
        if self.language.endings and rng.random() < 0.45:
            word += rng.choice(self.language.endings)
        return word

    def word(self) -> str:
        """One content word; the frequent ones come often."""
        rank = int(len(self.vocabulary) * self.rng.random() ** 2.2)
        return self.vocabulary[rank]

    def term(self, title: bool = False) -> str:
        """A noun phrase of one to three words."""
        words = [self.word() for _ in range(self.rng.choices((1, 2, 3), (3, 5, 2))[0])]
        return self.join([w.capitalize() for w in words] if title and self.language.cased else words)

    def join(self, words: list[str]) -> str:
        return ("" if self.joined else " ").join(words)

    def words(self, n: int) -> list[str]:
        """n words, about half of them function words, never two of these at the end."""
        rng, function = self.rng, self.language.function
        made: list[str] = []
        for i in range(n):
            often = 0.62 if made and made[-1] not in function else 0.2
            made.append(rng.choice(function) if rng.random() < often and i + 1 < n else self.word())
        return made

    def sentence(self, low: int = 7, high: int = 38, rich: float = 0.0) -> str:
        """A sentence; `rich` is the share of sentences with a number, a citation, brackets or an abbreviation."""
        rng, language = self.rng, self.language
        n = int(min(max(rng.lognormvariate(3.0, 0.45), low), high) * (1 if language.cased else 0.7))
        words = self.words(n)
        for i in range(4, n - 2):
            if rng.random() < 0.07:
                words[i] += language.comma
        if rng.random() < rich:
            at = rng.randrange(2, max(n - 1, 3))
            words[min(at, n - 1)] += self._extra()
        text = self.join(words)
        if language.cased:
            text = text[0].upper() + text[1:]
        return text + (language.stop if rng.random() < 0.97 else "?" if not self.joined else "？")

    def _extra(self) -> str:
        rng = self.rng
        gap = "" if self.joined else " "
        return gap + rng.choice(
            [
                f"{rng.randint(2, 990)}",
                f"{rng.uniform(0, 99):.{rng.randint(1, 3)}f}",
                f"{rng.randint(1, 99)}{gap}%",
                f"[{rng.randint(1, 60)}]",
                f"[{rng.randint(1, 20)}–{rng.randint(21, 40)}]",
                f"({self.surname()} {rng.randint(1965, 2024)})",
                f"({self.surname()} et al., {rng.randint(1985, 2024)})",
                f"({self.join(self.words(rng.randint(2, 6)))})",
                f"({rng.choice('ABCDEFGH')}{rng.choice('KLMNOPS')}{rng.choice('RSTUV')})",
                f"“{self.join(self.words(rng.randint(1, 4)))}”",
            ]
        )

    def sentences(self, n: int, rich: float = 0.3) -> str:
        return ("" if self.joined else " ").join(self.sentence(rich=rich) for _ in range(n))

    def phrase(self, low: int, high: int, title: bool = False) -> str:
        """A heading or a cell: a few words without a full stop."""
        words = self.words(self.rng.randint(low, high))
        if self.language.cased:
            words = [w.capitalize() if title and len(w) > 3 else w for w in words]
            words[0] = words[0].capitalize()
        return self.join(words)

    def label(self, key: str) -> str:
        """A structural word such as `abstract` or `figure`, in this language or, where unknown, in English."""
        return self.language.labels.get(key) or LANGUAGES["en"].labels[key]

    def surname(self) -> str:
        return self.rng.choice(_LAST).replace("-", " ")

    def name(self, initials: bool = False) -> str:
        """A person."""
        rng = self.rng
        if self.language.names and rng.random() < 0.8:
            return rng.choice(self.language.names)
        first = rng.choice(_FIRST)
        if initials:
            first = f"{first[0]}." + (f" {rng.choice('ABCEHJKLMPRST')}." if rng.random() < 0.4 else "")
        elif rng.random() < 0.25:
            first += f" {rng.choice('ABCDEFGHJKLMNPRSTW')}."
        return f"{first} {self.surname()}"

    def place(self) -> str:
        return self.rng.choice(_PLACES)

    def institution(self) -> str:
        """A department with its university or institute."""
        rng = self.rng
        field = self.term(title=True)
        if self.joined or self.code == "ko":
            return self.place() + self.label("university") + " " + field + self.label("department")
        department = rng.choice(
            [f"{self.label('department')} {field}", f"{self.label('institute')} {field}", f"School of {field}", ""]
        )
        university = rng.choice(
            [f"{self.label('university')} {self.place()}", f"{self.place()} {self.label('institute')}"]
        )
        where = rng.choice(
            [
                "",
                f", {self.place()}",
                f", {rng.randint(1000, 99999)} {self.place()}",
                f", {self.place()}, {self.place()}",
            ]
        )
        return (f"{department}, " if department else "") + university + where

    def email(self, name: str = "") -> str:
        plain = "".join(c for c in name.lower() if "a" <= c <= "z" or c == " ").split()
        user = ".".join(plain[:1] + plain[-1:]) or f"user{self.rng.randint(1, 99)}"
        return f"{user}@{self.place().lower()}.example"

    def url(self) -> str:
        rng = self.rng
        path = "/".join(f"{rng.choice(_PLACES).lower()}{rng.randint(1, 99)}" for _ in range(rng.randint(1, 3)))
        return f"https://www.{self.place().lower()}.example/{path}"

    def date(self) -> str:
        rng = self.rng
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1988, 2025)
        if self.joined:
            return f"{year}年{month}月{day}日"
        return rng.choice(
            [f"{day}.{month:02d}.{year}", f"{year}-{month:02d}-{day:02d}", f"{day} {MONTHS_EN[month - 1]} {year}",
             f"{MONTHS_EN[month - 1]} {day}, {year}", f"{MONTHS_EN[month - 1]} {year}", f"{month}/{day}/{year}"]
        )  # fmt: skip

    def number(self, kind: str) -> str:
        """A table entry: `int`, `float`, `percent`, `money`, `pm`."""
        rng = self.rng
        if kind == "int":
            return f"{rng.randint(0, 10 ** rng.randint(1, 5)):,}"
        if kind == "percent":
            return f"{rng.uniform(0, 100):.1f}%"
        if kind == "money":
            return f"{rng.choice(['$', '€', ''])}{rng.uniform(1, 9000):,.2f}"
        if kind == "pm":
            return f"{rng.uniform(0, 100):.2f} ± {rng.uniform(0, 3):.2f}"
        return f"{rng.uniform(-1, 100):.{rng.randint(1, 3)}f}"

    def journal(self) -> str:
        return f"{self.rng.choice(_JOURNALS)} {self.rng.choice(_FIELDS)}"
