"""The README's example of `nnx-migrate check`, as it stands there."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.runs_jax

README = Path(__file__).parents[2] / "README.md"
_STEP = """\
import jax.numpy as jnp
from flax import nnx


@nnx.jit
def loss_and_grads(model: nnx.Linear, x):
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    return loss, nnx.state(grads)
"""
_TEST = """\
import jax.numpy as jnp
from flax import nnx

from step import loss_and_grads


def test_step():
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    loss, _ = loss_and_grads(model, jnp.ones((3, 2)))
    assert loss.shape == ()
"""


def _example() -> list[str]:
    (line,) = re.findall(r"^nnx-migrate check (.*?) +#", README.read_text(), re.MULTILINE)
    return ["check", *shlex.split(line)]


@pytest.mark.parametrize(("factor", "code"), [("x) ** 2", 0), ("x) ** 3", 1)])
def test_the_example_checks_the_last_commit_against_what_is_there(
    tmp_path: Path, command: Command, factor: str, code: int
) -> None:
    pytest.importorskip("cloudpickle")
    pytest.importorskip("pebble")
    for name, text in (("step.py", _STEP), ("tests/test_step.py", _TEST)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    assert command("apply", "step.py", cwd=tmp_path).code in (0, 1)
    migrated = (tmp_path / "step.py").read_text()
    assert migrated != _STEP
    (tmp_path / "step.py").write_text(migrated.replace("x) ** 2", factor))
    done = command(*_example(), cwd=tmp_path)
    assert done.code == code, done
    assert "step.py:loss_and_grads#1" in done.out.decode()


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
