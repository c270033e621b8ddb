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
    state_axes = nnx.StateAxes({nnx.RngState: 0, nnx.Intermediate: 0, ...: None})
    nnx.split_rngs(splits=batch_size)(
        nnx.vmap(
            lambda automaton, state: automaton(state, num_steps=2, sow=True),
            in_axes=(state_axes, 0),
        )
    )(automaton, state)
    intermediates = nnx.pop(automaton, nnx.Intermediate)
    state = intermediates.state[0]
    state = state[jax.random.permutation(key, batch_size)]
    return jnp.mean(state**2), state


@nnx.jit
def train_step(automaton, optimizer, state, key):
    (loss, state), grads = nnx.value_and_grad(
        loss_fn, has_aux=True, argnums=nnx.DiffState(0, nnx.Param)
    )(automaton, state, key)
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
