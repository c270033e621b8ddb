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
    @nnx.scan(in_axes=(nnx.StateAxes({...: nnx.Carry}), 0), out_axes=0)
    def body(walker: Walker, force):
        return walker.step(force)

    return body(walker, forces)


def rollout_call(walker: Walker, forces: jax.Array):
    return nnx.scan(
        lambda w, f: w.step(f),
        in_axes=(nnx.StateAxes({...: nnx.Carry}), 0),  # carried, not broadcast
        out_axes=0,
    )(walker, forces)
