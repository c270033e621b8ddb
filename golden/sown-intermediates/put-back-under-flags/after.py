"""A twin puts back what is sown when a flag asks for it: its callers sow only under that flag."""

import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, keeping: bool = False):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.keeping = keeping

    @nnx.remat
    def _call_and_pop(self, x):
        x = jnp.tanh(self.linear(x))
        if self.keeping:
            self.sow(nnx.Intermediate, "last", x)
        return x, nnx.clone(nnx.pop(self, nnx.Intermediate))

    def __call__(self, x):
        result, sown = self._call_and_pop(x)
        nnx.update(self, sown)
        return result


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.block = Block(rngs)

    def __call__(self, x):
        return self.block(x)


class Looking(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.block = Block(rngs, keeping=True)

    def __call__(self, x):
        return self.block(x)


@nnx.jit
def forward(net: Net, x):
    return net(x)


@nnx.jit
def _look_and_pop(net: Looking, x):
    return net(x), nnx.clone(nnx.pop(net, nnx.Intermediate))


def look(net: Looking, x):
    result, sown = _look_and_pop(net, x)
    nnx.update(net, sown)
    return result


def main(x):
    net, looking = Net(nnx.Rngs(0)), Looking(nnx.Rngs(0))
    found = [forward(net, x), forward(net, x), look(looking, x), look(looking, x)]
    return found, nnx.state(net), nnx.pop(looking, nnx.Intermediate)
