"""The sample plugin: a package of its own with a rule that pins, and one with an edit by LibCST."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "writing-rules.md").read_text()
SAMPLE = ROOT / "examples" / "plugin"
CODE = SAMPLE / "src" / "our_codemods"
BEFORE = """\
from flax import nnx


class Trainer:
    @property
    def steps(self): return 3

    def step(self, model, x):
        def loss(model):
            return model( x ).sum()   # summed  up

        if x is None:

            # Nothing to learn from.
            return nnx.grad(loss)(  model )  # by hand
        return  None
"""
AFTER = BEFORE.replace(
    "            return nnx.grad(loss)(  model )  # by hand\n",
    "            grads = nnx.grad(loss)(  model )\n            return grads  # by hand\n",
)
Run = tuple[int, str, str]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which pip has installed the sample."""
    pytest.importorskip("setuptools")
    root = tmp_path_factory.mktemp("site")
    # A build leaves files beside the sources.
    copy = shutil.copytree(SAMPLE, tmp_path_factory.mktemp("sources") / "plugin")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(root)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(copy)], check=True)
    return root


def test_the_page_shows_the_files_of_the_sample() -> None:
    shown = dict(re.findall(r"`(our_codemods/\w+\.py)`:\n\n```python\n(.*?)```", PAGE, re.DOTALL))
    files = {f"our_codemods/{file.name}": file.read_text() for file in CODE.glob("[a-z]*.py")}
    assert shown == files


def test_its_rules_are_known_by_their_manual_pages(plugin: Path, tmp_path: Path) -> None:
    code, out, err = _run(plugin, tmp_path, "rule")
    assert code == 0, err
    assert {"named-gradient", "unreviewed-pmap"} <= set(out.split())
    code, out, _ = _run(plugin, tmp_path, "rule", "unreviewed-pmap")
    assert (code, "Our launcher decides how devices are shared" in out) == (0, True)


def test_its_pin_is_written_and_says_why_and_the_way_out(plugin: Path, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(
        "from flax import nnx\n\n\n@nnx.pmap\ndef step(model, x):\n    return model(x)\n"
    )
    code, _, err = _run(plugin, tmp_path, "apply", "train.py", "--select", "unreviewed-pmap")
    assert code == 0, err
    assert "no reviewer has released this pmap" in err
    assert "ask the launcher team for a review" in err
    assert "@nnx.compat.pmap" in file.read_text()


def _run(plugin: Path, folder: Path, *arguments: str, python: tuple[str, ...] = ()) -> Run:
    line = [*python, "-m", "nnx_migrate", *arguments]
    return _python(plugin, folder, line)


def _python(plugin: Path, folder: Path, line: Sequence[str]) -> Run:
    done = subprocess.run(
        [sys.executable, *line],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(plugin)},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_its_edit_is_made_and_all_else_stays(plugin: Path, tmp_path: Path, newline: str) -> None:
    file = tmp_path / "train.py"
    file.write_bytes(BEFORE.replace("\n", newline).encode())
    code, _, err = _run(plugin, tmp_path, "apply", "train.py", "--select", "named-gradient")
    assert (code, file.read_bytes().decode()) == (0, AFTER.replace("\n", newline)), err
    assert "named-gradient" in err
    code, _, err = _run(plugin, tmp_path, "apply", "train.py", "--select", "named-gradient")
    assert (code, file.read_bytes().decode()) == (0, AFTER.replace("\n", newline)), err


def test_what_it_cannot_do_is_a_pin(plugin: Path, tmp_path: Path) -> None:
    clash = BEFORE.replace("x is None", "(grads := x) is None")
    (tmp_path / "clash.py").write_text(clash)
    _, _, err = _run(plugin, tmp_path, "apply", ".", "--select", "named-gradient")
    assert "the name grads means something else here" in err
    assert "nnx.compat.grad" in (tmp_path / "clash.py").read_text()


def test_libcst_is_imported_only_where_the_edit_is_made(plugin: Path, tmp_path: Path) -> None:
    line = ("apply", "train.py", "--select", "named-gradient", "--dry-run", "--jobs", "1")
    for text, imported in ((BEFORE, True), (AFTER, False)):
        (tmp_path / "train.py").write_text(text)
        _, _, err = _run(plugin, tmp_path, *line, python=("-X", "importtime"))
        assert ("libcst" in {entry.split("|")[-1].strip() for entry in err.splitlines()}) == (
            imported
        )


def test_it_is_a_command_of_libcst_too(plugin: Path, tmp_path: Path) -> None:
    [named] = re.findall(r"^python (-m libcst.*NamedGradient .*)src/ ", PAGE, re.MULTILINE)
    (tmp_path / "train.py").write_text(BEFORE)
    code, _, err = _python(plugin, tmp_path, [*named.split(), "train.py"])
    assert (code, (tmp_path / "train.py").read_text()) == (0, AFTER), err
