"""The language of queries, the same for every index.

Words, of which any will do; "a phrase"; AND, OR, NOT, brackets; +must and -must not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_WORDS = 256
"""More words than this are left out of a query."""
_DEEPEST = 20

_TOKEN = re.compile(
    r'(?P<sign>[+-]|NOT\s+)?(?:"(?P<phrase>[^"]*)"|(?P<open>\()|(?P<word>[^\s"()]+))|(?P<close>\))|(?P<other>\S)'
)
_MARK = re.compile(r"[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand together; often only one."""

    text: str


@dataclass(slots=True)
class Group:
    """All of `must` and none of `must_not`; without a `must`, any of `should`, which else only raise the score."""

    must: list[Node] = field(default_factory=list)
    should: list[Node] = field(default_factory=list)
    must_not: list[Node] = field(default_factory=list)


Node = Phrase | Group


def parse(words: str) -> Node | None:
    """The query; what is none in this language, as any of its words. None if there is no word in it."""
    try:
        return _Parser(words).whole()
    except _NotAQuery:
        plain = [Phrase(word) for word in _MARK.sub(" ", words).lower().split()[:MAX_WORDS]]
        return Group(should=list(plain)) if plain else None


class _NotAQuery(Exception):
    pass


class _Token(NamedTuple):
    sign: str
    """`+`, `-` or nothing."""
    kind: str
    """`(`, `)`, `AND`, `OR`, "words", or "end"."""
    text: str = ""


class _Parser:
    """By recursive descent. AND binds closer than OR; what stands side by side is joined by OR."""

    def __init__(self, words: str) -> None:
        self._tokens = [_token(found) for found in _TOKEN.finditer(words)]
        if len(self._tokens) > MAX_WORDS:
            raise _NotAQuery
        self._at = 0

    def whole(self) -> Node | None:
        found = self._any_of(0)
        if self._at < len(self._tokens):
            raise _NotAQuery
        return found

    def _any_of(self, depth: int) -> Node | None:
        group = Group()
        operand_due = True
        while (kind := self._peek().kind) not in (")", "end"):
            if kind == "OR":
                if operand_due:
                    raise _NotAQuery
                self._at += 1
                operand_due = True
            else:
                self._all_of(group, depth)
                operand_due = False
        if operand_due and self._at:
            raise _NotAQuery
        return _simplest(group)

    def _all_of(self, group: Group, depth: int) -> None:
        """Add an operand, or several that are joined by AND, as one."""
        operands = [self._operand(depth)]
        while self._peek().kind == "AND":
            self._at += 1
            operands.append(self._operand(depth))
        joined = len(operands) > 1
        into = Group() if joined else group
        for sign, node in operands:
            if node is not None:
                part = into.must_not if sign == "-" else into.must if joined or sign == "+" else into.should
                part.append(node)
        if joined and (node := _simplest(into)) is not None:
            group.should.append(node)

    def _operand(self, depth: int) -> tuple[str, Node | None]:
        token = self._peek()
        self._at += 1
        if token.kind == "words":
            return token.sign, Phrase(token.text) if any(map(str.isalnum, token.text)) else None
        if token.kind != "(" or depth == _DEEPEST:
            raise _NotAQuery
        node = self._any_of(depth + 1)
        if self._peek().kind != ")":
            raise _NotAQuery
        self._at += 1
        return token.sign, node

    def _peek(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _Token("", "end")


def _token(found: re.Match[str]) -> _Token:
    sign = (found["sign"] or "").strip().replace("NOT", "-")
    if found["other"]:
        raise _NotAQuery
    if found["open"] or found["close"]:
        return _Token(sign, found["open"] or found["close"])
    if found["word"] in ("AND", "OR") and not sign:
        return _Token("", found["word"])
    return _Token(sign, "words", found["word"] if found["phrase"] is None else found["phrase"])


def _simplest(group: Group) -> Node | None:
    if not group.must and not group.should:
        if group.must_not:
            raise _NotAQuery
        return None
    only = [*group.must, *group.should]
    return only[0] if len(only) == 1 and not group.must_not else group
