"""A model that sows two types, of which capture is told one."""

import jax
import jax.numpy as jnp
from flax import nnx


class Loss(nnx.Variable):
    pass


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        h = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", h)
        self.sow(Loss, "penalty", jnp.abs(h).sum())
        return h


@nnx.jit
def forward(net: Net, x: jax.Array):
    y, intermediates = nnx.capture(net, nnx.Intermediate)(x)
    return y, nnx.to_pure_dict(intermediates)


def run(net: Net, x: jax.Array):
    y, hidden = forward(net, x)
    return y, hidden, nnx.to_pure_dict(nnx.pop(net, Loss))
