"""`nnx-migrate check` over several processes: the same report, and verdicts as they come."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Command

pytestmark = pytest.mark.runs_jax

OLD = """\
import jax.numpy as jnp

import shared

SEEN = []


def product(x):
    return x * 2 + jnp.sin(x)


def counted(x):
    SEEN.append(1)
    return x, len(SEEN), shared.count()


def lazily(x):
    import late

    return late.late(x)


def wrong(x):
    return x + 1


def written(x):
    with open("log.txt", "a") as log:
        log.write("a")
    return x, open("log.txt").read()


def unlike(x):
    return x, object.__new__(type("Other", (), {"__slots__": ()}))


def branched(x):
    if x.ndim > 1:
        return x
    return x * 3
"""
NEW = (
    OLD.replace("x * 2 + jnp.sin(x)", "jnp.sin(x) + x * 2")
    .replace("return x + 1", "return x - 1")
    .replace("return x, len", "return x, 0 + len")
    .replace("return late.late(x)", "return late.late(1 * x)")
    .replace("return x * 3", "return 3 * x")
)
NAMES = ("product", "counted", "counted_again", "lazily", "wrong", "written", "unlike", "branched")


def written_to(folder: Path) -> Path:
    for side, text in (("old", OLD), ("new", NEW)):
        (folder / side).mkdir()
        (folder / side / "work.py").write_text(text)
        (folder / side / "shared.py").write_text(
            "calls = []\n\n\ndef count():\n    calls.append(1)\n    return len(calls)\n"
        )
        (folder / side / "late.py").write_text("def late(x):\n    return x\n")
    cases = (
        f"def case_{name}(x: f32[2]):\n    return work.{name.removesuffix('_again')}, (x,)\n"
        for name in NAMES
    )
    text = "import work\nfrom nnx_migrate.check import f32\n\n\n" + "\n\n".join(cases)
    (folder / "cases.py").write_text(text)
    return folder


def test_the_report_is_the_same_whatever_runs_at_once(tmp_path: Path, command: Command) -> None:
    written_to(tmp_path)
    asked = ("check", "old", "new", "--cases", "cases.py", "--platform", "cpu", "--no-cache")
    alone, together = (
        command(*asked, "--format", "json", "--jobs", str(jobs)).out for jobs in (1, 3)
    )
    assert alone == together
    document = json.loads(alone)
    verdicts = {case["name"].removeprefix("cases.py:"): case for case in document["cases"]}
    found = {name: case["verdict"] for name, case in verdicts.items()}
    # Rounding, and so a matter of the machine.
    assert found.pop("product") in ("equal", "close")
    assert found == {
        "counted": "equal",
        "counted_again": "equal",
        "lazily": "equal",
        "wrong": "different",
        "written": "equal",
        "unlike": "not checked",
        "branched": "proved",
    }, document
    # What a process has imported for one case is not of the next one.
    assert verdicts["product"]["files"]["new"] == ["late.py", "shared.py", "work.py"]
    assert len(document["branches_not_taken"]) == 1
    assert {log.name for log in (tmp_path / ".nnx-migrate" / "logs").iterdir()} == {
        f"{column}{number}.log"
        for column in ("old@graph", "new@graph", "new@tree")
        for number in ("", "-2", "-3")
    }


def test_a_verdict_is_told_while_others_are_not_known(tmp_path: Path) -> None:
    go = tmp_path / "go"
    (tmp_path / "work.py").write_text(
        "import pathlib\nimport time\n\n\ndef quick(x):\n    return x\n\n\n"
        f"def waits(x):\n    while not pathlib.Path({str(go)!r}).exists():\n"
        "        time.sleep(0.1)\n    return x\n"
    )
    (tmp_path / "cases.py").write_text(
        "import work\nfrom nnx_migrate.check import f32\n\n\n"
        "def case_quick(x: f32[2]):\n    return work.quick, (x,)\n\n\n"
        "def case_waits(x: f32[2]):\n    return work.waits, (x,)\n"
    )
    running = subprocess.Popen(
        [COMMAND, "check", ".", ".", "--cases", "cases.py", "--platform", "cpu"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline().split() == ["case", "new@graph", "new@tree"]
    assert running.stdout.readline().split() == ["cases.py:quick", "proved", "proved"]
    # The other one waits for this.
    go.touch()
    assert running.stdout.readline().split() == ["cases.py:waits", "proved", "proved"]
    running.communicate(timeout=300)
    assert running.returncode == 0
