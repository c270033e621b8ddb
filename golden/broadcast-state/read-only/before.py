"""Nothing that these scans broadcast is written to."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def energy(model: Net, h):
    return jnp.sum(model.linear(h) ** 2)


@nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def descend(model: Net, h, rate):
    h = h - rate * jax.grad(lambda h: energy(model, h))(h)
    return h, energy(model, h)


@nnx.scan(in_axes=(None, None, None, 0), out_axes=0)
def scaled(scale: nnx.Variable, weights, offset, x):
    return scale * x @ weights.reshape(2, 2) + offset["bias"].sum() + offset.get("shift")


class Stats(nnx.Module):
    def __init__(self, n: nnx.BatchStat):
        self.n = n
        self.count = nnx.Variable(jnp.array(0))


@nnx.scan(in_axes=(None, 0), out_axes=0)
def shifted(stats: Stats, x):
    return x + stats.n - stats.n[...] / jnp.max(stats.n)
