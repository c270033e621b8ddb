"""A part that is of one of two classes, of which the code calls what only one has."""

import jax
import jax.numpy as jnp
from flax import nnx


class Coded(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def encode(self, x: jax.Array):
        return self.linear(x)


class Plain(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.scale = nnx.Param(jnp.ones(2))

    def __call__(self, x: jax.Array):
        return x * self.scale


class Net(nnx.Module):
    def __init__(self, coded: bool, rngs: nnx.Rngs):
        self.part = Coded(rngs) if coded else Plain(rngs)
        self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=1))


@nnx.jit
def encoded(net: Net, x: jax.Array):
    net.eval()
    return net.dropout(net.part.encode(x))


def main():
    net = Net(True, nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    y = encoded(net, x)
    return y, net.dropout.deterministic, net
