"""The idiom of tree mode: values are sown under capture, inside the transform."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "balance", jnp.var(y))
        return y


@nnx.jit
def forward(model: Net, x):
    y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
    return y, nnx.to_pure_dict(intermediates)
