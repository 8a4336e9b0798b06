"""`collections.yaml`: the collections that somebody looks after, and what their runs ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import yaml

from ingest.config import NO_OCR, Settings
from ingest.errors import ConfigError
from ingest.quality.thresholds import Strictness, Thresholds
from ingest.scheduling.batch import RunOptions
from ingest.scheduling.cron import cron_mistake
from ingest.scheduling.names import COLLECTION
from ingest.stores.patterns import compile_globs
from ingest.stores.uris import scheme_of

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Pattern = Annotated[str, msgspec.Meta(min_length=1)]


class Collection(msgspec.Struct, frozen=True, kw_only=True):
    """One entry. `source` alone is needed."""

    source: Annotated[str, msgspec.Meta(min_length=1)]
    nightly: bool = False
    """It is ingested with the others that ask for it, at the hour of INGEST_NIGHTLY."""
    schedule: str | None = None
    """Of nights of its own instead, a cron expression; with neither it is ingested by hand only."""
    timezone: str = "UTC"
    """Of the schedule: an IANA name."""
    owner: str = ""
    """Who is asked about it: a name or an address."""
    include: list[Pattern] = []
    """Glob patterns of the documents that are wanted; none: as the kind of source has it."""
    exclude: list[Pattern] = []
    workers: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Workers that the batches are planned for; None: as the settings say."""
    strictness: Strictness = "normal"
    thresholds: dict[str, float] = {}
    """Of the gate, instead of those that `strictness` has."""
    removal_limit: Share | None = None
    """Instead of INGEST_REMOVAL_LIMIT."""
    models: list[str] = []
    """Names of model services (INGEST_MODELS) that run instead of the usual ones."""


class Collections(NamedTuple):
    """A file as read: each name is in one of the two."""

    good: dict[str, Collection]
    mistakes: dict[str, list[str]]
    """Name -> a line for each mistake, which names the file and the collection."""


class Asked(NamedTuple):
    """What a run is to do."""

    source: str
    options: RunOptions


def parse_collections(path: Path) -> Collections:
    """Entries, and what is wrong with others. A relative source is taken from the file's folder.

    Raises ConfigError if the file as a whole cannot be read, or is not there.
    """
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; collections.example.yaml shows what to write") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    entries = data.get("collections") if isinstance(data, dict) else None
    if not isinstance(entries, dict) or len(data) != 1:
        raise ConfigError(f"{path}: must hold one mapping, `collections`, of names to their entries")
    read = Collections({}, {})
    for name, entry in entries.items():
        values, mistakes = _fields(entry, Collection)
        if not isinstance(name, str) or not COLLECTION.fullmatch(name):
            mistakes.insert(
                0, "its name may have letters, digits, dot, hyphen and underscore only, and not a dot first"
            )
        mistakes += _senseless(values)
        if mistakes:
            read.mistakes[str(name)] = [f"{path}: collection {name!r}: {mistake}" for mistake in mistakes]
            continue
        if not scheme_of(values["source"]):
            values["source"] = str(path.parent.absolute() / Path(values["source"]).expanduser())
        read.good[name] = Collection(**values)
    return read


def asked_for(
    settings: Settings,
    collection: str,
    *,
    source: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    strictness: str | None = None,
    ocr: bool = False,
    workers: int | None = None,
    force: bool = False,
    accept_removals: bool = False,
    models: Sequence[str] = (),
) -> Asked:
    """What whoever starts a run asks for, and for the rest what the collection's entry in `collections.yaml` says.

    Raises ConfigError if the entry has a mistake, if nobody names a source, or if OCR is asked for.
    """
    if ocr:
        raise ConfigError(f"ocr: {NO_OCR}; start the run without it")
    entry = _entry_of(settings.collections, collection)
    source = source or (entry.source if entry else None)
    if source is None:
        raise ConfigError(
            f"collection {collection!r} is not in {settings.collections}; name its source (--source), or write an entry"
        )
    entry = entry or Collection(source=source)
    options = RunOptions(
        workers=workers or entry.workers,
        force=force,
        accept_removals=accept_removals,
        strictness=strictness or entry.strictness,
        thresholds=entry.thresholds,
        include=tuple(include or entry.include),
        exclude=tuple(exclude or entry.exclude),
        removal_limit=entry.removal_limit,
        models=tuple(models or entry.models),
    )
    return Asked(source, options)


def _entry_of(path: Path, collection: str) -> Collection | None:
    if not path.exists():
        return None
    good, mistakes = parse_collections(path)
    if collection in mistakes:
        raise ConfigError("\n".join(mistakes[collection]))
    return good.get(collection)


def _fields(data: Any, kind: type[msgspec.Struct], prefix: str = "") -> tuple[dict[str, Any], list[str]]:
    """(fields of a mapping that are right, a line for each that is not)."""
    if not isinstance(data, Mapping):
        return {}, [f"`{prefix.rstrip('.')}` must be a mapping" if prefix else "must be a mapping"]
    known = {field.name: field for field in msgspec.structs.fields(kind)}
    values: dict[str, Any] = {}
    mistakes: list[str] = []
    for name, value in data.items():
        if name not in known:
            mistakes.append(f"`{prefix}{name}` is not known; known are {', '.join(known)}")
            continue
        try:
            values[name] = msgspec.convert(value, known[name].type)
        except msgspec.ValidationError as error:
            mistakes.append(f"`{prefix}{name}` is {value!r}: {str(error).partition(' - at')[0]}")
    mistakes += [f"`{prefix}{name}` is missing" for name, field in known.items() if field.required and name not in data]
    return values, mistakes


def _senseless(values: Mapping[str, Any]) -> list[str]:
    """What is wrong with fields that have the right type."""
    mistakes = _fields(values.get("thresholds", {}), Thresholds, "thresholds.")[1]
    if values.get("schedule") is not None and (why := cron_mistake(values["schedule"])):
        mistakes.append(f"`schedule` is {values['schedule']!r}: {why}")
    if values.get("nightly") and values.get("schedule"):
        mistakes.append("`nightly` and `schedule` exclude each other: keep the one that is meant")
    if "timezone" in values:
        if not values.get("schedule"):
            mistakes.append("`timezone` without a `schedule`")
        try:
            ZoneInfo(values["timezone"])
        except (ZoneInfoNotFoundError, ValueError, OSError):
            mistakes.append(f"`timezone` is {values['timezone']!r}: no such time zone; write one like Europe/Berlin")
    for name in ("include", "exclude"):
        try:
            compile_globs(values.get(name) or [])
        except ConfigError as error:
            mistakes.append(f"`{name}`: {error}")
    return mistakes
