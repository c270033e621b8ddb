"""Compiled functions that hand what they capture to a scan, called more than once."""

import jax
import jax.numpy as jnp
from flax import nnx


class Layers(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        @nnx.split_rngs(splits=3)
        @nnx.vmap
        def create(rngs: nnx.Rngs):
            return nnx.Linear(2, 2, rngs=rngs)

        self.blocks = create(rngs)

    def __call__(self, x: jax.Array):
        @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
        def run(block: nnx.Linear, x: jax.Array):
            return jnp.tanh(block(x))

        return run(self.blocks, x)


def twice(layers: Layers, x: jax.Array):
    run = nnx.jit(lambda x: layers(x))
    return run(x) + run(x + 1)


def decoded(layers: Layers, x: jax.Array):
    @jax.jit
    def run(x: jax.Array):
        return layers(x)

    total = jnp.zeros(2)
    for i in range(3):
        total = total + jnp.tanh(run(x)) * i
    return total


def changed_between(layers: Layers, x: jax.Array):
    """A compiled function keeps what it captured first, and a parameter would not."""

    @nnx.jit
    def run(x: jax.Array):
        return layers(x)

    before = run(x)
    layers.blocks.bias[...] += 1.0
    return before + run(x)


def another(layers: Layers, other: Layers, x: jax.Array):
    @nnx.jit
    def run(x: jax.Array):
        return layers(x)

    before = run(x)
    layers = other
    return before + run(x)


def given_away(layers: Layers, x: jax.Array):
    run = nnx.jit(lambda x: layers(x))
    before = run(x)
    shift(layers)
    return before + run(x)


def shift(layers: Layers):
    layers.blocks.bias[...] += 1.0


def returned(layers: Layers, x: jax.Array):
    """jax gives a copy of what a function returns, and nnx the object itself."""
    run = jax.jit(lambda x: (layers(x), layers))
    return run(x)
