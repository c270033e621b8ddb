"""The tutorial: who types what it says sees what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND

ROOT = Path(__file__).parents[2]
_PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: How the page says that these end; all others end with 0.
_CODES = {
    "nnx-migrate apply . --dry-run": 1,
    "nnx-migrate check git:HEAD . -- python -m ranker.training": 2,
}
_OF_THE_NETWORK = ("git clone", "pip install")


@pytest.mark.runs_jax
def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    pytest.importorskip("optax")
    (tmp_path / "nnx-migrate" / "examples").mkdir(parents=True)
    shutil.copytree(ROOT / "examples" / "sample", tmp_path / "nnx-migrate" / "examples" / "sample")
    lines = [line for block in _BLOCK.findall(_PAGE) for line in block.splitlines()]
    typed = [line for line in lines if not line.startswith(_OF_THE_NETWORK)]
    assert len(typed) > 10
    here, said = tmp_path / "nnx-migrate", ""
    for line in typed:
        done = _type(f"{line}; code=$?; pwd > {tmp_path}/at; exit $code", here, tmp_path)
        assert done.returncode == _CODES.get(line, 0), (line, done.stdout, done.stderr)
        here, said = Path((tmp_path / "at").read_text().strip()), said + done.stdout
    assert (tmp_path / "review" / "index.html").is_file()
    for shown in re.findall(r"^```text\n(.*?)^```$", _PAGE, re.MULTILINE | re.DOTALL):
        for line in shown.splitlines():
            assert " ".join(line.split()) in " ".join(said.split()), said


def _type(line: str, here: Path, home: Path) -> subprocess.CompletedProcess[str]:
    author = {
        f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {
        **os.environ,
        **author,
        "HOME": str(home),
        "PATH": f"{Path(COMMAND).parent}:{os.environ['PATH']}",
        "NNX_MIGRATE_OUTPUT_FORMAT": "full",
    }
    return subprocess.run(
        ["bash", "-c", line], cwd=here, env=environment, capture_output=True, text=True, timeout=300
    )
