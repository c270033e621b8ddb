"""A script in the style of a notebook, which defines a class and binds its names again and again."""

import jax
import jax.numpy as jnp
from flax import nnx


class Weights(nnx.Module):
    def __init__(self, kernel: jax.Array):
        self.kernel = nnx.Param(kernel)


weights = Weights(jnp.ones((4, 2, 3)))
x = jnp.arange(8.0).reshape(4, 2)


def dot(weights: Weights, x: jax.Array):
    return x @ weights.kernel


y1 = nnx.vmap(dot)(weights, x)


class Weights(nnx.Module):
    def __init__(self, kernel: jax.Array, bias: jax.Array):
        self.kernel, self.bias = nnx.Param(kernel), nnx.Param(bias)


weights = Weights(jnp.ones((4, 2, 3)), jnp.ones((4, 3)))


def dot(weights: Weights, x: jax.Array):
    return x @ weights.kernel + weights.bias


y2 = nnx.vmap(dot)(weights, x)


class Weights(nnx.Module):
    def __init__(self, kernel: jax.Array):
        self.kernel = nnx.Param(kernel)
        self.tied = self.kernel


weights = Weights(jnp.ones((4, 2, 3)))


def dot(weights: Weights, x: jax.Array):
    return x @ weights.kernel + x @ weights.tied


y3 = nnx.compat.vmap(dot)(weights, x)
