import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(x)


def sample(model: Noisy, x):
    nnx.compat.fork_rngs(model)  # a fresh stream from here on
    return model(x)


def per_key(rngs: nnx.Rngs):
    nnx.compat.split_rngs(rngs, splits=3, only="dropout")
    return jax.random.key_data(rngs.dropout.key[...])
