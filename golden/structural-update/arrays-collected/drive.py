import jax.numpy as jnp
from flax import nnx


def drive(program):
    return program.Compiled(program.Net(nnx.Rngs(0)))(jnp.ones((1, 2)))
