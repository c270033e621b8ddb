"""Layers that are shared or stacked, as the configuration says."""

import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


def run(layer: Noisy, x: jax.Array, shared: bool):
    layer_axis = None if shared else 0
    return nnx.compat.scan(
        lambda layer, x: layer(x),
        in_axes=(layer_axis, nnx.Carry),
        out_axes=nnx.Carry,
        length=3,
    )(layer, x)
