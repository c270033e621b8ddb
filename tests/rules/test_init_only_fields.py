"""Arguments of a dataclass that only its __post_init__ gets are no attributes of it."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned

RULE = "shared-reference"
PROGRAM = """\
import dataclasses
from dataclasses import InitVar


@dataclasses.dataclass(kw_only=True)
class Layer(nnx.Module):
    size: int
    rngs: ANNOTATION

    def __post_init__(self, rngs=None):
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (self.size,)))
        KEEP


class Stack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.first = Layer(size=2, rngs=self.rngs)
        self.second = Layer(size=2, rngs=self.rngs)


@nnx.jit
def scaled(stack: Stack, x):
    return x * stack.first.scale * stack.second.scale


def main(x):
    return scaled(Stack(nnx.Rngs(0)), x)
"""


def program(annotation: str = "InitVar[nnx.Rngs]", keep: str = "pass") -> str:
    return PROGRAM.replace("ANNOTATION", annotation).replace("KEEP", keep)


@pytest.mark.parametrize(
    "annotation", ["InitVar[nnx.Rngs]", "dataclasses.InitVar[nnx.Rngs]", "InitVar"]
)
def test_what_only_the_constructor_gets_is_not_shared(annotation: str) -> None:
    check_noop(RULE, program(annotation))


KEPT = {
    "in an attribute": "self.kept = rngs",
    "in a list": "self.kept = nnx.List([rngs])",
    "under its name": "self.rngs = rngs",
    "by setattr": 'setattr(self, "kept", rngs)',
    "by the class of all objects": 'object.__setattr__(self, "kept", rngs)',
    "in a part": "self.part = nnx.Module()\n        self.part.rngs = rngs",
}


@pytest.mark.parametrize("keep", KEPT)
def test_what_the_constructor_keeps_is_shared(keep: str) -> None:
    check_pinned(RULE, program(keep=KEPT[keep]), "tree mode does not allow shared objects")


def test_a_field_is_shared() -> None:
    text = (
        program("nnx.Rngs").replace("rngs=None", "").replace("rngs.params()", "self.rngs.params()")
    )
    text = text.replace("def __post_init__(self, )", "def __post_init__(self)")
    check_pinned(RULE, text, "tree mode does not allow shared objects")
