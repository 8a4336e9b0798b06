"""What zip and tar archives have in common: names and sizes of their members, none of which is to be trusted.

Nothing is ever unpacked under a member's own name, so a name that would lead out of a folder does no harm; its document
is refused all the same, for nothing honest has one. A member that cannot be read costs its own document alone.
"""

from __future__ import annotations

from ingest.document.records import SourceItem
from ingest.errors import SourceError, TooLarge
from ingest.stores.folder_source import escape_name
from ingest.stores.sources import SourceLimits

MEMBERS = 2_000_000
"""Of one archive at most."""
RATIO, SMALL = 200, 64 << 20
"""A larger member that would expand more than so many times is taken for a bomb. PDFs hardly shrink at all."""


def member_path(name: str) -> str:
    """The path of a document by its name in the archive: proper text, without `./` before it."""
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return escape_name(name)


def check_name(path: str, where: str) -> None:
    """Raises SourceError for a name that leads out of the archive."""
    parts = path.replace("\\\\", "/").split("/")
    if ".." in parts or parts[0] == "" or path[1:2] == ":":
        raise SourceError(f"document {path!r} of {where} has a name that leads out of the archive; it was not read")


def check_size(path: str, size: int, packed: int, limits: SourceLimits) -> None:
    """Raises TooLarge for a member that would need too much room."""
    if size > limits.document_bytes:
        raise TooLarge(f"{path}: {size / 1e6:.0f} MB; INGEST_DOCUMENT_MAX_MB allows {limits.document_bytes / 1e6:.0f}")
    if size > SMALL and size > RATIO * packed:
        raise TooLarge(f"{path}: {packed} bytes would expand to {size / 1e6:.0f} MB; it was not read")


def check_count(count: int, where: str) -> None:
    if count > MEMBERS:
        raise SourceError(f"{where} has more than {MEMBERS} members; divide it")


def missing(item: SourceItem, where: str) -> SourceError:
    return SourceError(f"document {item.path} of {where} does not exist (any more)")
