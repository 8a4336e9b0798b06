"""Which documents weights were learned from: a table beside them, so that the same can be told, and had, again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from ingest.evaluation import truth


def beside(weights: Path) -> Path:
    """Where the manifest of a file of weights is."""
    return weights.with_suffix(".manifest.tsv")


def write(
    weights: Path, roots: Iterable[Path], learned: Collection[tuple[str, str]], how: Mapping[str, object]
) -> None:
    """One line per document below the roots that was learned from: collection, name, digests of PDF and truth.

    `learned` are collections and names; `how` (seed, epochs, folds held out …) comes first, as comments.
    """
    lines = [f"# {name}: {value}" for name, value in how.items()]
    lines.append("collection\tdocument\tpdf\ttruth")
    for root in roots:
        for pdf in truth.list_folder(root):
            collection = f"{pdf.parent.parent.name}/{pdf.parent.name}"
            if (collection, pdf.stem) not in learned:
                continue
            digests = (hashlib.sha256(p.read_bytes()).hexdigest()[:16] for p in (pdf, pdf.with_suffix(".json")))
            lines.append("\t".join((collection, pdf.stem, *digests)))
    beside(weights).write_text("\n".join(lines) + "\n", "utf-8")
