"""A State of Variables alone, carried by a scan, goes back into an object that holds arrays too."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.frequencies = jnp.arange(2.0)

    def __call__(self, x):
        return (self.w[...] * x * self.frequencies).sum()


@nnx.jit
def of_variables(net: Net, xs):
    graphdef, variables, rest = nnx.split(net, nnx.Variable, ...)

    def step(variables, x):
        inner = nnx.merge(graphdef, variables, rest, copy=True)
        loss, grads = jax.value_and_grad(lambda w: (w * x * inner.frequencies).sum())(inner.w[...])
        inner.w[...] -= 0.1 * grads
        return nnx.state(inner, nnx.Variable), loss

    variables, losses = jax.lax.scan(step, variables, xs)
    nnx.update(net, variables)
    return losses


@nnx.compat.jit
def of_arrays_too(net: Net, other: Net):
    nnx.update(net, jax.tree.map(lambda leaf: leaf * 2, nnx.state(other)))


def run():
    net, other = Net(), Net()
    losses = of_variables(net, jnp.arange(6.0).reshape(3, 2))
    between = net.w[...], net.frequencies
    of_arrays_too(net, other)
    return losses, between, net.w[...], net.frequencies
