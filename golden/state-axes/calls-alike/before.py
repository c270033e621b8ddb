import jax
import jax.numpy as jnp
from flax import nnx


class Weights(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.kernel = nnx.Param(jnp.ones((2, 3)))
        self.calls = nnx.BatchStat(jnp.array(0))
        self.rngs = rngs


def noisy(weights: Weights, x: jax.Array):
    return x @ weights.kernel[...] + jax.random.normal(weights.rngs.noise(), (3,))


def plain(weights: Weights, x: jax.Array):
    return x @ weights.kernel[...]


def twice(weights: Weights, x: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    y1 = nnx.vmap(noisy, in_axes=(axes, 0))(weights, x)
    y2 = nnx.vmap(noisy, in_axes=(axes, 0))(weights, x)
    return y1, y2


def with_another_function(weights: Weights, x: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    f = noisy
    y1 = nnx.vmap(f, in_axes=(axes, 0))(weights, x)
    f = plain
    y2 = nnx.vmap(f, in_axes=(axes, 0))(weights, x)
    return y1, y2


def with_another_object(weights: Weights, other: Weights, x: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    y1 = nnx.vmap(noisy, in_axes=(axes, 0))(weights, x)
    y2 = nnx.vmap(noisy, in_axes=(axes, 0))(other, x)
    y3 = nnx.vmap(noisy, in_axes=(axes, 0))(weights, x)
    return y1, y2, y3


def in_branches(weights: Weights, x: jax.Array, again: bool):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    if again:
        y = nnx.vmap(noisy, in_axes=(axes, 0))(weights, x)
    else:
        y = nnx.vmap(noisy, in_axes=(axes, 0))(weights, x)
    return y
