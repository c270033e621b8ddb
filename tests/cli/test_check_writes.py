"""`nnx-migrate check` of code that writes: into copies, and what it wrote is compared."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Command

pytestmark = pytest.mark.runs_jax

OLD = """\
import pathlib
import random
import shutil
import time
import uuid

HERE = pathlib.Path(__file__).parent


def alike(x):
    with open("log.txt", "a") as log:
        log.write("started\\n")
    return x * 2


def worded(x):
    (HERE / "notes.txt").write_text("first\\nmean\\n")
    return x


def numbered(x):
    pathlib.Path("loss.txt").write_text("loss 0.25\\n")
    return x


def also(x):
    return x


def binary(x):
    pathlib.Path("state.bin").write_bytes(b"\\x00\\x01")
    return x


def named_anew(x):
    pathlib.Path(f"run-{uuid.uuid4()}").mkdir()
    return x


def emptied(x):
    shutil.rmtree("kept")
    return x


def again(x):
    return x, sorted(path.name for path in pathlib.Path().iterdir()), len(list(open("log.txt")))


def read(x):
    return x, open("ignored/rows.txt").read()


def elsewhere(path, x):
    pathlib.Path(path).write_text("here")
    return x
"""
NEW = (
    OLD.replace("x * 2", "x + x")
    .replace("nmean", "nsum")
    .replace("0.25", "0.26")
    .replace("x01", "x02")
    .replace("def also(x):\n", "def also(x):\n    open('more.txt', 'w').close()\n")
)
NAMES = (
    *("alike", "worded", "numbered", "also", "binary"),
    *("named_anew", "emptied", "again", "read"),
)
CASES = (
    """\
import work
from nnx_migrate.check import f32

OUTSIDE = {outside!r}


"""
    + "\n\n".join(f"def case_{name}(x: f32[2]):\n    return work.{name}, (x,)\n" for name in NAMES)
    + "\n\ndef case_elsewhere(x: f32[2]):\n    return work.elsewhere, (OUTSIDE, x)\n"
)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if ".nnx-migrate" not in path.parts and ".git" not in path.parts
    }


def test_what_cases_write_lands_in_copies_and_is_compared(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of what lies among temporary files nothing is told: their names are drawn anew each time.
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    project = tmp_path / "project"
    (project / "kept").mkdir(parents=True)
    (project / "ignored").mkdir()
    (project / "kept" / "one.txt").write_text("1")
    (project / "ignored" / "rows.txt").write_text("1 2 3")
    (project / "log.txt").write_text("before\n")
    (project / ".gitignore").write_text("ignored/\n__pycache__/\n")
    (project / "work.py").write_text(OLD)
    # Left there by another run, and looked for by each import.
    bytecode = Path(importlib.util.cache_from_source(str(project / "work.py")))
    bytecode.parent.mkdir()
    bytecode.write_bytes(b"of another time")
    # In the tree that is looked at, as most people have it.
    (project / "cases.py").write_text(CASES.format(outside=str(tmp_path / "outside.txt")))
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)
    (project / "work.py").write_text(NEW)
    before = contents(project)
    asked = ("check", "git:HEAD", ".", "--cases", "cases.py", "--platform", "cpu")
    done = command(*asked, "--format", "json", cwd=project)
    assert contents(project) == before
    document = json.loads(done.out)
    cases = {case["name"].removeprefix("cases.py:"): case for case in document["cases"]}
    assert {name: case["verdict"] for name, case in cases.items()} == {
        # Run, for a trace writes, too; and each column begins with the files of the user.
        "alike": "equal",
        "worded": "different",
        "numbered": "not checked",
        "also": "different",
        "binary": "not checked",
        "named_anew": "not checked",
        "emptied": "equal",
        "again": "proved",
        "read": "not checked",
        "elsewhere": "equal",
    }, done.out.decode()

    def column(name: str) -> dict[str, Any]:
        found: dict[str, Any] = cases[name]["columns"]["new@tree"]
        return found

    assert column("alike")["notes"] == ["it writes log.txt: compared"]
    assert column("alike")["proof"] == "old: it writes log.txt"
    assert column("worded")["difference"]["new"] == "the line 'sum'"
    assert "in numbers alone, first in 'loss 0.25' and 'loss 0.26'" in column("numbered")["reason"]
    assert column("also")["difference"]["path"] == "it writes/more.txt"
    assert "state.bin cannot be compared: its bytes differ" in column("binary")["reason"]
    assert "the old code writes different files" in column("named_anew")["reason"]
    assert "it opens ignored/rows.txt" in column("read")["reason"]
    (told,) = [each for each in document["remarks"] if "not copied" in each]
    assert "ignored/ (git ignores it)" in told
    outside = f"it writes {tmp_path / 'outside.txt'}, outside of its tree"
    assert outside in column("elsewhere")["notes"]
    # The revision is unpacked again for the script, and it runs in copies, too.
    script = column("worded")["repro"]
    again = [sys.executable, script, "old", "graph"]
    shown = subprocess.run(again, cwd=project, capture_output=True, text=True, check=True)
    assert shown.stdout == "old@graph, call:\n  it writes/notes.txt = first\nmean\n\n"
    assert contents(project) == before
    with_data = command(*asked, "--only", "read", "--data", "ignored", cwd=project)
    assert (with_data.code, b"1 case: 1 " in with_data.out) == (0, True), with_data.out


RUN = """\
import pathlib

import jax.numpy as jnp

from pkg import steps

here = pathlib.Path(__file__).parent
(here / "made.txt").write_text("by the command")
steps.step(jnp.ones(2), here / "out", str(here / "made.txt"))
"""
STEPS = """\
import pathlib


def step(x, folder, made):
    folder.mkdir(exist_ok=True)
    (folder / "step.txt").write_text("done")
    return x * 2, pathlib.Path(made).read_text(), folder, __file__
"""


@pytest.mark.parametrize("wrong", [False, True])
def test_a_command_runs_in_a_copy_and_both_sides_have_its_files(
    tmp_path: Path, wrong: bool
) -> None:
    """Also where the package is found by PYTHONPATH alone, which leads into the user's tree."""
    for side in ("old", "new"):
        package = tmp_path / side / "python" / "pkg"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        text = STEPS if side == "old" else STEPS.replace("x * 2", "2 * x")
        text = text.replace('"done"', '"gone"') if wrong and side == "new" else text
        (package / "steps.py").write_text(text)
        (tmp_path / side / "run.py").write_text(RUN)
    before = contents(tmp_path)
    done = subprocess.run(
        [COMMAND, "check", "old", "new", "--platform", "cpu", "--", "python", "run.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "new" / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert contents(tmp_path) == before
    assert "the command wrote made.txt, out/step.txt; every case gets a copy" in done.stdout
    verdict = "different" if wrong else "equal"
    assert f"python/pkg/steps.py:step#1  {verdict}" in done.stdout, done.stdout + done.stderr
    assert done.returncode == int(wrong)
