"""A scan broadcasts a NamedTuple with a Module in it, whose streams its body draws from."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx


class Policy(nnx.Module):
    def __init__(self, rngs):
        self.w = nnx.Param(jnp.ones(3))
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.w[...] * x)


class Env(NamedTuple):
    policy: Policy
    scale: jax.Array


class Physics(NamedTuple):
    gravity: jax.Array


@nnx.jit
def rollout(env, physics, start, n=4):
    def body(x, _, env, physics):
        env = nnx.clone(env)  # each iteration updates its own copy
        x = env.policy(x) * env.scale + physics.gravity
        return x, x

    return nnx.scan(body, in_axes=(nnx.Carry, 0, None, None))(start, jnp.zeros(n), env, physics)


def run():
    policy = Policy(nnx.Rngs(0))
    last, path = rollout(Env(policy, jnp.ones(())), Physics(jnp.ones(())), jnp.ones(3))
    return last, path, nnx.state(policy)
