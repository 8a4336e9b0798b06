"""Text of lines to text of an item: ligatures, accents, hyphens at line ends, languages without spaces."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.pipeline.assemble.text import Vocabulary, clean, ends_sentence, is_cjk, join


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("ef\ufb01cient \ufb02ow, su\ufb03x", "efficient flow, suffix"),
        ("Kov´acs", "Kovács"),
        ("Erd˝os", "Erdős"),
        ("mart´ın", "martín"),
        ("probl`emes", "problèmes"),
        ("`code` as it is", "`code` as it is"),
        ("e\u0301te\u0301", "été"),
        ("non\u00a0breaking  space", "non breaking space"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zerowidth"),
        ("tab\there", "tab here"),
    ],
)
def test_clean(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


def test_soft_hyphen_at_the_end_is_kept_for_the_joining() -> None:
    assert clean("hyphen\u00ad") == "hyphen\u00ad"
    assert join(clean("hyphen\u00ad"), "ated", Vocabulary([])) == "hyphen"


@given(st.text(max_size=40))
def test_cleaning_twice_changes_nothing_more(raw: str) -> None:
    once = clean(raw)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)


def joined(before: str, after: str, *document: str) -> str:
    return join(before, after, Vocabulary([*document, before, after])) + after


@pytest.mark.parametrize(
    ("before", "after", "document", "expected"),
    [
        ("the measure-", "ment of", (), "the measurement of"),
        ("the measure-", "ment of", ("each measurement",), "the measurement of"),
        ("the co-", "operation of", ("a co-operation", "their co-operation"), "the co-operation of"),
        ("a non-", "linear term", (), "a non-linear term"),
        ("a self-", "adjoint one", (), "a self-adjoint one"),
        ("a high-", "level view", ("at this level",), "a high-level view"),
        ("the Navier-", "Stokes equations", (), "the Navier-Stokes equations"),
        ("state-of-the-", "art methods", ("the art of",), "state-of-the-art methods"),
        ("state-of-the-art meth-", "ods", (), "state-of-the-art methods"),
        ("a finite-dimen-", "sional space", (), "a finite-dimensional space"),
        ("PARTIC-", "ULAR CASE", (), "PARTICULAR CASE"),
        ("pages 12-", "15 of it", (), "pages 12-15 of it"),
        ("a dash -", "and more", (), "a dash - and more"),
        ("see https://example.org/a-", "b for it", (), "see https://example.org/a-b for it"),
        ("see https://example.org/", "path now", (), "see https://example.org/path now"),
        ("doi:10.", "1000/182", (), "doi:10.1000/182"),
        ("a sentence.", "Another one", (), "a sentence. Another one"),
        ("either/", "or", (), "either/or"),
        ("海面の高さを", "測る", (), "海面の高さを測る"),
        ("海面は", "sea level", (), "海面は sea level"),
        ("해수면은", "천천히", (), "해수면은 천천히"),
        ("שלום", "עולם", (), "שלום עולם"),
        ("", "start", (), "start"),
    ],
)
def test_join(before: str, after: str, document: tuple[str, ...], expected: str) -> None:
    assert joined(before, after, *document) == expected


def test_words_cut_at_line_ends_are_no_evidence_for_themselves() -> None:
    lines = ["we use a micro-", "scope here", "the micro-", "scope there"]
    assert join("a micro-", "scope", Vocabulary(lines)) == "a micro"


def test_korean_words_that_lines_cut_are_put_together() -> None:
    lines = [
        "이것은 바다의 높이를 기",
        "록하는 일이다. 매일 기록하는 사람이 물",
        "높이를 잰다. 물높이를 적는 책이",
        "있다.",
    ]
    vocabulary = Vocabulary(lines)
    assert join(lines[0], lines[1], vocabulary) == lines[0]
    assert join(lines[1], lines[2], vocabulary) == lines[1]
    assert join("사람이 바다의", "높이를", Vocabulary(["사람이 바다의", "높이를", "바다의 높이를"])) == "사람이 바다의 "


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_joining_loses_nothing_but_a_hyphen(before: str, after: str) -> None:
    left = join(before, after, Vocabulary([before, after]))
    assert left in (before, before + " ", before[:-1])
    if left == before[:-1]:
        assert before[-1] in "-\u2010\u00ad"


@pytest.mark.parametrize(
    ("text", "expected"), [("It ends.", True), ("「終わる。」", True), ("He said “no.”", True), ("and goes on", False)]
)
def test_ends_sentence(text: str, expected: bool) -> None:
    assert ends_sentence(text) is expected


def test_scripts_without_spaces() -> None:
    assert is_cjk("海")
    assert is_cjk("カ")
    assert not is_cjk("한")
    assert not is_cjk("a")
