"""Which classes are taken for a protocol."""

from __future__ import annotations

from tests.unit.analysis.asking import kinds

PROTOCOL = """
from typing import Protocol
from flax import nnx

class Scoring(Protocol):
    def scores(self, x): ...
    def train(self): ...

class Attending(Protocol):
    def attend(self, query): ...

class Scorer(nnx.Module):
    def scores(self, x):
        return x

class Attention(nnx.MultiHeadAttention):
    pass

class Words(nnx.Embed):
    pass
"""


def test_a_layer_of_flax_has_no_more_methods_than_it_has() -> None:
    source = PROTOCOL + "def f(a: Scoring, b: Attending):\n    pass\n"
    assert kinds(source, "a", "f") == {"Scorer"}
    assert kinds(source, "b", "f") == {"Words"}
