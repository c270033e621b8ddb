import compat
import jax.numpy as jnp
from compat import slope as rise
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1
        return self.linear(x)


def loss(net, x):
    return jnp.mean(net(x) ** 2)


def by_import(net: Net, x):
    return compat.gradient(loss)(net, x)


def by_attribute(net: Net, x):
    return compat.slope(loss)(net, x)


def by_another_name(net: Net, x):
    return rise(loss)(net, x)
