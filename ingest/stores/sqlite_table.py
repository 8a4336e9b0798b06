"""Records as rows of SQLite: table, statements and mapping are made from the fields of the record type.

Fields are str (enumerations of strings too), int or float, or one of these and None.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from types import NoneType
from typing import Any, Generic, TypeVar, get_args

import msgspec

from ingest.stores.scalars import storable

Row = TypeVar("Row", bound=msgspec.Struct)


class Table(Generic[Row]):
    """A table whose columns are the fields of a record type."""

    def __init__(self, name: str, record: type[Row], key: Sequence[str]) -> None:
        fields = msgspec.structs.fields(record)
        columns = [field.name for field in fields]
        self.name = name
        self.columns = {field.name: _column(field) for field in fields}
        self._record = record
        self._values = attrgetter(*columns)
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        changes = ", ".join(f"{c} = excluded.{c}" for c in columns if c not in key)
        self.create = (
            f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(self.columns.values())}, PRIMARY KEY ({', '.join(key)})) "
            "WITHOUT ROWID"
        )
        self.select = f"SELECT {names} FROM {name}"
        self.upsert = (
            f"INSERT INTO {name} ({names}) VALUES ({marks}) ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changes}"
        )

    def encode(self, record: Row) -> list[Any]:
        return [storable(value) if isinstance(value, str) else value for value in self._values(record)]

    def decode(self, row: Sequence[Any]) -> Row:
        return msgspec.convert(dict(zip(self.columns, row, strict=True)), self._record)


def _column(field: msgspec.structs.FieldInfo) -> str:
    types = get_args(field.type) or (field.type,)
    stored = next(
        sql for python, sql in ((str, "TEXT"), (int, "INTEGER"), (float, "REAL")) if issubclass(types[0], python)
    )
    null = "" if NoneType in types else " NOT NULL"
    if field.default is msgspec.NODEFAULT or field.default is None:
        return f"{field.name} {stored}{null}"
    default = f"'{field.default}'" if stored == "TEXT" else repr(field.default)
    return f"{field.name} {stored}{null} DEFAULT {default}"
