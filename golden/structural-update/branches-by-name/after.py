"""Control flow whose functions and operands are not spelled out in the call."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.taken = "none"

    def __call__(self, x: jax.Array):
        return self.linear(x)


def doubled(net: Net, x: jax.Array):
    net.taken = "a branch"
    return nnx.cond(x.sum() > 0, lambda net, x: net(x), lambda net, x: x, net, x) * 2


def routed(index, net: Net, x: jax.Array):
    branches = [doubled, doubled]
    return nnx.compat.switch(index, branches, net, x)


class Router:
    def __init__(self):
        self.routes = [self.first, self.second]

    def first(self, net: Net, x: jax.Array):
        net.taken = "first or second"
        return net(x)

    def second(self, net: Net, x: jax.Array):
        net.taken = "first or second"
        return net(x) + 1

    def route(self, index, net: Net, x: jax.Array):
        return nnx.compat.switch(index, self.routes, net, x)


def dispatch(flag, *operands):
    return nnx.compat.cond(flag, doubled, doubled, *operands)


always = functools.partial(nnx.compat.cond, True, doubled, doubled)
