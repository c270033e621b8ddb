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
    def __call__(self, state: jax.Array, *, num_steps: int = 1, sow: bool = False) -> jax.Array:
        state_axes = nnx.StateAxes({nnx.Intermediate: 0, ...: nnx.Carry})
        return nnx.scan(
            lambda system, state: system._step(state, sow=sow),
            in_axes=(state_axes, nnx.Carry),
            out_axes=nnx.Carry,
            length=num_steps,
        )(self, state)


@nnx.jit
def loss_fn(system: System, states: jax.Array):
    state_axes = nnx.StateAxes({nnx.RngState: 0, nnx.Intermediate: 0, ...: None})
    states = nnx.split_rngs(splits=3)(
        nnx.vmap(lambda system, state: system(state, num_steps=2), in_axes=(state_axes, 0))
    )(system, states)
    return jnp.mean(states**2)


@nnx.jit
def train_step(system: System, optimizer: nnx.Optimizer, states: jax.Array):
    loss, grads = nnx.value_and_grad(loss_fn, argnums=nnx.DiffState(0, nnx.Param))(system, states)
    optimizer.update(system, grads)
    return loss


def main(states: jax.Array):
    system = System(nnx.Rngs(0))
    optimizer = nnx.Optimizer(system, optax.adam(0.1), wrt=nnx.Param)
    losses = [train_step(system, optimizer, states) for _ in range(3)]
    system(states[0], num_steps=4, sow=True)
    return losses, nnx.pop(system, nnx.Intermediate), system
