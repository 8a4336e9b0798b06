"""How the OpenSearch peer reads text: the analyzers that an index declares, phrases, BM25, marks around matches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import tantivy


class Refused(Exception):
    """The answer to a request that a server would not take."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.body = {"error": {"type": kind, "reason": reason, "root_cause": []}, "status": status}


class Token(NamedTuple):
    text: str
    start: int
    stop: int


Analyze = Callable[[str], list[Token]]


def expect_keys(what: str, given: Mapping[str, Any], *allowed: str) -> None:
    if unknown := set(given) - set(allowed):
        raise Refused(400, "x_content_parse_exception", f"[{what}] unknown field {sorted(unknown)}")


def analyzers(analysis: Mapping[str, Any]) -> dict[str, Analyze]:
    """By name. Knows the parts that the project uses; Refused for any other."""
    expect_keys("analysis", analysis, "tokenizer", "filter", "analyzer")
    found = {}
    for name, declared in analysis["analyzer"].items():
        expect_keys(name, declared, "type", "tokenizer", "filter")
        tokenizer = analysis["tokenizer"][declared["tokenizer"]]
        expect_keys("tokenizer", tokenizer, "type", "pattern", "group")
        if (declared["type"], tokenizer["type"], tokenizer["group"]) != ("custom", "pattern", 0):
            raise Refused(400, "illegal_argument_exception", f"analyzer [{name}]")
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(tokenizer["pattern"]))
        for step in declared["filter"]:
            builder = builder.filter(_filter(step, analysis["filter"].get(step)))
        found[name] = _analyze(builder.build())
    return found


def _filter(name: str, declared: Mapping[str, Any] | None) -> Any:
    if declared is None:
        builtin = {"lowercase": tantivy.Filter.lowercase, "asciifolding": tantivy.Filter.ascii_fold}
        if name not in builtin:
            raise Refused(400, "illegal_argument_exception", f"failed to find filter under name [{name}]")
        return builtin[name]()
    if declared == {"type": "stemmer", "language": "porter2"}:
        return tantivy.Filter.stemmer("english")
    if set(declared) == {"type", "max"} and declared["type"] == "length":
        return tantivy.Filter.remove_long(declared["max"] + 1)
    raise Refused(400, "illegal_argument_exception", f"Unknown filter {declared}")


def _analyze(analyzer: Any) -> Analyze:
    def analyze(text: str) -> list[Token]:
        tokens = analyzer.pre_tokenize(text).tokens
        return [Token(token.text, token.char_offset_from, token.char_offset_to) for token in tokens]

    return analyze


def occurrences(tokens: Sequence[Token], phrase: Sequence[str]) -> list[int]:
    """Where the phrase begins."""
    if not phrase:
        return []
    return [
        at
        for at in range(len(tokens) - len(phrase) + 1)
        if all(tokens[at + n].text == word for n, word in enumerate(phrase))
    ]


class Scorer:
    """BM25 of one field over the texts of an index."""

    def __init__(self, texts: Iterable[Sequence[Token]]) -> None:
        self._count, self._length, self._with_word = 0, 0, dict[str, int]()
        for tokens in texts:
            self._count += 1
            self._length += len(tokens)
            for word in {token.text for token in tokens}:
                self._with_word[word] = self._with_word.get(word, 0) + 1

    def score(self, tokens: Sequence[Token], phrase: Sequence[str]) -> float | None:
        """None if the phrase does not occur."""
        frequency = len(occurrences(tokens, phrase))
        if not frequency:
            return None
        weight = 0.0
        for word in phrase:
            documents = self._with_word[word]
            weight += math.log(1 + (self._count - documents + 0.5) / (documents + 0.5))
        norm = 1.2 * (0.25 + 0.75 * len(tokens) * self._count / self._length)
        return weight * frequency * 2.2 / (frequency + norm)


def mark(text: str, tokens: Iterable[Token], words: Iterable[str], before: str, after: str) -> str:
    """The text with marks around each of the words."""
    wanted = set(words)
    out, at = "", 0
    for token in tokens:
        if token.text in wanted:
            out += text[at : token.start] + before + text[token.start : token.stop] + after
            at = token.stop
    return out + text[at:]
