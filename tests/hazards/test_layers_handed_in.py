"""Modules that keep a layer they are handed twice: none is kept where they are handed None."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, Outcome
from tests.hazards.running import migrated_with, verdicts

PROGRAM = """\
import jax, jax.numpy as jnp
from flax import nnx

class Decoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, shared=None, kept=None):
        self.first = nnx.Linear(2, 2, rngs=rngs)
        self.shared = shared
        REBOUND
        if self.shared is None:
            self.head = nnx.Linear(2, 2, rngs=rngs)
        else:
            self.head = self.shared
        MORE

    def __call__(self, x):
        return self.head(self.first(x))

class Wide(Decoder):
    def __init__(self, rngs: nnx.Rngs, shared=None):
        super().__init__(rngs, nnx.Linear(2, 2, rngs=rngs))

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, given=None, options={}):
        embed = nnx.Linear(2, 2, rngs=rngs)
        self.decoder = DECODER

    def __call__(self, x):
        return self.decoder(x)

@nnx.jit
def forward(net: Net, x):
    return net(x)

def main():
    net = Net(nnx.Rngs(0))
    ELSEWHERE
    return forward(net, jnp.ones((1, 2)))
"""
DEFAULTS = {"REBOUND": "pass", "MORE": "pass", "DECODER": "Decoder(rngs)", "ELSEWHERE": "pass"}
NONE = {
    "left at its default": {},
    "passed by name": {"DECODER": "Decoder(rngs, shared=None)"},
    "passed by place": {"DECODER": "Decoder(rngs, None, embed)"},
    "in a list": {
        "DECODER": "Decoder(rngs)\n        self.more = nnx.List([])\n"
        "        self.more.append(Decoder(rngs, None))"
    },
    "made by name": {
        "DECODER": "Decoder(rngs)\n        made = Decoder(rngs)\n        self.more = made"
    },
}
HELD = {
    "a layer": {"DECODER": "Decoder(rngs, shared=embed)"},
    "a layer by place": {"DECODER": "Decoder(rngs, embed)"},
    "a layer in one of two": {"DECODER": "Decoder(rngs) if given else Decoder(rngs, embed)"},
    "unknown": {"DECODER": "Decoder(rngs, given)"},
    "hidden": {"DECODER": "Decoder(rngs, **options)"},
    "starred": {"DECODER": "Decoder(rngs, *options)"},
    "bound again": {
        "REBOUND": "if shared is None: shared = self.first\n        self.shared = shared"
    },
    "something else twice": {"MORE": "self.again = self.first, self.first"},
    "another layer": {
        "MORE": "self.one = kept; self.two = kept",
        "DECODER": "Decoder(rngs, None, embed)",
    },
    "a class below": {"DECODER": "Wide(rngs)"},
    "replaced from outside": {
        "ELSEWHERE": "net.decoder = Decoder(nnx.Rngs(0), nnx.Linear(2, 2, rngs=nnx.Rngs(1)))"
    },
}


_PINS = frozenset({Outcome.PINNED, Outcome.PINNED_MID})


def program(changes: dict[str, str]) -> FileResult:
    return migrated_with(PROGRAM, {**DEFAULTS, **changes})


@pytest.mark.parametrize("case", NONE)
def test_a_layer_that_is_not_handed_in_is_not_shared(case: str) -> None:
    assert not {each.outcome for each in program(NONE[case]).findings} & _PINS


@pytest.mark.parametrize("case", HELD)
def test_a_layer_that_may_be_handed_in_is_kept_in_graph_mode(case: str) -> None:
    assert {each.outcome for each in program(HELD[case]).findings} & _PINS


@pytest.mark.runs_jax
def test_programs_without_the_layer_give_the_same(tmp_path: Path) -> None:
    found = verdicts({name: program(changes) for name, changes in NONE.items()}, tmp_path)
    assert found == dict.fromkeys(NONE, "")
