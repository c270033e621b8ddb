"""A rollout: the first argument of the body is bound, and one part of the carry is no object."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


class Policy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, activation: Callable | None = None):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.activation = activation

    def __call__(self, x):
        x = self.norm(self.linear(x))
        return x if self.activation is None else self.activation(x)


def transition(scale, policy: Policy, carry, noise):
    position, total = carry
    position = position + scale * policy(position) + noise
    return (position, total + position.sum()), position


def rollout(policy: Policy, position: jax.Array, noise_of_each_step: jax.Array, length: int):
    step = functools.partial(transition, 0.5)
    (final_position, final_total_of_positions), positions = nnx.scan(
        step,
        in_axes=(nnx.StateAxes({...: nnx.Carry}), nnx.Carry, 0),
        out_axes=(nnx.Carry, 0),
        length=length,
    )(policy, (position, jnp.zeros(())), noise_of_each_step)
    return final_position, final_total_of_positions, positions
