"""The names that the wheel installs collide with nothing a project calls its own folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, TRAIN


@pytest.mark.parametrize("name", ["codemods", "facts", "rewrite", "report", "sources"])
def test_a_project_may_have_a_package_of_that_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.py").write_bytes(TRAIN)
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('imported')\n")
    done = subprocess.run(
        [COMMAND, "apply", ".", "--dry-run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "internal-error" not in done.stderr
    assert "1 file would change" in done.stdout + done.stderr


def test_python_m_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nnx_migrate", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("nnx-migrate")
