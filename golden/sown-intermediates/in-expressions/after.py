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


_forward_and_pop = nnx.jit(lambda net, x: (net(x), nnx.clone(nnx.pop(net, nnx.Intermediate))))


def forward(net, x):
    result, sown = _forward_and_pop(net, x)
    nnx.update(net, sown)
    return result


def outputs_and_hidden(net: Net, x: jax.Array):
    return forward(net, x), nnx.pop(net, nnx.Intermediate)


def summary(net: Net, x: jax.Array):
    return {
        "mean": jnp.mean(forward(net, x)),
        "hidden": nnx.pop(net, nnx.Intermediate)["hidden"][0],  # before the activation
    }


def main(x: jax.Array):
    net = Net(nnx.Rngs(0))
    found = []
    for i in range(2):
        found.append(forward(net, x + i))
        hidden = nnx.pop(net, nnx.Intermediate)
        found.append(hidden)
    return found, outputs_and_hidden(net, x), summary(net, x), net
