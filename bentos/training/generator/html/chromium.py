"""Sets documents with Chromium: one browser for all, the plain and the coloured twin printed from the same page."""

from __future__ import annotations

import random
from pathlib import Path
from types import TracebackType
from typing import Any

from bentos.training.generator.genres import GENRES
from bentos.training.generator.html.markup import PAGINATOR, Markup
from bentos.training.generator.html.style import describe, sample
from bentos.training.generator.ids import Pieces, color_of
from bentos.training.generator.languages import WEIGHTS
from bentos.training.generator.model import Document

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--font-render-hinting=none",
]  # fmt: skip
MAX_PAGES = 10
TIMEOUT_MS = 60_000

_COLOR = """(colors) => {
  for (const e of document.querySelectorAll("[data-p]")) {
    const c = colors[e.dataset.p];
    for (const x of [e, ...e.querySelectorAll("*")]) {
      if (x.closest("[data-p]") !== e) continue;
      x.style.setProperty("color", c, "important");
      if (x instanceof SVGElement) x.style.setProperty("fill", c, "important");
    }
  }
  for (const e of document.querySelectorAll("[data-r]"))
    e.style.setProperty("background-color", colors[e.dataset.r], "important");
  for (const e of document.querySelectorAll(".drop")) {
    const first = [...e.querySelectorAll("[data-p]")].find((x) => !x.matches(".mn, .fn"));
    if (first) e.style.setProperty("--cap", colors[first.dataset.p]);
  }
  for (const e of document.querySelectorAll("[data-m]")) e.style.setProperty("--mk", colors[e.dataset.m]);
}"""


class Chromium:
    """Context manager around one browser."""

    name = "chromium"
    languages = tuple(WEIGHTS)
    genres = tuple(GENRES)
    default_piece: int | None = None

    def __enter__(self) -> Chromium:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._browser.close()
        self._playwright.stop()

    def set(self, document: Document, rng: random.Random, plain: Path, colored: Path) -> tuple[Pieces, dict[str, Any]]:
        """Prints both twins; returns the pieces and what is to be said of the layout."""
        style = sample(rng, document)
        markup = Markup(document, style, rng)
        (width, height), columns = style.page, style.columns
        html = markup.render((width * 0.82 - 18 * (columns - 1)) / columns)
        context = self._browser.new_context(viewport={"width": round(width / 0.75), "height": round(height / 0.75)})
        try:
            page = context.new_page()
            page.set_default_timeout(TIMEOUT_MS)
            page.emulate_media(media="print")
            page.set_content(html)
            page.evaluate(f"({PAGINATOR})({markup.config_json()})")
            page.evaluate(f"[...document.querySelectorAll('.page')].slice({MAX_PAGES}).forEach(p => p.remove())")
            page.pdf(path=plain, prefer_css_page_size=True, print_background=True)
            page.evaluate(_COLOR, {str(i): f"#{color_of(i)}" for i in range(len(markup.pieces.pieces))})
            page.pdf(path=colored, prefer_css_page_size=True, print_background=True)
        finally:
            context.close()
        return markup.pieces, describe(style)
