"""What the search index uses of an OpenSearch cluster, in memory, and as strict as one: over real HTTP, it refuses what
a server refuses (and every request that the project does not send), shows rows to searches only once they are
refreshed, and has faults where a test wants them. It stands for no cluster where speed or ranking matter.
"""

from __future__ import annotations

import fnmatch
import gzip
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.support.http_peer import Answer, Request
from tests.support.opensearch_query import Row, View
from tests.support.opensearch_text import Refused, analyzers, expect_keys, mark

Json = dict[str, Any]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,254}")
_TYPES = {"keyword": str, "text": str, "long": int, "integer": int, "double": float}
_SEARCH_KEYS = ("query", "size", "sort", "search_after", "highlight", "track_total_hits", "track_scores", "_source")
_SEARCH_PARAMS = ("ignore_unavailable", "allow_no_indices", "search_type")


class Index:
    def __init__(self, name: str, body: Json) -> None:
        expect_keys("create", body, "settings", "mappings")
        settings, mappings = body.get("settings", {}), body["mappings"]
        expect_keys("settings", settings, "index", "analysis")
        expect_keys("index", settings.get("index", {}), "refresh_interval")
        expect_keys("mappings", mappings, "dynamic", "properties")
        self.name = name
        self.body = body
        self.analyze = analyzers(settings["analysis"]) if "analysis" in settings else {}
        self.fields = dict(_fields(mappings["properties"], self.analyze))
        self.aliases: dict[str, Json] = {}
        self.rows: dict[str, Row] = {}
        self.searchable: dict[str, Row] = {}
        self._seq_no = 0

    def refresh(self) -> None:
        self.searchable = dict(self.rows)
        self.__dict__.pop("_view", None)

    def view(self) -> View:
        if "_view" not in self.__dict__:
            self._view = View(self.searchable.values(), self.fields, self.analyze)
        return self._view

    def write(self, row_id: str, source: Json) -> Row:
        for field, value in source.items():
            self._check(field, value)
        self._seq_no += 1
        self.rows[row_id] = Row(row_id, source, self._seq_no)
        return self.rows[row_id]

    def _check(self, field: str, value: object) -> None:
        if field not in self.fields or "." in field:
            reason = f"mapping set to strict, dynamic introduction of [{field}] within [_doc] is not allowed"
            raise Refused(400, "strict_dynamic_mapping_exception", reason)
        kind = self.fields[field]["type"]
        for part in value if isinstance(value, list) else [value]:
            right = isinstance(part, (int, float) if kind == "double" else _TYPES[kind])
            if part is not None and (not right or isinstance(part, bool)):
                raise Refused(400, "mapper_parsing_exception", f"failed to parse field [{field}] of type [{kind}]")
            indexed = kind == "keyword" and self.fields[field].get("index", True)
            if indexed and isinstance(part, str) and len(part.encode()) > 32766:
                raise Refused(400, "illegal_argument_exception", f"immense term in field [{field}]")
            if kind == "integer" and isinstance(part, int) and abs(part) >= 1 << 31:
                raise Refused(400, "mapper_parsing_exception", f"[{field}] is out of range for an integer")


def _fields(properties: Json, analyze: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    for name, declared in properties.items():
        if declared["type"] not in _TYPES:
            raise Refused(400, "mapper_parsing_exception", f"No handler for type [{declared['type']}]")
        allowed = {"keyword": ("index", "doc_values"), "text": ("analyzer", "fields")}
        expect_keys(name, declared, "type", *allowed.get(declared["type"], ("index", "doc_values")))
        if declared["type"] == "text" and declared["analyzer"] not in analyze:
            raise Refused(400, "mapper_parsing_exception", f"analyzer [{declared['analyzer']}] has not been configured")
        yield name, declared
        for inner, field in _fields(declared.get("fields", {}), analyze):
            yield f"{name}.{inner}", field


class OpenSearchPeer:
    """The cluster. `requests` are those that came, bodies unpacked."""

    def __init__(self) -> None:
        self.indexes: dict[str, Index] = {}
        self.requests: list[tuple[str, str, Any]] = []
        self.faults: deque[tuple[str, Callable[[Callable[[], Answer]], Answer]]] = deque()
        """Each is for the next request whose method and path match; it may have the request done, or not."""
        self.item_fault: Callable[[str, str], tuple[int, str] | None] = lambda operation, row_id: None
        """Status and kind of error of a bulk's item, by operation and id."""
        self.login: str | None = None
        """The authorization header that is asked for."""
        self._guard = threading.RLock()

    def __call__(self, request: Request) -> Answer:
        with self._guard:
            body = request.body
            if request.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            self.requests.append((request.method, request.path, body))

            def do() -> Answer:
                try:
                    self._admit(request)
                    return _json(200, self._route(request, body))
                except Refused as error:
                    return _json(error.status, error.body)

            if self.faults and re.fullmatch(self.faults[0][0], f"{request.method} {request.path}"):
                return self.faults.popleft()[1](do)
            return do()

    def _admit(self, request: Request) -> None:
        if self.login is not None and request.headers.get("authorization") != self.login:
            raise Refused(401, "security_exception", "missing authentication credentials")
        if request.body and request.headers.get("content-type") not in ("application/json", "application/x-ndjson"):
            raise Refused(406, "media_type_header_exception", "Content-Type")

    def _route(self, request: Request, body: bytes) -> Json:
        method, path, query = request.method, request.path.strip("/").split("/"), request.query
        if path[-1] == "_bulk" and method == "POST" and len(path) == 2:
            return self._bulk(path[0], query, body)
        content: Json = _loads(body) if body else {}
        match [method, *path]:
            case ["PUT", name] if not name.startswith("_"):
                return self._create(name, query, content)
            case ["GET", pattern] if not pattern.startswith("_"):
                _params(query, "allow_no_indices")
                found = self._indexes(pattern, missing_ok="*" in pattern)
                return {index.name: {"aliases": index.aliases, **index.body} for index in found}
            case ["DELETE", name] if not name.startswith("_"):
                _params(query)
                del self.indexes[self._index(name).name]
                return {"acknowledged": True}
            case ["GET", "_alias", alias]:
                _params(query)
                return self._aliases_of(alias)
            case ["POST", "_aliases"]:
                _params(query)
                return self._change_aliases(content)
            case ["POST", name, "_refresh"]:
                _params(query)
                self._index(name).refresh()
                return {"_shards": {"failed": 0}}
            case ["POST", target, "_search"]:
                _params(query, *_SEARCH_PARAMS)
                return self._search(target, query, content)
            case ["POST", name, "_delete_by_query"]:
                _params(query, "max_docs", "conflicts", "refresh")
                return self._delete_by_query(self._index(name), query, content)
            case [_, name, "_doc", row_id]:
                return self._doc(method, self._index(name), row_id, query, content)
        raise Refused(400, "illegal_argument_exception", f"no handler found for {method} {request.path}")

    def _create(self, name: str, query: Mapping[str, str], body: Json) -> Json:
        _params(query)
        if name in self.indexes:
            raise Refused(400, "resource_already_exists_exception", f"index [{name}] already exists")
        if not _NAME.fullmatch(name) or any(name in index.aliases for index in self.indexes.values()):
            raise Refused(400, "invalid_index_name_exception", f"Invalid index name [{name}]")
        self.indexes[name] = Index(name, body)
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _index(self, name: str) -> Index:
        if name not in self.indexes:
            raise Refused(404, "index_not_found_exception", f"no such index [{name}]")
        return self.indexes[name]

    def _indexes(self, pattern: str, *, missing_ok: bool) -> list[Index]:
        found = [index for name, index in self.indexes.items() if fnmatch.fnmatchcase(name, pattern)]
        if not found and not missing_ok:
            raise Refused(404, "index_not_found_exception", f"no such index [{pattern}]")
        return found

    def _aliases_of(self, alias: str) -> Json:
        on = {index.name: {"aliases": {alias: index.aliases[alias]}} for index in self._with_alias(alias)}
        if not on:
            error = Refused(404, "", "")
            error.body = {"error": f"alias [{alias}] missing", "status": 404}
            raise error
        return on

    def _with_alias(self, alias: str) -> list[Index]:
        return [index for index in self.indexes.values() if alias in index.aliases]

    def _change_aliases(self, body: Json) -> Json:
        """All of the actions, or none."""
        expect_keys("aliases", body, "actions")
        changes = []
        for action in body["actions"]:
            ((kind, about),) = action.items()
            expect_keys(kind, about, "index", "alias", *(["filter"] if kind == "add" else []))
            index = self._index(about["index"])
            if kind == "remove" and about["alias"] not in index.aliases:
                raise Refused(404, "aliases_not_found_exception", f"aliases [{about['alias']}] missing")
            if kind not in ("add", "remove") or not _NAME.fullmatch(about["alias"]) or about["alias"] in self.indexes:
                raise Refused(400, "illegal_argument_exception", f"{action}")
            if kind == "add":
                index.view().score(Row("", {}, 0), about["filter"])  # a query that cannot be parsed is refused
            changes.append((kind, index, about))
        for kind, index, about in changes:
            if kind == "add":
                index.aliases[about["alias"]] = {"filter": about["filter"]}
            else:
                del index.aliases[about["alias"]]
        return {"acknowledged": True}

    def _bulk(self, name: str, query: Mapping[str, str], body: bytes) -> Json:
        _params(query)
        index = self._index(name)
        if not body.endswith(b"\n"):
            raise Refused(400, "illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]")
        lines = iter(body.split(b"\n")[:-1])
        items = []
        for line in lines:
            action = _loads(line)
            if len(action) != 1 or not set(action) <= {"index", "delete", "update"}:
                raise Refused(400, "illegal_argument_exception", f"Malformed action/metadata line {line!r}")
            ((operation, about),) = action.items()
            expect_keys("action", about, "_id")
            source = None if operation == "delete" else _loads(next(lines, b""))
            item = {"_index": name, "_id": about["_id"]}
            try:
                item["status"] = self._item(index, operation, about["_id"], source)
            except Refused as error:
                item |= {"status": error.status, "error": error.body["error"]}
            items.append({operation: item})
        return {"took": 1, "errors": any("error" in next(iter(item.values())) for item in items), "items": items}

    def _item(self, index: Index, operation: str, row_id: str, source: Json | None) -> int:
        if len(row_id.encode()) > 512:
            raise Refused(400, "illegal_argument_exception", "id is too long")
        if fault := self.item_fault(operation, row_id):
            raise Refused(fault[0], fault[1], "as the test has it")
        there = row_id in index.rows
        if operation == "delete":
            index.rows.pop(row_id, None)
            return 200 if there else 404
        assert source is not None
        if operation == "update":
            expect_keys("UpdateRequest", source, "doc")
            if not there:
                raise Refused(404, "document_missing_exception", f"[{row_id}]: document missing")
            source = index.rows[row_id].source | source["doc"]
        index.write(row_id, source)
        return 200 if there else 201

    def _doc(self, method: str, index: Index, row_id: str, query: Mapping[str, str], body: Json) -> Json:
        _params(query, "op_type", "if_seq_no", "if_primary_term")
        found = index.rows.get(row_id)
        if method == "GET":
            if found is None:
                error = Refused(404, "", "")
                error.body = {"_index": index.name, "_id": row_id, "found": False}
                raise error
            version = {"_seq_no": found.seq_no, "_primary_term": 1}
            return {"_index": index.name, "_id": row_id, **version, "found": True, "_source": found.source}
        expected = query.get("if_seq_no")
        exists = found is not None and query.get("op_type") == "create"
        if exists or (expected is not None and (found is None or str(found.seq_no) != expected)):
            raise Refused(409, "version_conflict_engine_exception", f"[{row_id}]: version conflict")
        if method == "DELETE":
            index.rows.pop(row_id, None)
            return {"result": "deleted" if found else "not_found"}
        index.write(row_id, body)
        return {"result": "created" if found is None else "updated"}

    def _delete_by_query(self, index: Index, query: Mapping[str, str], body: Json) -> Json:
        expect_keys("delete_by_query", body, "query")
        view = index.view()
        found = [row for row in view.rows if view.score(row, body["query"]) is not None]
        found = found[: int(query.get("max_docs", len(found)))]
        same = [row for row in found if index.rows.get(row.row_id) is row]
        if len(same) < len(found) and query.get("conflicts") != "proceed":
            raise Refused(409, "version_conflict_engine_exception", "version conflict")
        for row in same:
            del index.rows[row.row_id]
        if query.get("refresh") == "true":
            index.refresh()
        return {"deleted": len(same), "version_conflicts": len(found) - len(same), "failures": []}

    def _search(self, target: str, query: Mapping[str, str], body: Json) -> Json:
        expect_keys("search", body, *_SEARCH_KEYS)
        size = body.get("size", 10)
        if size > 10_000:
            raise Refused(400, "illegal_argument_exception", "Result window is too large")
        found = [
            (_sort_key(body, row, score), index, row, score)
            for index, narrow in self._targets(target, query)
            for row in index.view().rows
            if (narrow is None or index.view().score(row, narrow) is not None)
            and (score := index.view().score(row, body["query"])) is not None
        ]
        found.sort(key=lambda one: one[0])
        if "search_after" in body:
            found = [one for one in found if list(one[0]) > body["search_after"]]
        hits = [self._hit(body, key, index, row, score) for key, index, row, score in found[:size]]
        return {"timed_out": False, "hits": {"hits": hits}}

    def _targets(self, target: str, query: Mapping[str, str]) -> list[tuple[Index, Json | None]]:
        if "*" in target:
            # An index that is named besides its alias is searched without the alias's filter.
            named = {i.name for i in self._indexes(target, missing_ok=True)}
            found: list[tuple[Index, Json | None]] = [(self.indexes[name], None) for name in named]
            for index in self.indexes.values():
                filters = [about["filter"] for alias, about in index.aliases.items() if fnmatch.fnmatch(alias, target)]
                if filters and index.name not in named:
                    found.append((index, filters[0]))
            return found
        if target in self.indexes:
            return [(self.indexes[target], None)]
        found = [(index, index.aliases[target]["filter"]) for index in self._with_alias(target)]
        if not found and query.get("ignore_unavailable") != "true":
            raise Refused(404, "index_not_found_exception", f"no such index [{target}]")
        return found

    def _hit(self, body: Json, key: tuple[Any, ...], index: Index, row: Row, score: float) -> Json:
        hit: Json = {"_index": index.name, "_id": row.row_id, "_score": score if body.get("track_scores") else None}
        if body.get("_source", True) is not False:
            wanted = body.get("_source", True)
            hit["_source"] = {k: v for k, v in row.source.items() if wanted is True or k in wanted}
        if "sort" in body:
            hit["sort"] = list(key)
        if highlight := body.get("highlight"):
            expect_keys("highlight", highlight, "type", "number_of_fragments", "pre_tags", "post_tags", "fields")
            for field, about in highlight["fields"].items():
                tokens = row.words(field, index.view().analyzer(field))
                words = index.view().to_mark(about, field)
                text = mark(row.value(field), tokens, words, highlight["pre_tags"][0], highlight["post_tags"][0])
                if text != row.value(field):
                    hit.setdefault("highlight", {})[field] = [text]
        return hit


def _sort_key(body: Json, row: Row, score: float) -> tuple[Any, ...]:
    key: list[Any] = []
    for part in body.get("sort", [{"_score": "desc"}]):
        ((field, order),) = part.items()
        if (field == "_score") != (order == "desc"):
            raise Refused(400, "illegal_argument_exception", f"sort by {part}")
        key.append(-score if field == "_score" else row.value(field))
    return tuple(key)


def _params(query: Mapping[str, str], *allowed: str) -> None:
    if unknown := set(query) - set(allowed):
        raise Refused(400, "illegal_argument_exception", f"request contains unrecognized parameters: {unknown}")


def _loads(text: bytes) -> Json:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Refused(400, "parsing_exception", f"{error}: {text[:100]!r}") from error
    if not isinstance(found, dict):
        raise Refused(400, "parsing_exception", f"no object: {text[:100]!r}")
    return found


def _json(status: int, body: Json) -> Answer:
    return Answer(status, json.dumps(body).encode(), {"Content-Type": "application/json"})
