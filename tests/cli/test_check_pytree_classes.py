"""Modules of classes that become pytrees, through the installed command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.runs_jax

_PROGRAM = """\
import jax.numpy as jnp
from flax import nnx


class Stack(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.sizes = (2, 2)
        self.seen = nnx.Variable(jnp.zeros(()))
        self.layers = [nnx.Linear(2, size, rngs=rngs) for size in self.sizes]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@nnx.jit
def forward(stack: Stack, x):
    stack.seen[...] += x.shape[0]
    return stack(x)


if __name__ == "__main__":
    forward(Stack(nnx.Rngs(0)), jnp.ones((3, 2)))
"""


def test_calls_are_made_again_with_objects_that_are_trees(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    pytest.importorskip("pebble")
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "main.py").write_text(_PROGRAM)
    assert command("apply", "new").code == 0
    new = tmp_path / "new" / "main.py"
    migrated = new.read_text()
    assert "pytree=False" not in migrated
    assert "nnx.data([" in migrated
    checked = ("check", "old", "new", "--platform", "cpu", "--", "python", "main.py")
    assert command(*checked, cwd=tmp_path).code == 0
    new.write_text(migrated.replace("+= x.shape[0]", "+= x.shape[1]"))
    assert command(*checked, cwd=tmp_path).code == 1
