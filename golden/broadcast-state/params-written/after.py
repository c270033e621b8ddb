"""Weights that a helper writes to in each step; the scan discards that."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def decay(self):
        self.linear.kernel[...] *= 0.5


def shrink(model: Net, x):
    model.decay()
    return model.linear(x)


@nnx.scan(in_axes=(None, 0), out_axes=0)
def outputs(model: Net, x):
    model = nnx.clone(model)  # each iteration updates its own copy
    return shrink(model, x)


@nnx.scan(in_axes=(None, 0), out_axes=0)
def totals(total: nnx.Variable, x):
    total = nnx.clone(total)  # each iteration updates its own copy
    total[...] += x
    return total[...]
