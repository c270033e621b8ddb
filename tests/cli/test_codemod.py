"""The migration and its rules as commands of LibCST."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.rewrite.model.registry import rule_entries
from tests.cli.conftest import TRAIN, Command

SAMPLE = Path(__file__).parents[2] / "examples" / "sample"


def _libcst(folder: Path, command: str, *arguments: str) -> tuple[int, str]:
    line = ["-m", "libcst.tool", "codemod", "-x", f"nnx_migrate.cli.codemod.{command}"]
    done = subprocess.run(
        [sys.executable, *line, "--no-format", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "rule"), [("MigrateNnx", ""), ("ModuleGradient", "module-gradient")]
)
def test_it_writes_what_apply_writes(
    tmp_path: Path, command: Command, name: str, rule: str
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        shutil.copytree(SAMPLE, folder)
        (folder / "windows.py").write_bytes(TRAIN.replace(b"\n", b"\r\n"))
    command("apply", ".", *(["--select", rule] if rule else []), cwd=ours)
    code, told = _libcst(theirs, name, "--jobs", "2", ".")
    assert code == 0, told
    files = sorted(path.relative_to(ours) for path in ours.rglob("*.py"))
    written = {file: (ours / file).read_bytes() for file in files}
    assert {file: (theirs / file).read_bytes() for file in files} == written
    assert written[Path("windows.py")] != TRAIN.replace(b"\n", b"\r\n")


def test_what_is_left_is_a_warning(tmp_path: Path) -> None:
    unknown = "from flax import nnx\n\n\ndef f(m, loss):\n    return nnx.grad(loss)(m)\n"
    (tmp_path / "train.py").write_text(unknown)
    code, told = _libcst(tmp_path, "ModuleGradient", "train.py")
    assert code == 0
    assert "train.py:5:12: module-gradient: pinned: kept in graph mode: " in told


def test_a_file_that_cannot_be_done_stays(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes(TRAIN)
    (tmp_path / "pyproject.toml").write_text("[tool.nnx-migrate]\nselect = ['nope']\n")
    code, told = _libcst(tmp_path, "MigrateNnx", "train.py")
    assert (tmp_path / "train.py").read_bytes() == TRAIN
    assert code == 1
    assert "'nope'" in told


def test_each_rule_has_a_command() -> None:
    # Half a second to import; not for each time that tests are collected.
    from nnx_migrate.cli import codemod

    names = {"".join(w.capitalize() for w in rule.split("-")): rule for rule in rule_entries()}
    for name, rule in names.items():
        found = getattr(codemod, name)
        assert (found.RULE, found.__name__) == (rule, name)
        assert getattr(codemod, name) is found
    assert names.keys() <= set(dir(codemod))
    with pytest.raises(AttributeError, match="to list the rules: nnx-migrate rule"):
        _ = codemod.NoSuchRule
