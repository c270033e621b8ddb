import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((2, 3))
    blocks = program.make_blocks(nnx.Rngs(0))
    return program.run(blocks, x), blocks
