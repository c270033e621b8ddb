"""Models put together again from their graphdefs, under names that are bound more than once."""

import jax
import jax.numpy as jnp
from flax import nnx


class Scale(nnx.Pytree):
    def __init__(self, value: float):
        self.value = jnp.array(value)


class Tied(nnx.Pytree):
    def __init__(self):
        self.left = self.right = Scale(2.0)


class Free(nnx.Pytree):
    def __init__(self):
        self.left = Scale(3.0)
        self.right = Scale(4.0)


@jax.jit
def step(model):
    return jax.tree.map(lambda x: x + 1, model)


free = step(Free())
graphdef, state = nnx.compat.split(Tied())


@jax.jit
def step(graphdef, state):
    model = nnx.merge(graphdef, state)
    model.left.value += 1
    return nnx.compat.state(model)


stepped = step(graphdef, state)


def read(graphdef, state):
    return nnx.compat.state(nnx.merge(graphdef, state))


def read_either():
    return read(graphdef, stepped), read(*nnx.split(free))


def again(tied: Tied):
    copied = nnx.merge(*nnx.compat.split(tied), copy=True)
    return nnx.compat.state(copied), nnx.compat.state(nnx.merge(nnx.compat.graphdef(tied), stepped))


def read_free():
    return nnx.state(nnx.merge(*nnx.split(Free())))
