import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    return program.placed(model, jnp.ones((2, 4, 2))), model
