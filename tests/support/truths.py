"""Folders of ground truth made on the spot."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.pdfs import text_pdf


def truth_folder(folder: Path, documents: int = 3, pages: int = 4) -> Path:
    """PDFs whose lines are text below a heading."""
    folder.mkdir(parents=True)
    for k in range(documents):
        pdf = text_pdf(folder / f"d{k}.pdf", pages, seed=k)
        elements = [
            {"label": "subtitle-level-1", "bbox": [72, 766, 300, 784], "text": "1 Observations of station 1"},
            {"label": "text", "bbox": [72, 400, 520, 757], "text": "x" * 1800},
        ]
        kept = [{"page": n + 1, "width": 595, "height": 842, "elements": elements} for n in range(pages)]
        meta = {"layout": f"layout {k}"}
        pdf.with_suffix(".json").write_text(json.dumps({"file": pdf.name, "meta": meta, "pages": kept}))
    return folder
