"""Jitted functions in lists and dictionaries, which loops call one after the other."""

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.phase = 0

    def advance(self):
        self.phase += 1

    def __call__(self, x):
        return self.w[...] * x


def warm_up(net, x):
    net.advance()
    return net(x)


def settle(net, x):
    return net(x)


PHASES = [nnx.jit(warm_up), nnx.jit(settle)]
NAMED = {"warm": nnx.jit(warm_up), "settle": nnx.jit(settle)}


def run(x):
    net, found = Net(), []
    for step in PHASES:
        found.append(step(net, x))
    for _, step in NAMED.items():
        found.append(step(net, x))
    marking = [nnx.jit(lambda net, x, k=k: setattr(net, "phase", k) or net(x)) for k in (7, 9)]
    return found, net.phase, [mark(net, x) for mark in marking], net.phase
