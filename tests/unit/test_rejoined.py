"""Calls that stand on three lines, and on one where an edit has made them short enough."""

from __future__ import annotations

import pytest

from tests.hazards.running import migrated

PROGRAM = """\
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x)).sum()

def step(net: Net, x):
    def loss_fn(net):
        return net(x)

    CALL
"""
_ARGUMENTS = "argnums=nnx.DiffState(0, nnx.All(nnx.Param, nnx.PathContains('linear')))"
JOINED = f"return nnx.grad(\n        loss_fn, {_ARGUMENTS}\n    )(net)"
KEPT = {
    "a comma behind it": (
        f"return nnx.grad(\n        loss_fn, {_ARGUMENTS},\n    )(net)",
        "nnx.grad(\n        loss_fn,\n    )(diff, nondiff)",
    ),
    "a comment": (
        f"return nnx.grad(  # of one layer\n        loss_fn, {_ARGUMENTS}\n    )(net)",
        "nnx.grad(  # of one layer\n        loss_fn\n    )(diff, nondiff)",
    ),
    "not touched": (
        f"print(\n        x\n    )\n    return nnx.grad(loss_fn, {_ARGUMENTS})(net)",
        "print(\n        x\n    )\n",
    ),
    "a generator": (
        "print(\n        each for each in x\n    )\n"
        f"    return nnx.grad(loss_fn, {_ARGUMENTS})(net)",
        "print(\n        each for each in x\n    )\n",
    ),
    "an argument in brackets": (
        f"print((\n        x\n    ), 2)\n    return nnx.grad(loss_fn, {_ARGUMENTS})(net)",
        "print((\n        x\n    ), 2)\n",
    ),
    "too long": (
        f"{'some_long_name_' * 6} = nnx.grad(\n        loss_fn, {_ARGUMENTS}\n    )(net)",
        " = nnx.grad(\n        loss_fn\n    )(diff, nondiff)",
    ),
}


def after(call: str) -> str:
    return migrated(PROGRAM.replace("CALL", call)).after.decode()


def test_what_became_short_is_joined() -> None:
    assert "    return nnx.grad(loss_fn)(diff, nondiff)\n" in after(JOINED)


@pytest.mark.parametrize("name", KEPT)
def test_other_brackets_stay(name: str) -> None:
    call, text = KEPT[name]
    assert text in after(call)
