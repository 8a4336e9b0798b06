"""The one exception tree of the platform.

    IngestError
    ├── ConfigError              a setting or an option is wrong; nothing was started
    │   └── WrongVersion         a chosen model service is another than the settings insist on
    ├── SourceError              the collection's source cannot be listed or read
    │   └── SourceUnavailable    … for now (network, throttling): a retry can help
    ├── DocumentError            one document ends here, and only this one
    │   ├── Rejected             the input's fault: outcome `rejected`
    │   │   ├── NotAPdf, BrokenPdf, EncryptedPdf, NoPages, NoText, TooLarge, NeedsOcr
    │   └── Failed               our fault: outcome `failed`, a retry can help
    │       ├── Crashed, DeadlineExceeded, MemoryExceeded, ServiceFailed, FetchFailed
    │       └── InvalidOutput    what we made breaks our own schema; a retry cannot help
    │           └── Unindexable  … or is what the index never takes
    ├── ServiceError             a model service answered with an error
    │   ├── ServiceUnavailable   … or not at all, or "too busy": a retry can help
    │   ├── ServiceRefused       … that the request itself is wrong
    │   └── WireError            a message cannot be read, at either end
    ├── StoreError               object store, ledger or index
    │   ├── StoreUnavailable     … for now: a retry can help
    │   ├── NotFound             no such object or row
    │   └── Conflict             somebody else wrote first, or holds the lock
    ├── HandedBack               a worker was told to end; what it has not done is for the next attempt
    └── RunError                 a run cannot go on
        ├── GateFailed           the checks did not pass; nothing was published
        └── RunNotGood           documents or steps failed; raised last, after the report

Every class says whether a retry can help (`retry`) and carries a stable `code`, which is what ledger, report and
logs hold; the message names the input and the cure. Foreign exceptions (pdfium, sqlite3, aiohttp, botocore …) are
mapped onto this tree once, in the module that talks to the foreign library.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class IngestError(Exception):
    """Base of everything this package raises on purpose."""

    code: ClassVar[str] = "error"
    retry: ClassVar[bool] = False


class ConfigError(IngestError):
    """A setting, an option or a file that the user wrote is wrong."""

    code = "config"


class WrongVersion(ConfigError):
    """A model service that was chosen is not the one that the settings insist on."""

    code = "wrong-version"


class SourceError(IngestError):
    """The source of a collection does not exist or cannot be listed."""

    code = "source"


class SourceUnavailable(SourceError):
    """The source exists but does not answer now."""

    code = "source-unavailable"
    retry = True


class DocumentError(IngestError):
    """One document cannot be converted; the others go on."""

    code = "document"


class Rejected(DocumentError):
    """The input cannot be converted, whoever tries."""

    code = "rejected"


class NotAPdf(Rejected):
    """The bytes are something else."""

    code = "not-a-pdf"


class BrokenPdf(Rejected):
    """A PDF that cannot be opened, or none of whose pages can be read."""

    code = "broken-pdf"


class EncryptedPdf(Rejected):
    """A password is needed to open the document."""

    code = "encrypted"


class NoPages(Rejected):
    """The document opens and has no page."""

    code = "no-pages"


class NoText(Rejected):
    """All pages are blank."""

    code = "no-text"


class TooLarge(Rejected):
    """The document is beyond a limit that the operator set."""

    code = "too-large"


class NeedsOcr(Rejected):
    """No page has usable text: scans, or a text layer that is garbage."""

    code = "needs-ocr"


class Failed(DocumentError):
    """The document may be fine; we could not convert it."""

    code = "failed"
    retry = True


class Crashed(Failed):
    """The process that held the document died."""

    code = "crashed"


class DeadlineExceeded(Failed):
    """The document or one of its pages took longer than allowed."""

    code = "deadline"


class MemoryExceeded(Failed):
    """The document needed more memory than allowed."""

    code = "memory"


class ServiceFailed(Failed):
    """A model service did not answer for this document."""

    code = "service"


class FetchFailed(Failed):
    """The document's server does not answer now; those of the source's other documents may."""

    code = "fetch"


class InvalidOutput(Failed):
    """The converted document breaks the output schema: a bug of ours."""

    code = "invalid-output"
    retry = False


class Unindexable(InvalidOutput):
    """The index takes some of the documents never; none was published."""

    code = "unindexable"

    def __init__(self, message: str, documents: Mapping[str, str]) -> None:
        super().__init__(message)
        self.documents = documents
        """doc_id -> why."""


class ServiceError(IngestError):
    """A model service answered with an error."""

    code = "service-error"


class ServiceUnavailable(ServiceError):
    """No connection, a timeout, or "too busy"."""

    code = "service-unavailable"
    retry = True


class ServiceRefused(ServiceError):
    """The service says that the request is wrong."""

    code = "service-refused"


class WireError(ServiceError):
    """The bytes of a message are not what they should be."""

    code = "wire"


class StoreError(IngestError):
    """The object store, the ledger or the index failed."""

    code = "store"


class StoreUnavailable(StoreError):
    """The store does not answer now."""

    code = "store-unavailable"
    retry = True


class NotFound(StoreError):
    """No such object or row."""

    code = "not-found"


class Conflict(StoreError):
    """Another writer was first, or holds the lock."""

    code = "conflict"


class HandedBack(IngestError):
    """A worker was told to end before its batch was done."""

    code = "handed-back"
    retry = True


class RunError(IngestError):
    """A run cannot go on, or did not end well."""

    code = "run"


class GateFailed(RunError):
    """The collection did not pass its checks; nothing was published."""

    code = "gate-failed"


class RunNotGood(RunError):
    """The run is over and its report says that it was not good."""

    code = "run-not-good"


def by_code(code: str) -> type[IngestError]:
    """The class with this code; IngestError itself for an unknown one."""
    found = [IngestError]
    for known in found:
        if known.code == code:
            return known
        found.extend(known.__subclasses__())
    return IngestError


def exit_status(error: IngestError) -> int:
    """Status of a command that ends with this error: 2 wrong use, 3 run not good, 75 (EX_TEMPFAIL) retry, else 1."""
    if isinstance(error, ConfigError | SourceError) and not error.retry:
        return 2
    if isinstance(error, RunError):
        return 3
    return 75 if error.retry else 1
