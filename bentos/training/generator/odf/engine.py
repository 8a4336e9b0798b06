"""Sets documents with LibreOffice: both twins in one run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from bentos.training.generator.errors import NotSet
from bentos.training.generator.genres import GENRES
from bentos.training.generator.ids import Pieces
from bentos.training.generator.languages import WEIGHTS
from bentos.training.generator.model import Document
from bentos.training.generator.odf.slides import SlideSource
from bentos.training.generator.odf.source import TextSource
from bentos.training.generator.odf.style import sample

TIMEOUT_S = 120


class LibreOffice:
    """Context manager around a scratch folder with a profile of its own."""

    name = "libreoffice"
    languages = tuple(WEIGHTS)
    genres = tuple(GENRES)
    default_piece: int | None = 0

    def __enter__(self) -> LibreOffice:
        self._folder = Path(tempfile.mkdtemp(prefix="generator-odf-"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder)

    def set(self, document: Document, rng: random.Random, plain: Path, colored: Path) -> tuple[Pieces, dict[str, Any]]:
        """Converts both twins. Raises NotSet."""
        style = sample(rng, document)
        source: TextSource | SlideSource
        if document.genre == "slides":
            source, suffix = SlideSource(document, style, rng), "fodp"
        else:
            source, suffix = TextSource(document, style, rng), "fodt"
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        for job, is_colored in (("plain", False), ("colored", True)):
            (folder / f"{job}.{suffix}").write_text(source.render(is_colored), "utf-8")
        self._convert(folder, [f"plain.{suffix}", f"colored.{suffix}"])
        for job, target in (("plain", plain), ("colored", colored)):
            if not (folder / f"{job}.pdf").exists():
                raise NotSet("LibreOffice wrote no file")
            shutil.move(folder / f"{job}.pdf", target)
        shutil.rmtree(folder)
        return source.pieces, {"columns": style.columns, "page": list(style.page), "table": style.table}

    def _convert(self, folder: Path, files: list[str]) -> None:
        profile = f"-env:UserInstallation=file://{self._folder}/profile"
        command = [
            "soffice",
            profile,
            "--headless",
            "--norestore",
            "--convert-to",
            "pdf",
            "--outdir",
            str(folder),
            *files,
        ]
        # soffice leaves a child behind when it is killed, so it gets a group of its own
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise NotSet(f"LibreOffice took more than {TIMEOUT_S} s") from error
