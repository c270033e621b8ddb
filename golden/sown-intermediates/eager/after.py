"""Sown and popped without any transform, and within one trace that is not left."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    y = model(x)
    z = model(2 * x)
    intermediates = nnx.pop(model, nnx.Intermediate)
    total = nnx.jit(lambda model: jnp.sum(model.linear.kernel[...]))(model)
    return y, z, intermediates["hidden"], total, model
