"""A system that is simulated for many starting states at once, with noise of its own in each."""

import jax
import jax.numpy as jnp
from flax import nnx


class System(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def step(self, state):
        return jnp.tanh(self.drop(self.linear(state)))

    def __call__(self, state, num_steps: int = 2):
        for _ in range(num_steps):
            state = self.step(state)
            self.sow(nnx.Intermediate, "state", state)
        return state


@nnx.split_rngs(splits=4)
def _run_and_pop(system: System, state: jax.Array):
    graphdef, mapped, rest = nnx.split(system, (nnx.RngState, nnx.Intermediate), ...)

    @nnx.vmap(in_axes=(0, None, 0))
    def run_and_pop_of_state(mapped, rest, state):
        system = nnx.merge(graphdef, mapped, rest)
        return system(state, num_steps=3), nnx.clone(nnx.pop(system, nnx.Intermediate))

    return run_and_pop_of_state(mapped, rest, state)


def run(system: System, state: jax.Array):
    result, sown = _run_and_pop(system, state)
    nnx.update(system, sown)
    return result


@nnx.jit
@nnx.vmap(in_axes=(None, 0), out_axes=0)
def energies(system: System, state: jax.Array):
    return jnp.sum(system.linear(state) ** 2)


def main(states):
    system = System(nnx.Rngs(0))
    found = []
    for _ in range(2):
        final = run(system, states)
        trajectory = nnx.pop(system, nnx.Intermediate)["state"]
        found.append((final, [states, *trajectory], energies(system, final)))
    return found, system
