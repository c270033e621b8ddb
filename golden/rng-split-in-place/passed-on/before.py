import functools

import jax
from flax import nnx

split_in_three = functools.partial(nnx.split_rngs, splits=3)
stacked = nnx.split_rngs(splits=2)


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)


def make(rngs: nnx.Rngs):
    return Noisy(rngs)


def fork_all(models: list[Noisy]):
    list(map(nnx.fork_rngs, models))
    split_in_three(models[0])


def ensemble(rngs: nnx.Rngs):
    return stacked(nnx.vmap(make))(rngs)
