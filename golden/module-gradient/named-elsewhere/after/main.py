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
    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)

    def loss_of_state(params, nondiff, x):
        return loss(nnx.merge(graphdef, params, nondiff), x)

    return compat.gradient(loss_of_state)(params, nondiff, x)


def by_attribute(net: Net, x):
    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)

    def loss_of_state(params, nondiff, x):
        return loss(nnx.merge(graphdef, params, nondiff), x)

    return compat.slope(loss_of_state)(params, nondiff, x)


def by_another_name(net: Net, x):
    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
    return rise(lambda params, nondiff, x: loss(nnx.merge(graphdef, params, nondiff), x))(
        params, nondiff, x
    )
