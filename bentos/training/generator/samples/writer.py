"""Collects the blocks of a document: numbered headings, paragraphs, lists, floats, formulas, references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bentos.training.generator.samples.expect import Notebook
from bentos.training.generator.samples.formula import Box, Display, Math
from bentos.training.generator.samples.style import Sheet, para, table
from bentos.training.generator.samples.typeset import Block, Break, Stack

Items = Sequence["str | tuple[str, Items]"]
"""List items; a pair holds an item and the list below it."""

_ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]


class Writer:
    """The flow of one document, filled from top to bottom."""

    def __init__(self, sheet: Sheet, notebook: Notebook, *, numbered: bool = True) -> None:
        self.sheet, self.notebook, self.numbered = sheet, notebook, numbered
        self.blocks: list[Block | Break] = []
        self.after_heading = True
        self._sections = [0, 0, 0]
        self._counts = {"Figure": 0, "Table": 0, "formula": 0}

    def add(self, flowable: Any, **more: Any) -> None:
        self.blocks.append(Block(flowable, **more))

    def heading(self, level: int, text: str, mark: Callable[[int], None] | None = None, numbered: bool = True) -> str:
        """A heading of level 1 to 3; returns it as printed."""
        if self.numbered and numbered:
            self._sections[level - 1] += 1
            self._sections[level:] = [0] * (3 - level)
            text = ".".join(map(str, self._sections[:level])) + "  " + text
        printed = " ".join(text.split())
        style = (self.sheet.h1, self.sheet.h2, self.sheet.h3)[level - 1]
        note = self.notebook.heading(printed, level)

        def both(page: int) -> None:
            note(page)
            if mark:
                mark(page)

        last = self.blocks[-1] if self.blocks else None
        closer = 0.6 * style.spaceBefore if isinstance(last, Block) and last.outline else 0.0
        shown = para(text.replace("  ", "&nbsp;&nbsp;"), style)
        self.add(shown, keep_next=True, mark=both, outline=(0, printed), closer=closer)
        self.after_heading = True
        return printed

    def p(self, text: str, notes: dict[str, str] | None = None, phrase: str = "") -> None:
        """A paragraph; a footnote's mark stands in it as `[^1]`. `phrase` is what the search test will look for."""
        for mark in notes or {}:
            text = text.replace(f"[^{mark}]", f"<super>{mark}</super>")
        style = self.sheet.first if self.after_heading else self.sheet.text
        seen = self.notebook.phrase(phrase) if phrase else None
        self.add(para(text, style), notes=notes or {}, mark=seen)
        self.after_heading = False

    def items(self, items: Items, kinds: Sequence[str] = ("•", "–", "·"), depth: int = 1) -> None:
        """A list; `kinds` per depth: a bullet, or `1.`, `a)`, `i.` to count."""
        for i, item in enumerate(items):
            text, below = item if isinstance(item, tuple) else (item, ())
            self.add(para(text, self.sheet.item(depth), _identifier(kinds[depth - 1], i)))
            if below:
                self.items(below, kinds, depth + 1)
        self.after_heading = False

    def formula(self, box: Box, math: Math) -> None:
        self._counts["formula"] += 1
        self.add(Display(box, math, str(self._counts["formula"])))
        self.after_heading = True

    def figure(self, drawing: Any, text: str, *, wide: bool = False) -> None:
        """A figure with its caption below."""
        caption = para(self._caption("Figure", text), self.sheet.caption)
        self.add(Stack([drawing, caption], 8, 10), top=True, wide=wide)

    def table(
        self,
        rows: list[list[Any]],
        widths: list[float],
        commands: list[Any],
        text: str,
        chosen: list[tuple[int, int]],
        *,
        flow: bool = False,
        wide: bool = False,
        **more: Any,
    ) -> None:
        """A table with its caption above. `flow`: not a float; it may run over pages."""
        caption = self._caption("Table", text)
        made = table(rows, self.sheet, widths, commands, **more)
        plain = caption.replace("<b>", "").replace("</b>", "")
        mark = self.notebook.table(plain, rows, chosen)
        if flow:
            made.spaceAfter = 10
            self.add(para(caption, self.sheet.caption), keep_next=True)
            self.add(made, mark=mark)
        else:
            self.add(Stack([para(caption, self.sheet.caption), made], 8, 10), top=True, wide=wide, mark=mark)
        self.after_heading = False

    def _caption(self, kind: str, text: str) -> str:
        self._counts[kind] += 1
        return f"<b>{kind} {self._counts[kind]}.</b> {text}"

    def references(self, entries: Sequence[str]) -> None:
        for i, entry in enumerate(entries, 1):
            self.add(para(entry, self.sheet.reference, f"[{i}]"))

    def break_page(self, *, recto: bool = False) -> None:
        self.blocks.append(Break(recto=recto))
        self.after_heading = True


def _identifier(kind: str, i: int) -> str:
    if kind[0] == "1":
        return f"{i + 1}{kind[1:]}"
    if kind[0] == "a":
        return f"{chr(97 + i)}{kind[1:]}"
    if kind[0] == "i":
        return f"{_ROMAN[i]}{kind[1:]}"
    return kind
