"""The scripts of the pages are typed: JSDoc in them, `types.d.ts` for what Python hands over."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.node import run

SCRIPTS = Path(__file__).parents[4] / "nnx_migrate" / "report" / "html" / "scripts"
SITE = Path(__file__).parents[4] / "docs" / "assets" / "fold.js"


def test_every_script_asks_for_types() -> None:
    scripts = sorted(SCRIPTS.glob("*.js"))
    assert len(scripts) > 15
    assert [
        each.name for each in scripts if not each.read_text().startswith("// @ts-check\n")
    ] == []
    assert [each.name for each in scripts if "@ts-ignore" in each.read_text()] == []


def test_types_of_the_script_of_the_site_hold() -> None:
    options = ["--allowJs", "--checkJs", "--strict", "--noEmit", "--target", "ES2023"]
    done = run("tsc", *options, "--lib", "ES2023,DOM,DOM.Iterable", str(SITE), cwd=SITE.parent)
    assert done.stdout == ""
    assert done.returncode == 0


def test_types_hold(tmp_path: Path) -> None:
    done = run("tsc", "-p", str(SCRIPTS / "tsconfig.json"), cwd=SCRIPTS)
    assert done.stdout == ""
    assert done.returncode == 0
    # And the check does see what is wrong.
    copy = shutil.copytree(SCRIPTS, tmp_path / "scripts")
    lists = copy / "lists.js"
    lists.write_text(lists.read_text().replace("file.todo.map", "file.todos.map"))
    done = run("tsc", "-p", str(copy / "tsconfig.json"), cwd=copy)
    assert "Property 'todos' does not exist on type 'FileEntry'" in done.stdout
