"""A gradient of a Module that comes out of a checked function, behind its error."""

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.jit
@nnx.checkify
def create(key: jax.Array):
    return nnx.Linear(2, 1, rngs=nnx.Rngs(key))


def loss_fn(model: nnx.Linear, x: jax.Array):
    return jnp.mean(model(x) ** 2)


def gradient(key: jax.Array, x: jax.Array):
    error, made = create(key)
    error.throw()
    return nnx.grad(loss_fn)(made, x)
