"""Modules that keep an object under one name where they had two, through the installed command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.runs_jax

_PROGRAM = """\
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.projection = nnx.Linear(2, 2, rngs=rngs)
        self.proj = self.projection
        self.attention = nnx.MultiHeadAttention(1, 2, decode=False, rngs=rngs)
        self.out_proj = self.attention.out

    def __call__(self, x):
        return self.projection(self.proj(x)) + self.out_proj(x.reshape(-1, 1, 2))


@nnx.jit
def forward(block: Block, x):
    return block(x)


if __name__ == "__main__":
    forward(Block(nnx.Rngs(0)), jnp.ones((3, 2)))
"""


def _checked(command: Command, folder: Path) -> int:
    pytest.importorskip("cloudpickle")
    pytest.importorskip("pebble")
    sides = ("old", "new", "--platform", "cpu")
    return command("check", *sides, "--", "python", "main.py", cwd=folder).code


@pytest.fixture
def sides(command: Command, tmp_path: Path) -> Path:
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "main.py").write_text(_PROGRAM)
    assert command("apply", "new").code == 0
    return tmp_path


def test_calls_are_made_again_with_objects_that_have_one_name(
    command: Command, sides: Path
) -> None:
    migrated = (sides / "new" / "main.py").read_text()
    assert migrated.count("@property") == 2
    assert "compat" not in migrated
    assert _checked(command, sides) == 0


def test_a_property_that_reads_another_object_is_different(command: Command, sides: Path) -> None:
    file = sides / "new" / "main.py"
    text = file.read_text()
    assert "return self.attention.out" in text
    file.write_text(text.replace("return self.attention.out", "return self.attention.query"))
    assert _checked(command, sides) == 1
