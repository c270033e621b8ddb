"""A complex system that is simulated step by step, and sows every state that it goes through."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx


class System(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.2, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def step(self, state: jax.Array, force: jax.Array, *, sow: bool = False) -> jax.Array:
        state = jnp.tanh(self.drop(self.linear(state)) + force)
        self.steps[...] += 1
        if sow:
            self.sow(nnx.Intermediate, "state", state)
        return state

    @partial(nnx.jit, static_argnames=("num_steps",))
    def __call__(self, state: jax.Array, force: jax.Array, *, num_steps: int = 1) -> jax.Array:
        state_axes = nnx.StateAxes({nnx.Intermediate: 0, ...: nnx.Carry})
        state = nnx.scan(
            lambda system, state, force: system.step(state, force, sow=True),
            in_axes=(state_axes, nnx.Carry, None),
            out_axes=nnx.Carry,
            length=num_steps,
        )(self, state, force)

        return state


def simulate(x: jax.Array):
    system = System(nnx.Rngs(0))
    found = []
    for i in range(2):
        final = system(x, x / 10, num_steps=3 + i)
        intermediates = nnx.pop(system, nnx.Intermediate)
        states = intermediates.state[0]
        found.append((final, jnp.concatenate([x[None], states])))
    return found, system


def main(x: jax.Array):
    return simulate(x)
