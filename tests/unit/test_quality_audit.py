"""The audit: which documents it looks at, what it sees of their elements, and that each of its checks can fail.

A good document is the golden one of the tests of outputs; a bad one is that, broken in just one way.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ingest.document.labels import Label
from ingest.document.records import Outcome
from ingest.errors import InvalidOutput
from ingest.quality import audit
from ingest.quality.audit import Sample, element_checks, take
from ingest.quality.elements import Element, elements
from ingest.quality.facts import Facts
from ingest.quality.gate import GateContext, run_gate
from ingest.quality.verdict import Verdict

GOLDEN = (Path(__file__).parents[1] / "golden" / "waves.docling.json").read_bytes()
Broken = Callable[[dict[str, Any]], None]


def facts(number: int, **more: Any) -> Facts:
    """Of a document that breaks no check of the gate's other levels."""
    return Facts(
        doc_id=f"{number:020x}",
        path=f"{number}.pdf",
        sha256=hashlib.sha256(str(number).encode()).hexdigest(),
        pages=1,
        pages_output=1,
        pages_text=1,
        chars_output=100,
        label_score=0.9,
        **more,
    )


def sample(documents: Mapping[str, bytes]) -> Sample:
    rows = [facts(n) for n in range(len(documents))]
    data = dict(zip((row.doc_id for row in rows), documents.values(), strict=True))
    return take(rows, len(rows), "seed", lambda row: data[row.doc_id])


def gate(folder: Path, rows: list[Facts], audited: Sample | None, **more: Any) -> Verdict:
    counts = {Outcome.CONVERTED: len(rows)}
    return run_gate(
        rows,
        GateContext(collection="c", run_id="r", counts=counts, data_docs=folder, sample=audited, **more),
    )


def broken(change: Broken) -> bytes:
    document = json.loads(GOLDEN)
    change(document)
    return json.dumps(document).encode()


def item(document: dict[str, Any], kind: str, label: str) -> dict[str, Any]:
    found: dict[str, Any] = next(node for node in document[kind] if node["label"] == label)
    return found


def _unreached(document: dict[str, Any]) -> None:
    document["body"]["children"].pop()


def _outside(document: dict[str, Any]) -> None:
    item(document, "texts", "text")["prov"][0]["bbox"]["r"] = 5000


def _cell_outside(document: dict[str, Any]) -> None:
    next(c for c in document["tables"][0]["data"]["table_cells"] if "bbox" in c)["bbox"]["t"] = 5000


def _nowhere(document: dict[str, Any]) -> None:
    item(document, "pictures", "picture")["prov"] = []


def _half_claimed(document: dict[str, Any]) -> None:
    item(document, "texts", "reference")["prov"][0]["charspan"][1] -= 1


def _silent(document: dict[str, Any]) -> None:
    node = item(document, "texts", "footnote")
    node["text"], node["prov"][0]["charspan"] = " ", [0, 1]


def _from_nothing(document: dict[str, Any]) -> None:
    item(document, "texts", "caption")["meta"]["ingest__cells"] = []


def _too_sure(document: dict[str, Any]) -> None:
    item(document, "texts", "formula")["meta"]["ingest__score"] = 1.1


def _not_scored(document: dict[str, Any]) -> None:
    del item(document, "texts", "formula")["meta"]["ingest__score"]


def _two_minds(document: dict[str, Any]) -> None:
    item(document, "texts", "footnote")["meta"]["ingest__label"] = "citation"


def _new_word(document: dict[str, Any]) -> None:
    item(document, "texts", "text")["meta"]["ingest__label"] = "paragraph"


CRITICAL: dict[str, tuple[str, Broken]] = {
    "unreached": ("audit-reading-order", _unreached),
    "outside": ("audit-boxes", _outside),
    "cell outside": ("audit-boxes", _cell_outside),
    "nowhere": ("audit-places", _nowhere),
    "half claimed": ("audit-spans", _half_claimed),
    "silent": ("audit-text", _silent),
    "from nothing": ("audit-cells", _from_nothing),
    "too sure": ("audit-scores", _too_sure),
    "not scored": ("audit-scores", _not_scored),
    "two minds": ("audit-labels", _two_minds),
    "new word": ("audit-labels", _new_word),
}


@pytest.fixture(scope="module")
def broken_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Verdict, str]:
    """Verdict and Data Docs of a good document, and one that is broken in each way."""
    folder = tmp_path_factory.mktemp("docs")
    documents = {"good": GOLDEN} | {name: broken(change) for name, (_, change) in CRITICAL.items()}
    verdict = gate(folder, [facts(n) for n in range(len(documents))], sample(documents))
    (page,) = folder.glob("validations/elements/**/*.html")
    return verdict, page.read_text("utf-8") + (folder / verdict.data_docs).read_text("utf-8")


@pytest.mark.parametrize("name", CRITICAL)
def test_a_document_with_a_broken_element_is_quarantined_and_the_element_named(
    broken_run: tuple[Verdict, str], name: str
) -> None:
    verdict, pages = broken_run
    check = CRITICAL[name][0]
    offender = facts(1 + [*CRITICAL].index(name)).doc_id
    (finding,) = (f for f in verdict.failed_expectations if f.expectation == check)
    assert (finding.level, finding.severity) == ("element", "critical")
    assert offender in finding.offenders
    reason = verdict.quarantine[offender]
    assert check in reason
    assert "ref #/" in reason
    assert "page " in reason
    assert offender in pages
    assert finding.description in pages


def test_nothing_else_is_said_of_documents_that_are_broken_in_one_way(broken_run: tuple[Verdict, str]) -> None:
    verdict, _ = broken_run
    assert facts(0).doc_id not in verdict.quarantine
    assert all(reason.count("(audit-") == 1 for reason in verdict.quarantine.values()), verdict.quarantine
    assert len(verdict.audited) == len(CRITICAL) + 1
    assert verdict.elements == len(verdict.audited) * len(elements(GOLDEN, ""))


def _columns(rows: Iterable[dict[str, Any]]) -> Sample:
    """A sample of one document whose elements are as the first of the golden one, but for what is given."""
    first = elements(GOLDEN, facts(0).doc_id)[0]
    made = [{name: getattr(first, name) for name in Element.__struct_fields__} | row for row in rows]
    return Sample(doc_ids=[first.doc_id], columns={name: [row[name] for row in made] for name in made[0]})


def test_what_a_few_elements_may_be_is_only_worth_a_warning_if_many_are(tmp_path: Path) -> None:
    odd: dict[str, Any] = {"pages_back": 1, "filled": 0.1, "caption_gap": 0.9, "crowding": 4.0}
    usual: dict[str, Any] = {"filled": 1.0, "caption_gap": 0.0, "crowding": 0.01}
    few = gate(tmp_path / "few", [facts(0)], _columns([odd] + [usual] * 99))
    many = gate(tmp_path / "many", [facts(0)], _columns([odd] * 20 + [usual] * 80))
    assert few.warnings == []
    assert {f.expectation for f in many.warnings} == {
        "audit-order-forward",
        "audit-tables-filled",
        "audit-captions-near",
        "audit-text-fits",
    }
    assert all(f.level == "element" and f.offenders == [facts(0).doc_id] for f in many.warnings)
    assert (many.passed, many.quarantine) == (True, {})


def test_every_check_of_an_element_is_seen_to_fail_here(broken_run: tuple[Verdict, str]) -> None:
    failed = {f.expectation for f in broken_run[0].failed_expectations if f.level == "element"}
    warned = {check.name for check in element_checks() if check.severity == "warning"}
    assert failed | warned == {check.name for check in element_checks()}


def test_a_sample_that_is_faulty_in_part_blocks_the_run_for_those_that_were_not_looked_at(tmp_path: Path) -> None:
    rows = [facts(n) for n in range(200)]
    bad = broken(_outside)
    for faulty, passed in ((2, True), (3, False)):
        chosen = take(rows[:40], 40, "seed", lambda row, n=faulty: bad if row in rows[:n] else GOLDEN)  # type: ignore[misc]
        verdict = gate(tmp_path / str(faulty), rows, chosen)
        assert len(verdict.quarantine) == faulty
        assert verdict.passed is passed
    assert "audited-sound" in {f.expectation for f in verdict.failed_expectations}
    assert "quarantined-few" not in {f.expectation for f in verdict.failed_expectations}


def test_without_a_sample_the_verdict_says_so(tmp_path: Path) -> None:
    verdict = gate(tmp_path, [facts(0)], take([facts(0)], 0, "seed", lambda _: GOLDEN))
    assert verdict.audited == []
    assert "elements" in {skipped.checks for skipped in verdict.skipped}


def test_a_document_that_cannot_be_read_back_is_named_and_left_to_the_publish(tmp_path: Path) -> None:
    chosen = sample({"good": GOLDEN, "bad": b'{"body": {"children": [{"$ref": "#/texts/0"}]}}'})
    assert list(chosen.unreadable) == ["1.pdf"]
    verdict = gate(tmp_path, [facts(0), facts(1)], chosen)
    assert (verdict.passed, verdict.audited) == (True, [facts(0).doc_id])
    assert "elements of 1.pdf" in {skipped.checks for skipped in verdict.skipped}


def test_the_sample_is_drawn_by_seed_and_content() -> None:
    rows = [facts(n) for n in range(60)]
    first, again, other = (
        take(given, 20, seed, lambda _: GOLDEN).doc_ids for given, seed in ((rows, "a"), (rows[::-1], "a"), (rows, "b"))
    )
    assert first == again
    assert len(first) == len(set(first)) == 20
    assert set(first) != set(other)


def test_the_sample_has_an_end_whatever_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_ELEMENTS", 100)
    monkeypatch.setattr(audit, "MAX_SIZE", 50)
    rows = [facts(n, items=30) for n in range(10)] + [facts(10, items=1, table_cells=50), facts(11, items=5)]
    read: list[str] = []

    def fetch(row: Facts) -> bytes:
        read.append(row.doc_id)
        return GOLDEN

    chosen = take(rows, 10, "seed", fetch).doc_ids
    assert chosen == read
    assert facts(10).doc_id not in chosen
    assert facts(11).doc_id in chosen
    assert sum(row.items for row in rows if row.doc_id in chosen) == 95


def test_elements_of_a_good_document() -> None:
    rows = elements(GOLDEN, "d")
    assert sorted(row.order for row in rows) == list(range(len(rows)))
    by_ref = {row.ref: row for row in rows}
    table, caption = by_ref["#/tables/0"], by_ref["#/texts/15"]
    assert (table.label, table.page, table.cells, table.reached) == ("table as table", 1, 6, 1)
    assert table.filled == pytest.approx(8 / 9)
    assert math.isnan(table.caption_gap)
    assert 0 < caption.caption_gap < 0.05
    assert math.isnan(by_ref["#/pictures/0"].chars)
    assert all(row.outside <= 0 and row.span_gap == 0 for row in rows)


def test_every_label_has_a_kind_that_it_may_be() -> None:
    assert {kind.split(" as ")[0] for kind in audit.KINDS} == {label.value for label in Label}


@pytest.mark.parametrize(
    "damaged", [b"", b"[]", b'{"body": {}}', GOLDEN[:-20], GOLDEN.replace(b"BOTTOMLEFT", b"TOPLEFT")]
)
def test_what_is_no_document_of_ours_is_an_error(damaged: bytes) -> None:
    with pytest.raises(InvalidOutput, match="not well formed"):
        elements(damaged, "d")


def test_a_tree_that_leads_in_circles_ends() -> None:
    def circle(document: dict[str, Any]) -> None:
        first = document["texts"][0]
        first["children"] = [{"$ref": first["self_ref"]}]

    rows = elements(broken(circle), "d")
    assert [row.ref for row in rows if row.reached != 1] == ["#/texts/0"]
