"""Functions that make the class that they are passed: what one class shares, another does not."""

import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.rngs = rngs

    def __call__(self, x):
        return self.linear(x) + self.rngs.noise.normal((2,))


class Dense(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        self.layers = nnx.List([])
        for _ in range(depth):
            self.layers.append(nnx.Linear(2, 2, rngs=rngs))

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Deep(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        self.layers = nnx.List([])
        for _ in range(depth):
            self.layers.append(Noisy(rngs))

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def build(kind, depth: int):
    return kind(depth, nnx.Rngs(0, noise=1))


def created(kind, depth: int = 2):
    model = build(kind, depth)
    params = nnx.state(model, nnx.Param)
    count = sum(leaf.size for leaf in jax.tree.leaves(params))
    return model, count


def dense(x: jax.Array):
    model, count = created(Dense)
    graphdef, state = nnx.split(model)
    return nnx.merge(graphdef, state)(x), count


def deep(x: jax.Array):
    model, count = created(Deep)
    graphdef, state = nnx.split(model)
    return nnx.merge(graphdef, state)(x), count


def both():
    x = jnp.ones(2)
    return dense(x), deep(x)
