"""Loops over carries that hold one object twice, in the ways in which that happens."""

import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.rngs = rngs


def bound(net: Net, x):
    def body(i, carry):
        net, linear, x = carry
        linear.bias[...] += 1.0
        return net, linear, net.linear(x)

    init = (net, net.linear, x)
    return nnx.compat.fori_loop(0, 3, body, init)[2]


def first_bias(i, nets):
    nets[0].linear.bias[...] += 1.0
    return nets


def repeated(net: Net):
    nnx.compat.fori_loop(0, 3, first_bias, [net] * 2)
    nnx.compat.fori_loop(0, 3, first_bias, [net for _ in range(2)])
    nnx.compat.fori_loop(0, 3, first_bias, nnx.List([net, net]))
    return net.linear.bias[...]


class Trainer:
    def __init__(self, net: Net):
        self.net = net
        self.linear = net.linear

    def run(self):
        def body(i, carry):
            net, linear = carry
            linear.bias[...] += 1.0
            return net, linear

        nnx.compat.fori_loop(0, 3, body, (self.net, self.linear))
        return self.net.linear.bias[...]


def with_optimizer():
    net = Net(nnx.Rngs(0))
    optimizer = nnx.ModelAndOptimizer(net, optax.sgd(0.1))
    nnx.compat.fori_loop(0, 3, first_bias, (net, optimizer))
    return net.linear.bias[...]


def with_rngs():
    rngs = nnx.Rngs(0)
    net = Net(rngs)

    def body(i, carry):
        net, rngs, x = carry
        return net, rngs, x + net.rngs.noise.uniform((2,)) + rngs.noise.uniform((2,))

    return nnx.compat.fori_loop(0, 3, body, (net, rngs, jnp.zeros(2)))[2]


def two_of_them():
    nets = [Net(nnx.Rngs(seed)) for seed in range(2)]
    nnx.fori_loop(0, 3, first_bias, nets)
    return nets[0].linear.bias[...]
