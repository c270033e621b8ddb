"""Weights are tied in some models of a class; others of it are made and used as they are."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = nnx.Linear(2, 2, rngs=rngs)
        self.two = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.two(self.one(x))


class Other(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = nnx.Linear(2, 2, rngs=rngs)
        self.two = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.two(self.one(x))


class Listed(Other):
    pass


model = Net(nnx.Rngs(0))
model.two = model.one
tied = nnx.compat.state(model)
model = Net(nnx.Rngs(1))
model.two.kernel = model.one.kernel
half_tied = nnx.compat.state(model)

plain = Net(nnx.Rngs(2))
plain.two.kernel[...] = plain.one.kernel  # its values, not the Variable
untied = nnx.state(plain)
at_once = nnx.state(Net(nnx.Rngs(3)))


@nnx.jit
def made(rngs: nnx.Rngs):
    net = Net(rngs)
    return net


@nnx.compat.jit
def made_and_tied(rngs: nnx.Rngs):
    net = Net(rngs)
    net.two.bias = net.one.bias
    return net


def tie(other: Other):
    other.two = other.one


def of_any():
    """What ties it may be given it."""
    other = Other(nnx.Rngs(4))
    tie(other)
    return nnx.compat.state(other)


def listed():
    one, two = Listed(nnx.Rngs(5)), Listed(nnx.Rngs(6))
    for net in [one, two]:
        net.two = net.one
    return nnx.compat.state(one)


def main():
    return made(nnx.Rngs(7)), made_and_tied(nnx.Rngs(8)), of_any(), listed()


results = main()
