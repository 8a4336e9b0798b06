"""Ground truth: one JSON per document beside its PDF.

A truth folder holds `<stem>.json` (`{file, source, meta, pages: [{page, width, height, usable, elements: [{label,
bbox, text, order, trust}]}]}`, boxes in points, origin bottom left) and the PDF that `file` names. Elements whose
`trust` starts with "low" or "suspect" are neither learned from nor scored.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from ingest.errors import ConfigError

UNTRUSTED = ("low", "suspect")


class Element(msgspec.Struct):
    label: str
    bbox: tuple[float, float, float, float]
    text: str = ""
    order: float | None = None
    trust: str = ""
    orig_label: str | None = None

    @property
    def trusted(self) -> bool:
        return not self.trust.startswith(UNTRUSTED)


class TruthPage(msgspec.Struct):
    page: int
    """1-based."""
    width: float
    height: float
    elements: list[Element]
    usable: bool | None = True


class Meta(msgspec.Struct):
    layout: str | None = None
    """Document class or template: what is held out as a whole to measure on layouts never seen."""
    language: str | None = None


class TruthDocument(msgspec.Struct):
    file: str
    pages: list[TruthPage]
    source: str = ""
    meta: Meta = msgspec.field(default_factory=Meta)


_DECODER = msgspec.json.Decoder(TruthDocument)


def list_folder(root: Path) -> list[Path]:
    """PDFs below root that have a truth file beside them."""
    return [p for p in sorted(root.rglob("*.pdf")) if p.with_suffix(".json").exists()]


def read(pdf: Path) -> TruthDocument:
    """Truth of a PDF; unusable pages are left out. Raises ConfigError for a file that is no truth."""
    path = pdf.with_suffix(".json")
    try:
        document = _DECODER.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: is no ground truth: {error}") from error
    document.pages = [p for p in document.pages if p.usable is not False]
    return document
