"""What a layer of Flax holds because its constructor was asked for it."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from tests.hazards.running import migrated

_PROGRAM = """\
import optax
from flax import nnx


class Own(nnx.Dropout):
    {own}


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)
        self.drop = {drop}


def main(x):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    optimizer.update(model, {gradient}(model))
"""
_STANDING = {
    "own": "pass",
    "drop": "nnx.Dropout(0.5, rngs=rngs)",
    "gradient": "nnx.grad(lambda m: m.drop(m.linear(x)).sum())",
}
_RETURNS = "nnx.grad(lambda m: (m.linear(x).sum(), {}), has_aux=True)"


def _outcome(**changed: str) -> Outcome:
    (finding,) = migrated(_PROGRAM.format(**_STANDING | changed)).findings
    return finding.outcome


_OWN = "def __init__(self, rngs):\n        {}"


@pytest.mark.parametrize(
    ("own", "drop"),
    [
        ("pass", "nnx.Dropout(0.5)"),
        ("pass", "Own(0.5)"),
        (_OWN.format("super().__init__(0.5)"), "Own(rngs)"),
        (_OWN.format("nnx.Dropout.__init__(self, 0.5)"), "Own(rngs)"),
    ],
)
def test_a_layer_without_random_numbers_holds_none(own: str, drop: str) -> None:
    assert _outcome(own=own, drop=drop) is Outcome.SAME


@pytest.mark.parametrize(
    ("own", "drop"),
    [
        ("pass", "nnx.Dropout(0.5, rngs=rngs)"),
        ("pass", "Own(0.5, rngs=rngs)"),
        ("pass", "Own(0.5, **{'rngs': rngs})"),
        (_OWN.format("super().__init__(0.5, rngs=rngs)"), "Own(rngs)"),
        (_OWN.format("super().__init__(0.5, **{'rngs': rngs})"), "Own(rngs)"),
        (_OWN.format("nnx.Dropout.__init__(self, 0.5, rngs=rngs)"), "Own(rngs)"),
        (_OWN.format("super(Own, self).__init__(0.5, rngs=rngs)"), "Own(rngs)"),
        (
            _OWN.format("init = super().__init__") + "\n        init(0.5, rngs=rngs)",
            "Own(rngs)",
        ),
        (
            _OWN.format("self.prepare(rngs)")
            + "\n\n    def prepare(self, rngs):\n        super().__init__(0.5, rngs=rngs)",
            "Own(rngs)",
        ),
        (
            _OWN.format("super().__init__(0.5, rngs=rngs)")
            + "\n\n\nclass Below(Own):\n    def __init__(self, rngs):\n"
            "        super().__init__(rngs)",
            "Below(rngs)",
        ),
    ],
)
def test_a_layer_with_random_numbers_is_split(own: str, drop: str) -> None:
    assert _outcome(own=own, drop=drop) is Outcome.REWRITTEN


@pytest.mark.parametrize("drop", ["nnx.Dropout(0.5, rngs=rngs)", "Own(0.5, rngs=rngs)"])
@pytest.mark.parametrize("returned", ["m.drop.rngs", "m.drop.rngs.count"])
def test_its_random_numbers_are_a_part_of_the_model(drop: str, returned: str) -> None:
    assert _outcome(drop=drop, gradient=_RETURNS.format(returned)) is Outcome.PINNED


@pytest.mark.parametrize("returned", ["m.drop.rngs.count[...]", "m.drop.rate"])
def test_its_values_are_not(returned: str) -> None:
    assert _outcome(gradient=_RETURNS.format(returned)) is Outcome.REWRITTEN
