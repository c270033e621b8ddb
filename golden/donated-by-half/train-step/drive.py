import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    return program.fit(model, jnp.arange(12.0).reshape(2, 3, 2)), model
