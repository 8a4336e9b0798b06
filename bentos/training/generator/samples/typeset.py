"""A small page builder on top of reportlab: columns, floats, footnotes, running heads, a second pass for page numbers.

reportlab's own templates know neither footnotes nor floats that span columns. The paragraph and table machinery
(breaking lines, splitting over pages) is reportlab's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph

NOTE_GAP = 8.0
"""Points between the column's text and its footnotes."""
FLOAT_GAP = 12.0
MAX_PASSES = 4


@dataclass(slots=True)
class Block:
    """One piece of the flow."""

    flowable: Any
    notes: dict[str, str] = field(default_factory=dict)
    """Footnotes whose marks stand in this block: mark -> text."""
    keep_next: bool = False
    """Never the last thing in a column (headings)."""
    top: bool = False
    """A float: goes to the top of the next column with room for it."""
    wide: bool = False
    """A float across all columns, at the top of the next page; as the very first block, right here."""
    mark: Callable[[int], None] | None = None
    """Called with the page number when the block is placed."""
    closer: float = 0.0
    """Points taken off the space before it (a heading right below a heading)."""
    outline: tuple[int, str] | None = None
    """Entry in the file's outline: level (0 is the outermost) and text."""


class Break:
    """Starts a new page; `recto`: the next odd one."""

    def __init__(self, *, recto: bool = False) -> None:
        self.recto = recto


@dataclass(slots=True)
class Column:
    """Points, origin bottom left."""

    x: float
    bottom: float
    width: float
    top: float


@dataclass(slots=True)
class Layout:
    """What a document's pages look like."""

    size: tuple[float, float]
    columns: Callable[[int], list[Column]]
    """Columns of a page by its number."""
    note: ParagraphStyle
    furniture: Callable[[Canvas, int], None]
    """Draws running heads, page numbers, rules of a finished page."""


class _Page:
    """The page being filled."""

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        self.current = 0
        self.y = columns[0].top
        self.notes: list[Any] = []
        self.notes_height = 0.0
        self.empty = True

    @property
    def column(self) -> Column:
        return self.columns[self.current]

    @property
    def room(self) -> float:
        return self.y - self.column.bottom - self.notes_height

    @property
    def at_top(self) -> bool:
        return self.y >= self.column.top - 0.01


class Composer:
    """Sets blocks on pages. One instance sets one document once."""

    def __init__(self, path: Path, layout: Layout, title: str, author: str) -> None:
        self.layout = layout
        self.canvas = Canvas(str(path), pagesize=layout.size, invariant=1, pageCompression=1)
        self.canvas.setTitle(title)
        self.canvas.setAuthor(author)
        self.number = 1
        self.page = _Page(layout.columns(1))
        self.waiting: list[Block] = []

    def run(self, flow: Iterable[Block | Break]) -> int:
        """Sets everything, saves, returns the number of pages."""
        blocks = list(flow)
        for i, block in enumerate(blocks):
            if isinstance(block, Break):
                self._break(block)
                continue
            following = blocks[i + 1] if i + 1 < len(blocks) else None
            if block.wide and self.page.empty:
                self._place_wide(block)
            elif block.wide or (block.top and not self._fits(block)):
                self.waiting.append(block)
            else:
                self._place(block, following)
        while self.waiting:
            self._next_page()
        self._finish_page()
        self.canvas.save()
        return self.number

    def _break(self, item: Break) -> None:
        while self.waiting:
            self._next_page()
        if not self.page.empty:
            self._next_page()
        if item.recto and self.number % 2 == 0:
            self._next_page()

    def _finish_page(self) -> None:
        self._finish_column()
        if not self.page.empty:
            self.layout.furniture(self.canvas, self.number)
        self.canvas.showPage()

    def _next_page(self) -> None:
        self._finish_page()
        self.number += 1
        self.page = _Page(self.layout.columns(self.number))
        waiting, self.waiting = self.waiting, []
        for block in waiting:
            if block.wide:
                if not self._place_wide(block):
                    self.waiting.append(block)
            elif self._fits(block):
                self._draw(block, FLOAT_GAP)
            else:
                self.waiting.append(block)

    def _next_column(self) -> None:
        if self.page.current + 1 == len(self.page.columns):
            self._next_page()
            return
        self._finish_column()
        self.page.current += 1
        self.page.y = self.page.column.top
        self.page.notes, self.page.notes_height = [], 0.0
        waiting, self.waiting = self.waiting, []
        for block in waiting:
            if block.wide or not self._fits(block):
                self.waiting.append(block)
            else:
                self._draw(block, FLOAT_GAP)

    def _finish_column(self) -> None:
        page = self.page
        if not page.notes:
            return
        y = page.column.bottom + page.notes_height - NOTE_GAP
        self.canvas.setLineWidth(0.4)
        self.canvas.line(page.column.x, y + 2, page.column.x + min(72, page.column.width / 3), y + 2)
        for note in page.notes:
            _, height = note.wrap(page.column.width, 1e4)
            y -= height
            note.drawOn(self.canvas, page.column.x, y)

    def _fits(self, block: Block) -> bool:
        _, height = block.flowable.wrap(self.page.column.width, 1e4)
        return bool(height + 2 * FLOAT_GAP <= self.page.room)

    def _place_wide(self, block: Block) -> bool:
        """Draws a block across all columns and lowers their tops."""
        page = self.page
        left = page.columns[0].x
        width = page.columns[-1].x + page.columns[-1].width - left
        _, height = block.flowable.wrap(width, 1e4)
        if height > page.room:
            return False
        block.flowable.drawOn(self.canvas, left, page.y - height)
        for column in page.columns:
            column.top -= height + block.flowable.getSpaceAfter()
        page.y = page.column.top
        self._placed(block)
        return True

    def _placed(self, block: Block) -> None:
        self.page.empty = False
        self._add_notes(block.notes)
        if block.outline:
            level, text = block.outline
            key = f"{self.number}-{text}"
            self.canvas.bookmarkPage(key)
            self.canvas.addOutlineEntry(text, key, level)
        if block.mark:
            block.mark(self.number)

    def _note_height(self, notes: dict[str, str]) -> float:
        heights = [self._note(m, t).wrap(self.page.column.width, 1e4)[1] for m, t in notes.items()]
        return float(sum(heights)) + (NOTE_GAP if heights and not self.page.notes else 0)

    def _note(self, mark: str, text: str) -> Any:
        size = self.layout.note.fontSize
        return Paragraph(
            f'<super size="{0.7 * size:.1f}" rise="{0.35 * size:.1f}">{mark}</super>&nbsp;{text}', self.layout.note
        )

    def _add_notes(self, notes: dict[str, str]) -> None:
        self.page.notes_height += self._note_height(notes)
        self.page.notes += [self._note(m, t) for m, t in notes.items()]

    def _draw(self, block: Block, after: float | None = None) -> None:
        page = self.page
        before = 0.0 if page.at_top else block.flowable.getSpaceBefore() - block.closer
        _, height = block.flowable.wrap(page.column.width, page.room)
        page.y -= before + height
        block.flowable.drawOn(self.canvas, page.column.x, page.y)
        page.y -= block.flowable.getSpaceAfter() if after is None else after
        self._placed(block)

    def _needed_after(self, block: Block | Break | None) -> float:
        """Room that a heading wants below itself."""
        if not isinstance(block, Block) or block.top or block.wide:
            return 0.0
        _, height = block.flowable.wrap(self.page.column.width, 1e4)
        return float(min(height, 30.0 if isinstance(block.flowable, Paragraph) else 120.0))

    def _place(self, block: Block, following: Block | Break | None) -> None:
        extra = self._needed_after(following) if block.keep_next else 0.0
        fresh = 0
        while True:
            page = self.page
            before = 0.0 if page.at_top else block.flowable.getSpaceBefore() - block.closer
            _, height = block.flowable.wrap(page.column.width, page.room)
            if before + height + extra + self._note_height(block.notes) <= page.room:
                self._draw(block)
                return
            parts = [] if block.keep_next else self._split(block, page.room - before)
            if parts:
                first, rest = parts
                self._draw(first)
                self._next_column()
                block, fresh = rest, 0
                continue
            fresh = fresh + 1 if page.at_top else 0
            if fresh > 2 * len(page.columns):
                raise ValueError(f"page {self.number}: {block.flowable!r} does not fit on an empty page")
            self._next_column()

    def _split(self, block: Block, room: float) -> list[Block]:
        """The block cut in two so that the first part and its notes fit; empty if that cannot be."""
        room -= self._note_height(block.notes)
        parts = block.flowable.split(self.page.column.width, room)
        if len(parts) < 2:
            return []
        here = {m: t for m, t in block.notes.items() if _has_mark(parts[0], m)}
        rest = parts[1] if len(parts) == 2 else Stack(parts[1:])
        later = {m: t for m, t in block.notes.items() if m not in here}
        return [Block(parts[0], here, mark=block.mark, outline=block.outline), Block(rest, later)]


def _has_mark(part: Any, mark: str) -> bool:
    """Whether a piece of a paragraph holds a footnote's mark."""
    return any(getattr(f, "rise", 0) and getattr(f, "text", "").strip() == mark for f in getattr(part, "frags", []))


class Stack(Flowable):  # type: ignore[misc]
    """Flowables on top of one another, never split: a figure and its caption, a title block."""

    def __init__(self, parts: Sequence[Any], before: float = 0.0, after: float = 0.0) -> None:
        super().__init__()
        self.parts = list(parts)
        self.spaceBefore, self.spaceAfter = before, after

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, self.height = width, 0.0
        for i, part in enumerate(self.parts):
            self.height += part.wrap(width, 1e4)[1] + (part.getSpaceBefore() if i else 0)
            self.height += part.getSpaceAfter() if i + 1 < len(self.parts) else 0
        return width, self.height

    def draw(self) -> None:
        y = self.height
        for i, part in enumerate(self.parts):
            own, height = part.wrap(self.width, 1e4)
            y -= height + (part.getSpaceBefore() if i else 0)
            left = {"LEFT": 0.0, "RIGHT": self.width - own}.get(getattr(part, "hAlign", "LEFT"), (self.width - own) / 2)
            part.drawOn(self.canv, 0 if isinstance(part, Paragraph) else left, y)
            y -= part.getSpaceAfter()


class Numbers:
    """Page numbers by key: those of the pass before, to print, and those of this pass, as they come."""

    def __init__(self, before: dict[str, int]) -> None:
        self.before = before
        self.now: dict[str, int] = {}

    def get(self, key: str) -> int:
        return self.before.get(key, 0)

    def note(self, key: str, page: int) -> None:
        self.now[key] = page


def compose(
    path: Path,
    layout: Callable[[Numbers], Layout],
    flow: Callable[[Numbers], Iterable[Block | Break]],
    title: str,
    author: str,
) -> int:
    """Sets a document again and again until the page numbers that it prints are its own; returns its page count."""
    numbers = Numbers({})
    for _ in range(MAX_PASSES):
        pages = Composer(path, layout(numbers), title, author).run(flow(numbers))
        if numbers.now == numbers.before:
            return pages
        numbers = Numbers(numbers.now)
    raise ValueError(f"{path.name}: page numbers do not settle")
