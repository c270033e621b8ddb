import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Embed(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


@functools.partial(nnx.scan, in_axes=(nnx.Carry, None, None, 0), out_axes=(nnx.Carry, 0))
def step(h, embed: Embed, dropout: nnx.Dropout, x):
    dropout = nnx.clone(dropout)  # each iteration updates its own copy
    h = dropout(embed.linear(h) + x)  # embed is only read
    return h, jnp.sum(h)
