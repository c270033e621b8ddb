"""An attention layer that sows its weights when a keyword asks for it."""

import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.attention = nnx.MultiHeadAttention(2, 4, rngs=rngs, decode=False)

    def __call__(self, x, sow=False):
        return self.attention(x, sow_weights=sow)


@nnx.jit
def forward(block: Block, x):
    return block(x)


@nnx.jit
def _look_and_pop(block: Block, x):
    return block(x, sow=True), nnx.clone(nnx.pop(block, nnx.Intermediate))


def look(block: Block, x):
    result, sown = _look_and_pop(block, x)
    nnx.update(block, sown)
    return result


@nnx.jit
def _look_closer_and_pop(attention: nnx.MultiHeadAttention, x):
    return attention(x, sow_weights=True), nnx.clone(nnx.pop(attention, nnx.Intermediate))


def look_closer(attention: nnx.MultiHeadAttention, x):
    result, sown = _look_closer_and_pop(attention, x)
    nnx.update(attention, sown)
    return result


def weights(block: Block, x):
    forward(block, x)
    look(block, x)
    seen = nnx.pop(block, nnx.Intermediate)
    look_closer(block.attention, x)
    return seen, nnx.pop(block, nnx.Intermediate)
