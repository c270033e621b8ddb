"""Calls and pops in the middle of expressions."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return nnx.relu(y)


forward = nnx.jit(nnx.capture(lambda net, x: net(x), nnx.Intermediate))


def outputs_and_hidden(net: Net, x: jax.Array):
    return forward(net, x)


def summary(net: Net, x: jax.Array):
    outputs, intermediates = forward(net, x)
    return {
        "mean": jnp.mean(outputs),
        "hidden": intermediates["hidden"][0],  # before the activation
    }


def main(x: jax.Array):
    net = Net(nnx.Rngs(0))
    found = []
    for i in range(2):
        outputs, hidden = forward(net, x + i)
        found.append(outputs)
        found.append(hidden)
    return found, outputs_and_hidden(net, x), summary(net, x), net
