"""Classes made with `pytree=False` become pytrees, in whichever file they and their uses stand."""

from __future__ import annotations

from pathlib import Path

import pytest

import nnx_migrate
from tests.cli.conftest import Command
from tests.cli.three_files import check_runs_in_both_modes, write_three_files

LAYERS = """\
from flax import nnx


class Stack(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = [nnx.Linear(2, 2, rngs=rngs) for _ in range(2)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
MODEL = """\
from flax import nnx

from layers import Stack


class Model(Stack, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.heads = {"one": nnx.Linear(2, 2, rngs=rngs)}

    def __call__(self, x):
        return self.heads["one"](super().__call__(x))
"""
MAIN = """\
import jax
import jax.numpy as jnp
from flax import nnx

from model import Model


@nnx.jit
def forward(model: Model, x):
    return model(x)


def main():
    model = Model(nnx.Rngs(0))
    grads = nnx.grad(lambda m: forward(m, jnp.ones((1, 2))).sum())(model)
    numbers = [leaf.tolist() for leaf in jax.tree.leaves(grads)]
    return forward(model, jnp.ones((3, 2))).tolist(), numbers
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_three_files(tmp_path / "src", layers=LAYERS, model=MODEL, main=MAIN)


def test_the_classes_change_and_nothing_is_pinned(command: Command, project: Path) -> None:
    assert command("apply", "src").code == 0
    layers, model = ((project / f"{name}.py").read_text() for name in ("layers", "model"))
    assert "class Stack(nnx.Module):" in layers
    assert "self.layers = nnx.data([nnx.Linear" in layers
    assert "class Model(Stack):" in model
    assert 'self.heads = nnx.data({"one"' in model
    assert "graph=True" not in (project / "main.py").read_text()
    again = command("apply", "src", "--check")
    assert again.code == 0, again.said


def test_a_class_that_this_run_leaves_out_keeps_all_others(command: Command, project: Path) -> None:
    command("apply", "src/main.py", "src/model.py")
    assert (project / "layers.py").read_text() == LAYERS
    assert (project / "model.py").read_text() == MODEL
    assert "graph=True" in (project / "main.py").read_text()


def test_a_comment_keeps_a_class(command: Command, project: Path) -> None:
    silent = LAYERS.replace(
        "pytree=False):", "pytree=False):  # nnx-migrate: ignore[shared-reference]"
    )
    (project / "layers.py").write_text(silent)
    done = command("apply", "src")
    assert "unused" not in done.said
    assert (project / "layers.py").read_text() == silent
    assert (project / "model.py").read_text() == MODEL
    assert "graph=True" in (project / "main.py").read_text()


def test_what_flax_would_check_is_left_without_checks(command: Command, tmp_path: Path) -> None:
    text = LAYERS.replace("self.layers =", "self.given = make()\n        self.layers =")
    file = tmp_path / "layers.py"
    file.write_text("from elsewhere import make\n" + text)
    command("apply", "layers.py", "--no-trace-checks")
    assert "pytree=False" in file.read_text()
    command("apply", "layers.py")
    assert "pytree=False" not in file.read_text()


def test_a_text_alone_changes_the_classes_that_it_has(project: Path) -> None:
    path = project / "layers.py"
    text = LAYERS.replace("Stack", "Tower")  # as an editor has it, not yet on disk
    after = nnx_migrate.migrate_text(text, path=path).text
    assert "class Tower(nnx.Module):" in after
    assert nnx_migrate.migrate_text(MODEL, path=project / "model.py").text == MODEL
    assert path.read_text() == LAYERS


@pytest.mark.runs_jax
def test_it_runs_in_both_modes(command: Command, project: Path) -> None:
    check_runs_in_both_modes(command, project)
