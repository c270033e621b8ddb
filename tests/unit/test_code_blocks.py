"""Every code block of the documentation is what it says: Python, TOML, JSON, YAML, or commands."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shlex
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from nnx_migrate.cli.app import app

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "finding_pages.py"))
DOCS = ROOT / "docs"
PAGES_READ = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w+)[^\n]*\n(?P<text>.*?)^(?P=indent)```", re.M | re.S
)
_PLACEHOLDER = re.compile(r"\{\{|^\s*\.\.\.$", re.M)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The kind and the text of each block."""
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield found["kind"], textwrap.dedent(found["text"])


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES_READ, ids=named)
def test_code_is_of_its_language(page: Path) -> None:
    for kind, text in blocks(page):
        if kind == "python" and not re.match(r"^\s*[>%!]", text):
            ast.parse(text)
        elif kind == "toml":
            tomllib.loads(text)
        elif kind == "json" and not _PLACEHOLDER.search(text):
            json.loads(text)
        elif kind in ("yaml", "yml"):
            list(yaml.safe_load_all(text))


def commands() -> Iterator[tuple[str, list[str]]]:
    """Each call of nnx-migrate in a block of commands."""
    for page in PAGES_READ:
        for kind, text in blocks(page):
            if kind not in ("console", "sh", "bash"):
                continue
            for line in text.replace("\\\n", " ").splitlines():
                call = line.strip().removeprefix("$ ")
                if call.startswith("nnx-migrate "):
                    yield named(page), shlex.split(re.split(r" [>|] | && ", call)[0], comments=True)


def options_of(command: Any) -> set[str]:
    """The options of a command of Typer."""
    named = [name for each in command.params for name in (*each.opts, *each.secondary_opts)]
    return {name for name in named if name.startswith("-")} | {"--help"}


def unknown(words: list[str], command: Any) -> list[str]:
    """The options in a call that its command does not have."""
    found = []
    for word in words[: words.index("--")] if "--" in words else words:
        commands_below = getattr(command, "commands", {})
        if word in commands_below:
            command = commands_below[word]
            continue
        known = options_of(command)
        # Several short ones may be written as one, such as -qv.
        short = not word.startswith("--") and all(f"-{each}" in known for each in word[1:])
        if word.startswith("-") and word != "-" and word.partition("=")[0] not in known:
            found += [] if short else [word]
    return found


def test_commands_have_the_options_that_pages_give_them() -> None:
    root = typer.main.get_command(app)
    calls = list(commands())
    assert len(calls) > 60
    wrong = [(page, call) for page, call in calls if unknown(call[1:], root)]
    assert wrong == []
    assert unknown(["apply", "src", "--no-such-option"], root) == ["--no-such-option"]


@pytest.mark.parametrize("name", sorted(SCRIPT["PAGES"]))
def test_tables_are_those_of_the_rules_and_the_engine(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    made = SCRIPT["made"](text, SCRIPT["PAGES"][name]())
    assert made == text, "run python -m scripts.finding_pages"
