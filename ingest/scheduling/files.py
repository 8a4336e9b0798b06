"""The files of a run, read and written by type. `ingest.stores.keys` says where they lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from ingest.errors import NotFound, RunError, StoreError
from ingest.scheduling.batch import Entry, Plan, Result, RunFile
from ingest.stores import keys
from ingest.stores.objects import ObjectStore

T = TypeVar("T")


def read_converted(objects: ObjectStore, path: str, key: str) -> bytes:
    """A converted document; `path` names it in the error. Raises StoreError if it is gone from the object store."""
    try:
        return objects.get(key)
    except NotFound as error:
        raise StoreError(
            f"{path}: the ledger says that it is converted, but {key} is not in the object store; "
            "run again with --force"
        ) from error


class RunFiles:
    """One run's folder in the object store."""

    def __init__(self, objects: ObjectStore, collection: str, run_id: str) -> None:
        self._objects = objects
        self.collection, self.run_id = collection, run_id

    def key(self, name: str) -> str:
        return keys.run_file(self.collection, self.run_id, name)

    def read(self, name: str, kind: type[T], step: str) -> T:
        """Raises RunError if `step`, which writes the file, has not run."""
        return msgspec.json.decode(self._get(name, step), type=kind)

    def find(self, name: str, kind: type[T]) -> T | None:
        """None where there is no such file."""
        try:
            return msgspec.json.decode(self._objects.get(self.key(name)), type=kind)
        except NotFound:
            return None

    def has(self, name: str) -> bool:
        return self._objects.stat(self.key(name)) is not None

    def write(self, name: str, value: object) -> None:
        self._objects.put(self.key(name), msgspec.json.encode(value))

    def write_lines(self, name: str, values: Iterable[object]) -> None:
        self._objects.put(self.key(name), b"".join(msgspec.json.encode(v) + b"\n" for v in values))

    def read_lines(self, name: str, kind: type[T], step: str) -> Iterator[T]:
        decoder = msgspec.json.Decoder(kind)
        for line in self._get(name, step).splitlines():
            yield decoder.decode(line)

    def _get(self, name: str, step: str) -> bytes:
        try:
            return self._objects.get(self.key(name))
        except NotFound:
            raise RunError(
                f"run {self.run_id} of {self.collection} has no {name}; `ingest {step}` writes it and has to run first"
            ) from None

    def run(self) -> RunFile:
        return self.read("run.json", RunFile, "discover")

    def inventory(self) -> Iterator[Entry]:
        return self.read_lines("inventory.jsonl", Entry, "discover")

    def plan(self) -> Plan:
        return self.read("plan.json", Plan, "plan")

    def outcomes(self) -> Iterator[Result]:
        return self.read_lines("outcomes.jsonl", Result, "merge")
