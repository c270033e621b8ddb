"""What a method puts into a list of its object by another name of it."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

PROGRAM = """
from flax import nnx

class Counting(nnx.Module):
    def __init__(self):
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return x

class Net(nnx.Module):
    def __init__(self, rngs):
        self.blocks = nnx.List([nnx.Linear(2, 2, rngs=rngs)])
        PUT
    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x

def f(m: Net):
    return m(1)
"""


@pytest.mark.parametrize(
    "put",
    [
        "blocks = self.blocks; blocks.append(Counting())",
        "blocks = self.blocks; blocks.extend([Counting()])",
        "blocks = self.blocks; blocks.insert(0, Counting())",
        "blocks = self.blocks; blocks[0] = Counting()",
    ],
)
def test_it_is_in_the_list(put: str) -> None:
    assert "structure" in effects(PROGRAM.replace("PUT", put), "f", "m")


@pytest.mark.parametrize(
    "put",
    [
        "blocks = self.blocks; blocks = [Counting()]",
        "blocks = list(self.blocks); blocks.append(Counting())",
        "blocks = self.blocks; pair = (blocks, Counting())",
    ],
)
def test_another_list_is_none(put: str) -> None:
    assert effects(PROGRAM.replace("PUT", put), "f", "m") == set()
