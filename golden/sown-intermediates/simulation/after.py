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
    def _call_and_pop(self, state: jax.Array, force: jax.Array, *, num_steps: int = 1):
        def scanned_fn(system, state, force):
            graphdef, intermediates, rest = nnx.split(system, nnx.Intermediate, ...)

            @nnx.scan(in_axes=(0, nnx.Carry, None), out_axes=(nnx.Carry, 0), length=num_steps)
            def scanned_fn_of_state(intermediates, carry, force):
                state, rest = carry
                system = nnx.merge(graphdef, intermediates, rest)
                return (system.step(state, force, sow=True), rest), nnx.clone(
                    nnx.pop(system, nnx.Intermediate)
                )

            (final_carry, *_), outputs = scanned_fn_of_state(intermediates, (state, rest), force)
            return final_carry, outputs

        state, sown = scanned_fn(self, state, force)
        nnx.update(self, sown)

        return state, nnx.clone(nnx.pop(self, nnx.Intermediate))

    def __call__(self, state: jax.Array, force: jax.Array, *, num_steps: int = 1) -> jax.Array:
        result, sown = self._call_and_pop(state, force, num_steps=num_steps)
        nnx.update(self, sown)
        return result


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
