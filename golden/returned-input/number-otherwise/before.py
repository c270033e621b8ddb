"""Steps of an agent whose temperature is learnt, or a number."""

import jax
import jax.numpy as jnp
from flax import nnx


class Alpha(nnx.Module):
    def __init__(self):
        self.log = nnx.Param(jnp.zeros(()))

    def __call__(self):
        return jnp.exp(self.log[...])


def warmed(alpha: Alpha):
    alpha.log[...] += 0.1


@nnx.jit(static_argnames="tuned")
def step(alpha: Alpha | float, x: jax.Array, tuned: bool):
    if tuned:
        value = alpha()
        warmed(alpha)
    else:
        value = alpha
    return {"loss": jnp.mean(value * x), "alpha": value}


@nnx.jit(static_argnames="tuned")
def value_of(alpha: Alpha | float, tuned: bool):
    value = alpha() if tuned else alpha
    return value


@nnx.jit(static_argnames="tuned")
def step_and_model(alpha: Alpha | float, x: jax.Array, tuned: bool):
    value = alpha() if tuned else alpha
    return jnp.mean(value * x), alpha


@nnx.jit(static_argnames="tuned")
def step_of_model(alpha: Alpha, x: jax.Array, tuned: bool):
    value = alpha() if tuned else alpha
    return x, value
