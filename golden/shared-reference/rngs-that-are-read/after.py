"""Blocks that share an Rngs which something else than their constructors reads."""

import jax
import jax.numpy as jnp
from flax import nnx


class Drawing(nnx.Module):
    """A method draws from it."""

    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, x):
        return x + jax.random.normal(self.rngs.noise(), x.shape)


class Shown(nnx.Module):
    """Other code takes its State, with all paths."""

    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


class Pair(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = Drawing(rngs)
        self.two = Drawing(rngs)

    def __call__(self, x):
        return self.two(self.one(x))


class Tower(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.floors = nnx.List([Shown(rngs) for _ in range(2)])
        # Only self.floors[0] keeps the Rngs; no method reads it.
        for floor in self.floors[1:]:
            del floor.rngs

    def __call__(self, x):
        for floor in self.floors:
            x = floor(x)
        return x


@nnx.jit
def forward(model: Tower, x):
    return model(x)


def run(x):
    tower = Tower(nnx.Rngs(0))
    y = forward(tower, x)
    flat = nnx.to_flat_state(nnx.state(tower))
    return y, [".".join(map(str, path)) for path, _ in flat]


def count(x):
    return jnp.sum(forward(Tower(nnx.Rngs(1)), x))
