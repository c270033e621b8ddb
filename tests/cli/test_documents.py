"""Notebooks, pages and doctests through the installed command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.unit.sources.documents.notebooks import MODEL, code, notebook, text, written

IMPORTS = "import jax.numpy as jnp\nfrom flax import nnx"
TRAIN = "%time grads = nnx.grad(loss)(model)\ngrads['linear']"
MIGRATED = """\
graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
%time grads = nnx.grad(lambda params, nondiff: loss(nnx.merge(graphdef, params, nondiff)))\
(params, nondiff)
grads['linear']"""
STEP = """\
from flax import nnx
def train(model):
  return nnx.grad(lambda m: m(1).sum())(model)
"""
STREAM = {"output_type": "stream", "name": "stdout", "text": ["\x1b[1mé\x1b[0m\n"]}


def page(*blocks: str) -> str:
    return "".join(f"Text.\n\n```python\n{block}\n```\n\n" for block in blocks)


def train_notebook(train: str = TRAIN) -> dict[str, Any]:
    return notebook(
        text("# Training"),
        code("%matplotlib inline\n" + IMPORTS, id="a"),
        code(MODEL, id="b"),
        code(train, id="c", outputs=[STREAM]),
    )


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


def test_only_the_cell_that_changes_is_written(command: Command, project: Path) -> None:
    file = project / "a.ipynb"
    before = train_notebook()
    file.write_bytes(written(before))
    done = command("apply", "src/a.ipynb")
    assert done.code == 0
    assert "src/a.ipynb:cell 4:1:15: module-gradient: rewritten" in done.err
    before["cells"][3]["source"] = MIGRATED.splitlines(keepends=True)
    assert file.read_bytes() == written(before)
    again = command("apply", "src/a.ipynb", "--check")
    assert (again.code, file.read_bytes()) == (0, written(before))


def test_cells_may_be_empty(command: Command, project: Path) -> None:
    """Everywhere, and they move no place of the others."""
    empty = {**code(""), "source": []}
    parts = train_notebook()["cells"]
    (project / "a.ipynb").write_bytes(
        written(notebook(empty, *(cell for part in parts for cell in (part, empty))))
    )
    (project / "b.ipynb").write_bytes(written(notebook(empty, empty)))
    (project / "c.ipynb").write_bytes(written(notebook(empty, code(STEP))))
    done = command("apply", "src", "--check")
    assert done.code == 1
    assert "src/a.ipynb:cell 8:1:15: module-gradient: rewritten" in done.said
    assert "src/c.ipynb:cell 2:3:10: module-gradient" in done.said
    assert "bug" not in done.said


def test_notebooks_are_found_and_pages_when_asked_for(command: Command, project: Path) -> None:
    (project / "a.ipynb").write_bytes(written(train_notebook()))
    (project / "b.md").write_text(page(IMPORTS, MODEL, TRAIN))
    (project / "c.py").write_text('"""\n>>> from flax import nnx\n>>> nnx.split_rngs(m)\n"""\n')
    without = command("apply", "src", "--check")
    assert "a.ipynb" in without.said
    assert "b.md" not in without.said
    assert "c.py" not in without.said
    with_pages = command("apply", "src", "--docs", "--check").said
    assert "b.md:25:" in with_pages
    assert "c.py:3:" in with_pages
    assert "b.md:25:" in command("apply", "src/b.md", "--check").said
    (project / "pyproject.toml").write_text("[tool.nnx-migrate]\ndocs = true\n")
    assert command("apply", "src", "--check").said == with_pages


def test_a_page_gets_what_its_notebook_gets(command: Command, project: Path) -> None:
    (project / "a.ipynb").write_bytes(written(train_notebook()))
    (project / "a.md").write_text(page(IMPORTS, MODEL, TRAIN))
    assert command("apply", "src", "--docs").code == 0
    assert (project / "a.md").read_text() == page(IMPORTS, MODEL, MIGRATED)
    assert sources((project / "a.ipynb").read_bytes())[3] == MIGRATED


@pytest.mark.parametrize("indent", [1, None])
def test_git_applies_the_patch(
    command: Command, project: Path, tmp_path: Path, indent: int | None
) -> None:
    file = project / "a.ipynb"
    file.write_bytes(written(train_notebook(), indent=indent))
    patch = command("apply", "src/a.ipynb", "--diff").out
    command("apply", "src/a.ipynb")
    expected = file.read_bytes()
    file.write_bytes(written(train_notebook(), indent=indent))
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True)
    assert file.read_bytes() == expected


def test_a_notebook_on_stdin(command: Command, project: Path) -> None:
    data = written(train_notebook())
    done = command("apply", "-", "--stdin-filename", "src/a.ipynb", stdin=data)
    assert done.code == 0
    assert sources(done.out)[3] == MIGRATED
    assert command("apply", "-", "--stdin-filename", "a.ipynb", stdin=b"{").out == b"{"


def test_comments_keep_cells_and_notebooks_out(command: Command, project: Path) -> None:
    file = project / "a.ipynb"
    ignored = TRAIN.replace("\n", "  # nnx-migrate: ignore[module-gradient]\n")
    for train in (ignored, f"# nnx-migrate: skip-file\n{TRAIN}"):
        data = written(train_notebook(train))
        file.write_bytes(data)
        assert command("apply", "src/a.ipynb").code == 0
        assert file.read_bytes() == data
    file.write_bytes(written(train_notebook("x = 1  # nnx-migrate: ignore[module-gradient]")))
    assert "a.ipynb:cell 4:1:8: unused-ignore" in command("apply", "src/a.ipynb").err


def test_what_cannot_be_read_is_a_finding(command: Command, project: Path) -> None:
    (project / "a.ipynb").write_bytes(b'{"cells": [nnx')
    bad = train_notebook()
    bad["cells"].insert(1, code("nnx.jit("))
    (project / "b.ipynb").write_bytes(written(bad))
    (project / "c.md").write_text(page("nnx.jit(", MODEL, TRAIN))
    done = command("apply", "src/a.ipynb", "src/b.ipynb", "src/c.md", "--check")
    assert done.code == 1
    assert "a.ipynb: unreadable-file: failed: it is not a notebook: " in done.said
    assert (
        "b.ipynb:cell 2:1:1: unread-code: manual: this cell mentions nnx and could not be"
        in done.said
    )
    assert "b.ipynb:cell 5:1:15: module-gradient: rewritten" in done.said
    assert (
        "c.md:4:1: unread-code: manual: this block mentions nnx and could not be read" in done.said
    )
    assert "c.md:24:" in done.said


def test_facts_cross_between_files_and_notebooks(command: Command, project: Path) -> None:
    (project / "net.py").write_text(f"{IMPORTS}\n{MODEL}\n")
    (project / "use.ipynb").write_bytes(
        written(notebook(code("from flax import nnx\nfrom net import *"), code(TRAIN)))
    )
    assert "rewritten: the Module is split" in command("apply", "src/use.ipynb", "--check").said
    # The notebook that calls it never says the letters that are looked for.
    (project / "step.py").write_text(STEP)
    assert (
        "no call of train in this project shows" in command("apply", "src/step.py", "--check").said
    )
    caller = "from step import train\nfrom net import Net\ntrain(Net(0))"
    (project / "call.ipynb").write_bytes(written(notebook(code(caller))))
    assert "1 rewritten" in command("apply", "src/step.py", "--check").said


def test_the_json_report_names_the_cell(command: Command, project: Path) -> None:
    file = project / "a.ipynb"
    file.write_bytes(written(train_notebook()))
    report = json.loads(command("apply", "src/a.ipynb", "--check", "--format", "json").out)
    (finding,) = report["files"][0]["findings"]
    assert finding["in_cell"] == {"cell": 4, "line": 1, "column": 15}
    assert "nnx.grad" in file.read_text().split("\n")[finding["line"] - 1][finding["column"] - 1 :]
    evidence = [each["where"] for each in finding["evidence"]]
    assert any("a.ipynb:cell 3:7" in where for where in evidence)


def test_a_rewrite_that_hides_a_shown_value_is_not_made(command: Command, project: Path) -> None:
    broken = '"""\n>>> from flax import nnx\n>>> nnx.split_rngs(m)\nshown\n"""\n'
    (project / "a.py").write_text(broken)
    done = command("apply", "src/a.py", "--docs")
    text_after = (project / "a.py").read_text()
    assert "shown" in text_after
    assert text_after.split("\n")[text_after.split("\n").index("shown") - 1].startswith(">>> nnx.")
    assert done.code in (0, 1)


def test_a_dry_run_shows_cells(command: Command, project: Path) -> None:
    (project / "a b.ipynb").write_bytes(written(train_notebook(), indent=None))
    shown = command("apply", "src/a b.ipynb", "--dry-run").out.decode()
    before, after = TRAIN.split("\n"), MIGRATED.split("\n")
    assert shown == (
        "--- a/src/a b.ipynb cell 4\t\n+++ b/src/a b.ipynb cell 4\t\n@@ -1,2 +1,3 @@\n"
        f"-{before[0]}\n+{after[0]}\n+{after[1]}\n {before[1]}\n"
    )
