"""What an object of several parts holds twice, and what it holds once under one name."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import analysis_of, values_of

HEAD = """
from flax import nnx

class Base(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

class Leaf(Base):
    def __init__(self, *, rngs: nnx.Rngs):
        super().__init__(rngs=rngs)

class Plain(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(1, 1, rngs=rngs)

class Branch(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        self.below = Branch(depth - 1, rngs) if depth else Leaf(rngs=rngs)
"""
SHARED = {
    "two parts": "self.a = Leaf(rngs=rngs)\nself.b = Leaf(rngs=rngs)",
    "two parts of parts": "self.a = Branch(2, rngs)\nself.b = Branch(2, rngs)",
    "the base class and a part": "super().__init__(rngs)\nself.a = Leaf(rngs=rngs)",
    "another name than the base class": "super().__init__(rngs)\nself.generators = rngs",
    "parts in a list": "self.parts = nnx.List([Leaf(rngs=rngs) for i in range(3)])",
    "two parts of a bare Module": "self.mid = nnx.Module()\nself.mid.a = rngs\nself.mid.b = rngs",
    "a list of two": "self.parts = nnx.List([Leaf(rngs=rngs), Leaf(rngs=rngs)])",
}
NOT_SHARED = {
    "the name of the base class": "super().__init__(rngs)\nself.rngs = rngs",
    "one of two branches": "if depth:\n    self.rngs = rngs\nelse:\n    self.rngs = rngs",
    "forked": "super().__init__(rngs.fork())\nself.a = Leaf(rngs=rngs)",
    "parts that keep nothing": "self.a = Plain(rngs=rngs)\nself.b = Plain(rngs=rngs)",
    "parts of a bare Module": "self.mid = nnx.Module()\nself.mid.a = Plain(rngs=rngs)",
    "the base class alone": "super().__init__(rngs)\nself.a = Plain(rngs=rngs)",
}


def shared(body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    source = (
        f"{HEAD}\nclass Model(Base):\n"
        f"    def __init__(self, rngs: nnx.Rngs, depth=0):\n{lines}\n\nmodel = Model(nnx.Rngs(0))\n"
    )
    analysis = analysis_of(source)
    return analysis.sharing.of(values_of(analysis, "model"))


@pytest.mark.parametrize("case", SHARED)
def test_what_is_kept_twice_is_found(case: str) -> None:
    assert "rngs is held" in shared(SHARED[case])


@pytest.mark.parametrize("case", NOT_SHARED)
def test_what_is_kept_once_is_not_taken_for_shared(case: str) -> None:
    assert shared(NOT_SHARED[case]) == ""
