"""A run that would look for nothing says so: it is an error, and no "0 files would change"."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.rewrite.model.registry import rule_entries
from tests.cli.conftest import TRAIN, Command

_UNREGISTERED = """
import importlib.metadata
found = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **wanted: [p for p in found(**wanted) if {kept}]
from nnx_migrate.cli.app import main
main()
"""
_BROKEN = """
import importlib.metadata
group = "nnx_migrate.codemods"
point = importlib.metadata.EntryPoint("module-gradient", "no_such_package:RULE", group)
importlib.metadata.entry_points = lambda **wanted: [point]
from nnx_migrate.cli.app import main
main()
"""
ALL = ", ".join(f'"{name}"' for name in rule_entries())
DESELECTED = {
    "an empty select": "[tool.nnx-migrate]\nselect = []\n",
    "all ignored": f"[tool.nnx-migrate]\nignore = [{ALL}]\n",
    "the selected ignored": (
        '[tool.nnx-migrate]\nselect = ["diff-state"]\nignore = ["diff-state"]\n'
    ),
}


def _run(script: str, folder: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["apply", "src"],
        ["apply", "src", "--check"],
        ["apply", "src", "--check", "--format", "json"],
        ["apply", "--explain", "src/train.py:18"],
        ["batch", "src", "--out", "results"],
        ["rule"],
    ],
)
def test_no_rule_is_installed(project: Path, arguments: list[str]) -> None:
    code, out, err = _run(_UNREGISTERED.format(kept=False), project.parent, *arguments)
    assert (code, out) == (2, "")
    assert "no rules are installed" in err
    assert "install nnx-migrate again with pip" in err
    assert "Traceback" not in err
    assert (project / "train.py").read_bytes() == TRAIN


def test_a_rule_cannot_be_loaded(project: Path) -> None:
    code, out, err = _run(_BROKEN, project.parent, "apply", "src", "--check")
    assert (code, out) == (2, "")
    assert "rule module-gradient (no_such_package:RULE): No module named" in err
    assert "--ignore" in err


@pytest.mark.parametrize("case", DESELECTED)
def test_the_configuration_takes_all_rules_away(command: Command, project: Path, case: str) -> None:
    (project / "pyproject.toml").write_text(DESELECTED[case])
    for arguments in (["apply", "src", "--check"], ["batch", "src", "--out", "results"]):
        done = command(*arguments)
        assert (done.code, done.out) == (2, b"")
        assert "select and ignore leave none of the" in done.err
        assert "to list them: nnx-migrate rule" in done.err
    done = command("apply", "-", "--stdin-filename", "src/a.py", stdin=TRAIN)
    assert done.code == 2


def test_flags_count_over_the_configuration(command: Command, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.nnx-migrate]\nselect = []\n")
    done = command("apply", "src", "--check", "--select", "module-gradient")
    assert done.code == 1


def test_an_override_may_take_all_rules_from_its_paths(command: Command, project: Path) -> None:
    """So may a comment: these say for which files nothing is wanted."""
    (project / "pyproject.toml").write_text(
        f'[[tool.nnx-migrate.overrides]]\npaths = ["train.py"]\nignore = [{ALL}]\n'
    )
    assert command("apply", "src", "--check").code == 0


def test_an_override_may_be_the_one_that_selects(command: Command, project: Path) -> None:
    (project / "pyproject.toml").write_text(
        "[tool.nnx-migrate]\nselect = []\n[[tool.nnx-migrate.overrides]]\n"
        'paths = ["train.py"]\nselect = ["module-gradient"]\n'
    )
    assert command("apply", "src", "--check").code == 1
