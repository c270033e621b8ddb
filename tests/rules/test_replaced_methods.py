"""Methods that others take the place of, in a class or in one object, and what these do with what
they are passed."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned

RULE = "structural-update"
_PROGRAM = """\
class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def forward(self, x, mask=None):
        return self.linear(x)


def marking(x, mask=None):
    mask.seen = 1
    return x


def marked(forward):
    def inner(self, x, mask=None):
        mask.seen = 1
        return forward(self, x)

    return inner


REPLACED


@nnx.jit
def run(model: Net, other: nnx.Linear, x):
    CLONED
    return model.forward(x, mask=other)
"""

_OWN = """\
class Own(Net):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.forward = marking
"""


def _program(replaced: str = "", cloned: str = "pass") -> str:
    return _PROGRAM.replace("REPLACED", replaced).replace("CLONED", cloned)


@pytest.mark.parametrize(
    "program",
    [
        _program("Net.forward = marked(Net.forward)"),
        _program("class Small(Net):\n    pass\n\n\nSmall.forward = marked(Small.forward)"),
        _program(cloned="model = nnx.clone(model)\n    model.forward = marking"),
        _program("def change(net: Net):\n    net.forward = marking"),
        _program(_OWN),
    ],
)
def test_what_takes_the_place_of_a_method_is_run(program: str) -> None:
    check_pinned(RULE, program, "the function changes other: attribute seen is set")


def test_a_method_of_another_class_is_left() -> None:
    other = "class Odd(nnx.Module):\n    pass\n\n\nOdd.forward = marked(Net.forward)"
    check_noop(RULE, _program(other))
    check_noop(RULE, _program(_OWN.replace("self.forward", "self.backward")))
