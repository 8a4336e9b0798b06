"""Sets documents with pdfLaTeX: two runs of one source, one per twin."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from bentos.training.generator.errors import NotSet
from bentos.training.generator.ids import Pieces
from bentos.training.generator.latex.classes import CLASSES, choose
from bentos.training.generator.latex.preamble import BABEL
from bentos.training.generator.latex.source import Source
from bentos.training.generator.model import Document

TIMEOUT_S = 60
MAX_BYTES = 6_000_000


class Latex:
    """Context manager around a scratch folder."""

    name = "latex"
    languages = ("en", *BABEL)
    genres = tuple(sorted({g for c in CLASSES for g in c.genres}))
    default_piece: int | None = 0

    def __enter__(self) -> Latex:
        self._folder = Path(tempfile.mkdtemp(prefix="generator-latex-"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder)

    def set(self, document: Document, rng: random.Random, plain: Path, colored: Path) -> tuple[Pieces, dict[str, Any]]:
        """Runs pdflatex twice. Raises NotSet where the class refuses the document."""
        layout, options = choose(rng, document.genre)
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        source = Source(document, layout, options, rng, folder)
        (folder / "document.tex").write_text(source.render(), "utf-8")
        for job, target, prefix in (("plain", plain, ""), ("colored", colored, "\\def\\gencolored{}")):
            _run(folder, job, prefix)
            shutil.move(folder / f"{job}.pdf", target)
        shutil.rmtree(folder)
        return source.pieces, {"class": layout.name, "options": options, "columns": source.multicols or source.columns}


def _run(folder: Path, job: str, prefix: str) -> None:
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-no-shell-escape",
        f"-jobname={job}",
        f"{prefix}\\input{{document.tex}}",
    ]
    try:
        subprocess.run(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotSet(f"pdflatex took more than {TIMEOUT_S} s") from error
    log = (folder / f"{job}.log").read_text("utf-8", "replace") if (folder / f"{job}.log").exists() else ""
    errors = re.findall(r"^! .*", log, re.M)
    if errors:
        raise NotSet(f"pdflatex: {errors[0]}")
    pdf = folder / f"{job}.pdf"
    if not pdf.exists() or not 0 < pdf.stat().st_size < MAX_BYTES:
        raise NotSet("pdflatex wrote no file, or a huge one")
