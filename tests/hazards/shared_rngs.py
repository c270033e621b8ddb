"""Programs around parts that keep the Rngs of the Module that makes them."""

from __future__ import annotations

import dataclasses

PROGRAM = """\
import jax, jax.numpy as jnp
from flax import nnx

X = jnp.arange(6.0).reshape(3, 2)

class Part(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.rngs = rngs

    def __call__(self, x):
        return self.linear(x) + self.rngs.noise.normal(x.shape)

class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = Part(rngs)
        self.two = Part(rngs)

    def __call__(self, x):
        return self.two(self.one(x))

@nnx.jit
def apply(model: Model, x):
    return model(x)

def main():
    model = Model(nnx.Rngs(0))
    found = [apply(model, X) for _ in range(2)]
    return found, nnx.state(model, nnx.Param)
"""
PART = "    def __call__(self, x):\n        return self.linear"
MODEL = "    def __call__(self, x):\n        return self.two(self.one(x))"
MADE = "        self.one = Part(rngs)\n        self.two = Part(rngs)"
MAIN = "    found = ["
LINEAR = "        self.linear = nnx.Linear(2, 2, rngs=rngs)"
KEEPS = "        self.rngs = rngs"
DRAW = "self.rngs.noise.normal(x.shape)"


@dataclasses.dataclass(frozen=True)
class Changed:
    """A program that is another in some places.

    Args:
        places: what stands there, and what is put in its place.
        reason: a part of why it is kept; empty where it is lifted.
    """

    places: tuple[tuple[str, str], ...]
    reason: str = ""

    @property
    def source(self) -> str:
        text = PROGRAM
        for old, new in self.places:
            assert old in text
            text = text.replace(old, new, 1)
        return text


def in_front(place: str, lines: str) -> tuple[str, str]:
    return place, lines + place


def kept(reason: str, *places: tuple[str, str]) -> Changed:
    return Changed(places, reason)


LISTED = "        self.parts = nnx.List([Part(rngs) for _ in range(2)])"
THROUGH = MODEL.replace("return self.two(self.one(x))", "for part in self.parts:\n            ")
