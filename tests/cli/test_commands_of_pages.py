"""Every line of the documentation that calls the tool, run as it stands there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, TRAIN

ROOT = Path(__file__).parents[2]
PAGES = (
    "batch",
    "check",
    "commands",
    "editors",
    "index",
    "notebooks",
    "observe",
    "pins",
    "reports",
    "review-page",
)
_BLOCK = re.compile(r"^ *```console\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_TEST = """\
import jax.numpy as jnp
from flax import nnx

from train import Net, train_step


def test_step():
    model = Net(nnx.Rngs(0))
    assert train_step is not None and model(jnp.ones((1, 2))) is not None
"""
#: What has to be there for a line, as a user would have made it before.
_BEFORE = {
    "--baseline known.json": "nnx-migrate apply src/ --write-baseline known.json",
    "undo last": "nnx-migrate apply src/",
    "--resume": "nnx-migrate batch . --out ../campaign",
}
#: Those that tests of their own run: they run the user's code, never end, or need a cluster.
_ELSEWHERE = {
    re.compile(r"nnx-migrate check "): ("test_check.py", "test_readme.py"),
    re.compile(r"nnx-migrate apply .*--verify"): ("test_verify.py",),
    re.compile(r"nnx-migrate observe -- |nnx-migrate apply .*--facts"): ("test_observe.py",),
    re.compile(r"nnx-migrate campaign "): ("test_campaign.py",),
    re.compile(r"nnx-migrate server$"): ("../server/test_server.py",),
    re.compile(r"nnx-migrate batch .*/shared/"): ("test_batch.py", "test_cluster.py"),
}


_NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": TRAIN.decode().splitlines(keepends=True),
        }
        for _ in range(4)
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}


def lines_to_type(page: str) -> list[str]:
    """The calls on a page, without what is said behind them."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    shell = "\n".join(_BLOCK.findall(text)).replace("\\\n", " ")
    lines = (re.split(r"\s+# ", line.removeprefix("$ "))[0] for line in shell.splitlines())
    return [line.strip() for line in lines if line.startswith("nnx-migrate ")]


LINES = sorted({line for page in PAGES for line in lines_to_type(page)})
TYPED = [line for line in LINES if not any(each.match(line) for each in _ELSEWHERE)]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project in git: sources, a test, a notebook folder, a page, and owners."""
    folder = tmp_path / "project"
    files = {
        "src/train.py": TRAIN.decode() + "\n" * 30,
        "train.ipynb": json.dumps(_NOTEBOOK),
        "README.md": "# Steps\n",
        "tests/test_train.py": _TEST,
        "notebooks/steps.py": TRAIN.decode(),
        "docs/page.md": f"# Steps\n\n```python\n{TRAIN.decode()}```\n",
        "CODEOWNERS": "* @team\n",
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    shutil.copytree(ROOT / "examples" / "sample", folder / "examples" / "sample")
    person = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*person, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


def typed(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What comes of a line that is typed into bash."""
    paths = os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": paths, "XDG_CACHE_HOME": str(folder.parent / "cache")}
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_page_with_commands_is_typed() -> None:
    with_calls = {page.stem for page in (ROOT / "docs").glob("*.md") if lines_to_type(page.stem)}
    # The tutorial is walked as a whole, and the rule of the page for authors has its own tests.
    assert with_calls == {*PAGES, "tutorial", "writing-rules"}
    assert all(lines_to_type(page) for page in PAGES)
    here = Path(__file__).parent
    for pattern, tests in _ELSEWHERE.items():
        assert any(map(pattern.match, LINES)), pattern.pattern
        assert all((here / name).is_file() for name in tests)


@pytest.mark.parametrize("line", TYPED)
def test_a_line_does_what_it_says(line: str, repository: Path) -> None:
    for needs, before in _BEFORE.items():
        if needs in line:
            assert typed(before, repository).returncode in {0, 1}
    done = typed(line, repository)
    assert done.returncode in {0, 1}, done
    assert "nnx-migrate: error" not in done.stderr
    if "> " not in line:
        assert done.stdout or done.stderr
    elif (patch := repository / "flip.patch").exists():
        assert typed(f"git apply --check {patch.name}", repository).returncode == 0
