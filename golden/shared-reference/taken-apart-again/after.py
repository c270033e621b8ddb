"""Graphdefs that are called: what they put together is taken apart again afterwards."""

import jax.numpy as jnp
from flax import nnx


class Tied(nnx.Module):
    def __init__(self):
        self.embed = self.unembed = nnx.Param(jnp.ones(2))
        self.calls = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1
        return x * self.embed * self.unembed


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        self.w[...] += 1
        return x * self.w


class Table:
    def apply(self, x):
        return x * 2


def applied(x):
    graphdef, state = nnx.compat.split(Tied())
    y, (graphdef, state) = graphdef.apply(state, graph=True)(x)
    return y, nnx.merge(graphdef, state).calls[...]


def in_function(graphdef, state, x):
    y, (graphdef, state) = graphdef.apply(state, graph=True)(x)
    return y


def tied_outside(x):
    net = Net()
    net.v = net.w
    graphdef, state = nnx.compat.split(net)
    return in_function(graphdef, state, x)


def not_shared(x):
    graphdef, state = nnx.split(Net())
    y, (graphdef, state) = graphdef.apply(state)(x)
    z, (graphdef, state) = nnx.call((graphdef, state))(x)
    return y, z, nnx.merge(graphdef, state).w[...]


def other(x):
    return Table().apply(x)
