"""Transforms that are looked up by a name which the program computes."""

import os

import jax.numpy as jnp
from flax import nnx

WRAPPER = "jit"


class Net(nnx.Module):
    def __init__(self, activation):
        self.w = nnx.Param(jnp.ones(2))
        self.activation = getattr(nnx, activation)
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.activation(self.w[...] * x)


def transformed(name, function, **options):
    return getattr(nnx, name)(function, **options)


def forward(net, x):
    return net(x)


@getattr(nnx, WRAPPER)
def decorated(net, x):
    return net(x)


def only_reads(net, x):
    return net.w[...] * x


def loss(net, x):
    return (net.w[...] * x).sum()


def gradients(net, x):
    return [getattr(nnx, name)(loss)(net, x) for name in ("grad", "value_and_grad")]


unknown = getattr(nnx, os.environ.get("WRAPPER_OF_NNX", "jit"))(only_reads)


def run(x):
    net = Net("gelu")
    jitted, rematerialized = transformed("jit", forward), transformed("remat", forward)
    found = [jitted(net, x), rematerialized(net, x), net.calls, decorated(net, x), net.calls]
    first, (value, second) = gradients(net, x)
    layer = getattr(nnx, os.environ.get("LAYER_OF_NNX", "Linear"))(2, 1, rngs=nnx.Rngs(0))
    return found, unknown(net, x), first["w"], second["w"], value, layer(x)
