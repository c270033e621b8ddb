"""A jitted method that collects arrays on the way in a list of its own."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])

    def __call__(self, x: jax.Array, *, keep: bool = False):
        kept: list[jax.Array] | None = [] if keep else None
        for layer in self.layers:
            x = layer(x)
            if kept is not None:
                kept.append(x)
        return (x, kept) if keep else x


def call(net: Net, inputs: jax.Array):
    return net(inputs, keep=True)


class Compiled(nnx.Module):
    def __init__(self, net: Net):
        self.net = net

    @nnx.jit
    def __call__(self, inputs: jax.Array):
        return call(self.net, inputs)
