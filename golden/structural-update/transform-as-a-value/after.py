"""Transforms that a decorator of the project, a table, or a string stands for."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx

FAST = True


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def compiled(function):
    return nnx.compat.jit(function)


def mark(net: Net, name):
    setattr(net, name, nnx.Variable(jnp.ones(())))
    return net.linear(jnp.ones((1, 2)))


@compiled
def by_decorator(net: Net):
    net.first = nnx.Variable(jnp.zeros(()))


TABLE = {"nnx": nnx.compat.jit, "jax": jax.jit}
static = functools.partial(nnx.compat.jit, static_argnames="name")


def run(net: Net):
    by_decorator(net)
    TABLE["nnx"](lambda net: mark(net, "second"))(net)
    nnx.compat.jit(lambda net: mark(net, "third"))(net)
    (nnx.compat.jit if FAST else lambda function: function)(lambda net: mark(net, "fourth"))(net)
    static(mark)(net, name="fifth")
    return sorted(vars(net))
