"""Queries as the OpenSearch peer evaluates them: only those that the project sends, everything else is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from tests.support.opensearch_text import Analyze, Refused, Scorer, Token, expect_keys


class Row:
    """A document of an index, with its text as words."""

    def __init__(self, row_id: str, source: dict[str, Any], seq_no: int) -> None:
        self.row_id = row_id
        self.source = source
        self.seq_no = seq_no
        self._words: dict[str, list[Token]] = {}

    def value(self, field: str) -> Any:
        return self.source.get(field.partition(".")[0])

    def words(self, field: str, analyze: Analyze) -> list[Token]:
        if field not in self._words:
            self._words[field] = analyze(self.value(field) or "")
        return self._words[field]


class View:
    """The rows of an index that a search sees, and how its fields are read."""

    def __init__(self, rows: Iterable[Row], fields: Mapping[str, Mapping[str, Any]], analyze: Mapping[str, Analyze]):
        self.rows = list(rows)
        self._fields = fields
        self._analyze = analyze
        self._scorers: dict[str, Scorer] = {}

    @cached_property
    def text_fields(self) -> set[str]:
        return {name for name, declared in self._fields.items() if declared["type"] == "text"}

    def analyzer(self, field: str) -> Analyze:
        if field not in self.text_fields:
            raise Refused(400, "illegal_argument_exception", f"Field [{field}] is no text")
        return self._analyze[self._fields[field]["analyzer"]]

    def score(self, row: Row, query: Any) -> float | None:
        """None if the row does not match."""
        if not isinstance(query, dict) or len(query) != 1:
            raise Refused(400, "parsing_exception", f"[_na] query malformed: {query!r}")
        ((kind, about),) = query.items()
        match kind:
            case "bool":
                return self._bool(row, about)
            case "multi_match":
                return self._multi_match(row, about)
            case "term" | "terms":
                ((field, wanted),) = about.items()
                self._check_indexed(field)
                value = row.value(field)
                return 1.0 if value is not None and value in ([wanted] if kind == "term" else wanted) else None
            case "range":
                ((field, bounds),) = about.items()
                self._check_indexed(field)
                expect_keys("range", bounds, "lt", "lte", "gt", "gte")
                return 1.0 if _within(row.value(field), bounds) else None
        raise Refused(400, "parsing_exception", f"unknown query [{kind}]")

    def _bool(self, row: Row, about: Mapping[str, Any]) -> float | None:
        expect_keys("bool", about, "must", "should", "must_not", "filter")
        total = 0.0
        for part in (*about.get("must", ()), *about.get("filter", ())):
            score = self.score(row, part)
            if score is None:
                return None
            total += score if part in about.get("must", ()) else 0.0
        if any(self.score(row, part) is not None for part in about.get("must_not", ())):
            return None
        optional = [score for part in about.get("should", ()) if (score := self.score(row, part)) is not None]
        if about.get("should") and not optional and not about.get("must") and not about.get("filter"):
            return None
        return total + sum(optional)

    def _multi_match(self, row: Row, about: Mapping[str, Any]) -> float | None:
        expect_keys("multi_match", about, "query", "type", "fields", "tie_breaker")
        if about["type"] != "phrase":
            raise Refused(400, "parsing_exception", "only phrases")
        scores = []
        for boosted in about["fields"]:
            field, _, boost = boosted.partition("^")
            analyze = self.analyzer(field)
            score = self._scorer(field).score(row.words(field, analyze), [t.text for t in analyze(about["query"])])
            if score is not None:
                scores.append(score * float(boost or 1))
        if not scores:
            return None
        best = max(scores)
        return best + float(about["tie_breaker"]) * (sum(scores) - best)

    def _scorer(self, field: str) -> Scorer:
        if field not in self._scorers:
            analyze = self.analyzer(field)
            self._scorers[field] = Scorer(
                row.words(field, analyze) for row in self.rows if row.value(field) is not None
            )
        return self._scorers[field]

    def _check_indexed(self, field: str) -> None:
        declared = self._fields.get(field)
        if declared is None or declared["type"] == "text" or declared.get("index") is False:
            raise Refused(400, "query_shard_exception", f"field [{field}] cannot be searched for a value")

    def to_mark(self, highlight: Mapping[str, Any], field: str) -> list[str]:
        """Words of a field that are to be marked."""
        expect_keys("highlight", highlight, "highlight_query")
        ((kind, about),) = highlight["highlight_query"].items()
        if kind != "match" or list(about) != [field]:
            raise Refused(400, "parsing_exception", f"{highlight}")
        return [token.text for token in self.analyzer(field)(about[field])]


def _within(value: Any, bounds: Mapping[str, float]) -> bool:
    if value is None:
        return False
    checks = {"lt": value.__lt__, "lte": value.__le__, "gt": value.__gt__, "gte": value.__ge__}
    return all(checks[name](bound) for name, bound in bounds.items())
