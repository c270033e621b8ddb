"""A backward pass over arrays."""

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.custom_vjp
def clipped(x: jax.Array, limit: jax.Array):
    return jnp.clip(x, -limit, limit)


def clipped_fwd(x: jax.Array, limit: jax.Array):
    return clipped(x, limit), jnp.abs(x) < limit


def clipped_bwd(inside, g):
    _, out_g = g
    return out_g * inside * 0.5, jnp.zeros(())


clipped.defvjp(clipped_fwd, clipped_bwd)


def slope(x: jax.Array, limit: jax.Array):
    return jax.grad(lambda x: clipped(x, limit).sum())(x), clipped(x, limit)
