"""The case file of docs/check.md, used as the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.unit.test_code_blocks import ROOT, blocks

pytestmark = pytest.mark.runs_jax
_TRAINING = """\
import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, features: int, classes: int, *, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(features, rngs=rngs)
        self.linear = nnx.Linear(features, classes, rngs=rngs)

    def __call__(self, x):
        return self.linear(self.norm(x))


def train_step(model: Net, x, labels):
    def loss_fn(model: Net):
        chosen = jax.nn.log_softmax(model(x))[jnp.arange(len(labels)), labels]
        return -jnp.mean(chosen)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    return loss, nnx.state(grads)
"""


@pytest.mark.parametrize(("wrong", "code"), [(False, 0), (True, 1)])
def test_a_case_makes_its_arguments_and_is_compared(
    tmp_path: Path, command: Command, wrong: bool, code: int
) -> None:
    (cases,) = [text for kind, text in blocks(ROOT / "docs" / "check.md") if kind == "python"]
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "training.py").write_text(_TRAINING)
    (tmp_path / "cases.py").write_text(cases)
    assert command("apply", "new").code == 0
    migrated = (tmp_path / "new" / "training.py").read_text()
    assert migrated != _TRAINING
    if wrong:
        (tmp_path / "new" / "training.py").write_text(migrated.replace("-jnp.mean", "jnp.mean"))
    done = command("check", "old", "new", "--cases", "cases.py", "--platform", "cpu")
    assert done.code == code, done.said
    assert "train_step" in done.said
