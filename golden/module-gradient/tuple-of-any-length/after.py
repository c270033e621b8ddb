"""An element of a `tuple[Net, ...]`: each is a Net, the second one too."""

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.count = nnx.BatchStat(jnp.zeros(()))

    def __call__(self, x):
        self.count[...] += 1
        return self.linear(x)


def loss(net, x):
    return jnp.mean(net(x) ** 2)


def run(nets: tuple[Net, ...], x):
    _, second = nets
    graphdef, params, nondiff = nnx.split(second, nnx.Param, ...)

    def loss_of_state(params, nondiff, x):
        return loss(nnx.merge(graphdef, params, nondiff), x)

    return nnx.grad(loss_of_state)(params, nondiff, x)
