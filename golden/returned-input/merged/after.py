"""A jitted function puts a State together to a Module, and gives the State of that back."""

import jax.numpy as jnp
from flax import nnx


class Counter(nnx.Module):
    def __init__(self):
        self.n = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        return x + self.n[...]


counter = Counter()
graphdef, _ = nnx.split(counter)


@nnx.compat.jit
def step(state, x):
    model = nnx.merge(graphdef, state)
    y = model(x)
    return nnx.state(model), y


@nnx.jit
def with_a_copy(state, x):
    model = nnx.merge(graphdef, state, copy=True)
    y = model(x)
    return nnx.state(model), y


@nnx.jit
def with_arrays(state, x):
    model = nnx.merge(graphdef, state)
    return model(x), model.n[...]


def run(x):
    state = nnx.state(counter)
    state, y = step(state, x)
    copied, z = with_a_copy(state, x)
    return y, z, with_arrays(state, x), state, copied
