"""Runs the engines: documents by number, each from its own random stream, in several processes."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from bentos.training.generator import genres
from bentos.training.generator.errors import LeftOut
from bentos.training.generator.html.chromium import Chromium
from bentos.training.generator.ids import Pieces
from bentos.training.generator.latex.engine import Latex
from bentos.training.generator.model import Document
from bentos.training.generator.odf.engine import LibreOffice
from bentos.training.generator.twins import truth
from ingest.document.labels import LABELS

VERSION = "generator-3"
"""Raise whenever the same number and seed give another document."""


class Engine(Protocol):
    """A program that sets documents."""

    name: str
    languages: tuple[str, ...]
    genres: tuple[str, ...]
    default_piece: int | None
    """Piece of what the program prints by itself, in no colour of ours; to be sorted out by place."""

    def set(self, document: Document, rng: random.Random, plain: Path, colored: Path) -> tuple[Pieces, dict[str, Any]]:
        """Writes both twins. Raises NotSet."""
        ...


ENGINES: dict[str, Callable[[], AbstractContextManager[Engine]]] = {
    "chromium": Chromium,
    "latex": Latex,
    "libreoffice": LibreOffice,
}


def generate(folder: Path, engine: str, count: int, seed: int, jobs: int) -> None:
    """Documents 0 to count - 1 of an engine; those that exist are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = [n for n in range(count) if not (folder / f"{_name(engine, seed, n)}.json").exists()]
    if not numbers:
        return
    parts = [numbers[k::jobs] for k in range(jobs) if numbers[k::jobs]]
    work = partial(_work, folder, engine, seed)
    if len(parts) == 1:
        work(parts[0])
        return
    with ProcessPoolExecutor(len(parts)) as pool:
        list(pool.map(work, parts))


def _name(engine: str, seed: int, number: int) -> str:
    return f"{engine}-{seed}-{number:04d}"


def _work(folder: Path, engine: str, seed: int, numbers: list[int]) -> None:
    started, done, refused = time.monotonic(), 0, 0
    with ENGINES[engine]() as program, tempfile.TemporaryDirectory() as scratch:
        for number in numbers:
            try:
                _make(program, folder, _name(engine, seed, number), Path(scratch))
                done += 1
            except LeftOut as error:
                refused += 1
                print(f"{_name(engine, seed, number)}: left out: {error}", file=sys.stderr)
            if (done + refused) % 25 == 0:
                each = (time.monotonic() - started) / (done + refused)
                print(f"{engine}: {done} done, {refused} left out, {each:.1f} s each", file=sys.stderr, flush=True)


def _make(program: Engine, folder: Path, name: str, scratch: Path) -> None:
    """One document: content and style from its own random stream, so that it can be made again alone."""
    rng = random.Random(name)
    document = genres.make(rng, program.languages, program.genres)
    plain, colored = scratch / f"{name}.pdf", scratch / f"{name}-colored.pdf"
    pieces, layout = program.set(document, rng, plain, colored)
    meta = {
        "layout": f"{program.name}-{layout.get('class', name)}", "engine": program.name, "genre": document.genre,
        "language": document.language, "seed": name, "version": VERSION, **layout,
    }  # fmt: skip
    found = truth(plain, colored, pieces, meta, program.default_piece)
    (folder / f"{name}.pdf").write_bytes(plain.read_bytes())
    # the truth comes last: a document with a truth is complete
    (folder / f"{name}.json").write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    plain.unlink()
    colored.unlink()


def summary(out: Path, engines: list[str]) -> str:
    """A table: documents, pages and elements per label, per engine."""
    columns: dict[str, Counter[str]] = {}
    for engine in engines:
        count: Counter[str] = Counter()
        for path in sorted((out / engine).glob("*.json")):
            data = json.loads(path.read_text("utf-8"))
            count["documents"] += 1
            count["pages"] += len(data["pages"])
            for page in data["pages"]:
                count.update(e["label"] for e in page["elements"])
        columns[engine] = count
    lines = [f"{'':20}" + "".join(f"{e:>14}" for e in engines)]
    lines += [f"{k:20}" + "".join(f"{columns[e][k]:14,}" for e in engines) for k in ("documents", "pages", *LABELS)]
    return "\n".join(lines)
