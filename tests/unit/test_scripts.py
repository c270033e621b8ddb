"""Scripts that take minutes say at once what they do."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize("name", ["demo", "test"])
def test_an_installation_is_told_before_it_begins(tmp_path: Path, name: str) -> None:
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(SCRIPTS / name, tmp_path / "scripts")
    (tmp_path / "pyproject.toml").touch()
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || { echo "python $*" >&2; exit 3; }\n')
    python.chmod(0o755)
    environment = {**os.environ, "PYTHON": str(python)}
    done = subprocess.run([script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    told, started, *_ = done.stderr.splitlines()
    assert told.startswith("installing ")
    assert started.startswith("python -m venv")
