"""Decoding with a cache that is set up anew for each prompt, under jit."""

import jax
import jax.numpy as jnp
from flax import nnx


class Decoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.attention = nnx.MultiHeadAttention(
            num_heads=2, in_features=4, decode=True, rngs=rngs
        )

    def __call__(self, x: jax.Array):
        return self.attention(x)


@nnx.jit
def start(model: Decoder):
    model.attention.init_cache((1, 3, 4))


@nnx.jit
def decode(model: Decoder, token: jax.Array):
    return model(token)


def generate(model: Decoder, tokens):
    start(model)
    return [decode(model, token) for token in tokens]
