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

    def scanned_transition(policy, carry, noise):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0), length=length)
        def scanned_transition_of_state(scan_carry, noise):
            carry, policy = scan_carry
            new_carry, output = step(policy, carry, noise)
            return (new_carry, policy), output

        (final_carry, *_), outputs = scanned_transition_of_state((carry, policy), noise)
        return final_carry, outputs

    (final_position, final_total_of_positions), positions = scanned_transition(
        policy, (position, jnp.zeros(())), noise_of_each_step
    )
    return final_position, final_total_of_positions, positions
