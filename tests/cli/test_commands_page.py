"""Every line of docs/commands.md that calls the tool, run as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, TRAIN

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
}
#: Those that a test of their own runs: they run the user's code, or never end.
_ELSEWHERE = {
    "nnx-migrate check git:HEAD . -- pytest tests/": "test_readme.py",
    "nnx-migrate observe -- pytest tests/": "test_observe.py",
    "nnx-migrate campaign -- pytest tests/": "test_campaign.py",
    "nnx-migrate server": "../server/test_server.py",
}


def lines_to_type() -> list[str]:
    """The calls, without what is said behind them."""
    block = _BLOCK.findall(PAGE)[0]
    return [line.partition(" #")[0].strip() for line in block.splitlines()]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project in git: sources, a test, a notebook folder, a page, and owners."""
    folder = tmp_path / "project"
    files = {
        "src/train.py": TRAIN.decode() + "\n" * 30,
        "tests/test_train.py": _TEST,
        "notebooks/steps.py": TRAIN.decode(),
        "docs/page.md": f"# Steps\n\n```python\n{TRAIN.decode()}```\n",
        "CODEOWNERS": "* @team\n",
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
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


def test_no_line_is_left_out() -> None:
    lines = lines_to_type()
    assert len(lines) > 15
    assert all(line.startswith("nnx-migrate ") for line in lines)
    assert set(_ELSEWHERE) <= set(lines)
    assert all((Path(__file__).parent / name).is_file() for name in _ELSEWHERE.values())


@pytest.mark.parametrize("line", [each for each in lines_to_type() if each not in _ELSEWHERE])
def test_a_line_does_what_it_says(line: str, repository: Path) -> None:
    for needs, before in _BEFORE.items():
        if needs in line:
            assert typed(before, repository).returncode == 0
    done = typed(line, repository)
    assert done.returncode in {0, 1}, done
    assert "nnx-migrate: error" not in done.stderr
    if (patch := repository / "flip.patch").exists():
        assert typed(f"git apply --check {patch.name}", repository).returncode == 0
    else:
        assert done.stdout or done.stderr
