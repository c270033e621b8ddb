"""Scans of jax over models: of scanned layers, with dropout, and one that only reads."""

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


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


def repeated(graphdef: nnx.GraphDef, state: nnx.State, x: jax.Array):
    model = nnx.merge(graphdef, state)

    def step(x, _):
        return model(x), None

    x, _ = jax.lax.scan(step, model(x), length=3)
    return x


def rollout(model: Noisy, state: jax.Array, noise: jax.Array):
    def step(carry, noise):
        """One step."""
        i, state = carry
        state = model(state) + noise
        return (i + 1, state), state

    (i, state), states = jax.lax.scan(step, (jnp.array(0), state), noise, reverse=True)
    return i, state, states


def last(model: Noisy, x: jax.Array, noise: jax.Array):
    def step(x: jax.Array, noise: jax.Array):
        return model(x) + noise, x

    return jax.lax.scan(step, x, xs=noise)[0]


def read(model: Noisy, x: jax.Array, noise: jax.Array):
    def step(x: jax.Array, noise: jax.Array):
        return model.linear(x) + noise, x

    return jax.lax.scan(step, x, noise)


def main(model: Layers, x: jax.Array):
    graphdef, state = nnx.split(model)
    run = jax.jit(repeated, static_argnums=0)
    return run(graphdef, state, x)
