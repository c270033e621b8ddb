import importlib

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.steps = 0

    def __call__(self, x: jax.Array):
        return self.linear(x)


class Trainer:
    """Compiles whatever it is made with."""

    def __init__(self, step_fn, named: str):
        self.step_fn = step_fn
        self.named = named
        self.compile = nnx.jit

    def step(self, net: Net, x: jax.Array):
        return nnx.jit(self.step_fn)(net, x)

    def compiled(self, net: Net, x: jax.Array):
        return self.compile(self.step_fn)(net, x)

    def by_name(self, net: Net, x: jax.Array):
        module = importlib.import_module("program")
        return nnx.jit(getattr(module, self.named))(net, x)


@nnx.compat.jit
def counted(net: Net, step_fn, x: jax.Array):
    net.steps += 1
    return net(x)


def branch(fns, net: Net):
    return nnx.cond(True, *fns, net)
