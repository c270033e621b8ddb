"""A model, and the optimizer that holds it, go into one NamedTuple or dataclass."""

from typing import NamedTuple

import jax.numpy as jnp
import optax
from flax import nnx, struct


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        return self.w[...] * x


class Holder(nnx.Module):
    def __init__(self, net):
        self.net = net


class Both(NamedTuple):
    net: Net
    optimizer: nnx.ModelAndOptimizer


@struct.dataclass
class Pair:
    first: Net
    second: Net


class Apart(NamedTuple):
    net: Net
    optimizer: nnx.Optimizer


@nnx.jit(graph=True, graph_updates=False)
def update(both: Both, grads):
    both.optimizer.update(grads)


@nnx.jit(graph=True, graph_updates=False)
def add(pair, x):
    return pair.first(x) + pair.second(x)


@nnx.jit
def read(apart, x):
    return apart.net(x)


@nnx.jit
def held_apart(first: Holder, second: Holder, x):
    return first.net(x) + second.net(x)


def run(x):
    net, other = Net(), Net()
    grads = nnx.state(nnx.clone(net), nnx.Param)
    update(Both(net, nnx.ModelAndOptimizer(net, optax.sgd(0.1), wrt=nnx.Param)), grads)
    pair = Pair(first=net, second=net)
    apart = Apart(net, nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param))
    return add(pair, x), read(apart, x), held_apart(Holder(net), Holder(other), x)
