import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    return program.run(model, jnp.ones((1, 2))), model
