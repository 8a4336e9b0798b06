"""Values as any store can hold them."""

from __future__ import annotations


def storable(text: str) -> str:
    """Lone surrogates, as they come with file names that are not UTF-8, as backslash escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
