"""Data Docs that open without a network, and their first page.

The pages that Great Expectations writes load style sheets, scripts, icons and a logo from half a dozen hosts. Without
them its index is empty and no row says whether it passed; with a firewall in between they do not open for minutes. So
everything from elsewhere is cut out, a small style sheet stands in for it, and the index is written here: the verdict,
what was not met, the documents in quarantine, and links to the pages.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from ingest.quality.verdict import Finding, Verdict

INDEX = "index.html"
MAX_QUARANTINED = 500
"""Documents in quarantine that the index names; the verdict has all."""

_PARTS = ("expectations", "validations", "static")
_REMOTE = re.compile(
    r"""<script\b.*?</script> | <style\b.*?</style> | <footer\b.*?</footer> | <link\b[^>]*>
      | <img\b[^>]*\bsrc="https?://[^>]*> | (?<=\n)[ \t]*\n""",
    re.X | re.S,
)
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --warn: #d29922; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1rem 1.5rem 3rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
table table { margin: .5rem 0; font-size: .9em; }
td, li { overflow-wrap: break-word; }
.show-scrollbars { max-height: 60vh; overflow: auto; }
.breadcrumb { display: flex; gap: 1rem; list-style: none; padding: 0; }
.ge-section { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .5rem; }
h5 { font-size: 1.15rem; margin: .5rem 0; } h6, .h6 { font-size: 1rem; margin: .5rem 0; font-weight: 600; }
.card.mb-3, .collapse, .tab-pane .btn, [data-toggle=collapse] { display: none; }
.fas { font-style: normal; font-weight: 700; }
.fa-check-circle::before { content: "passed"; } .fa-times::before { content: "FAILED"; }
.fa-exclamation-triangle::before { content: "warning"; }
.text-success, .good { color: var(--good); } .text-danger, .bad { color: var(--bad); }
.text-warning, .warn { color: var(--warn); }
"""
_HEAD = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'


def clear(folder: Path) -> None:
    """An empty place for Data Docs. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).unlink(missing_ok=True)
    for name in _PARTS:
        if (folder / name).exists():
            shutil.rmtree(folder / name)


def finish(folder: Path, verdict: Verdict, paths: Mapping[str, str]) -> None:
    """Make the pages self-contained and write the index; `paths` tells where the doc_ids come from. Raises OSError."""
    shutil.rmtree(folder / "static", ignore_errors=True)
    for page in folder.rglob("*.html"):
        page.write_text(self_contained(page.read_text("utf-8")), "utf-8")
    pages = sorted(page.relative_to(folder) for page in folder.glob("validations/**/*.html"))
    (folder / INDEX).write_text(_index(verdict, paths, pages), "utf-8")


def self_contained(html: str) -> str:
    """A page of Great Expectations without what it loads, in our style."""
    return _REMOTE.sub("", html).replace("</head>", f"{_HEAD}</head>", 1)


def _index(verdict: Verdict, paths: Mapping[str, str], pages: Sequence[Path]) -> str:
    title = f"Checks of {verdict.collection}, run {verdict.run_id}"
    state = '<b class="good">passed</b>' if verdict.passed else '<b class="bad">blocked: nothing is published</b>'
    parts = [
        f"<!DOCTYPE html><html><head><title>{escape(title)}</title>{_HEAD}</head><body><h1>{escape(title)}</h1>",
        f"<p>{state}. {verdict.checked} documents checked, {len(verdict.audited)} of them element by element "
        f"({verdict.elements} elements), {len(verdict.quarantine)} in quarantine.</p>",
        *_section("Not met", "bad", verdict.failed_expectations),
        *_section("Warnings", "warn", verdict.warnings),
    ]
    if verdict.quarantine:
        shown = list(verdict.quarantine.items())[:MAX_QUARANTINED]
        rows = ((paths.get(doc_id, ""), doc_id, reason) for doc_id, reason in shown)
        parts.append(f"<h2>Quarantine</h2>{_table(('Document', 'doc_id', 'Why'), rows)}")
        if len(shown) < len(verdict.quarantine):
            parts.append(f"<p>… and {len(verdict.quarantine) - len(shown)} more.</p>")
    if verdict.skipped:
        rows_skipped = ((skipped.checks, skipped.reason) for skipped in verdict.skipped)
        parts.append(f"<h2>Not checked</h2>{_table(('Checks', 'Reason'), rows_skipped)}")
    links = "".join(f'<li><a href="{escape(page.as_posix())}">{escape(page.parts[1])}</a></li>' for page in pages)
    parts.append(f"<h2>All checks, by table</h2><ul>{links}</ul></body></html>")
    return "\n".join(parts)


def _section(title: str, css: str, findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    rows = ((f.expectation, f.level, f.description, f.observed, _offenders(f)) for f in findings)
    head = ("Check", "Level", "Expected", "Found", "By")
    return [f'<h2 class="{css}">{title}</h2>', _table(head, rows)]


def _offenders(finding: Finding) -> str:
    more = finding.offenders_total - len(finding.offenders)
    return ", ".join(finding.offenders) + (f" and {more} more" if more else "")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    body = "\n".join(f"<tr>{''.join(f'<td>{escape(value)}</td>' for value in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(value)}</th>' for value in head)}</tr>\n{body}</table>"
