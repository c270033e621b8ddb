import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((2, 2))
    pair = program.Pair(nnx.Rngs(0, noise=1))
    return program.run(x), program.count(x), pair(x)
