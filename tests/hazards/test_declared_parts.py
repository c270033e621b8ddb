"""Parts that a class declares as any Module: the calls that pass them tell which, if all do."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from tests.hazards.running import migrated_with, verdicts

PROGRAM = """\
import dataclasses
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

CLASS
    net: nnx.Module

    def __init__(self, net: nnx.Module, more: nnx.Module | None = None):
        REBOUND
        self.net = net

    def take(self, other: nnx.Module):
        TAKEN

    def __call__(self, x):
        return self.net(x)

BELOW

def loss_fn(holder: Holder, x):
    return jnp.mean(holder(x) ** 2)

def step(holder: Holder, x):
    return nnx.grad(loss_fn)(holder, x)

def main(other=None):
    holder = MADE
    ELSEWHERE
    grads = step(holder, jnp.arange(6.0).reshape(3, 2))
    return jax.tree.leaves(grads), nnx.state(holder), getattr(holder.net, "calls", None)
"""
DEFAULTS = {
    "CLASS": "class Holder(nnx.Module):",
    "REBOUND": "pass",
    "TAKEN": "pass",
    "BELOW": "",
    "MADE": "Holder(Layer(nnx.Rngs(0)))",
    "ELSEWHERE": "pass",
}
TOLD = {
    "by place": {},
    "by name": {"MADE": "Holder(net=Layer(nnx.Rngs(0)))"},
    "what is passed beside it is kept by nobody": {"MADE": "Holder(Layer(nnx.Rngs(0)), other)"},
    "by a class below": {
        "BELOW": "class Below(Holder):\n    def __init__(self):\n"
        "        super().__init__(Layer(nnx.Rngs(0)))",
        "MADE": "Below()",
    },
}
#: Another object may be what is called: one that changes, or one that nobody sees.
OTHERS = {
    "passed": {"MADE": "Holder(Counter(nnx.Rngs(0)))"},
    "passed in one of two": {"MADE": "Holder((Counter if other is None else Layer)(nnx.Rngs(0)))"},
    "passed by a class below": {
        "BELOW": "class Below(Holder):\n    def __init__(self):\n"
        "        super().__init__(Counter(nnx.Rngs(0)))",
        "MADE": "Below()",
    },
    "passed to the fields of a class below": {
        "CLASS": "@dataclasses.dataclass\nclass Holder(nnx.Module):",
        "BELOW": "@dataclasses.dataclass\nclass Below(Holder):\n    size: int = 2",
        "MADE": "Below(Counter(nnx.Rngs(0)))",
        "ELSEWHERE": "Holder(Layer(nnx.Rngs(0)))",
    },
    "stored from outside": {"ELSEWHERE": "holder.net = Counter(nnx.Rngs(0))"},
    "stored from outside by its name": {
        "ELSEWHERE": "setattr(holder, 'net', Counter(nnx.Rngs(0)))"
    },
    "stored by another method": {
        "TAKEN": "self.net = other",
        "ELSEWHERE": "holder.take(Counter(nnx.Rngs(0)))",
    },
    "bound anew": {"REBOUND": "net = Counter(nnx.Rngs(0))"},
    "bound anew in one of two": {"REBOUND": "net = net if more else Counter(nnx.Rngs(0))"},
}
UNSEEN = {
    "not known": {"MADE": "Holder(json.loads(other))"},
    "not known in one of two": {"ELSEWHERE": "other and Holder(other.pop())"},
    "never made": {"MADE": "json.loads(other)"},
    "taken from somewhere": {
        "TAKEN": "self.net = other",
        "ELSEWHERE": "other and holder.take(other)",
    },
    "starred": {"MADE": "Holder(*(other or [Layer(nnx.Rngs(0))]))"},
}


def program(changes: dict[str, str]) -> FileResult:
    return migrated_with(PROGRAM, {**DEFAULTS, **changes})


def outcomes(changes: dict[str, str]) -> set[Outcome]:
    found = program(changes).findings
    return {each.outcome for each in found if each.rule == "module-gradient"}


@pytest.mark.parametrize("case", TOLD)
def test_a_part_that_all_calls_tell_needs_no_check(case: str) -> None:
    assert outcomes(TOLD[case]) == {Outcome.REWRITTEN}


@pytest.mark.parametrize("case", [*OTHERS, *UNSEEN])
def test_a_part_that_may_be_another_is_pinned_or_checked(case: str) -> None:
    assert outcomes({**OTHERS, **UNSEEN}[case]) <= {Outcome.PINNED, Outcome.REWRITTEN_CHECKED}


@pytest.mark.runs_jax
def test_programs_give_the_same(tmp_path: Path) -> None:
    chosen = {**TOLD, **OTHERS}
    found = verdicts({name: program(changes) for name, changes in chosen.items()}, tmp_path)
    assert found == dict.fromkeys(chosen, "")
