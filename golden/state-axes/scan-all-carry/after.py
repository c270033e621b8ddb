"""A simulation: the whole module is carried, the inputs are scanned."""

import jax
import jax.numpy as jnp
from flax import nnx


class Walker(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.position = nnx.Variable(jnp.zeros((2,)))
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def step(self, force: jax.Array):
        self.position[...] += self.drop(self.linear(force))
        return self.position[...]


def rollout(walker: Walker, forces: jax.Array):
    def body(walker: Walker, force):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        def body_of_state(walker, force):
            return walker, walker.step(force)

        return body_of_state(walker, force)[1]

    return body(walker, forces)


def rollout_call(walker: Walker, forces: jax.Array):
    # carried, not broadcast
    def scanned_fn(w, f):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        def scanned_fn_of_state(w, f):
            return w, w.step(f)

        return scanned_fn_of_state(w, f)[1]

    return scanned_fn(walker, forces)
