import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


@nnx.split_rngs(splits=4)
@nnx.vmap
def create(rngs: nnx.Rngs):
    return Noisy(rngs)


def _create(rngs: nnx.Rngs):
    return Noisy(rngs)


def curried(rngs: nnx.Rngs):
    return nnx.split_rngs(splits=4)(nnx.vmap(_create))(rngs)


@nnx.fork_rngs(split=3)
def fork_keys(rngs: nnx.Rngs):
    return jax.random.key_data(rngs.params.key[...])


def split(rngs: nnx.Rngs):
    return rngs.split(2), rngs.fork()
