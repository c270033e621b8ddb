"""Containers of Modules and arrays, and Modules with static attributes: no plain leaves."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.rate = 0.5


def both(model: Net, head: nnx.Linear):
    graphdef, state = nnx.split((model, head))
    return nnx.merge(graphdef, jax.tree.map(lambda x: x * 2, state))


def named(model: Net, head: nnx.Linear):
    return nnx.state({"model": model, "head": head, "none": None, "scale": jnp.ones(2)})


def alone(model: Net):
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)
    return nnx.merge(graphdef, params, rest, copy=True)
