"""One loss for objects of several classes: what it does to one is told by what a call passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from tests.hazards.running import migrated_with, verdicts

PROGRAM = """\
import json
import jax, jax.numpy as jnp
from flax import nnx

class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))

class Counter(Layer):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return super().__call__(x)

HELPER
LOSS
    return jnp.mean(CALLED ** 2)

def of_layer(x, other=None):
    layer = Layer(nnx.Rngs(0))
    CHOSEN
    return nnx.grad(loss_fn)(layer, x), nnx.state(layer), getattr(layer, "calls", None)

def of_counter(x, other=None):
    counter = COUNTED
    grads = nnx.grad(loss_fn)(counter, x)
    return grads, nnx.state(counter), getattr(counter, "calls", None)

def main():
    x = jnp.arange(6.0).reshape(3, 2)
    return jax.tree.leaves(of_layer(x)), jax.tree.leaves(of_counter(x))
"""
DEFAULTS = {
    "HELPER": "",
    "LOSS": "def loss_fn(model, x):",
    "CALLED": "model(x)",
    "CHOSEN": "pass",
    "COUNTED": "Counter(nnx.Rngs(1))",
}
TOLD = {
    "called": {},
    "under another name": {"LOSS": "def loss_fn(model, x):\n    net = model"},
    "beside an unknown one": {"COUNTED": "json.loads(other)"},
    "of any class": {"LOSS": "def loss_fn(model: nnx.Module, x):"},
}
#: The call itself may pass what changes, or what it passes is not all that the loss calls.
OTHERS = {
    "bound anew": {"CHOSEN": "layer = Counter(nnx.Rngs(2))"},
    "bound anew in one of two": {"CHOSEN": "layer = layer if other is None else Counter(other)"},
    "set from outside": {"CHOSEN": "layer.norm = Counter(nnx.Rngs(2))"},
    "handed on to a function that changes it": {
        "HELPER": "def helper(net, x):\n    net.count = nnx.Variable(1)\n    return net(x)",
        "CALLED": "helper(model, x)",
    },
    "changed by the loss": {"LOSS": "def loss_fn(model, x):\n    model.seen = 1"},
}
UNSEEN = {
    "not known in one of two": {"CHOSEN": "layer = layer if other is None else json.loads(other)"},
    "handed on to a function for both": {
        "HELPER": "def helper(net, x):\n    return net(x)",
        "CALLED": "helper(model, x)",
    },
    "called in a lambda": {"CALLED": "(lambda: model(x))()"},
    "one of all": {"LOSS": "def loss_fn(*given):\n    model, x = given"},
}


def program(changes: dict[str, str]) -> FileResult:
    return migrated_with(PROGRAM, {**DEFAULTS, **changes})


def outcomes(changes: dict[str, str]) -> list[Outcome]:
    """Those of both gradients, in the order of the file."""
    found = program(changes).findings
    return [each.outcome for each in found if each.rule == "module-gradient"]


@pytest.mark.parametrize("case", TOLD)
def test_a_call_tells_what_the_loss_does(case: str) -> None:
    first, second = outcomes(TOLD[case])
    assert first is Outcome.REWRITTEN
    assert second is not Outcome.REWRITTEN


@pytest.mark.parametrize("case", [*OTHERS, *UNSEEN])
def test_what_a_call_does_not_tell_is_pinned_or_checked(case: str) -> None:
    first, *_ = outcomes({**OTHERS, **UNSEEN}[case])
    assert first in {Outcome.PINNED, Outcome.REWRITTEN_CHECKED}


@pytest.mark.runs_jax
def test_programs_give_the_same(tmp_path: Path) -> None:
    told = {name: each for name, each in TOLD.items() if "COUNTED" not in each}
    chosen = {**told, **OTHERS, **UNSEEN}
    found = verdicts({name: program(changes) for name, changes in chosen.items()}, tmp_path)
    assert found == dict.fromkeys(chosen, "")
