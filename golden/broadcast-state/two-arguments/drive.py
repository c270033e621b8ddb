import jax.numpy as jnp
from flax import nnx


def drive(program):
    embed, dropout = program.Embed(nnx.Rngs(0)), nnx.Dropout(0.5, rngs=nnx.Rngs(1))
    out = program.step(jnp.ones(2), embed, dropout, jnp.arange(6.0).reshape(3, 2))
    return out, embed, dropout
