"""A pin covers what runs inside its function, and nothing that runs at another time."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from tests.hazards.running import migrated

_NET = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        self.calls = nnx.Variable(x)
        return self.linear(x)


def loss(model: Net, x):
    return jnp.mean(model(x))

"""
_COVERED = {
    "made and called": """
@nnx.jit
def step(model: Net, x):
    return nnx.grad(loss)(model, x)
""",
    "bound and called": """
@nnx.jit
def step(model: Net, x):
    grad_fn = nnx.value_and_grad(loss)
    return grad_fn(model, x)
""",
    "in a function that is called": """
@nnx.jit
def step(model: Net, x):
    def gradient(scale):
        return nnx.grad(loss)(model, scale * x)

    return gradient(2.0)
""",
    "in a function that is transformed": """
@nnx.jit
def step(model: Net, x):
    def inner(model: Net, x):
        return jnp.mean(nnx.remat(loss)(model, x))

    return nnx.grad(inner)(model, x)
""",
    "in a function of this call alone": """
def train(model: Net, x):
    def step(model: Net, x):
        return nnx.grad(loss)(model, x)

    return nnx.jit(step)(model, x)
""",
}
_NOT_COVERED = {
    "the function goes away": """
KEPT = []


@nnx.jit
def step(model: Net, x):
    def gradient(model: Net):
        return nnx.grad(loss)(model, 2.0)

    KEPT.append(gradient)
    return loss(model, x)
""",
    "the result goes away": """
KEPT = []


@nnx.jit
def step(model: Net, x):
    KEPT.append(nnx.grad(loss))
    return loss(model, x)
""",
    "it is run later": """
@nnx.jit
def step(model: Net, x):
    def gradients():
        yield nnx.grad(loss)(model, x)

    KEPT.append(gradients())
    return loss(model, x)


KEPT = []
""",
    "the function is called elsewhere": """
def gradient(model: Net, x):
    return nnx.grad(loss)(model, x)


def step(model: Net, x):
    return nnx.jit(gradient)(model, x), gradient(model, x)
""",
    "a function written elsewhere": """
def gradient(model: Net, x):
    return nnx.grad(loss)(model, x)


@nnx.jit
def step(model: Net, x):
    return gradient(model, x)
""",
}


def _outcomes(program: str) -> dict[str, str]:
    result = migrated((_NET + program).encode())
    lines = (_NET + program).splitlines()
    return {
        next(name for name in ("jit", "grad", "remat") if name in lines[f.line - 1]): f.outcome
        for f in result.findings
        if "nnx." in lines[f.line - 1]
    }


@pytest.mark.parametrize("name", _COVERED)
def test_what_runs_inside_has_no_pin_of_its_own(name: str) -> None:
    outcomes = _outcomes(_COVERED[name])
    assert outcomes.pop("jit") is Outcome.PINNED
    assert outcomes
    assert set(outcomes.values()) == {Outcome.SAME}


@pytest.mark.parametrize("name", _NOT_COVERED)
def test_what_may_run_at_another_time_is_pinned(name: str) -> None:
    assert _outcomes(_NOT_COVERED[name])["grad"] is Outcome.PINNED
