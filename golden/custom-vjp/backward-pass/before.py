"""A backward pass that copies an object which holds a model twice: it runs after the call of the function."""

import jax
import jax.numpy as jnp
from flax import nnx


class Pair(nnx.Module):
    def __init__(self, model):
        self.first = model
        self.second = model


@nnx.custom_vjp
def squashed(scale: nnx.Param, model):
    return jnp.tanh(scale[...]) * model.inner[...]


def forward(scale, model):
    return squashed(scale, model), (scale[...], model)


def backward(residuals, g):
    (scale_update, model_update), out_g = g
    scale, model = residuals
    copy = nnx.clone(Pair(model))
    slope = (1 - jnp.tanh(scale) ** 2) * copy.first.inner[...]
    scale_g = jax.tree.map(lambda leaf: slope * out_g, scale_update)
    return scale_g, jax.tree.map(jnp.zeros_like, model_update)


squashed.defvjp(forward, backward)
