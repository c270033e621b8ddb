"""Statements that an edit has made longer than lines of the file should be."""

from __future__ import annotations

import pytest

from tests.hazards.running import migrated

PROGRAM = """\
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x).sum()

def step(net: Net, x):
    def loss_of_the_network(net, x):
        return net(x), x

    CALL
    return gradient
"""
_CALL = "nnx.value_and_grad(loss_of_the_network, has_aux=True)(net, x)"
LONG_TARGET = "value_of_the_loss"
BROKEN = (
    f"    {LONG_TARGET}, gradient = nnx.value_and_grad(loss_of_the_network, has_aux=True)(\n"
    "        params, nondiff, x\n"
    "    )\n"
)
KEPT = {
    "short": (f"_, gradient = {_CALL}", "has_aux=True)(params, nondiff, x)\n"),
    "not touched": (
        f"print('{'x' * 60}', ('{'x' * 60}'))\n    _, gradient = {_CALL}",
        f"    print('{'x' * 60}', ('{'x' * 60}'))\n",
    ),
    "long before": (
        f"{LONG_TARGET}_{'x' * 40}, gradient = {_CALL}",
        "has_aux=True)(params, nondiff, x)\n",
    ),
    "a comment": (
        f"{LONG_TARGET}, gradient = {_CALL}  # of all",
        "has_aux=True)(params, nondiff, x)  # of all\n",
    ),
    "something else in the line": (
        f"{LONG_TARGET}, gradient = {_CALL}; y = 1",
        "has_aux=True)(params, nondiff, x); y = 1\n",
    ),
}


def after(call: str) -> str:
    return migrated(PROGRAM.replace("CALL", call)).after.decode()


def test_what_became_too_long_is_broken_in_its_last_brackets() -> None:
    assert BROKEN in after(f"{LONG_TARGET}, gradient = {_CALL}")


@pytest.mark.parametrize("name", KEPT)
def test_other_lines_stay(name: str) -> None:
    call, text = KEPT[name]
    assert text in after(call)
