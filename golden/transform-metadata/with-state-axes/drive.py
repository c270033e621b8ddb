import jax.numpy as jnp
from flax import nnx


def drive(program):
    block = program.create(nnx.Rngs(0))
    xs = jnp.arange(6.0).reshape(3, 2)
    return program.forward(block, xs), block, block.kernel.out_sharding
