"""What the end-to-end tests may rely on for each sample: collected while it is set, written to expected.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec


class Heading(msgspec.Struct):
    text: str
    level: int
    """1 is the highest below the title."""
    page: int


class Grid(msgspec.Struct):
    """A table and some of its cells."""

    page: int
    caption: str
    rows: int
    cols: int
    cells: dict[str, str]
    """`row,col` (0-based) -> text."""


class Search(msgspec.Struct):
    phrase: str
    page: int


class Expected(msgspec.Struct, omit_defaults=True):
    """One file of the collection."""

    outcome: str
    """`converted` or `rejected`."""
    code: str = ""
    """Why it is rejected: a code of `ingest.errors`."""
    pages: int = 0
    title: str = ""
    language: str = ""
    headings: list[Heading] = []
    tables: list[Grid] = []
    search: Search | None = None


class Notebook:
    """Fills the expectations of one sample. Setting in several passes overwrites what earlier passes noted."""

    def __init__(self, title: str, language: str = "en") -> None:
        self.title, self.language = title, language
        self._headings: dict[str, Heading] = {}
        self._tables: dict[str, Grid] = {}
        self._search: Search | None = None

    def heading(self, text: str, level: int) -> Callable[[int], None]:
        def note(page: int) -> None:
            self._headings[text] = Heading(text, level, page)

        return note

    def table(self, caption: str, rows: list[list[Any]], chosen: list[tuple[int, int]]) -> Callable[[int], None]:
        """The grid's size comes from `rows`; `chosen` cells must hold plain text."""

        def note(page: int) -> None:
            cells = {f"{r},{c}": str(rows[r][c]) for r, c in chosen}
            self._tables[caption] = Grid(page, caption, len(rows), max(map(len, rows)), cells)

        return note

    def phrase(self, words: str) -> Callable[[int], None]:
        def note(page: int) -> None:
            self._search = Search(words, page)

        return note

    def expected(self, pages: int) -> Expected:
        return Expected(
            "converted",
            pages=pages,
            title=self.title,
            language=self.language,
            headings=list(self._headings.values()),
            tables=list(self._tables.values()),
            search=self._search,
        )
