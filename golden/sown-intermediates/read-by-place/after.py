"""What was sown is read by its place in the Variable, and goes into the next step."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

batch_size = 3


class Automaton(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.update = nnx.Linear(4, 4, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, state, *, num_steps: int, sow: bool = False):
        for _ in range(num_steps):
            state = self.dropout(self.update(state))
        if sow:
            self.sow(nnx.Intermediate, "state", state)
        return state


@nnx.jit
def loss_fn(automaton, state, key):
    def vmapped_fn(automaton, state):
        graphdef, mapped, rest = nnx.split(automaton, (nnx.RngState, nnx.Intermediate), ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def vmapped_fn_of_state(mapped, rest, state):
            automaton = nnx.merge(graphdef, mapped, rest)
            return (
                automaton(state, num_steps=2, sow=True),
                nnx.clone(nnx.pop(automaton, nnx.Intermediate)),
            )

        return vmapped_fn_of_state(mapped, rest, state)

    _, sown = nnx.split_rngs(splits=batch_size)(vmapped_fn)(automaton, state)
    nnx.update(automaton, sown)
    intermediates = nnx.pop(automaton, nnx.Intermediate)
    state = intermediates.state[0]
    state = state[jax.random.permutation(key, batch_size)]
    return jnp.mean(state**2), state


@nnx.jit
def train_step(automaton, optimizer, state, key):
    graphdef, params, nondiff = nnx.split(automaton, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, state, key):
        return loss_fn(nnx.merge(graphdef, params, nondiff), state, key)

    (loss, state), grads = nnx.value_and_grad(
        loss_fn_of_state, has_aux=True
    )(params, nondiff, state, key)
    optimizer.update(automaton, grads)
    return loss, state


def run(state, keys):
    automaton = Automaton(nnx.Rngs(0))
    optimizer = nnx.Optimizer(automaton, optax.adam(1e-2), wrt=nnx.Param)
    losses = []
    for key in keys:
        loss, state = train_step(automaton, optimizer, state, key)
        losses.append(loss)
    return losses, state, automaton
