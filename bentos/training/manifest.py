"""Which documents weights were learned from: a table beside them, so that the same can be told, and had, again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ingest.evaluation import truth


def beside(weights: Path) -> Path:
    """Where the manifest of a file of weights is."""
    return weights.with_suffix(".manifest.tsv")


def write(weights: Path, roots: Iterable[Path], how: Mapping[str, object]) -> None:
    """One line per document below the roots: its two folders, its name, and digests of PDF and truth.

    `how` (seed, epochs, folds held out …) comes first, as comments.
    """
    lines = [f"# {name}: {value}" for name, value in how.items()]
    lines.append("collection\tdocument\tpdf\ttruth")
    for root in roots:
        for pdf in truth.list_folder(root):
            digests = (hashlib.sha256(p.read_bytes()).hexdigest()[:16] for p in (pdf, pdf.with_suffix(".json")))
            lines.append("\t".join((f"{pdf.parent.parent.name}/{pdf.parent.name}", pdf.stem, *digests)))
    beside(weights).write_text("\n".join(lines) + "\n", "utf-8")
