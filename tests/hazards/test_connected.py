"""Projects of many files that share a function: how many there are changes no outcome."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration

_COMMON = """\
from flax import nnx


def loss_fn(model, x):
    return (model(x) ** 2).mean()


class Block(nnx.Module):
    def __init__(self, inner, rngs: nnx.Rngs):
        self.inner = inner
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.inner(x))


def make(cls, rngs):
    return cls(rngs)
"""
_FILE = """\
import optax
from flax import nnx
from proj.common import Block, loss_fn, make


class Net{i}(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


def own_loss(model, x):
    return (model(x) ** 2).mean()


@nnx.jit
def step(model, optimizer, x):
    loss, grads = nnx.value_and_grad({loss})(model, x)
    optimizer.update(model, grads)
    return loss


def main(x):
    model = {model}
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    return step(model, optimizer, x)
"""
#: What the files share -> the loss of each, and its model.
SHARED = {
    "loss": ("loss_fn", "Net{i}(nnx.Rngs(0))"),
    "block": ("own_loss", "Block(Net{i}(nnx.Rngs(0)), nnx.Rngs(1))"),
    "factory": ("own_loss", "make(Net{i}, nnx.Rngs(0))"),
}


def grow(root: Path, shared: str, count: int) -> Path:
    """Write so many files that share something."""
    loss, model = SHARED[shared]
    package = root / "proj"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "common.py").write_text(_COMMON)
    for i in range(count):
        text = _FILE.format(i=i, loss=loss, model=model.format(i=i))
        (package / f"net_{i}.py").write_text(text)
    return root


def outcomes(root: Path) -> list[Outcome]:
    results = run([root], Configuration(), write=None).results
    return [finding.outcome for result in results for finding in result.findings]


@pytest.mark.parametrize(
    ("shared", "count"), [*((each, 50) for each in SHARED), ("block", 100), ("loss", 400)]
)
def test_all_are_rewritten(shared: str, count: int, tmp_path: Path) -> None:
    assert outcomes(grow(tmp_path, shared, count)) == [Outcome.REWRITTEN] * count


def test_the_work_grows_with_the_files(tmp_path: Path) -> None:
    spent = []
    for count in (50, 200):
        root = grow(tmp_path / str(count), "loss", count)
        started = time.process_time()
        assert outcomes(root) == [Outcome.REWRITTEN] * count
        spent.append(time.process_time() - started)
    few, many = spent
    assert many < 8 * few  # where it grew with the square, it would be 16 times as much
