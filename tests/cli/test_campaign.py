"""`nnx-migrate campaign`: a run shows what may be rewritten, and the same run checks it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Command
from tests.schemas import require_valid

NET = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(()))
        self.seen = nnx.BatchStat(jnp.ones(()))

    def __call__(self, x):
        self.seen[...] = x
        return self.w * x


class Growing(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(()))

    def __call__(self, x):
        self.last = x
        return self.w * x
"""
TRAIN = """\
from flax import nnx


def fine(model, x):
    return nnx.grad(lambda m: m(x))(model)


def wrong(model, x):
    return nnx.grad(lambda m: m(x))(model)


def around(model, x):
    return wrong(model, x), fine(model, x)


def same(model, x):
    return nnx.jit(lambda m, y: m(y))(model, x)


def unused(model, x):
    return nnx.grad(lambda m: 2 * m(x))(model)
"""
# What it passes is another class from its second run on: the one that is checked.
RUN = """\
import pathlib
import pydoc

import jax.numpy as jnp

import train

marker = pathlib.Path("ran")
later = "net.Growing" if marker.exists() else "net.Net"
marker.touch()
train.fine(pydoc.locate("net.Net")(), jnp.ones(()))
train.wrong(pydoc.locate(later)(), jnp.ones(()))
train.same(pydoc.locate(later)(), jnp.ones(()))
"""
PROVED = """\
from flax import nnx

import net


def step(model: net.Net, x):
    return nnx.grad(lambda m: m(x))(model)
"""
STEP = "import net, train\ntrain.step(net.Net(), 1.0)\n"
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
RUNS = ("--", sys.executable, "run.py")


def project(folder: Path, **files: str) -> None:
    files = {"net": NET, "train": TRAIN, "run": RUN, **files}
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    subprocess.run([*GIT, "init", "-q"], cwd=folder, check=True)
    subprocess.run([*GIT, "add", "."], cwd=folder, check=True)
    subprocess.run([*GIT, "commit", "-qm", "It"], cwd=folder, check=True)


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.glob("*.py")}


def reported(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / ".nnx-migrate/campaign/report.json").read_text())
    require_valid("campaign", found)
    return found


@pytest.mark.runs_jax
def test_what_differs_is_put_back_place_by_place(tmp_path: Path, command: Command) -> None:
    project(tmp_path)
    for name in ("user.name", "user.email"):
        subprocess.run([*GIT, "config", name, "ada"], cwd=tmp_path, check=True)
    before = contents(tmp_path)
    done = command("campaign", "--branch", "tree-mode", "--html", "review", *RUNS, seconds=240)
    assert done.code == 0, done.said
    page = (tmp_path / "review" / "index.html").read_text()
    assert 'name="verdict"' in page
    assert "not run" not in page.partition("<main")[0]
    report = reported(tmp_path)
    ends = {
        each["line"]: (each["outcome"], each["verdict"], bool(each["put_back"]))
        for each in report["places"]
    }
    assert ends == {
        5: ("rewritten-checked", "proved", False),
        9: ("pinned", "proved", True),
        17: ("pinned", "equal", True),  # the runs that were observed said that it is the same
        21: ("pinned", "not checked", False),  # nobody calls it
    }, done.said
    # The command ran on the result in both modes.
    assert report["exit_codes"] == {"before": 0, "graph": 0, "tree": 0}
    assert "train.py:9: module-gradient: pinned" in done.said
    assert "without the pin, its calls differ (train.py:wrong#1, new@graph" in done.said

    # On a branch alone: the tree and the index are as they were.
    assert contents(tmp_path) == before
    status = subprocess.check_output([*GIT, "status", "--porcelain"], cwd=tmp_path)
    assert status.split() == [b"??", b"ran", b"??", b"review/"]
    changed = subprocess.check_output(
        [*GIT, "diff", "--name-only", "HEAD", "tree-mode"], cwd=tmp_path
    )
    assert changed == b"train.py\n"
    again = command("campaign", "--branch", "tree-mode", *RUNS)
    assert again.code == 2
    assert "the branch tree-mode exists" in again.err
    # What was put back stays so, for a later run that is given the same facts, too.
    subprocess.run([*GIT, "checkout", "-q", "tree-mode"], cwd=tmp_path, check=True)
    assert command("apply", ".", "--check").code == 0
    assert contents(tmp_path)["train.py"].count("nnx.compat.") == 3


@pytest.mark.runs_jax
def test_a_suite_that_breaks_today_keeps_everything_as_it_was(
    tmp_path: Path, command: Command
) -> None:
    # It looks at the text of what it runs, which no check of calls does.
    looking = f"{STEP}assert 'split' not in open('train.py').read()\n"
    project(tmp_path, train=PROVED, run=looking)
    before = contents(tmp_path)
    done = command("campaign", *RUNS)
    assert done.code == 1, done.said
    assert "so nothing was written; the plan is in .nnx-migrate/campaign/changes.patch" in done.err
    assert contents(tmp_path) == before
    assert "nnx.split" in (tmp_path / ".nnx-migrate/campaign/changes.patch").read_text()


@pytest.mark.runs_jax
def test_a_killed_campaign_leaves_files_that_undo_gives_back(
    tmp_path: Path, command: Command
) -> None:
    many = {f"step{number}": PROVED for number in range(40)}
    project(tmp_path, **many, train=PROVED, run=STEP)
    before = contents(tmp_path)

    def killed_when(enough: Any) -> None:
        process = subprocess.Popen(
            [COMMAND, "campaign", *RUNS],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while process.poll() is None and not enough():
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    killed_when(lambda: (tmp_path / ".nnx-migrate/campaign.sqlite").exists())
    assert contents(tmp_path) == before

    killed_when(lambda: contents(tmp_path) != before)
    after = contents(tmp_path)
    assert after.keys() == before.keys()
    changed = {name for name in after if after[name] != before[name]}
    assert changed
    for name in changed:
        compile(after[name], name, "exec")
    assert command("undo", "last").code == 0
    assert contents(tmp_path) == before
    assert not list(tmp_path.glob(".*.nnx-migrate"))


def test_what_cannot_be_done_is_said_before_anything_runs(tmp_path: Path, command: Command) -> None:
    project(tmp_path)
    assert "name the command to run" in command("campaign").err
    outside = command("campaign", "--path", tmp_path.parent, *RUNS)
    assert outside.code == 2
    assert "is outside of" in outside.err
    (tmp_path / "net.py").write_text(NET + "\n")
    dirty = command("campaign", "--branch", "new", *RUNS)
    assert dirty.code == 2
    assert "commit or stash them first" in dirty.err
    (tmp_path / "net.py").write_text(NET)
    failing = command("campaign", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert failing.code == 2
    assert "ended with exit code 3 before anything was changed" in failing.err
    none = command("campaign", "--", "no-such-command")
    assert none.code == 2
    assert "cannot run no-such-command" in none.err
    assert not (tmp_path / "ran").exists()


def test_a_named_configuration_says_what_is_migrated_and_how_it_is_checked(
    tmp_path: Path, command: Command
) -> None:
    project(tmp_path, train=PROVED, run=STEP)
    named = tmp_path / "other.toml"
    named.write_text('select = ["returned-input"]\n')
    done = command("campaign", "--config", "other.toml", *RUNS)
    assert done.code == 0
    assert contents(tmp_path)["train.py"] == PROVED
    named.write_text("[check]\ncolour = 1\n")
    wrong = command("campaign", "--config", "other.toml", *RUNS)
    assert wrong.code == 2
    assert "other.toml" in wrong.err
