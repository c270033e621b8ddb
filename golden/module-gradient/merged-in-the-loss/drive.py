from types import SimpleNamespace

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, deterministic=True, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


def drive(program):
    graphdef, params, rest = nnx.split(Net(nnx.Rngs(0)), nnx.Param, ...)
    state = SimpleNamespace(graphdef=graphdef, params=params, rest=rest)
    return program.train_step(state, jnp.arange(6.0).reshape(3, 2))
