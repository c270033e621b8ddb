"""Attributes that are set in the methods that `+=` and `with` run; and arithmetic that sets none."""

import jax.numpy as jnp
from flax import nnx


class Log(nnx.Module):
    def __init__(self):
        self.total = nnx.Variable(jnp.zeros(2))

    def __iadd__(self, x):
        self.last = nnx.Variable(x)
        return self

    def __enter__(self):
        self.entered = True
        return self

    def __exit__(self, *error):
        return None


@nnx.jit
def add(log: Log, x):
    log += x


@nnx.jit
def enter(log: Log, x):
    with log:
        return x * 2


@nnx.jit
def count(log: Log, x):
    x += 1
    log.total[...] += x
    return x
