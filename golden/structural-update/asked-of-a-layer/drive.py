import jax.numpy as jnp
from flax import nnx


def drive(program):
    return program.weights(program.Block(nnx.Rngs(0)), jnp.ones((1, 3, 4)))
