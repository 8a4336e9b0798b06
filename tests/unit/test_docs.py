"""The reference pages say what the code does: they are written from it, and compared with it here."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from ingest.cli.main import cli
from ingest.config import Settings

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

CLI_HEAD = """# Command line

Written from the program's own help; `pytest tests/unit/test_docs.py --regenerate-goldens` writes it anew.
"""
SETTINGS_HEAD = """# Settings

All settings are environment variables. A wrong value stops the program at start with one line that names it. This page
is written from `ingest/config.py`; `pytest tests/unit/test_docs.py --regenerate-goldens` writes it anew.

| variable | default | meaning |
|---|---|---|
"""


def command_page() -> str:
    # the settings of the real program: click keeps the help option that it has made first
    names = cli.context_settings["help_option_names"]
    context = click.Context(cli, info_name="ingest", help_option_names=names, max_content_width=110, terminal_width=110)
    parts = [CLI_HEAD, f"```\n{cli.get_help(context)}\n```\n"]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, max_content_width=110, terminal_width=110)
        parts.append(f"## ingest {name}\n\n```\n{command.get_help(inner)}\n```\n")
        for verb, below in command.commands.items() if isinstance(command, click.Group) else ():
            last = click.Context(below, info_name=verb, parent=inner, max_content_width=110, terminal_width=110)
            parts.append(f"### ingest {name} {verb}\n\n```\n{below.get_help(last)}\n```\n")
    return "\n".join(parts)


def settings_page() -> str:
    rows = []
    for name, field in Settings.model_fields.items():
        default = str(field.default) or "(empty)"
        rows.append(f"| `INGEST_{name.upper()}` | `{default}` | {field.description} |\n")
    return SETTINGS_HEAD + "".join(rows)


@pytest.mark.parametrize(("name", "page"), [("cli.md", command_page), ("settings.md", settings_page)])
def test_the_reference_page_is_what_the_code_says(name: str, page: object, regenerate_goldens: bool) -> None:
    assert callable(page)
    text: str = page()
    if regenerate_goldens:
        (DOCS / name).write_text(text)
    assert (DOCS / name).read_text() == text, f"docs/{name} is out of date: pytest {__file__} --regenerate-goldens"


def test_every_command_has_an_example_in_its_help() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert re.search(rf"^ *ingest {name} ", command.help or "", re.MULTILINE), f"ingest {name} --help: no example"


def test_every_setting_says_what_it_means() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name


def test_links_between_the_pages_lead_somewhere() -> None:
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "bentos").rglob("*.md")]
    assert len(pages) > 5
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith(("http://", "https://", "mailto:")):
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_pages_name_no_machine_and_no_private_folder() -> None:
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        assert not re.search(r"/(?:work|farm|root|tmp)/[a-z]", page.read_text()), page
