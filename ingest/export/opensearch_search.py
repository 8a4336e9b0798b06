"""One query to an OpenSearch cluster, and its hits."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

from ingest.export.index import Hit
from ingest.export.opensearch_schema import WEIGHTS
from ingest.export.query import Node, Phrase
from ingest.export.snippets import Span, only_whole_runs, snippet, unspaced_runs

MAX_HITS = 10_000
"""The cluster's own limit (`index.max_result_window`) for one answer."""


class Search:
    """The request for a query, and how to read its answer."""

    def __init__(self, query: Node, label: str | None, limit: int) -> None:
        words = " ".join(_texts(query))
        self._runs = unspaced_runs(words)
        # A mark that is in no text, as it is new.
        self._mark = secrets.token_hex(8)
        narrow: list[dict[str, Any]] = [{"term": {"kind": "record"}}]
        if label is not None:
            narrow.append({"term": {"label": label}})
        self.body: dict[str, Any] = {
            "size": min(limit, MAX_HITS),
            "track_total_hits": False,
            "track_scores": True,
            "query": {"bool": {"must": [_clause(query)], "filter": narrow}},
            "sort": [{"_score": "desc"}, {"doc_id": "asc"}, {"position": "asc"}],
            "highlight": {
                "type": "unified",
                "number_of_fragments": 0,
                "pre_tags": [self._mark],
                "post_tags": [self._mark],
                # Each word of the query wherever it stands, as the embedded index shows it.
                "fields": {"text.stem": {"highlight_query": {"match": {"text.stem": words}}}},
            },
        }

    def hit(self, found: dict[str, Any]) -> Hit:
        row = found["_source"]
        text = row["text"]
        marked = found.get("highlight", {}).get("text.stem", [text])[0]
        x0, y0, x1, y1 = row["bbox"]
        return Hit(
            score=found["_score"],
            collection=row["collection"],
            doc_id=row["doc_id"],
            path=row["path"],
            title=row["title"],
            label=row["label"],
            page=row["page"],
            bbox=(x0, y0, x1, y1),
            section=row["section"],
            snippet=snippet(text, only_whole_runs(text, self._matches(marked), self._runs)),
            ref=row["ref"],
            sha256=row["sha256"],
            fingerprint=row["fingerprint"],
            run_id=row["run_id"],
        )

    def _matches(self, marked: str) -> Iterator[Span]:
        """What stands between marks, as characters of the text without them."""
        at = 0
        for number, part in enumerate(marked.split(self._mark)):
            if number % 2:
                yield at, at + len(part)
            at += len(part)


def _clause(node: Node) -> dict[str, Any]:
    """With the scores of all fields added, as the embedded index has it."""
    if isinstance(node, Phrase):
        fields = [f"{name}^{weight}" for name, weight in WEIGHTS.items()]
        return {"multi_match": {"query": node.text, "type": "phrase", "fields": fields, "tie_breaker": 1.0}}
    parts = {"must": node.must, "should": node.should, "must_not": node.must_not}
    return {"bool": {name: [_clause(part) for part in nodes] for name, nodes in parts.items() if nodes}}


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, Phrase):
        yield node.text
    else:
        for part in (*node.must, *node.should, *node.must_not):
            yield from _texts(part)
