"""Decorators of the program that change the Module, around a method or a jitted function."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


def remembered(method):
    @functools.wraps(method)
    def run(self, x: jax.Array):
        output = method(self, x)
        self.last = nnx.Cache(output)
        return output

    return run


def kept_as(name: str):
    def decorate(function):
        def run(model, *args):
            output = function(model, *args)
            setattr(model, name, nnx.Cache(output))
            return output

        return run

    return decorate


class Net(nnx.Module):
    @remembered
    def __call__(self, x: jax.Array):
        return 2 * x


class Plain(nnx.Module):
    def __call__(self, x: jax.Array):
        return 3 * x


@nnx.compat.jit
def forward(net: Net, x: jax.Array):
    return net(x)


@nnx.compat.jit
@kept_as("seen")
def decorated(plain: Plain, x: jax.Array):
    return plain(x)


def run():
    net, plain = Net(), Plain()
    outputs = forward(net, jnp.ones(2)), decorated(plain, jnp.ones(2))
    return outputs, net.last[...], plain.seen[...]
