import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Noisy(nnx.Rngs(0))
    return program.rows(model, jnp.arange(6.0).reshape(3, 2)), model
