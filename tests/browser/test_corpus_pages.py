"""The pages in a real browser, in Airflow's real interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.document.records import Outcome
from ingest.runtime import open_context
from tests.browser.conftest import HOSTILE, record


def test_the_page_lists_collections_and_leads_to_a_run(page: Any) -> None:
    page.goto("/corpus/")
    row = page.locator("tr", has_text="papers")
    assert "2 converted" in row.locator("svg").get_attribute("aria-label")
    assert row.get_by_text("published").is_visible()
    row.get_by_role("link", name="papers").click()
    page.get_by_role("link", name="first").click()
    assert page.get_by_text("4 of 4 documents done").is_visible()
    page.get_by_role("link", name="Data Docs").click()
    page.get_by_role("heading", name="Checks").wait_for()
    assert page.title() != "broken in"


def test_hostile_names_are_shown_as_they_are_and_do_nothing(page: Any) -> None:
    page.goto("/corpus/collections/papers/runs/first")
    assert page.get_by_text(HOSTILE, exact=True).is_visible()
    page.wait_for_timeout(300)
    assert page.title() == "first – Corpus"
    assert page.locator("main img, main script").count() == 0


def test_progress_moves_without_reloading(page: Any, corpus: Path) -> None:
    page.goto("/corpus/collections/night")
    assert page.get_by_text("3 of 10 documents done").is_visible()
    page.evaluate("window.stayed = true")
    with open_context() as context:
        context.ledger.upsert(record("night", "now", f"{n}.pdf", Outcome.CONVERTED, "", "") for n in range(3, 8))
    page.get_by_text("8 of 10 documents done").wait_for(timeout=15_000)
    assert page.evaluate("window.stayed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto("/corpus/collections/papers")
    ground, text = page.evaluate(
        "(() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]; })()"
    )
    contrast = ratio(ground, text)
    assert contrast > 7
    assert (luminance(ground) < 0.5) == (scheme == "dark")


def luminance(color: str) -> float:
    """Relative luminance (WCAG 2.2) of `rgb(r, g, b)`."""
    parts = [int(part) / 255 for part in color[4:-1].split(",")]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_airflows_navigation_leads_to_the_page_and_lends_it_its_theme(page: Any) -> None:
    page.emulate_media(color_scheme="light")
    page.add_init_script("localStorage.setItem('theme', 'dark')")
    page.goto("/", wait_until="commit")
    page.get_by_role("link", name="Corpus").click(timeout=60_000)
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", name="Collections").wait_for(timeout=30_000)
    assert frame.get_by_role("link", name="papers").is_visible()
    theme = frame.locator("html").get_attribute("data-theme")
    outer = page.locator("html").get_attribute("class")
    assert theme == ("dark" if "dark" in (outer or "") else "light")


def test_a_browser_that_has_not_logged_in_sees_nothing(browser: Any, server: str, corpus: Path) -> None:
    context = browser.new_context(base_url=server)
    opened = context.new_page()
    opened.goto("/corpus/collections/papers", wait_until="commit")
    opened.wait_for_url("**/auth/login**")
    assert "papers" not in opened.locator("body").inner_text()
    context.close()
