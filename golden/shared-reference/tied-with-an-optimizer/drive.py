import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((3, 2))
    return program.trained(nnx.Rngs(0), x), program.made(nnx.Rngs(1)), program.free(nnx.Rngs(2))
