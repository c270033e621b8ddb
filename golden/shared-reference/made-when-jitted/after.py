"""Makers of a tied model: what only takes its State says so itself, and the rest is kept around."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, size: int, rngs: nnx.Rngs):
        self.embed = nnx.Embed(size, 3, rngs=rngs)
        self.norm = nnx.LayerNorm(3, rngs=rngs)
        self.head = nnx.Embed(size, 3, rngs=rngs)
        self.head.embedding = self.embed.embedding

    def __call__(self, tokens: jax.Array):
        return self.head.attend(self.norm(self.embed(tokens)))


@partial(nnx.compat.jit, static_argnums=(0,))
def make(size: int, rngs: nnx.Rngs):
    model = Tied(size, rngs)
    state = nnx.compat.state(model)
    nnx.update(model, jax.tree.map(lambda leaf: leaf * 2, state))
    return model


@partial(nnx.compat.jit, static_argnums=(0, 2))
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def make_and_run(size: int, rngs: nnx.Rngs, first):
    model = Tied(size, rngs)
    state = nnx.compat.state(model)
    nnx.update(model, jax.tree.map(lambda leaf: leaf * 2, state))
    first(model)
    return model
