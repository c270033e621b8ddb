"""Layers whose constructor is vmapped, scanned over."""

import jax
import jax.numpy as jnp
from flax import nnx


class MLP(nnx.Module):
    @nnx.split_rngs(splits=3)
    @nnx.vmap(in_axes=(0, 0))
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
    def __call__(self, x: jax.Array):
        x = nnx.relu(self.dropout(self.linear(x)))
        return x
