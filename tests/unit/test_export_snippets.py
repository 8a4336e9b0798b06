from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.export.snippets import snippet

LONG = " ".join(f"w{n:03d}" for n in range(200))


def at(text: str, *words: str) -> list[tuple[int, int]]:
    return [(text.index(word), text.index(word) + len(word)) for word in words]


def test_a_short_text_is_shown_whole() -> None:
    assert snippet("red  apples\n\tgrow", [(5, 11)]) == "red **apples** grow"
    assert snippet("", []) == ""


def test_matches_that_touch_are_marked_as_one() -> None:
    assert snippet("東京都", [(1, 2), (0, 1)]) == "**東京**都"


@pytest.mark.parametrize(
    ("word", "begins", "ends"), [("w000", "**w000**", "…"), ("w100", "…", "…"), ("w199", "…", "**w199**")]
)
def test_a_long_text_is_cut_between_words_around_the_match(word: str, begins: str, ends: str) -> None:
    shown = snippet(LONG, at(LONG, word), width=60)
    assert shown.startswith(begins)
    assert shown.endswith(ends)
    assert f"**{word}**" in shown
    assert all(len(part.strip("…*")) == 4 for part in shown.split())
    assert 40 <= len(shown) <= 66


def test_the_place_with_the_most_matches_is_shown() -> None:
    shown = snippet(LONG, at(LONG, "w010", "w100", "w102", "w150"), width=60)
    assert "**w100** w101 **w102**" in shown
    assert "w010" not in shown


def test_without_a_match_the_beginning_is_shown() -> None:
    shown = snippet(LONG, [], width=20)
    assert shown == "w000 w001 w002 w003…"


def test_a_text_without_spaces_is_cut_anywhere() -> None:
    text = "東" * 100 + "京都" + "東" * 100
    shown = snippet(text, [(100, 102)], width=20)
    assert shown.startswith("…東")
    assert shown.endswith("東…")
    assert len(shown) == 20 + 2 + 4


def test_a_match_longer_than_the_width_is_shown_whole() -> None:
    assert snippet("a " + "b" * 50 + " c", [(2, 52)], width=10) == "…**" + "b" * 50 + "**…"


@given(
    st.text(st.sampled_from("ab \n東"), max_size=80),
    st.lists(st.tuples(st.integers(0, 80), st.integers(1, 10)), max_size=5),
    st.integers(1, 40),
)
def test_any_cut_shows_a_part_of_the_text_with_a_match(text: str, starts: list[tuple[int, int]], width: int) -> None:
    spans = [(start, min(start + length, len(text))) for start, length in starts if start < len(text)]
    shown = snippet(text, spans, width)
    assert " ".join(shown.replace("**", "").strip("…").split()) in " ".join(text.split())
    if any(text[start:stop].strip() for start, stop in spans):
        assert "**" in shown
