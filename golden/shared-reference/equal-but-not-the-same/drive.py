import jax.numpy as jnp
from flax import nnx


def drive(program):
    left, right = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(1))
    x = jnp.ones((1, 2))
    return program.both(left, right, x, x, left.rate), program.chained(left, right, x), left, right
