import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(x)


def population_keys(model: Noisy, size: int):
    backups = nnx.compat.split_rngs(model, splits=size)
    keys = jax.random.key_data(model.drop.rngs.key[...])
    nnx.restore_rngs(backups)
    return keys
