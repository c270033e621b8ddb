"""A target network that follows another one: a tree.map over filtered States gives such a State."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, value):
        self.w = nnx.Param(jnp.full(2, value))
        self.count = nnx.Variable(jnp.zeros(()))
        self.scale = jnp.full(2, value)

    def __call__(self, x):
        return self.w * self.scale * x


@nnx.jit
def follow(target: Net, online: Net):
    new, old = nnx.state(online, nnx.Param), nnx.state(target, nnx.Param)
    nnx.update(target, jax.tree.map(lambda a, b: 0.1 * a + 0.9 * b, new, old))


@nnx.jit
def follow_by_optax(target: Net, online: Net):
    params = nnx.state(target, nnx.Param)
    mixed = optax.incremental_update(nnx.state(online, nnx.Param), params, 0.1)
    nnx.update(target, mixed)


@nnx.compat.jit
def follow_in_all(target: Net, online: Net):
    new, old = nnx.state(online), nnx.state(target)
    nnx.update(target, jax.tree.map(lambda a, b: 0.1 * a + 0.9 * b, new, old))
