"""Linen modules that make their Variables inside of transforms, when lazy_init runs the Module around."""

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx
from flax.nnx import bridge


class Tower(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.dense = bridge.ToNNX(nn.Dense(2), rngs=rngs)
        self.head = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        rows = nnx.compat.vmap(lambda dense, row: dense(row), in_axes=(None, 0))(self.dense, x)
        return nnx.remat(lambda head, x: head(x))(self.head, rows)


@nnx.compat.jit
def encoded(dense, x):
    return dense(x)


class Encoder(nnx.Module):
    def __init__(self, x: jax.Array, rngs: nnx.Rngs):
        self.dense = bridge.ToNNX(nn.Dense(2), rngs=rngs)
        bridge.lazy_init(self.encode, x)

    def encode(self, x: jax.Array) -> jax.Array:
        return encoded(self.dense, x)


class Norm(nnx.Module):
    def __init__(self, x: jax.Array, rngs: nnx.Rngs):
        self.dense = bridge.ToNNX(nn.Dense(2), rngs=rngs).lazy_init(x)

    def __call__(self, x: jax.Array) -> jax.Array:
        return nnx.remat(lambda dense, x: dense(x))(self.dense, x)


@nnx.jit
def forward(model: Norm, x: jax.Array) -> jax.Array:
    return jnp.tanh(model(x))  # it was made before


def tower(x: jax.Array) -> Tower:
    return bridge.lazy_init(Tower(nnx.Rngs(0)), x)
