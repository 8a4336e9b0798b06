"""`collections.yaml`: the collections that somebody looks after, and what their nightly runs ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from ingest.errors import ConfigError
from ingest.scheduling.names import COLLECTION
from ingest.stores.uris import scheme_of


class Collection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry. `source` alone is needed."""

    source: str
    nightly: bool = False
    """Ingested by the nightly run."""
    workers: int | None = None
    """Workers that the batches are planned for; None: as the settings say."""
    ocr: bool = False
    strictness: Literal["lenient", "normal", "strict"] = "normal"


def read_collections(path: Path) -> dict[str, Collection]:
    """Entries by name. A relative source is taken from the file's folder.

    Raises ConfigError with one line per mistake; also if there is no such file.
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
    found: dict[str, Collection] = {}
    mistakes: list[str] = []
    for name, entry in entries.items():
        try:
            found[name] = _entry(name, entry, path.parent)
        except (ConfigError, msgspec.ValidationError) as error:
            mistakes.append(f"{path}: collection {name!r}: {error}")
    if mistakes:
        raise ConfigError("\n".join(mistakes))
    return found


def _entry(name: Any, entry: Any, folder: Path) -> Collection:
    if not isinstance(name, str) or not COLLECTION.fullmatch(name):
        raise ConfigError("its name may have letters, digits, dot, hyphen and underscore only, and not a dot first")
    found = msgspec.convert(entry, Collection)
    if not found.source:
        raise ConfigError("`source` is empty")
    if found.workers is not None and found.workers < 1:
        raise ConfigError(f"`workers` is {found.workers}; must be 1 or more, or left out")
    if not scheme_of(found.source):
        found = msgspec.structs.replace(found, source=str(folder.absolute() / Path(found.source).expanduser()))
    return found
