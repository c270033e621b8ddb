import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Attention(2, rngs=nnx.Rngs(0))
    return program.generate(model, jnp.arange(6.0).reshape(3, 2), jnp.ones(2)), model
