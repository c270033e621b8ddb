"""docs/semantics.md: its programs print what it says, and what names an entry finds it there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.semantics import entries

ROOT = Path(__file__).parent.parent.parent
ENTRIES = {entry.name: entry for entry in entries()[1]}
#: Names of entries; what stands behind a slash is the name of a repository.
_NAMED = re.compile(r"(?<!/)\b[A-Z]{3}-[0-9A-Z]{1,2}[a-z]?\b")
_ENCODING = re.compile(r"UTF-\d+")


def _files() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    yield from (ROOT / "docs").glob("*.md")
    for folder in ("nnx_migrate", "codemods", "scripts"):
        for kind in ("py", "json", "jsonl"):
            yield from (ROOT / folder).rglob(f"*.{kind}")
    yield from (ROOT / "golden").rglob("expect.toml")


def test_every_entry_has_a_name_of_its_own_and_a_program() -> None:
    assert len(ENTRIES) == len(entries()[1]) > 70
    for entry in ENTRIES.values():
        assert _NAMED.fullmatch(entry.name)
        assert entry.text.strip().startswith("**"), entry.name
        assert entry.said("graph"), entry.name
        assert entry.said("tree"), entry.name


def test_silent_entries_run_in_both_modes_and_differ() -> None:
    for entry in ENTRIES.values():
        if "(silent" not in entry.text:
            continue
        told = entry.said("graph"), entry.said("tree")
        assert not any(line.endswith("Error") for line in [*told[0], *told[1]]), entry.name
        assert told[0] != told[1] or entry.name == "SOW-5", entry.name


def test_every_name_leads_to_an_entry() -> None:
    missing: dict[str, list[str]] = {}
    for file in _files():
        for name in set(_NAMED.findall(file.read_text(encoding="utf-8"))):
            if name not in ENTRIES and not _ENCODING.match(name):
                missing.setdefault(name, []).append(file.relative_to(ROOT).as_posix())
    assert missing == {}


def test_every_link_to_the_page_leads_to_an_entry() -> None:
    anchors = {name.lower() for name in ENTRIES}
    found = [
        anchor
        for file in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
        for anchor in re.findall(r"semantics\.md#([^)]*)\)", file.read_text(encoding="utf-8"))
    ]
    assert len(found) > 100
    assert set(found) <= anchors


def test_no_name_of_a_document_that_is_not_here_is_left() -> None:
    left = [file for file in _files() if "SEMANTICS" in file.read_text(encoding="utf-8")]
    assert left == []


@pytest.fixture(scope="module")
def printed() -> Mapping[str, Mapping[str, list[str]]]:
    """What the programs print, by mode: a process for each."""
    running = {}
    for mode, value in (("graph", "true"), ("tree", "false")):
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "NNX_GRAPH_MODE": value,
            "NNX_GRAPH_UPDATES": value,
        }
        command = [sys.executable, "-W", "ignore", "-m", "tests.semantics"]
        running[mode] = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )
    return {mode: json.loads(each.communicate()[0]) for mode, each in running.items()}


@pytest.mark.runs_jax
@pytest.mark.parametrize("mode", ["graph", "tree"])
@pytest.mark.parametrize("name", ENTRIES)
def test_program_prints_what_the_page_says(
    printed: Mapping[str, Mapping[str, list[str]]], name: str, mode: str
) -> None:
    assert printed[mode][name] == ENTRIES[name].said(mode)
