"""Captured models whose updates are switched off, or made by one subclass alone."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, use_running_average=True, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


class Scale(nnx.Module):
    def __init__(self):
        self.seen = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        return x * 2


class Counting(Scale):
    def __call__(self, x):
        self.seen[...] += 1
        return super().__call__(x)


def in_chunks(net: Net, chunks):
    def body(carry, chunk):
        return carry, net(chunk)

    return jax.lax.scan(body, None, chunks)[1]


def repeated(net: Net, x):
    return nnx.fori_loop(0, 3, lambda i, x: net(x), x)


def scaled(scale: Scale, x):
    return nnx.fori_loop(0, 3, lambda i, x: scale(x), x)


def counted(x):
    counting = Counting()
    return counting(x), counting.seen[...]
