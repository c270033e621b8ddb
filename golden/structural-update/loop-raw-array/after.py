"""A loop over a model that keeps a raw array up to date, and a switch whose branches do."""

import jax
import jax.numpy as jnp
from flax import nnx


class Filter(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.trace = jnp.zeros(2)

    def advance(self, x: jax.Array):
        self.trace = 0.5 * self.trace + self.linear(x)


def run(model: Filter, x: jax.Array):
    def body(i, carry):
        model, x = carry
        model.advance(x)
        return model, x * 2

    nnx.compat.fori_loop(0, 3, body, (model, x))
    return model.trace


def choose(index, model: Filter, x: jax.Array):
    def add(model, x):
        model.trace = model.trace + x

    def subtract(model, x):
        model.trace = model.trace - x

    nnx.compat.switch(index, [add, subtract], model, x)
    return model.trace
