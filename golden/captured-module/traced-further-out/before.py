"""Loops over an object that a transform further out captures: in their carry it would be foreign."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def bound(self, x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: self.linear(x), x)

    def bound_at_once(self, x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: self.linear(x), x)

    def mapped(self, x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: self.linear(x), x)

    @functools.partial(jax.jit, static_argnums=0)
    def static(self, x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: self.linear(x), x)

    def captured(self, x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: self.linear(x), x)

    def nested(self, x: jax.Array):
        @jax.jit
        def run(x):
            return nnx.fori_loop(0, 2, lambda i, x: self.linear(x), x)

        return run(x)


def helper(net: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: net.linear(x), x)


def partly(net: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: net.linear(x), x)


def through(net: Net, x: jax.Array):
    return helper(net, x)


def main():
    net = Net(nnx.Rngs(0))
    x = jnp.arange(2.0)
    bound = jax.jit(net.bound)
    results = [bound(x), jax.jit(net.bound_at_once)(x), jax.lax.map(net.mapped, x[None])]
    results += [net.static(x), jax.jit(lambda x: net.captured(x))(x), net.nested(x)]
    results += [jax.jit(lambda x: through(net, x))(x), jax.jit(functools.partial(partly, net))(x)]
    return results, net
