"""A conditional whose branches hand the model back."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def shrunk(net: Net):
    net.linear.kernel[...] *= 0.5
    return net


def kept(net: Net):
    return net


def shrink_if(flag: jax.Array, net: Net):
    return nnx.cond(flag, shrunk, kept, net)
