"""Why a document is left out."""

from __future__ import annotations


class LeftOut(Exception):
    """A generated document that is of no use; the next one may be."""


class NotSet(LeftOut):
    """A program refused or failed to set the document."""


class TwinsDiffer(LeftOut):
    """The twins were not set alike."""
