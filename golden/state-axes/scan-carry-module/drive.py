import jax.numpy as jnp
from flax import nnx


def drive(program):
    blocks = program.Block(3, nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    return [program.apply_blocks(blocks, x) for _ in range(2)], blocks
