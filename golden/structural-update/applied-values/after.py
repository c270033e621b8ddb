"""A transform that is a value: what it is applied to tells whether it matters."""

import os

import jax
import jax.numpy as jnp
from flax import nnx

FAST = "SLOW" not in os.environ
compiled = nnx.jit if FAST else jax.jit
traced = nnx.jit
if FAST:
    kept = nnx.compat.jit
else:
    kept = jax.jit


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.calls = 0

    def __call__(self, x: jax.Array):
        return x * self.w[...]


@compiled
def double(x: jax.Array):
    return 2 * x


def scaled(net: Net, x: jax.Array):
    net.w[...] *= 0.5
    return net(x)


def counted(net: Net, x: jax.Array):
    net.calls += 1
    return net(x)


of_arrays = traced(lambda x: x + 1)
of_net = traced(scaled)
of_counted = kept(counted)


def run(x: jax.Array):
    net, other = Net(), Net()
    return double(x), of_arrays(x), of_net(net, x), net.w[...], of_counted(other, x), other.calls
