"""Both branches of a conditional count their visits in an attribute that is no Variable."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.visits = 0

    def __call__(self, x: jax.Array):
        return self.linear(x)


def doubled(net: Net, x: jax.Array):
    net.visits += 1
    return net(x) * 2


def halved(net: Net, x: jax.Array):
    net.visits += 1
    return net(x) / 2


def scaled(net: Net, x: jax.Array):
    return nnx.cond(x.sum() > 0, doubled, halved, net, x)
