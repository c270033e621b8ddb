"""A system that sows its states when it is asked to, trained without being asked."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class System(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.2, rngs=rngs)

    def _step(self, state: jax.Array, *, sow: bool = False) -> jax.Array:
        state = jnp.tanh(self.drop(self.linear(state)))
        if sow:
            self.sow(nnx.Intermediate, "state", state)
        return state

    @partial(nnx.jit, static_argnames=("num_steps", "sow"))
    def _call_and_pop(self, state: jax.Array, *, num_steps: int = 1, sow: bool = False):
        def scanned_fn(system, state):
            graphdef, intermediates, rest = nnx.split(system, nnx.Intermediate, ...)

            @nnx.scan(in_axes=(0, nnx.Carry), out_axes=(nnx.Carry, 0), length=num_steps)
            def scanned_fn_of_state(intermediates, carry):
                state, rest = carry
                system = nnx.merge(graphdef, intermediates, rest)
                return (system._step(state, sow=sow), rest), nnx.clone(
                    nnx.pop(system, nnx.Intermediate)
                )

            (final_carry, *_), outputs = scanned_fn_of_state(intermediates, (state, rest))
            return final_carry, outputs

        result, sown = scanned_fn(self, state)
        nnx.update(self, sown)
        return result, nnx.clone(nnx.pop(self, nnx.Intermediate))

    def __call__(self, state: jax.Array, *, num_steps: int = 1, sow: bool = False) -> jax.Array:
        result, sown = self._call_and_pop(state, num_steps=num_steps, sow=sow)
        nnx.update(self, sown)
        return result


@nnx.jit
def loss_fn(system: System, states: jax.Array):
    def vmapped_fn(system, state):
        graphdef, mapped, rest = nnx.split(system, (nnx.RngState, nnx.Intermediate), ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def vmapped_fn_of_state(mapped, rest, state):
            system = nnx.merge(graphdef, mapped, rest)
            return system(state, num_steps=2)

        return vmapped_fn_of_state(mapped, rest, state)

    states = nnx.split_rngs(splits=3)(vmapped_fn)(system, states)
    return jnp.mean(states**2)


@nnx.jit
def train_step(system: System, optimizer: nnx.Optimizer, states: jax.Array):
    graphdef, params, nondiff = nnx.split(system, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, states):
        return loss_fn(nnx.merge(graphdef, params, nondiff), states)

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, states)
    optimizer.update(system, grads)
    return loss


def main(states: jax.Array):
    system = System(nnx.Rngs(0))
    optimizer = nnx.Optimizer(system, optax.adam(0.1), wrt=nnx.Param)
    losses = [train_step(system, optimizer, states) for _ in range(3)]
    system(states[0], num_steps=4, sow=True)
    return losses, nnx.pop(system, nnx.Intermediate), system
